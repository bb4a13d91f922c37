//! Every policy by its name.

use hognose_agent::{Agent, CheckpointError, DeviceError, Guides, MakePlans, Mask, Network};
use hognose_game::{
    BatchPolicy, Choice, Direction, MakeFilter, MakePolicy, MoveFilter, Player, Policy, Position, Unsupported,
};
use hognose_solvers::{
    Almighty, CellTree, Certified, CertifiedPlans, DepthFirst, Follow, Greedy, HamiltonShortcut, Hamiltonian, Killer,
    PerturbedCycle, Random, SafeMoves, Shortcut, SubHamiltonian,
};
use hognose_tablebase::{FileError, Optimal, Table};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A policy that has a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// Where it wins every game that it does not refuse: boards, starts, rules about the tail; `None` without a guarantee.
    pub wins: Option<&'static str>,
    make: Make,
}

/// How a policy is made; some take a number after their name, as in `modified-endgame:40`.
#[derive(Clone, Copy, Debug)]
enum Make {
    Plain(fn() -> Arc<dyn MakePolicy>),
    WithLength(fn(Option<usize>) -> Arc<dyn MakePolicy>),
    WithEffort(fn(Option<usize>) -> Arc<dyn MakePolicy>),
}

/// The policies that need no file.
pub const SOLVERS: [Known; 24] = [
    Known {
        name: "optimal",
        description: "the fewest expected steps among sure wins, exactly; optimal:FILE plays by a table",
        wins: Some("boards of up to 25 cells, or the table's, wherever a sure win exists; tail entry, one food"),
        make: Make::Plain(|| Arc::new(Optimal::default())),
    },
    Known {
        name: "certified",
        description: "plans each way to the food so that a cycle can be followed after it; longer with a higher :EFFORT (100)",
        wins: Some(
            "every board; the start in order on a cycle of it that is found; tail entry; a torus counts as walled if a side is 2 or odd",
        ),
        make: Make::WithEffort(|effort| Arc::new(effort.map_or_else(Certified::default, Certified::with_effort))),
    },
    Known {
        name: "cell-tree",
        description: "the shortest way in right-hand traffic around a tree of 2x2 blocks that can be completed",
        wins: Some("both sides even; the start keeping to the right; tail entry; a torus counts as walled"),
        make: Make::Plain(|| Arc::new(CellTree)),
    },
    Known {
        name: "hamiltonian",
        description: "follows a zig-zag Hamiltonian cycle (all documents)",
        wins: Some("one side even, or a torus; the start on a zig-zag"),
        make: Make::Plain(|| Arc::new(Hamiltonian::default())),
    },
    Known {
        name: "hamiltonian-extended",
        description: "follows the cycle made by extending a path from head to tail (documents 002 and 004)",
        wins: Some("as hamiltonian"),
        make: Make::Plain(|| Arc::new(Hamiltonian::extended())),
    },
    Known {
        name: "hamiltonian-random",
        description: "follows a random cycle, another in each game",
        wins: Some("both sides even; the start on that cycle; a torus counts as walled"),
        make: Make::Plain(|| Arc::new(Hamiltonian::around_random_tree())),
    },
    Known {
        name: "hamilton-shortcut",
        description: "shortest path where that leads ahead on the cycle, up to half the board (document 002)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::Plain(|| Arc::new(HamiltonShortcut)),
    },
    Known {
        name: "shortcut",
        description: "jumps ahead on a zig-zag cycle where that is safe, up to half the board or :LENGTH",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| Arc::new(length.map_or_else(Shortcut::default, Shortcut::up_to))),
    },
    Known {
        name: "phc",
        description: "J. Tapsell's perturbed Hamiltonian cycle, on random cycles",
        wins: Some("as hamiltonian-random, tail entry"),
        make: Make::Plain(|| Arc::new(PerturbedCycle)),
    },
    Known {
        name: "modified-cycle",
        description: "jumps ahead on a zig-zag cycle at every length (document 001, 3.3)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::Plain(|| Arc::new(Shortcut::modified_cycle())),
    },
    Known {
        name: "modified-endgame",
        description: "modified-cycle up to half the board or :LENGTH, then the cycle (document 001, 3.4)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(length.map_or_else(Shortcut::modified_endgame, Shortcut::modified_endgame_from))
        }),
    },
    Known {
        name: "sub-hamiltonian",
        description: "cycles of two halves up to a critical :LENGTH, then the whole cycle (document 000, 7.4)",
        wins: Some("one side even, one at least 4; the start on its cycle; tail entry; a torus counts as walled"),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length))),
    },
    Known {
        name: "sub-hamiltonian-reverse",
        description: "the same, walked in reverse where that is sooner at the food (document 000, 8)",
        wins: Some("as sub-hamiltonian"),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length).with_turning())),
    },
    Known {
        name: "series",
        description: "cycles of many parts, fewer as the snake grows (document 000, 8)",
        wins: Some("as sub-hamiltonian"),
        make: Make::Plain(|| Arc::new(SubHamiltonian::series())),
    },
    Known {
        name: "almighty-long",
        description: "two cycles in turn that miss a cell each (document 000, 7.3)",
        wins: Some("both sides odd; the start on one of the cycles; tail entry; a torus counts as walled"),
        make: Make::Plain(|| Arc::new(Almighty::long())),
    },
    Known {
        name: "almighty-long-reverse",
        description: "the same, walked in reverse where that is sooner at the food (document 000, 8)",
        wins: Some("as almighty-long"),
        make: Make::Plain(|| Arc::new(Almighty::long_with_turning())),
    },
    Known {
        name: "almighty-branch",
        description: "teeth along rows and teeth along columns in turn (document 000, method 5); a torus counts as walled",
        wins: None,
        make: Make::Plain(|| Arc::new(Almighty::branch())),
    },
    Known {
        name: "killer",
        description: "shortest path if a cycle can be computed again after it, else jumps on the cycle up to :LENGTH (document 004)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| Arc::new(length.map_or_else(Killer::default, Killer::jumping_up_to))),
    },
    Known {
        name: "bfs",
        description: "the shortest path to the food, straight on where it can (documents 002 and 004)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest())),
    },
    Known {
        name: "bfs-row-first",
        description: "the shortest path to the food, horizontal moves first (document 000, method 1)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest_row_first())),
    },
    Known {
        name: "dfs",
        description: "nearer to the food, straight on where it can, looking one cell ahead (document 000, method 2)",
        wins: None,
        make: Make::Plain(|| Arc::new(DepthFirst)),
    },
    Known {
        name: "longest",
        description: "a long path to the food (document 000, method 3; document 002's heuristic)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::longest())),
    },
    Known {
        name: "greedy",
        description: "shortest path to the food if the tail stays reachable, else wanders (document 002's Greedy Solver)",
        wins: None,
        make: Make::Plain(|| Arc::new(Greedy)),
    },
    Known { name: "random", description: "a random legal move", wins: None, make: Make::Plain(|| Arc::new(Random)) },
];

/// How learned policies are named.
pub const LEARNED: [(&str, &str); 2] = [
    ("dqn:PATH", "plays a trained agent: a policy file, or a folder that holds policy.safetensors"),
    (
        "dqn-safe:PATH",
        "the same, but only moves after which winning is still certain: it can't lose; a torus as certified",
    ),
];

/// What training needs of the solvers.
pub fn guides() -> Guides {
    Guides { safe_moves: Some(safe_moves()), plans: Some(plans()) }
}

/// What makes the filters of [`Mask::Safe`].
pub fn safe_moves() -> MakeFilter {
    SafeMoves::maker()
}

fn plans() -> MakePlans {
    Arc::new(|search| Box::new(CertifiedPlans::new(search.effort).with_alternatives(search.margin, search.most)))
}

/// Plays an agent as it was trained to.
pub fn player(agent: &Agent<Network>) -> Player {
    player_under(agent, agent.spec().mask)
}

fn player_under(agent: &Agent<Network>, mask: Mask) -> Player {
    match agent {
        Agent::Plans(agent) => Player::Single(Arc::new(agent.clone().maker(plans()))),
        Agent::Moves(agent) => Player::Batch(Box::new(agent.clone()), mask.filter(&safe_moves())),
    }
}

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
    /// What follows the name is not a number that the policy takes.
    #[error("expected {expected}, got {name:?}")]
    Number {
        /// The name.
        name: String,
        /// What belongs there.
        expected: String,
    },
    /// The agent can't be loaded.
    #[error("{0}")]
    Checkpoint(#[from] CheckpointError),
    /// The table can't be read.
    #[error("can't read {path}: {error}")]
    Table {
        /// The file.
        path: String,
        /// Why.
        error: FileError,
    },
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
    /// Games share its maker, on all threads.
    Solver(Known, Arc<dyn MakePolicy>),
    /// Plays under this mask.
    Agent(Box<Agent<Network>>, Mask),
    Optimal(Arc<Optimal>),
}

impl Known {
    /// What stands after the name.
    fn number(&self, name: &str, text: Option<&str>) -> Result<Option<usize>, PolicyError> {
        let Some(text) = text else { return Ok(None) };
        let (number, expected) = match self.make {
            Make::Plain(_) => (None, format!("{:?} alone", self.name)),
            Make::WithLength(_) => (text.parse().ok(), format!("a length, as in {}:40", self.name)),
            Make::WithEffort(_) => (text.parse().ok(), format!("an effort, as in {}:1000", self.name)),
        };
        number.map(Some).ok_or_else(|| PolicyError::Number { name: name.to_owned(), expected })
    }

    fn maker(&self, number: Option<usize>) -> Arc<dyn MakePolicy> {
        match self.make {
            Make::Plain(make) => make(),
            Make::WithLength(make) | Make::WithEffort(make) => make(number),
        }
    }
}

impl Named {
    /// The policy of a name; agents' networks are loaded onto the device of that name.
    ///
    /// # Errors
    /// When there is no such policy, file or device.
    pub fn new(name: &str, device: &str) -> Result<Named, PolicyError> {
        let kind = match name.split_once(':') {
            Some((kind @ ("dqn" | "dqn-safe"), path)) => {
                let agent = hognose_agent::load_policy(Path::new(path), &hognose_agent::device(device)?)?;
                let mask = if kind == "dqn" { agent.spec().mask } else { Mask::Safe };
                Kind::Agent(Box::new(agent), mask)
            }
            Some(("optimal", path)) => Kind::Optimal(Arc::new(Optimal::by(Arc::new(read_table(Path::new(path))?)))),
            parts => {
                let (solver, number) = parts.map_or((name, None), |(solver, number)| (solver, Some(number)));
                let known = SOLVERS.iter().find(|known| known.name == solver).ok_or_else(|| unknown(name))?;
                Kind::Solver(*known, known.maker(known.number(name, number)?))
            }
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
        match &self.kind {
            Kind::Solver(known, _) => known.wins.is_some(),
            Kind::Agent(agent, mask) => *mask == Mask::Safe || matches!(**agent, Agent::Plans(_)),
            Kind::Optimal(_) => true,
        }
    }

    /// What the policy thinks a position is worth; `None` for policies without values. An agent's value is its highest
    /// Q-value of an allowed action.
    pub fn value(&self, position: &Position) -> Option<f64> {
        let Kind::Agent(agent, mask) = &self.kind else { return None };
        let Agent::Moves(agent) = &**agent else { return None };
        let action = agent.spec().action;
        let mut filter = mask.filter(&safe_moves())();
        // After a refusal it allows all legal moves.
        let _ = filter.reset(position);
        let allowed = filter.allowed(position);
        let bits = action.bits(allowed.moves, position.heading());
        let q_values = agent.q_values(&[position], &[allowed]);
        let of_allowed = (0..).zip(q_values).filter(|(action, _)| bits >> action & 1 == 1);
        of_allowed.map(|(_, value)| f64::from(value)).reduce(f64::max)
    }

    /// A player.
    pub fn player(&self) -> Player {
        match &self.kind {
            Kind::Solver(_, maker) => Player::Single(Arc::clone(maker)),
            Kind::Agent(agent, mask) => player_under(agent, *mask),
            Kind::Optimal(optimal) => Player::Single(Arc::<Optimal>::clone(optimal)),
        }
    }

    /// What makes players of one game; they make the same moves as those of [`player`](Self::player).
    pub fn single_player(&self) -> Arc<dyn MakePolicy> {
        match self.player() {
            Player::Single(maker) => maker,
            Player::Batch(policy, make_filter) => {
                Arc::new(OneByOne { policy: Arc::new(Mutex::new(policy)), make_filter })
            }
        }
    }
}

/// Reads a table that `hognose tablebase solve` wrote.
///
/// # Errors
/// When there is none, or it is damaged or incomplete.
pub fn read_table(path: &Path) -> Result<Table, PolicyError> {
    let read = || hognose_tablebase::read_table(&mut BufReader::new(File::open(path)?));
    read().map_err(|error| PolicyError::Table { path: path.display().to_string(), error })
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

/// Plays games one by one with a policy that can play many at once. The policy must not remember what it saw of a game.
struct OneByOne {
    policy: Arc<Mutex<Box<dyn BatchPolicy>>>,
    make_filter: MakeFilter,
}

impl MakePolicy for OneByOne {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let policy = Arc::clone(&self.policy);
        policy.lock().unwrap_or_else(PoisonError::into_inner).check(position)?;
        let mut filter = (self.make_filter)();
        filter.reset(position)?;
        Ok(Box::new(OneByOnePolicy { policy, filter }))
    }
}

struct OneByOnePolicy {
    policy: Arc<Mutex<Box<dyn BatchPolicy>>>,
    filter: Box<dyn MoveFilter>,
}

impl Policy for OneByOnePolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let mut choices = [Choice { direction: Direction::Up, forbidden: false }];
        let policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        policy.act_all(&[position], &[self.filter.allowed(position)], &mut choices);
        self.filter.commit(choices[0].direction);
        choices[0].direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Board, Game, Rules, Status};

    /// Where a torus counts as walled, its games are those of the board with walls.
    #[test]
    fn what_counts_as_walled_is_told() {
        let games = |name: &str, board: Board| {
            let maker = Named::new(name, "cpu").unwrap().single_player();
            let mut moves = Vec::new();
            for seed in 0..5 {
                let mut game = Game::new(Rules::new(board), seed);
                let Ok(mut policy) = maker.make(game.position(), seed) else {
                    moves.push(None);
                    continue;
                };
                for _ in 0..100 {
                    if game.position().status() == Status::Ongoing {
                        let direction = policy.act(game.position());
                        game.step(direction);
                        moves.push(Some(direction));
                    }
                }
            }
            moves
        };
        let alike = |name: &str, [width, height]: [u8; 2]| {
            let board = Board::new(width, height).unwrap();
            games(name, board) == games(name, board.torus())
        };
        let told = |known: &Known| [Some(known.description), known.wins].into_iter().flatten().collect::<String>();
        for known in SOLVERS.iter().filter(|known| told(known).contains("a torus counts as walled")) {
            let even = told(known).ends_with("if a side is 2 or odd");
            assert_eq!([6, 8].map(|side| alike(known.name, [6, side])), [!even; 2], "{}", known.name);
            assert!([[5, 5], [5, 6]].iter().all(|&sides| alike(known.name, sides)), "{}", known.name);
        }
        assert!(!alike("hamiltonian", [5, 5]) && !alike("greedy", [6, 6]));
    }

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
        assert!(error("dqn:/no/such/file").contains("/no/such/file"), "{}", error("dqn:/no/such/file"));
    }
}
