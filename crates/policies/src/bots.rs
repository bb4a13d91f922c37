//! Bots for duels by their names. Add new bots here.

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

/// The purpose of the seeds of bots that play against a user, so that they don't reveal the duel's
/// seed.
pub const AGAINST_USER: Purpose = Purpose::new("bot against a keyboard");

/// A bot and its name.
#[derive(Debug)]
pub struct KnownBot {
    /// The name, without a budget.
    pub name: &'static str,
    /// A description.
    pub description: &'static str,
    kind: BotKind,
}

impl KnownBot {
    /// Returns its default budget, or `None` if it does not search.
    pub fn budget(&self) -> Option<Budget> {
        match self.kind {
            BotKind::Plain(_) => None,
            BotKind::Searching(budget, _) | BotKind::Learned(budget) => Some(budget),
        }
    }

    /// Returns its maker, given the text after the colon of its whole name, if any.
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

/// The kinds of bots, with their constructors.
#[derive(Debug)]
enum BotKind {
    /// A bot that does not search.
    Plain(fn() -> Arc<dyn MakeBot>),
    /// A bot that searches within a budget, by default this one.
    Searching(Budget, fn(Budget) -> Arc<dyn MakeBot>),
    /// A bot that searches within a budget, by default this one, on the learned value of an agent.
    Learned(Budget),
}

/// The bots for duels, simple ones first.
pub const BOTS: &[KnownBot] = &[
    KnownBot {
        name: "random",
        description: "plays a random legal move",
        kind: BotKind::Plain(|| Arc::new(Random)),
    },
    KnownBot {
        name: "sample",
        description: "plays the first legal move of up, right, down, left (SampleBot of the AI \
                      Snakes competition)",
        kind: BotKind::Plain(|| Arc::new(Sample)),
    },
    KnownBot {
        name: "search",
        description: "moves nearer to the nearest food if that is legal, else plays as sample \
                      (SearchBot of the AI Snakes competition)",
        kind: BotKind::Plain(|| Arc::new(Search)),
    },
    KnownBot {
        name: "greedy",
        description: "follows the shortest path to a food around both bodies, else moves where it \
                      can reach the most cells",
        kind: BotKind::Plain(|| Arc::new(Greedy)),
    },
    KnownBot {
        name: "one-ply",
        description: "solves the matrix game of both snakes' next moves, valued by room, foods and \
                      lengths, and plays its optimal mixed strategy",
        kind: BotKind::Plain(|| Arc::new(OnePly)),
    },
    KnownBot {
        name: "adder",
        description: "searches with alpha-beta, and circles the food while it is the longer snake \
                      (AdderBoaCobra, AI Snakes 2020)",
        kind: BotKind::Searching(ADDER, |budget| adder(budget, AdderStyle::default())),
    },
    KnownBot {
        name: "nega",
        description: "searches fast and deep with alpha-beta (NegaSnake of the AI Snakes \
                      competition)",
        kind: BotKind::Searching(Budget::Depth(4), |budget| Arc::new(Nega::new(budget))),
    },
    KnownBot {
        name: "hognose",
        description: "searches with alpha-beta, and values which cells each snake can reach first: \
                      our strongest bot without learning",
        kind: BotKind::Searching(HOGNOSE, |budget| Arc::new(Hognose::new(budget))),
    },
    KnownBot {
        name: "selfplay",
        description: "searches with alpha-beta on a value learned by playing against itself and \
                      bots; takes an agent and a depth, as in selfplay:2021, selfplay:2021:3 or \
                      selfplay:runs/duel-2021-seed0",
        kind: BotKind::Learned(Budget::Depth(2)),
    },
];

/// Variants of [`BOTS`] for reproductions and exact duels. Catalogs know their names, but no list
/// shows them.
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
        description: "plays as adder, but with several foods also circles, around the nearest",
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
        description: "plays as adder, but if the opponent eats first, moves to the center instead \
                      of where most cells are closer to it",
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
        description: "plays as adder, but values drawn head-ons as its report does, not as its \
                      code does",
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
        description: "plays as adder, but values drawn head-ons as lost",
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
        description: "plays as adder, but assumes that it eats first when both heads enter one \
                      food (the known fault)",
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
        description: "plays as hognose, but starts each search without the results of earlier ones",
        kind: BotKind::Searching(HOGNOSE, |budget| {
            Arc::new(Hognose::new(budget).forgetting())
        }),
    },
];

/// The default budget of adders for each move.
const ADDER: Budget = Budget::Depth(4);

/// The default budget of hognose for each move.
const HOGNOSE: Budget = Budget::Depth(6);

fn adder(budget: Budget, style: AdderStyle) -> Arc<dyn MakeBot> {
    Arc::new(Adder::new(budget, style))
}

/// A bot found by its name in a [`Catalog`](crate::Catalog).
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

    /// Returns the name that it was found by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its maker, for each duel.
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

/// Returns the bot of an agent named after `selfplay:`, with its budget, by default this one.
/// Without an agent's name, it uses the embedded agent for the rules of the game.
fn selfplay(
    name: &str,
    rest: &str,
    embedded: &[EmbeddedAgent],
    default: Budget,
) -> Result<Selfplay, NameError> {
    // An agent's path takes precedence over an embedded agent's name.
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
            expected: "a file or folder as in selfplay:PATH, since this program has no embedded \
                       agents"
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
