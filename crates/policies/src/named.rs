//! Any policy by its name: a solver, exact play by a table, or a trained agent.

use crate::one_by_one::OneByOne;
use crate::source::Source;
use crate::{PolicyError, SOLVERS, read_table};
use hognose_game::{MakePolicy, Player, Position};
use hognose_tablebase::Optimal;
use std::path::Path;
use std::sync::Arc;

/// How trained agents are named, and what they do.
pub const LEARNED: [(&str, &str); 2] = [
    ("dqn:PATH", "plays a trained agent: a policy file, or a folder that holds policy.safetensors"),
    (
        "dqn-safe:PATH",
        "plays a trained agent, but only moves after which winning is still certain: it can't lose; a torus as certified",
    ),
];

/// A policy that was found by its name. It makes players, as many as there are threads.
///
/// ```
/// use hognose_game::{Game, Rules};
/// use hognose_policies::Named;
///
/// let shortcut = Named::new("shortcut:10", "cpu")?;
/// let game = Game::new(Rules::new("6x6".parse()?), 3);
/// let mut policy = shortcut.single_player().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Named {
    name: String,
    source: Box<dyn Source>,
}

/// A solver. Its games share the maker, on all threads.
struct Solver {
    maker: Arc<dyn MakePolicy>,
    claims_to_win: bool,
}

impl Source for Solver {
    fn claims_to_win(&self) -> bool {
        self.claims_to_win
    }

    fn player(&self) -> Player {
        Player::Single(Arc::clone(&self.maker))
    }
}

impl Named {
    /// The policy of a name, such as `certified:1000`, `optimal:FILE` or `dqn:PATH`. An agent's network is loaded onto
    /// the device of that name, such as `cpu`; other policies need none.
    ///
    /// # Errors
    /// When there is no such policy, file or device, or what follows the name is not what belongs there.
    pub fn new(name: &str, device: &str) -> Result<Named, PolicyError> {
        let source = match name.split_once(':') {
            Some((kind @ ("dqn" | "dqn-safe"), path)) => agent(path, kind == "dqn-safe", device)?,
            Some(("optimal", path)) => {
                let optimal = Optimal::by(Arc::new(read_table(Path::new(path))?));
                Box::new(Solver { maker: Arc::new(optimal), claims_to_win: true })
            }
            parts => {
                let (solver, number) = parts.map_or((name, None), |(solver, number)| (solver, Some(number)));
                let known = SOLVERS.iter().find(|known| known.name == solver).ok_or_else(|| unknown(name))?;
                let maker = known.maker(known.number(name, number)?);
                Box::new(Solver { maker, claims_to_win: known.wins.is_some() })
            }
        };
        Ok(Named { name: name.to_owned(), source })
    }

    /// The policies of these names, in their order.
    ///
    /// # Errors
    /// When one of them gives no policy, as [`new`](Self::new) says; the first such name is told.
    pub fn all<'a>(names: impl IntoIterator<Item = &'a String>, device: &str) -> Result<Vec<Named>, PolicyError> {
        names.into_iter().map(|name| Named::new(name, device)).collect()
    }

    /// The name that it was found by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the policy claims to win every game that it does not refuse.
    pub fn claims_to_win(&self) -> bool {
        self.source.claims_to_win()
    }

    /// What the policy thinks a position is worth; `None` for policies without values. An agent's value is its highest
    /// Q-value of an allowed action.
    pub fn value(&self, position: &Position) -> Option<f64> {
        self.source.value(position)
    }

    /// A player: of one game at a time, or of many at once where the policy can do that.
    pub fn player(&self) -> Player {
        self.source.player()
    }

    /// What makes players of one game; they make the same moves as those of [`player`](Self::player). Games on several
    /// threads share a policy that plays many games at once, such as an agent, and take turns: for speed, give each
    /// thread a [`player`](Self::player) of its own.
    pub fn single_player(&self) -> Arc<dyn MakePolicy> {
        match self.player() {
            Player::Single(maker) => maker,
            Player::Batch(policy, make_filter) => Arc::new(OneByOne::new(policy, make_filter)),
        }
    }
}

#[cfg(feature = "agents")]
fn agent(path: &str, safe: bool, device: &str) -> Result<Box<dyn Source>, PolicyError> {
    crate::agents::load(path, safe, device)
}

#[cfg(not(feature = "agents"))]
fn agent(path: &str, _safe: bool, _device: &str) -> Result<Box<dyn Source>, PolicyError> {
    Err(PolicyError::NoAgents { path: path.to_owned() })
}

fn unknown(name: &str) -> PolicyError {
    let mut near: Vec<(f64, &'static str)> = SOLVERS
        .iter()
        .map(|known| known.name)
        .chain(LEARNED.map(|(name, _)| name))
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    PolicyError::Unknown { name: name.to_owned(), near: near.into_iter().map(|(_, known)| known).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_near_ones_told() {
        for known in SOLVERS {
            let policy = Named::new(known.name, "cpu").unwrap();
            assert_eq!((policy.name(), policy.claims_to_win()), (known.name, known.wins.is_some()));
        }
        let error = |name: &str| Named::new(name, "cpu").err().unwrap().to_string();
        assert!(error("hamilton").contains("did you mean hamiltonian or "), "{}", error("hamilton"));
        assert_eq!(error("bfs:4"), "expected \"bfs\" alone, got \"bfs:4\"");
        assert_eq!(error("shortcut:x"), "expected a length, as in shortcut:40, got \"shortcut:x\"");
        assert!(error("certified:").contains("an effort, as in certified:1000"), "{}", error("certified:"));
        assert!(Named::new("sub-hamiltonian:90", "cpu").is_ok());
        assert!(error("dqn").contains("dqn:PATH"), "{}", error("dqn"));
        assert!(error("zzz").starts_with("unknown policy \"zzz\";"), "{}", error("zzz"));
        let agent = error("dqn:/no/such/file");
        assert!(agent.contains("/no/such/file"), "{agent}");
        assert_eq!(agent.contains("feature `agents`"), cfg!(not(feature = "agents")), "{agent}");
    }
}
