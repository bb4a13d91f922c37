//! The catalog that finds policies and bots by their names.

use crate::bots::VARIANTS;
use crate::error::MOST_NESTED;
use crate::source::{Play, Source};
use crate::{BOTS, EmbeddedAgent, NameError, NamedBot, NamedPolicy, SOLVERS, read_table};
#[cfg(feature = "agents")]
use hognose_agent::{Agent, Network};
use hognose_duel::{Budget, Exploit};
use hognose_game::duel::MakeBot;
use hognose_game::{MakePolicy, Player};
use hognose_process::{PROGRAM, Programs};
use hognose_tablebase::Optimal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The names of trained agents, with descriptions.
pub const LEARNED: [(&str, &str); 3] = [
    (
        "dqn:PATH",
        "plays a trained agent from a policy file, or from a folder with policy.safetensors",
    ),
    (
        "dqn-safe:PATH",
        "plays a trained agent, but allows only moves after which a win is still certain, so that \
         it can't lose",
    ),
    (
        "dqn-fresh:PATH",
        "plays a trained agent, but allows no move that repeats the body's position since it last \
         ate, so that it can't circle forever",
    ),
];

/// The prefix of the names of bots that know their opponent.
const EXPLOIT_PREFIX: &str = "exploit:";

/// The name of bots that know their opponent, with a description.
pub const EXPLOIT: (&str, &str) = (
    "exploit:DEPTH:BOT",
    "searches DEPTH moves ahead, and asks a copy of BOT for the opponent's moves: its score \
     against BOT is a lower bound of the best opponent's score",
);

/// A catalog that finds policies by their names, such as `certified:1000`, `optimal:FILE` or
/// `dqn:PATH`, and bots for duels, such as `greedy` or `adder:4`. The default catalog knows every
/// solver, every bot and the agents in files, starts no programs, and plays on the CPU.
///
/// ```
/// use hognose_policies::Catalog;
///
/// let certified = Catalog::default().policy("certified:1000")?;
/// assert!(certified.claims_to_win());
/// assert_eq!(Catalog::default().bot("adder:4")?.name(), "adder:4");
/// # Ok::<(), hognose_policies::NameError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalog {
    device: String,
    #[cfg_attr(
        not(feature = "agents"),
        expect(dead_code, reason = "agents need burn to play")
    )]
    agents: &'static [EmbeddedAgent],
    duel_agents: &'static [EmbeddedAgent],
    /// The time limit of programs for a move; `None` refuses programs.
    move_limit: Option<Duration>,
    /// The file that the lines of programs are appended to.
    log: Option<PathBuf>,
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog {
            device: "cpu".to_owned(),
            agents: &[],
            duel_agents: &[],
            move_limit: None,
            log: None,
        }
    }
}

impl Catalog {
    /// Sets the device of agents' networks by its name, such as `cpu`. Other policies need no
    /// device.
    pub fn on(self, device: &str) -> Catalog {
        Catalog {
            device: device.to_owned(),
            ..self
        }
    }

    /// Returns the name of the device that networks are on.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Adds agents by their names, as in `dqn:NAME`. A file or folder with such a name takes
    /// precedence.
    pub fn with_agents(self, agents: &'static [EmbeddedAgent]) -> Catalog {
        Catalog { agents, ..self }
    }

    /// Adds agents for duels by their names, as in `selfplay:NAME`. A file or folder with such a
    /// name takes precedence.
    pub fn with_duel_agents(self, duel_agents: &'static [EmbeddedAgent]) -> Catalog {
        Catalog {
            duel_agents,
            ..self
        }
    }

    /// Allows programs, as in `exec:COMMAND`, with a time limit for each move. Use it only for
    /// names that the user has typed: a name from a file must not start a program.
    pub fn with_programs(self, move_limit: Duration) -> Catalog {
        Catalog {
            move_limit: Some(move_limit),
            ..self
        }
    }

    /// Appends the lines to and from programs, and their standard error, to a file.
    pub fn with_log(self, log: Option<PathBuf>) -> Catalog {
        Catalog { log, ..self }
    }

    /// Returns the policy of a name. For a program, starts it once to check that it exists.
    ///
    /// # Errors
    /// Fails if there is no such policy, file, device or program, or the text after the name is
    /// invalid.
    pub fn policy(&self, name: &str) -> Result<NamedPolicy, NameError> {
        let source = match name.split_once(':') {
            Some(("dqn", agent)) => self.agent(agent, Play::AsTrained)?,
            Some(("dqn-safe", agent)) => self.agent(agent, Play::Safe)?,
            Some(("dqn-fresh", agent)) => self.agent(agent, Play::Fresh)?,
            Some(("exec", command)) => Box::new(Single {
                maker: Arc::new(self.programs(command)?),
                claims_to_win: false,
            }),
            Some(("optimal", path)) if !path.is_empty() => {
                let optimal = Optimal::by(Arc::new(read_table(Path::new(path))?));
                Box::new(Single {
                    maker: Arc::new(optimal),
                    claims_to_win: true,
                })
            }
            parts => {
                let (solver, number) =
                    parts.map_or((name, None), |(solver, number)| (solver, Some(number)));
                let known = SOLVERS
                    .iter()
                    .find(|known| known.name == solver)
                    .ok_or_else(|| {
                        let agents = LEARNED.map(|(name, _)| name);
                        let solvers = SOLVERS.iter().map(|known| known.name);
                        unknown("policy", name, solvers.chain(agents))
                    })?;
                let maker = known.maker(known.number(name, number)?);
                Box::new(Single {
                    maker,
                    claims_to_win: known.wins.is_some(),
                })
            }
        };
        Ok(NamedPolicy::new(name, source))
    }

    /// Returns the policies of these names, in the same order.
    ///
    /// # Errors
    /// The error of the first name for which [`policy`](Self::policy) fails.
    pub fn policies<'a>(
        &self,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<Vec<NamedPolicy>, NameError> {
        names.into_iter().map(|name| self.policy(name)).collect()
    }

    /// Returns the bot of a name. For a program, starts it once to check that it exists.
    ///
    /// # Errors
    /// Fails if there is no such bot, file or program, or the text after the name is invalid.
    pub fn bot(&self, name: &str) -> Result<NamedBot, NameError> {
        let (bot, rest) = name
            .split_once(':')
            .map_or((name, None), |(bot, rest)| (bot, Some(rest)));
        let maker: Arc<dyn MakeBot> = match (bot, rest) {
            ("exec", Some(command)) => Arc::new(self.programs(command)?),
            ("exploit", Some(rest)) => Arc::new(self.exploit(name, rest)?),
            _ => {
                let known = BOTS
                    .iter()
                    .chain(VARIANTS)
                    .find(|known| known.name == bot)
                    .ok_or_else(|| {
                        let bots = BOTS.iter().map(|known| known.name);
                        unknown("bot", name, bots.chain([EXPLOIT.0]))
                    })?;
                known.maker(name, rest, self.duel_agents)?
            }
        };
        Ok(NamedBot::new(name, maker))
    }

    /// Returns the bots of these names, in the same order.
    ///
    /// # Errors
    /// The error of the first name for which [`bot`](Self::bot) fails.
    pub fn bots<'a>(
        &self,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<Vec<NamedBot>, NameError> {
        names.into_iter().map(|name| self.bot(name)).collect()
    }

    /// Returns the bot of a name with the prefix `exploit:`, from the rest of the name.
    fn exploit(&self, name: &str, rest: &str) -> Result<Exploit, NameError> {
        let nested = name.matches(EXPLOIT_PREFIX).count();
        if nested > MOST_NESTED {
            return Err(NameError::Nested(nested));
        }
        let parts = rest.split_once(':');
        let Some((Ok(Budget::Depth(depth)), opponent)) =
            parts.map(|(depth, opponent)| (depth.parse(), opponent))
        else {
            return Err(NameError::Form {
                name: name.to_owned(),
                expected: format!("{} with a depth as in exploit:4:nega:4", EXPLOIT.0),
            });
        };
        Ok(Exploit::new(self.bot(opponent)?.maker(), depth))
    }

    /// Starts a command, and returns the player that it runs.
    fn programs(&self, command: &str) -> Result<Programs, NameError> {
        let move_limit = self.move_limit.ok_or_else(|| NameError::NoPrograms {
            name: format!("exec:{command}"),
        })?;
        Ok(match &self.log {
            Some(log) => Programs::logged(command, move_limit, log)?,
            None => Programs::new(command, move_limit)?,
        })
    }

    /// Returns the agent that follows `dqn:` in a name: from a file or folder, or else one that was
    /// added to this catalog.
    ///
    /// # Errors
    /// Fails if there is no such agent or device.
    #[cfg(feature = "agents")]
    pub fn learned(&self, name: &str) -> Result<Agent<Network>, NameError> {
        crate::agents::load(name, self.agents, &self.device)
    }

    #[cfg(feature = "agents")]
    fn agent(&self, name: &str, play: Play) -> Result<Box<dyn Source>, NameError> {
        crate::agents::named(name, self.learned(name)?, play)
    }

    #[cfg(not(feature = "agents"))]
    fn agent(&self, name: &str, _play: Play) -> Result<Box<dyn Source>, NameError> {
        Err(NameError::NoAgents {
            path: name.to_owned(),
        })
    }
}

/// A policy whose games on all threads share one maker: a solver or a program.
struct Single {
    maker: Arc<dyn MakePolicy>,
    claims_to_win: bool,
}

impl Source for Single {
    fn claims_to_win(&self) -> bool {
        self.claims_to_win
    }

    fn player(&self) -> Player {
        Player::Single(Arc::clone(&self.maker))
    }
}

/// Returns the error for an unknown name, with the known names that are spelled alike.
fn unknown(kind: &'static str, name: &str, known: impl Iterator<Item = &'static str>) -> NameError {
    let mut near: Vec<(f64, &'static str)> = known
        .chain([PROGRAM.0])
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    NameError::Unknown {
        kind,
        name: name.to_owned(),
        near: near.into_iter().map(|(_, known)| known).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_found_and_similar_names_suggested() {
        for known in SOLVERS {
            let policy = Catalog::default().policy(known.name).unwrap();
            assert_eq!(
                (policy.name(), policy.claims_to_win()),
                (known.name, known.wins.is_some())
            );
        }
        let error = |name: &str| Catalog::default().policy(name).err().unwrap().to_string();
        assert!(
            error("hamilton").contains("did you mean hamiltonian or "),
            "{}",
            error("hamilton")
        );
        assert_eq!(error("bfs:4"), "expected \"bfs\" alone, got \"bfs:4\"");
        assert_eq!(
            error("shortcut:x"),
            "expected a length, as in shortcut:40, got \"shortcut:x\""
        );
        assert!(
            error("certified:").contains("an effort, as in certified:1000"),
            "{}",
            error("certified:")
        );
        assert!(Catalog::default().policy("sub-hamiltonian:90").is_ok());
        assert!(error("dqn").contains("dqn:PATH"), "{}", error("dqn"));
        assert!(
            error("zzz").starts_with("unknown policy \"zzz\";"),
            "{}",
            error("zzz")
        );
        assert!(error("exec").contains("exec:COMMAND"), "{}", error("exec"));
        let agent = error("dqn:/no/such/file");
        assert!(agent.contains("/no/such/file"), "{agent}");
        assert_eq!(
            agent.contains("feature `agents`"),
            cfg!(not(feature = "agents")),
            "{agent}"
        );
    }

    #[test]
    fn bots_are_found_and_similar_names_suggested() {
        for known in BOTS
            .iter()
            .chain(VARIANTS)
            .filter(|known| known.name != "selfplay")
        {
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
                format!("a bot's name may contain exploit: at most 3 times, got {times}");
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
        let errors = |catalog: &Catalog, name| {
            let policy = catalog.policy(name).err().unwrap();
            let bot = catalog.bot(name).unwrap_err();
            [policy, bot].map(|error| error.to_string())
        };
        for error in errors(&Catalog::default(), "exec:touch file") {
            assert!(
                error.starts_with("\"exec:touch file\" is refused here"),
                "{error}"
            );
        }
        let catalog = Catalog::default().with_programs(Duration::from_secs(1));
        for error in errors(&catalog, "exec:/no/such/program") {
            let expected = "can't start the program \"/no/such/program\"";
            assert!(error.starts_with(expected), "{error}");
        }
        for error in errors(&catalog, "exec:") {
            assert!(error.starts_with("expected a command"), "{error}");
        }
        let program = catalog.bot("exec:cat");
        assert!(program.is_err() || program.unwrap().depends_on_clock());
    }
}
