//! The list of all bots that are computed.

use crate::{Budget, Greedy, Nega, OnePly, Random, Sample, Search};
use hognose_game::duel::MakeDuelist;
use std::sync::Arc;

/// A bot by its name.
#[derive(Debug)]
pub struct Known {
    /// The name, without a budget.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    pub(crate) kind: Kind,
}

/// How a bot is made.
#[derive(Debug)]
pub(crate) enum Kind {
    /// It does not search.
    Plain(fn() -> Arc<dyn MakeDuelist>),
    /// It searches within a budget, this one unless the name tells another.
    Searching(Budget, fn(Budget) -> Arc<dyn MakeDuelist>),
}

/// How programs are named, and what they do.
pub const PROGRAM: (&str, &str) =
    ("exec:COMMAND", "plays a program of your own, in any language; crates/process/README.md says how it is written");

/// All bots, simple ones first.
pub const BOTS: &[Known] = &[
    Known { name: "random", what: "plays a legal move at random", kind: Kind::Plain(|| Arc::new(Random)) },
    Known {
        name: "sample",
        what: "plays the first legal move of up, right, down, left (SampleBot of the AI Snakes competition)",
        kind: Kind::Plain(|| Arc::new(Sample)),
    },
    Known {
        name: "search",
        what: "goes straight at the food where that is legal, else as sample (SearchBot of the AI Snakes competition)",
        kind: Kind::Plain(|| Arc::new(Search)),
    },
    Known {
        name: "greedy",
        what: "goes the shortest way to a food around both bodies, else where most cells can be reached",
        kind: Kind::Plain(|| Arc::new(Greedy)),
    },
    Known {
        name: "one-ply",
        what: "solves the game of both snakes' next moves by room, foods and lengths, and mixes where that is best",
        kind: Kind::Plain(|| Arc::new(OnePly)),
    },
    Known {
        name: "nega",
        what: "searches by alpha-beta, deep and quick (NegaSnake of the AI Snakes competition)",
        kind: Kind::Searching(Budget::Depth(4), |budget| Arc::new(Nega::new(budget))),
    },
];
