//! Where bots are looked up by their names.

use crate::bots::{BOTS, Kind};
use crate::{Budget, BudgetError, Exploit, Selfplay, ValueFile};
use hognose_game::Unsupported;
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Seat};
use hognose_process::{CommandError, PROGRAM, Programs};
use hognose_store::StoreError;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How the names of programs begin; their command follows.
const PROGRAM_PREFIX: &str = "exec:";

/// How the names of bots begin that know their opponent; the depth and the opponent's name follow.
const EXPLOIT_PREFIX: &str = "exploit:";

/// How many bots may know one another: each search asks the next one for every position that it
/// looks at.
const MOST_NESTED: usize = 3;

/// What may be written for a bot that knows its opponent, and what it does.
pub const EXPLOIT: (&str, &str) = (
    "exploit:DEPTH:BOT",
    "searches so many moves ahead, and asks a copy of BOT for the other's moves: what it scores \
     against BOT is a lower bound of what the best opponent would",
);

/// Where bots are looked up by their names, such as `greedy` or `adder:4`. The default one starts
/// no programs.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// How long programs may think about a move; `None` if they are refused.
    move_limit: Option<Duration>,
    /// Agents that are part of the program.
    agents: &'static [EmbeddedDuelAgent],
}

/// An agent for duels that is part of a program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedDuelAgent {
    /// Its name, as in `selfplay:2021`.
    pub name: &'static str,
    /// The bytes of its file.
    pub bytes: &'static [u8],
}

/// A bot that a name gave.
#[derive(Clone)]
pub struct NamedBot {
    name: String,
    maker: Arc<dyn MakeBot>,
}

/// Why a name gives no bot.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// There is no such bot.
    #[error(
        "unknown bot {name:?}{}; `hognose policies` lists the bots for duels",
        near_text(near)
    )]
    Unknown {
        /// The name.
        name: String,
        /// Known names that are spelled alike.
        near: Vec<&'static str>,
    },
    /// The bot takes no budget.
    #[error("expected {bot:?} alone, got {name:?}")]
    NoBudget {
        /// The bot.
        bot: &'static str,
        /// What was given.
        name: String,
    },
    /// What follows the name is not a budget.
    #[error("bot {name:?}: {error}")]
    Budget {
        /// What was given.
        name: String,
        /// Why it is none.
        error: BudgetError,
    },
    /// What follows `exploit:` is not a depth and a bot.
    #[error("expected {} with a depth as in exploit:4:nega:4, got {name:?}", EXPLOIT.0)]
    Exploit {
        /// What was given.
        name: String,
    },
    /// Too many bots know one another.
    #[error("expected at most {MOST_NESTED} times {EXPLOIT_PREFIX} in the name of a bot, got {0}")]
    Nested(usize),
    /// Programs are not played here.
    #[error(
        "{name:?} is refused here: exec:COMMAND is for the command line and for arguments in \
         Python, so that a file from others starts no program"
    )]
    NoPrograms {
        /// What was given.
        name: String,
    },
    /// The command starts no program.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Nobody has said which agents are part of the program.
    #[error(
        "bot {name:?}: no agent is part of this program, name a file or folder as in selfplay:PATH"
    )]
    NoAgents {
        /// What was given.
        name: String,
    },
    /// There is no such agent, or its file can't be read.
    #[error(
        "bot {name:?}: expected {}a budget, or a file or folder of an agent for duels: {error}",
        known_text(known)
    )]
    Agent {
        /// What was given.
        name: String,
        /// Agents that are part of the program.
        known: Vec<&'static str>,
        /// Why its file can't be read.
        error: Box<StoreError>,
    },
}

impl Catalog {
    /// This catalog, which also starts programs, as in `exec:COMMAND`. They may think this long
    /// about a move. It is for names that the user has typed: a name from a file must not start a
    /// program.
    pub fn with_programs(self, move_limit: Duration) -> Catalog {
        Catalog {
            move_limit: Some(move_limit),
            ..self
        }
    }

    /// This catalog, which also knows agents that are part of the program.
    pub fn with_agents(self, agents: &'static [EmbeddedDuelAgent]) -> Catalog {
        Catalog { agents, ..self }
    }

    /// The bot of a name. A program is started, so that it is known to be there.
    ///
    /// # Errors
    /// When there is no such bot or program, or what follows the name is not what belongs there.
    pub fn bot(&self, name: &str) -> Result<NamedBot, BotError> {
        if let Some(command) = name.strip_prefix(PROGRAM_PREFIX) {
            let move_limit = self.move_limit.ok_or_else(|| BotError::NoPrograms {
                name: name.to_owned(),
            })?;
            let maker = Arc::new(Programs::new(command, move_limit)?);
            return Ok(NamedBot {
                name: name.to_owned(),
                maker,
            });
        }
        if let Some(rest) = name.strip_prefix(EXPLOIT_PREFIX) {
            let nested = name.matches(EXPLOIT_PREFIX).count();
            if nested > MOST_NESTED {
                return Err(BotError::Nested(nested));
            }
            let (depth, opponent) = match rest
                .split_once(':')
                .map(|(depth, bot)| (depth.parse(), bot))
            {
                Some((Ok(Budget::Depth(depth)), bot)) => (depth, self.bot(bot)?),
                _ => {
                    return Err(BotError::Exploit {
                        name: name.to_owned(),
                    });
                }
            };
            let maker = Arc::new(Exploit::new(opponent.maker(), depth));
            return Ok(NamedBot {
                name: name.to_owned(),
                maker,
            });
        }
        let (bot, budget) = name
            .split_once(':')
            .map_or((name, None), |(bot, budget)| (bot, Some(budget)));
        let known = BOTS
            .iter()
            .find(|known| known.name == bot)
            .ok_or_else(|| unknown(name))?;
        let maker = match (&known.kind, budget) {
            (Kind::Plain(make), None) => make(),
            (Kind::Plain(_), Some(_)) => {
                return Err(BotError::NoBudget {
                    bot: known.name,
                    name: name.to_owned(),
                });
            }
            (Kind::Searching(default, make), None) => make(*default),
            (Kind::Searching(_, make), Some(budget)) => {
                make(budget.parse::<Budget>().map_err(|error| BotError::Budget {
                    name: name.to_owned(),
                    error,
                })?)
            }
            (Kind::Learned(default), rest) => {
                Arc::new(self.agent(name, rest.unwrap_or_default(), *default)?)
            }
        };
        Ok(NamedBot {
            name: name.to_owned(),
            maker,
        })
    }

    /// The agent that is named after `selfplay:`, with its budget. Without a name it is the
    /// program's own one for the rules of the game.
    fn agent(&self, name: &str, rest: &str, default: Budget) -> Result<Selfplay, BotError> {
        // The path of an agent goes before a name.
        let is_path = |which: &str| !which.is_empty() && ValueFile::is_at(Path::new(which));
        let is_known =
            |which: &str| is_path(which) || self.agents.iter().any(|agent| agent.name == which);
        let (which, budget) = match (rest.parse::<Budget>(), rest.rsplit_once(':')) {
            (Ok(budget), _) => ("", budget),
            _ if rest.is_empty() || is_known(rest) => (rest, default),
            (_, Some((which, last))) => match last.parse::<Budget>() {
                Ok(budget) => (which, budget),
                Err(error) if is_known(which) => {
                    return Err(BotError::Budget {
                        name: name.to_owned(),
                        error,
                    });
                }
                Err(_) => (rest, default),
            },
            _ => (rest, default),
        };
        let failed = |error: StoreError| {
            let known = self.agents.iter().map(|agent| agent.name).collect();
            BotError::Agent {
                name: name.to_owned(),
                known,
                error: Box::new(error),
            }
        };
        if which.is_empty() && self.agents.is_empty() {
            return Err(BotError::NoAgents {
                name: name.to_owned(),
            });
        }
        let is_meant = |agent: &&EmbeddedDuelAgent| {
            !is_path(which) && (which.is_empty() || agent.name == which)
        };
        let embedded = self
            .agents
            .iter()
            .filter(is_meant)
            .map(|agent| ValueFile::parse(agent.bytes, agent.name));
        let mut files = embedded.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        if files.is_empty() {
            files.push(ValueFile::read(Path::new(which)).map_err(failed)?);
        }
        Ok(Selfplay::of_files(files, budget))
    }

    /// The bots of these names, in their order.
    ///
    /// # Errors
    /// When one of them gives no bot, as [`bot`](Self::bot) says; the first such name is told.
    pub fn bots<'a>(
        &self,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<Vec<NamedBot>, BotError> {
        names.into_iter().map(|name| self.bot(name)).collect()
    }
}

impl NamedBot {
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

fn unknown(name: &str) -> BotError {
    let known = BOTS
        .iter()
        .map(|known| known.name)
        .chain([PROGRAM.0, EXPLOIT.0]);
    let mut near: Vec<(f64, &'static str)> = known
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    BotError::Unknown {
        name: name.to_owned(),
        near: near.into_iter().map(|(_, known)| known).collect(),
    }
}

/// What an agent may be named besides its file.
fn known_text(known: &[&str]) -> String {
    known.iter().map(|known| format!("{known}, ")).collect()
}

fn near_text(near: &[&str]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", near.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_near_ones_told() {
        for known in BOTS.iter().filter(|known| known.name != "selfplay") {
            assert_eq!(
                Catalog::default().bot(known.name).unwrap().name(),
                known.name
            );
        }
        let error = |name: &str| Catalog::default().bot(name).err().unwrap().to_string();
        assert!(
            error("greed").contains("did you mean greedy?"),
            "{}",
            error("greed")
        );
        assert_eq!(
            error("greedy:4"),
            "expected \"greedy\" alone, got \"greedy:4\""
        );
        for name in [
            "exploit:nega",
            "exploit:4",
            "exploit:5ms:nega",
            "exploit:0:nega",
        ] {
            let expected = "expected exploit:DEPTH:BOT with a depth as in exploit:4:nega:4, got ";
            assert_eq!(error(name), format!("{expected}{name:?}"));
        }
        let nested = |times: usize| "exploit:1:".repeat(times) + "greedy";
        assert!(Catalog::default().bot(&nested(3)).is_ok());
        for times in [4, 100_000] {
            let expected =
                format!("expected at most 3 times exploit: in the name of a bot, got {times}");
            assert_eq!(error(&nested(times)), expected);
        }
        assert!(
            error("exploit:4:neg").contains("did you mean nega"),
            "{}",
            error("exploit:4:neg")
        );
    }

    #[test]
    fn programs_are_refused_unless_they_are_asked_for() {
        let error = |catalog: &Catalog, name| catalog.bot(name).err().unwrap().to_string();
        let refused = error(&Catalog::default(), "exec:touch file");
        assert!(
            refused.starts_with("\"exec:touch file\" is refused here"),
            "{refused}"
        );
        let catalog = Catalog::default().with_programs(Duration::from_secs(1));
        assert!(
            error(&catalog, "exec:/no/such/program")
                .starts_with("can't start the program \"/no/such/program\"")
        );
        assert!(error(&catalog, "exec:").starts_with("expected a command"));
        let program = catalog.bot("exec:cat");
        assert!(program.is_err() || program.unwrap().depends_on_clock());
    }
}
