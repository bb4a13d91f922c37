//! Bots for duels by their names. A new bot gets its name here.

use crate::{EmbeddedAgent, NameError};
use hognose_duel::{
    Adder, AdderStyle, Budget, Circles, Greedy, Hognose, Nega, OnePly, Random, Sample, Search,
    Selfplay, ValueFile, Waiting,
};
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Seat};
use hognose_game::rng::Purpose;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The purpose of the seeds of bots that play against a user: they do not tell the seed of the
/// duel.
pub const AGAINST_USER: Purpose = Purpose::new("bot against a keyboard");

/// A bot that has a name of its own.
#[derive(Debug)]
pub struct KnownBot {
    /// The name, without a budget.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    kind: BotKind,
}

impl KnownBot {
    /// The budget that it has unless its name says another; `None` if it does not search.
    pub fn budget(&self) -> Option<Budget> {
        match self.kind {
            BotKind::Plain(_) => None,
            BotKind::Searching(budget, _) | BotKind::Learned(budget) => Some(budget),
        }
    }

    /// What makes it, with what follows the colon of its whole name, if there is one.
    pub(crate) fn maker(
        &self,
        name: &str,
        rest: Option<&str>,
        embedded: &[EmbeddedAgent],
    ) -> Result<Arc<dyn MakeBot>, NameError> {
        Ok(match (&self.kind, rest) {
            (BotKind::Plain(make), None) => make(),
            (BotKind::Plain(_), Some(_)) => {
                return Err(NameError::Form {
                    name: name.to_owned(),
                    expected: format!("{:?} alone", self.name),
                });
            }
            (BotKind::Searching(default, make), None) => make(*default),
            (BotKind::Searching(_, make), Some(budget)) => {
                make(budget.parse().map_err(|error| NameError::Budget {
                    name: name.to_owned(),
                    error,
                })?)
            }
            (BotKind::Learned(default), rest) => {
                let rest = rest.unwrap_or_default();
                Arc::new(selfplay(name, rest, embedded, *default)?)
            }
        })
    }
}

/// How a bot is made.
#[derive(Debug)]
enum BotKind {
    /// It does not search.
    Plain(fn() -> Arc<dyn MakeBot>),
    /// It searches within a budget, this one unless the name says another.
    Searching(Budget, fn(Budget) -> Arc<dyn MakeBot>),
    /// It searches within a budget, this one unless the name says another, on what an agent has
    /// learned.
    Learned(Budget),
}

/// The bots for duels, simple ones first.
pub const BOTS: &[KnownBot] = &[
    KnownBot {
        name: "random",
        description: "plays a legal move at random",
        kind: BotKind::Plain(|| Arc::new(Random)),
    },
    KnownBot {
        name: "sample",
        description: "plays the first legal move of up, right, down, left (SampleBot of the AI Snakes \
               competition)",
        kind: BotKind::Plain(|| Arc::new(Sample)),
    },
    KnownBot {
        name: "search",
        description: "goes straight at the food where that is legal, else as sample (SearchBot of the AI \
               Snakes competition)",
        kind: BotKind::Plain(|| Arc::new(Search)),
    },
    KnownBot {
        name: "greedy",
        description: "goes the shortest way to a food around both bodies, else where most cells can be \
               reached",
        kind: BotKind::Plain(|| Arc::new(Greedy)),
    },
    KnownBot {
        name: "one-ply",
        description: "solves the game of both snakes' next moves by room, foods and lengths, and mixes \
               where that is best",
        kind: BotKind::Plain(|| Arc::new(OnePly)),
    },
    KnownBot {
        name: "adder",
        description: "searches with alpha-beta, and circles the food once it is longer (AdderBoaCobra, AI \
               Snakes 2020)",
        kind: BotKind::Searching(ADDER, |budget| adder(budget, AdderStyle::default())),
    },
    KnownBot {
        name: "nega",
        description: "searches by alpha-beta, deep and quick (NegaSnake of the AI Snakes competition)",
        kind: BotKind::Searching(Budget::Depth(4), |budget| Arc::new(Nega::new(budget))),
    },
    KnownBot {
        name: "hognose",
        description: "searches by alpha-beta on the reach of both snakes: our strongest without learning",
        kind: BotKind::Searching(HOGNOSE, |budget| Arc::new(Hognose::new(budget))),
    },
    KnownBot {
        name: "selfplay",
        description: "searches by alpha-beta on a value that it learned by playing against itself and \
               bots; an agent may be named, as in selfplay:2021, selfplay:2021:3 or \
               selfplay:runs/duel-2021-seed0",
        kind: BotKind::Learned(Budget::Depth(2)),
    },
];

/// Variants of [`BOTS`] that reproductions and exact duels need. Catalogs know their names, and no
/// list shows them.
pub(crate) const VARIANTS: &[KnownBot] = &[
    KnownBot {
        name: "adder-straight",
        description: "plays as adder, but never circles",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    circles: Circles::Never,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "adder-circles",
        description: "plays as adder, but also circles where there are several foods: the nearest",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    circles: Circles::NearestFood,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "adder-center",
        description: "plays as adder, but goes to the centre, not to where most cells are closer, where \
               the other eats first",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    waiting: Waiting::Center,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "adder-draws",
        description: "plays as adder, but likes drawn head-ons as its report says, not its code",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    draw: AdderStyle::DRAW_OF_THE_REPORT,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "adder-no-draws",
        description: "plays as adder, but takes drawn head-ons for lost ones",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    draw: AdderStyle::DRAW_AS_LOSS,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "adder-fault",
        description: "plays as adder, but believes that it eats first where both enter one food (the \
               known fault)",
        kind: BotKind::Searching(ADDER, |budget| {
            adder(
                budget,
                AdderStyle {
                    eats_first: true,
                    ..AdderStyle::default()
                },
            )
        }),
    },
    KnownBot {
        name: "hognose-forgets",
        description: "plays as hognose, but begins each search without what earlier ones have found",
        kind: BotKind::Searching(HOGNOSE, |budget| {
            Arc::new(Hognose::new(budget).forgetting())
        }),
    },
];

/// What adders may do for a move, unless a name says another budget.
const ADDER: Budget = Budget::Depth(4);

/// What hognose may do for a move, unless a name says another budget.
const HOGNOSE: Budget = Budget::Depth(6);

fn adder(budget: Budget, style: AdderStyle) -> Arc<dyn MakeBot> {
    Arc::new(Adder::new(budget, style))
}

/// A bot that was found by its name, in a [`Catalog`](crate::Catalog).
#[derive(Clone)]
pub struct NamedBot {
    name: String,
    maker: Arc<dyn MakeBot>,
}

impl NamedBot {
    pub(crate) fn new(name: &str, maker: Arc<dyn MakeBot>) -> NamedBot {
        NamedBot {
            name: name.to_owned(),
            maker,
        }
    }

    /// The name that it was found by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What makes it for each duel.
    pub fn maker(&self) -> Arc<dyn MakeBot> {
        Arc::clone(&self.maker)
    }
}

impl MakeBot for NamedBot {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        self.maker.make(position, seat, seed)
    }

    fn depends_on_clock(&self) -> bool {
        self.maker.depends_on_clock()
    }

    fn repeats(&self) -> bool {
        self.maker.repeats()
    }
}

impl fmt::Debug for NamedBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedBot").field(&self.name).finish()
    }
}

/// The bot of the agent that is named after `selfplay:`, with its budget, this one unless the name
/// says another. Without a name it is the embedded agent for the rules of the game.
fn selfplay(
    name: &str,
    rest: &str,
    embedded: &[EmbeddedAgent],
    default: Budget,
) -> Result<Selfplay, NameError> {
    // The path of an agent goes before a name.
    let is_path = |agent: &str| !agent.is_empty() && ValueFile::is_at(Path::new(agent));
    let named = |agent: &str| embedded.iter().find(|known| known.name == agent);
    let is_known = |agent: &str| is_path(agent) || named(agent).is_some();
    let (agent, budget) = if let Ok(budget) = rest.parse() {
        ("", budget)
    } else if rest.is_empty() || is_known(rest) {
        (rest, default)
    } else {
        let parts = rest.rsplit_once(':');
        match parts.map(|(agent, budget)| (agent, budget.parse())) {
            Some((agent, Ok(budget))) => (agent, budget),
            Some((agent, Err(error))) if is_known(agent) => {
                return Err(NameError::Budget {
                    name: name.to_owned(),
                    error,
                });
            }
            _ => (rest, default),
        }
    };
    if agent.is_empty() && embedded.is_empty() {
        return Err(NameError::Form {
            name: name.to_owned(),
            expected: "a file or folder as in selfplay:PATH, since no agent is part of this \
                       program"
                .to_owned(),
        });
    }
    let parse = |known: &EmbeddedAgent| ValueFile::parse(known.bytes, known.name);
    let files = match named(agent).filter(|_| !is_path(agent)) {
        _ if agent.is_empty() => embedded.iter().map(parse).collect(),
        Some(known) => parse(known).map(|file| vec![file]),
        None => ValueFile::read(Path::new(agent)).map(|file| vec![file]),
    };
    let files = files.map_err(|error| NameError::DuelAgent {
        name: name.to_owned(),
        known: embedded.iter().map(|known| known.name).collect(),
        error: Box::new(error),
    })?;
    Ok(Selfplay::of_files(files, budget))
}
