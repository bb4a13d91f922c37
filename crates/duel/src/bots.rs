//! The list of all bots that are computed.

use crate::{
    Adder, AdderStyle, Budget, Circles, Greedy, Hognose, Nega, OnePly, Random, Sample, Search,
    Waiting,
};
use hognose_game::duel::MakeBot;
use hognose_game::rng::Purpose;
use std::sync::Arc;

/// The purpose of the seeds of bots that play against a user: they do not tell the seed of the
/// duel.
pub const AGAINST_USER: Purpose = Purpose::new("bot against a keyboard");

/// A bot by its name.
#[derive(Debug)]
pub struct Known {
    /// The name, without a budget.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    pub(crate) kind: Kind,
}

impl Known {
    /// The budget that it has unless its name tells another; `None`: it does not search.
    pub fn budget(&self) -> Option<Budget> {
        match self.kind {
            Kind::Plain(_) => None,
            Kind::Searching(budget, _) | Kind::Learned(budget) => Some(budget),
        }
    }
}

/// How a bot is made.
#[derive(Debug)]
pub(crate) enum Kind {
    /// It does not search.
    Plain(fn() -> Arc<dyn MakeBot>),
    /// It searches within a budget, this one unless the name tells another.
    Searching(Budget, fn(Budget) -> Arc<dyn MakeBot>),
    /// It searches within a budget, this one unless the name tells another, on what an agent has
    /// learned.
    Learned(Budget),
}

/// All bots, simple ones first.
pub const BOTS: &[Known] = &[
    Known {
        name: "random",
        what: "plays a legal move at random",
        kind: Kind::Plain(|| Arc::new(Random)),
    },
    Known {
        name: "sample",
        what: "plays the first legal move of up, right, down, left (SampleBot of the AI Snakes \
               competition)",
        kind: Kind::Plain(|| Arc::new(Sample)),
    },
    Known {
        name: "search",
        what: "goes straight at the food where that is legal, else as sample (SearchBot of the AI \
               Snakes competition)",
        kind: Kind::Plain(|| Arc::new(Search)),
    },
    Known {
        name: "greedy",
        what: "goes the shortest way to a food around both bodies, else where most cells can be \
               reached",
        kind: Kind::Plain(|| Arc::new(Greedy)),
    },
    Known {
        name: "one-ply",
        what: "solves the game of both snakes' next moves by room, foods and lengths, and mixes \
               where that is best",
        kind: Kind::Plain(|| Arc::new(OnePly)),
    },
    Known {
        name: "adder",
        what: "searches with alpha-beta, and circles the food once it is longer (AdderBoaCobra, AI \
               Snakes 2020)",
        kind: Kind::Searching(ADDER, |budget| adder(budget, AdderStyle::default())),
    },
    Known {
        name: "adder-straight",
        what: "plays as adder, but never circles",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    circles: Circles::Never,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "adder-circles",
        what: "plays as adder, but also circles where there are several foods: the nearest",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    circles: Circles::NearestFood,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "adder-center",
        what: "plays as adder, but goes to the centre, not to where most cells are closer, where \
               the other eats first",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    waiting: Waiting::Center,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "adder-draws",
        what: "plays as adder, but likes drawn head-ons as its report says, not its code",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    draw: AdderStyle::DRAW_OF_THE_REPORT,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "adder-no-draws",
        what: "plays as adder, but takes drawn head-ons for lost ones",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    draw: AdderStyle::DRAW_AS_LOSS,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "adder-fault",
        what: "plays as adder, but believes that it eats first where both enter one food (the \
               known fault)",
        kind: Kind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    eats_first: true,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    Known {
        name: "nega",
        what: "searches by alpha-beta, deep and quick (NegaSnake of the AI Snakes competition)",
        kind: Kind::Searching(Budget::Depth(4), |budget| Arc::new(Nega::new(budget))),
    },
    Known {
        name: "hognose",
        what: "searches by alpha-beta on the reach of both snakes: our strongest without learning",
        kind: Kind::Searching(HOGNOSE, |budget| Arc::new(Hognose::new(budget))),
    },
    Known {
        name: "hognose-forgets",
        what: "plays as hognose, but begins each search without what earlier ones have found",
        kind: Kind::Searching(HOGNOSE, |budget| {
            Arc::new(Hognose::new(budget).forgetting())
        }),
    },
    Known {
        name: "selfplay",
        what: "searches by alpha-beta on a value that it learned by playing against itself and \
               bots; an agent may be named, as in selfplay:2021, selfplay:2021:3 or \
               selfplay:runs/duel-2021-seed0",
        kind: Kind::Learned(Budget::Depth(2)),
    },
];

/// What adders may do for a move, unless a name tells another budget.
const ADDER: Budget = Budget::Depth(4);

/// What hognose may do for a move, unless a name tells another budget.
const HOGNOSE: Budget = Budget::Depth(6);

fn adder(budget: Budget, style: AdderStyle) -> Arc<dyn MakeBot> {
    Arc::new(Adder::new(budget, style))
}
