//! Solvers by their names. Add new solvers here.

use crate::NameError;
use hognose_game::MakePolicy;
use hognose_solvers::{
    Almighty, CellTree, Certified, DepthFirst, Follow, Greedy, HamiltonShortcut, Hamiltonian,
    Killer, PerturbedCycle, Random, Reroute, Shortcut, SubHamiltonian,
};
use hognose_tablebase::Optimal;
use std::sync::Arc;

/// A solver and its name.
///
/// ```
/// use hognose_policies::SOLVERS;
///
/// let known = SOLVERS.iter().find(|known| known.name == "bfs").unwrap();
/// assert!(known.description.starts_with("follows the shortest path") && known.wins.is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KnownSolver {
    /// The name, without a number.
    pub name: &'static str,
    /// A one-line description, with its source document in parentheses.
    pub description: &'static str,
    /// The boards, starts and rules with which it wins every game that it does not refuse; `None`
    /// without a guarantee.
    pub wins: Option<&'static str>,
    make: Make,
}

/// The constructor of a solver's maker. Some solvers take a number after their name, as in
/// `modified-endgame:40`.
#[derive(Clone, Copy, Debug)]
enum Make {
    Plain(fn() -> Arc<dyn MakePolicy>),
    WithLength(fn(Option<usize>) -> Arc<dyn MakePolicy>),
    WithEffort(fn(Option<usize>) -> Arc<dyn MakePolicy>),
}

/// All solvers.
pub const SOLVERS: &[KnownSolver] = &[
    KnownSolver {
        name: "optimal",
        description: "wins for certain in the fewest expected steps, computed exactly; \
                      optimal:FILE reads the values from a table",
        wins: Some(
            "boards of up to 25 cells, or the table's board, from every start that can be won for \
             certain; tail entry, one food",
        ),
        make: Make::Plain(|| Arc::new(Optimal::default())),
    },
    KnownSolver {
        name: "certified",
        description: "takes a short path to each food, after which following a cycle through the \
                      board's cells still wins for certain; a higher :EFFORT (default 100) \
                      searches longer and saves steps, from 1000 on also by looking at all next \
                      foods",
        wins: Some(
            "every board, if the solver finds a cycle that visits the cells of the starting body \
             in order from tail to head; tail entry",
        ),
        make: Make::WithEffort(|effort| {
            Arc::new(effort.map_or_else(Certified::default, Certified::with_effort))
        }),
    },
    KnownSolver {
        name: "reroute",
        description: "changes its Hamiltonian cycle locally such that the food comes soon on it; a \
                      higher :EFFORT (default 56) tries more changes and saves steps",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::WithEffort(|effort| {
            Arc::new(effort.map_or_else(Reroute::default, Reroute::with_effort))
        }),
    },
    KnownSolver {
        name: "cell-tree",
        description: "takes the shortest path to the food that keeps to the right between 2x2 \
                      blocks of cells and can still be completed to a Hamiltonian cycle",
        wins: Some(
            "boards with two even sides; the start must keep to the right; tail entry; never \
             crosses the borders of a torus",
        ),
        make: Make::Plain(|| Arc::new(CellTree)),
    },
    KnownSolver {
        name: "hamiltonian",
        description: "follows a zig-zag Hamiltonian cycle (the baseline of all cited documents)",
        wins: Some("boards with an even side, and every torus; the start must lie on a zig-zag"),
        make: Make::Plain(|| Arc::new(Hamiltonian::default())),
    },
    KnownSolver {
        name: "hamiltonian-extended",
        description: "follows a Hamiltonian cycle built by extending a path from the head to the \
                      tail (chuyangliu/snake and Killer Devouring Snake)",
        wins: Some("as for hamiltonian"),
        make: Make::Plain(|| Arc::new(Hamiltonian::extended())),
    },
    KnownSolver {
        name: "hamiltonian-random",
        description: "follows a random Hamiltonian cycle, a new one in each game",
        wins: Some("boards with two even sides, and tori; the start must lie on a random cycle"),
        make: Make::Plain(|| Arc::new(Hamiltonian::random())),
    },
    KnownSolver {
        name: "hamilton-shortcut",
        description: "follows a Hamiltonian cycle, but takes shortest-path moves that lead ahead \
                      on it, until the snake fills half the board (chuyangliu/snake)",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::Plain(|| Arc::new(HamiltonShortcut)),
    },
    KnownSolver {
        name: "shortcut",
        description: "jumps ahead on a zig-zag cycle as far as is safe, up to a length of half the \
                      board or :LENGTH",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(length.map_or_else(Shortcut::default, Shortcut::up_to))
        }),
    },
    KnownSolver {
        name: "phc",
        description: "jumps ahead on a random Hamiltonian cycle, at some distance to the tail \
                      (J. Tapsell's perturbed Hamiltonian cycle)",
        wins: Some("as for hamiltonian-random; tail entry"),
        make: Make::Plain(|| Arc::new(PerturbedCycle)),
    },
    KnownSolver {
        name: "modified-cycle",
        description: "jumps ahead on a zig-zag cycle at every length, but never past the cycle's \
                      end (Snek AI, 3.3)",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::Plain(|| Arc::new(Shortcut::modified_cycle())),
    },
    KnownSolver {
        name: "modified-endgame",
        description: "plays as modified-cycle up to a length of half the board or :LENGTH, then \
                      follows the cycle (Snek AI, 3.4)",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(
                length.map_or_else(Shortcut::modified_endgame, Shortcut::modified_endgame_from),
            )
        }),
    },
    KnownSolver {
        name: "sub-hamiltonian",
        description: "follows a cycle around the half of the board that holds the food, and around \
                      the whole board from a critical length or :LENGTH on (Slitherin Round, 7.4)",
        wins: Some(
            "boards with an even side and a side of at least 4; the start must lie on the whole \
             board's cycle; tail entry; never crosses the borders of a torus",
        ),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length))),
    },
    KnownSolver {
        name: "sub-hamiltonian-reverse",
        description: "plays as sub-hamiltonian, but reverses when that reaches the food sooner \
                      (Slitherin Round, 8)",
        wins: Some("as for sub-hamiltonian"),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length).with_turning())),
    },
    KnownSolver {
        name: "series",
        description: "plays as sub-hamiltonian, but divides the board into many parts, and into \
                      fewer as the snake grows (Slitherin Round, 8)",
        wins: Some("as for sub-hamiltonian"),
        make: Make::Plain(|| Arc::new(SubHamiltonian::series())),
    },
    KnownSolver {
        name: "almighty-long",
        description: "alternates two cycles, each of which misses one cell (Slitherin Round, 7.3)",
        wins: Some(
            "boards with two odd sides; the start must lie on one of the cycles; tail entry; never \
             crosses the borders of a torus",
        ),
        make: Make::Plain(|| Arc::new(Almighty::long())),
    },
    KnownSolver {
        name: "almighty-long-reverse",
        description: "plays as almighty-long, but reverses when that reaches the food sooner \
                      (Slitherin Round, 8)",
        wins: Some("as for almighty-long"),
        make: Make::Plain(|| Arc::new(Almighty::long_with_turning())),
    },
    KnownSolver {
        name: "almighty-branch",
        description: "alternates a cycle along the rows and one along the columns, each of which \
                      misses one cell (Slitherin Round, method 5); never crosses the borders of a \
                      torus",
        wins: None,
        make: Make::Plain(|| Arc::new(Almighty::branch())),
    },
    KnownSolver {
        name: "killer",
        description: "takes a shortest path to the food if it finds a Hamiltonian cycle for the \
                      longer snake, else jumps ahead on its cycle up to a length of a third of \
                      the board or :LENGTH (Killer Devouring Snake)",
        wins: Some("as for hamiltonian; tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(length.map_or_else(Killer::default, Killer::jumping_up_to))
        }),
    },
    KnownSolver {
        name: "bfs",
        description: "follows the shortest path to the food, with few turns (chuyangliu/snake and \
                      Killer Devouring Snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest())),
    },
    KnownSolver {
        name: "bfs-row-first",
        description: "follows the shortest path to the food, with horizontal moves first \
                      (Slitherin Round, method 1)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest_row_first())),
    },
    KnownSolver {
        name: "dfs",
        description: "moves nearer to the food, straight ahead if possible, looking only one cell \
                      ahead (Slitherin Round, method 2)",
        wins: None,
        make: Make::Plain(|| Arc::new(DepthFirst)),
    },
    KnownSolver {
        name: "longest",
        description: "follows a long path to the food (Slitherin Round, method 3, with the \
                      heuristic of chuyangliu/snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::longest())),
    },
    KnownSolver {
        name: "greedy",
        description: "follows the shortest path to the food if the tail stays reachable, else \
                      wanders (the Greedy Solver of chuyangliu/snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Greedy)),
    },
    KnownSolver {
        name: "random",
        description: "plays a random legal move",
        wins: None,
        make: Make::Plain(|| Arc::new(Random)),
    },
];

impl KnownSolver {
    /// Parses the number after the colon, if the name has one.
    pub(crate) fn number(
        &self,
        name: &str,
        text: Option<&str>,
    ) -> Result<Option<usize>, NameError> {
        let Some(text) = text else { return Ok(None) };
        let (number, expected) = match self.make {
            Make::Plain(_) => (None, format!("{:?} alone", self.name)),
            Make::WithLength(_) => (
                text.parse().ok(),
                format!("a length, as in {}:40", self.name),
            ),
            Make::WithEffort(_) => (
                text.parse().ok(),
                format!("an effort, as in {}:1000", self.name),
            ),
        };
        number.map(Some).ok_or_else(|| NameError::Form {
            name: name.to_owned(),
            expected,
        })
    }

    /// Returns the maker of its policies, with the number after the name, if any.
    pub(crate) fn maker(&self, number: Option<usize>) -> Arc<dyn MakePolicy> {
        match self.make {
            Make::Plain(make) => make(),
            Make::WithLength(make) | Make::WithEffort(make) => make(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;
    use hognose_game::{Board, Game, Rules, Status};

    /// Solvers that never cross the borders of a torus play the same games as with walls.
    #[test]
    fn solvers_that_never_cross_borders_say_so() {
        let games = |name: &str, board: Board| {
            let maker = Catalog::default().policy(name).unwrap().single_player();
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
        let text = |known: &KnownSolver| {
            [Some(known.description), known.wins]
                .into_iter()
                .flatten()
                .collect::<String>()
        };
        for known in SOLVERS
            .iter()
            .filter(|known| text(known).contains("never crosses the borders of a torus"))
        {
            for sides in [[6, 6], [6, 8], [5, 5], [5, 6]] {
                assert!(alike(known.name, sides), "{} {sides:?}", known.name);
            }
        }
        for name in ["certified:1", "killer", "greedy"] {
            for sides in [[6, 6], [5, 5], [5, 6]] {
                assert!(!alike(name, sides), "{name} {sides:?}");
            }
        }
    }
}
