//! Every policy by its name.

use hognose_agent::{Agent, CheckpointError, DeviceError, Network};
use hognose_game::{BatchPolicy, Direction, Player, Policy, Position, Unsupported};
use hognose_solvers::{Follow, Greedy, Hamiltonian, PerturbedCycle, Random, Shortcut};
use std::path::Path;

/// A policy that has a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// Whether it claims to win every game that it does not refuse.
    pub claims_to_win: bool,
    make: fn() -> Box<dyn Policy>,
}

/// The policies that need no file.
pub const SOLVERS: [Known; 11] = [
    Known {
        name: "hamiltonian",
        description: "follows a zig-zag Hamiltonian cycle; always wins; boards with an even side, and tori",
        claims_to_win: true,
        make: || Box::new(Hamiltonian::default()),
    },
    Known {
        name: "hamiltonian-random",
        description: "follows a random cycle, another in each game; always wins; boards with both sides even",
        claims_to_win: true,
        make: || Box::new(Hamiltonian::around_random_tree()),
    },
    Known {
        name: "shortcut",
        description: "jumps ahead on a zig-zag cycle where that is safe; always wins; boards as hamiltonian, tail entry",
        claims_to_win: true,
        make: || Box::new(Shortcut::default()),
    },
    Known {
        name: "phc",
        description: "J. Tapsell's perturbed Hamiltonian cycle, on random cycles; always wins; both sides even, tail entry",
        claims_to_win: true,
        make: || Box::new(PerturbedCycle::default()),
    },
    Known {
        name: "modified-cycle",
        description: "jumps ahead on a zig-zag cycle at every length (document 001, 3.3); always wins; boards as shortcut",
        claims_to_win: true,
        make: || Box::new(Shortcut::modified_cycle()),
    },
    Known {
        name: "modified-endgame",
        description: "modified-cycle up to half the board, then the cycle (document 001, 3.4); always wins; boards as shortcut",
        claims_to_win: true,
        make: || Box::new(Shortcut::modified_endgame()),
    },
    Known {
        name: "bfs",
        description: "the shortest path to the food, straight on where it can (documents 002 and 004)",
        claims_to_win: false,
        make: || Box::new(Follow::shortest()),
    },
    Known {
        name: "bfs-row-first",
        description: "the shortest path to the food, horizontal moves first (document 000, method 1)",
        claims_to_win: false,
        make: || Box::new(Follow::shortest_row_first()),
    },
    Known {
        name: "longest",
        description: "a long path to the food (document 000, method 3; document 002's heuristic)",
        claims_to_win: false,
        make: || Box::new(Follow::longest()),
    },
    Known {
        name: "greedy",
        description: "shortest path to the food if the tail stays reachable, else wanders (document 002's Greedy Solver)",
        claims_to_win: false,
        make: || Box::new(Greedy::default()),
    },
    Known {
        name: "random",
        description: "a random legal move",
        claims_to_win: false,
        make: || Box::new(Random::default()),
    },
];

/// How learned policies are named.
pub const LEARNED: (&str, &str) =
    ("dqn:PATH", "plays a trained agent: a policy file, or a folder that holds policy.safetensors");

/// Why a name gives no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// There is no such policy.
    #[error("unknown policy {name:?}{}; `hognose policies` lists all", near_text(near))]
    Unknown {
        /// The name.
        name: String,
        /// Known names that are spelled alike.
        near: Vec<&'static str>,
    },
    /// The agent can't be loaded.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
    /// The device can't be used.
    #[error("{0}")]
    Device(#[from] DeviceError),
}

fn near_text(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!(": did you mean {}?", near.join(" or ")) }
}

/// A policy ready to make players, as many as there are threads.
pub struct Named {
    name: String,
    kind: Kind,
}

enum Kind {
    Solver(Known),
    Agent(Box<Agent<Network>>),
}

impl Named {
    /// The policy of a name; agents' networks are loaded onto the device of that name.
    ///
    /// # Errors
    /// When there is no such policy, file or device.
    pub fn new(name: &str, device: &str) -> Result<Named, PolicyError> {
        let kind = match name.split_once(':') {
            Some(("dqn", path)) => {
                let agent = hognose_agent::load_policy(Path::new(path), &hognose_agent::device(device)?)?;
                Kind::Agent(Box::new(agent))
            }
            _ => Kind::Solver(*SOLVERS.iter().find(|known| known.name == name).ok_or_else(|| unknown(name))?),
        };
        Ok(Named { name: name.to_owned(), kind })
    }

    /// The policies of these names.
    ///
    /// # Errors
    /// See [`new`](Self::new); the first name that gives no policy.
    pub fn all<'a>(names: impl IntoIterator<Item = &'a String>, device: &str) -> Result<Vec<Named>, PolicyError> {
        names.into_iter().map(|name| Named::new(name, device)).collect()
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the policy claims to win every game that it does not refuse.
    pub fn claims_to_win(&self) -> bool {
        matches!(&self.kind, Kind::Solver(known) if known.claims_to_win)
    }

    /// A player.
    pub fn player(&self) -> Player {
        match &self.kind {
            Kind::Solver(known) => Player::Single((known.make)()),
            Kind::Agent(agent) => Player::Batch(agent.clone()),
        }
    }

    /// A player of one game at a time; it makes the same moves as [`player`](Self::player).
    pub fn single_player(&self) -> Box<dyn Policy> {
        match &self.kind {
            Kind::Solver(known) => (known.make)(),
            Kind::Agent(agent) => Box::new(OneByOne(Agent::clone(agent))),
        }
    }
}

fn unknown(name: &str) -> PolicyError {
    let mut near: Vec<(f64, &'static str)> = SOLVERS
        .iter()
        .map(|known| known.name)
        .chain(["dqn:PATH"])
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    PolicyError::Unknown { name: name.to_owned(), near: near.into_iter().map(|(_, known)| known).collect() }
}

/// Plays one game at a time with a policy that can play many.
struct OneByOne<P>(P);

impl<P: BatchPolicy> Policy for OneByOne<P> {
    fn reset(&mut self, position: &Position, _policy_seed: u64) -> Result<(), Unsupported> {
        self.0.check(position)
    }

    fn act(&mut self, position: &Position) -> Direction {
        let mut moves = [Direction::Up];
        self.0.act_all(&[position], &mut moves);
        moves[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_near_ones_told() {
        for known in SOLVERS {
            let policy = Named::new(known.name, "cpu").unwrap();
            assert_eq!((policy.name(), policy.claims_to_win()), (known.name, known.claims_to_win));
        }
        let error = |name: &str| Named::new(name, "cpu").err().unwrap().to_string();
        assert!(error("hamilton").contains("did you mean hamiltonian or "), "{}", error("hamilton"));
        assert!(error("dqn").contains("dqn:PATH"), "{}", error("dqn"));
        assert!(error("zzz").starts_with("unknown policy \"zzz\";"), "{}", error("zzz"));
        assert!(error("dqn:/no/such/file").contains("/no/such/file"), "{}", error("dqn:/no/such/file"));
    }
}
