//! Where policies are looked up by their names.

use crate::source::{Play, Source};
use crate::{EmbeddedAgent, NamedPolicy, PolicyError, SOLVERS, read_table};
#[cfg(feature = "agents")]
use hognose_agent::{Agent, Network};
use hognose_game::{MakePolicy, Player};
use hognose_process::{PROGRAM, Programs};
use hognose_tablebase::Optimal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How trained agents are named, and what they do.
pub const LEARNED: [(&str, &str); 3] = [
    (
        "dqn:PATH",
        "plays a trained agent: a policy file, or a folder that holds policy.safetensors",
    ),
    (
        "dqn-safe:PATH",
        "plays a trained agent, but only moves after which winning is still certain: it can't \
         lose; a torus as certified",
    ),
    (
        "dqn-fresh:PATH",
        "plays a trained agent, but no move after which the body lies as before since it ate last: \
         it goes in no circles",
    ),
];

/// Where policies are looked up by their names, such as `certified:1000`, `optimal:FILE` or
/// `dqn:PATH`. The default one knows every solver and the agents in files, starts no programs, and
/// plays on the CPU.
///
/// ```
/// use hognose_policies::Catalog;
///
/// let certified = Catalog::default().policy("certified:1000")?;
/// assert!(certified.claims_to_win());
/// # Ok::<(), hognose_policies::PolicyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Catalog {
    #[cfg_attr(
        not(feature = "agents"),
        expect(dead_code, reason = "only agents need a device")
    )]
    device: String,
    #[cfg_attr(
        not(feature = "agents"),
        expect(dead_code, reason = "without burn none of them plays")
    )]
    agents: &'static [EmbeddedAgent],
    /// How long programs may think about a move; `None` if they are refused.
    move_limit: Option<Duration>,
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog {
            device: "cpu".to_owned(),
            agents: &[],
            move_limit: None,
        }
    }
}

impl Catalog {
    /// This catalog, with the networks of agents on the device of this name, such as `cpu`. Other
    /// policies need none.
    pub fn on(self, device: &str) -> Catalog {
        Catalog {
            device: device.to_owned(),
            ..self
        }
    }

    /// This catalog, which also knows these agents by their names, as in `dqn:NAME`. A file or
    /// folder of such a name goes before.
    pub fn with_agents(self, agents: &'static [EmbeddedAgent]) -> Catalog {
        Catalog { agents, ..self }
    }

    /// This catalog, which also starts programs, as in `exec:COMMAND`. They may think this long
    /// about a move. It is for names that the user has typed: a name from a file must not start a
    /// program.
    pub fn with_programs(self, move_limit: Duration) -> Catalog {
        Catalog {
            move_limit: Some(move_limit),
            ..self
        }
    }

    /// The policy of a name. A program is started, so that it is known to be there.
    ///
    /// # Errors
    /// When there is no such policy, file, device or program, or what follows the name is not what
    /// belongs there.
    pub fn policy(&self, name: &str) -> Result<NamedPolicy, PolicyError> {
        let source = match name.split_once(':') {
            Some(("dqn", agent)) => self.agent(agent, Play::AsTrained)?,
            Some(("dqn-safe", agent)) => self.agent(agent, Play::Safe)?,
            Some(("dqn-fresh", agent)) => self.agent(agent, Play::Fresh)?,
            Some(("exec", command)) => {
                let move_limit = self.move_limit.ok_or_else(|| PolicyError::NoPrograms {
                    name: name.to_owned(),
                })?;
                let programs = Programs::new(command, move_limit)?;
                Box::new(Single {
                    maker: Arc::new(programs),
                    claims_to_win: false,
                })
            }
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
                    .ok_or_else(|| unknown(name))?;
                let maker = known.maker(known.number(name, number)?);
                Box::new(Single {
                    maker,
                    claims_to_win: known.wins.is_some(),
                })
            }
        };
        Ok(NamedPolicy::new(name, source))
    }

    /// The policies of these names, in their order.
    ///
    /// # Errors
    /// When one of them gives no policy, as [`policy`](Self::policy) says; the first such name is
    /// told.
    pub fn policies<'a>(
        &self,
        names: impl IntoIterator<Item = &'a String>,
    ) -> Result<Vec<NamedPolicy>, PolicyError> {
        names.into_iter().map(|name| self.policy(name)).collect()
    }

    /// The agent that follows `dqn:` in a name: of a file or folder, or else one that this catalog
    /// brings along.
    ///
    /// # Errors
    /// When there is no such agent or device.
    #[cfg(feature = "agents")]
    pub fn learned(&self, name: &str) -> Result<Agent<Network>, PolicyError> {
        crate::agents::load(name, self.agents, &self.device)
    }

    #[cfg(feature = "agents")]
    fn agent(&self, name: &str, play: Play) -> Result<Box<dyn Source>, PolicyError> {
        crate::agents::named(name, self.learned(name)?, play)
    }

    #[cfg(not(feature = "agents"))]
    fn agent(&self, name: &str, _play: Play) -> Result<Box<dyn Source>, PolicyError> {
        Err(PolicyError::NoAgents {
            path: name.to_owned(),
        })
    }
}

/// A policy whose games share the maker, on all threads: a solver or a program.
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

fn unknown(name: &str) -> PolicyError {
    let mut near: Vec<(f64, &'static str)> = SOLVERS
        .iter()
        .map(|known| known.name)
        .chain(LEARNED.map(|(name, _)| name))
        .chain([PROGRAM.0])
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    PolicyError::Unknown {
        name: name.to_owned(),
        near: near.into_iter().map(|(_, known)| known).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_near_ones_told() {
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
    fn programs_are_refused_unless_they_are_asked_for() {
        let error = |catalog: &Catalog, name| catalog.policy(name).err().unwrap().to_string();
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
    }
}
