//! Solvers by their names. A new solver gets its name here.

use crate::NameError;
use hognose_game::MakePolicy;
use hognose_solvers::{
    Almighty, CellTree, Certified, DepthFirst, Follow, Greedy, HamiltonShortcut, Hamiltonian,
    Killer, PerturbedCycle, Random, Shortcut, SubHamiltonian,
};
use hognose_tablebase::Optimal;
use std::sync::Arc;

/// A solver that has a name of its own.
///
/// ```
/// use hognose_policies::SOLVERS;
///
/// let known = SOLVERS.iter().find(|known| known.name == "bfs").unwrap();
/// assert!(known.description.starts_with("the shortest path to the food") && known.wins.is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KnownSolver {
    /// The name, without a number after it.
    pub name: &'static str,
    /// What it does, in one line; in brackets the document that it comes from.
    pub description: &'static str,
    /// Where it wins every game that it does not refuse: boards, starts, rules about the tail;
    /// `None` without a guarantee.
    pub wins: Option<&'static str>,
    make: Make,
}

/// How the maker of a solver is made; some solvers take a number after their name, as in
/// `modified-endgame:40`.
#[derive(Clone, Copy, Debug)]
enum Make {
    Plain(fn() -> Arc<dyn MakePolicy>),
    WithLength(fn(Option<usize>) -> Arc<dyn MakePolicy>),
    WithEffort(fn(Option<usize>) -> Arc<dyn MakePolicy>),
}

/// The policies that are computed from the board and need no file.
pub const SOLVERS: &[KnownSolver] = &[
    KnownSolver {
        name: "optimal",
        description: "the fewest expected steps among sure wins, exactly; optimal:FILE plays by a \
                      table",
        wins: Some(
            "boards of up to 25 cells, or the table's, wherever a sure win exists; tail entry, one \
             food",
        ),
        make: Make::Plain(|| Arc::new(Optimal::default())),
    },
    KnownSolver {
        name: "certified",
        description: "plans each way to the food so that a cycle can be followed after it; longer \
                      with a higher :EFFORT (100)",
        wins: Some(
            "every board; the start in order on a cycle of it that is found; tail entry; a torus \
             counts as walled if a side is 2 or odd",
        ),
        make: Make::WithEffort(|effort| {
            Arc::new(effort.map_or_else(Certified::default, Certified::with_effort))
        }),
    },
    KnownSolver {
        name: "cell-tree",
        description: "the shortest way in right-hand traffic around a tree of 2x2 blocks that can \
                      be completed",
        wins: Some(
            "both sides even; the start keeping to the right; tail entry; a torus counts as walled",
        ),
        make: Make::Plain(|| Arc::new(CellTree)),
    },
    KnownSolver {
        name: "hamiltonian",
        description: "follows a zig-zag Hamiltonian cycle, as all source documents do",
        wins: Some("one side even, or a torus; the start on a zig-zag"),
        make: Make::Plain(|| Arc::new(Hamiltonian::default())),
    },
    KnownSolver {
        name: "hamiltonian-extended",
        description: "follows the cycle made by extending a path from head to tail \
                      (chuyangliu/snake and Killer Devouring Snake)",
        wins: Some("as hamiltonian"),
        make: Make::Plain(|| Arc::new(Hamiltonian::extended())),
    },
    KnownSolver {
        name: "hamiltonian-random",
        description: "follows a random cycle, another in each game",
        wins: Some("both sides even; the start on that cycle; a torus counts as walled"),
        make: Make::Plain(|| Arc::new(Hamiltonian::random())),
    },
    KnownSolver {
        name: "hamilton-shortcut",
        description: "shortest path where that leads ahead on the cycle, up to half the board \
                      (chuyangliu/snake)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::Plain(|| Arc::new(HamiltonShortcut)),
    },
    KnownSolver {
        name: "shortcut",
        description: "jumps ahead on a zig-zag cycle where that is safe, up to half the board or \
                      :LENGTH",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(length.map_or_else(Shortcut::default, Shortcut::up_to))
        }),
    },
    KnownSolver {
        name: "phc",
        description: "J. Tapsell's perturbed Hamiltonian cycle, on random cycles",
        wins: Some("as hamiltonian-random, tail entry"),
        make: Make::Plain(|| Arc::new(PerturbedCycle)),
    },
    KnownSolver {
        name: "modified-cycle",
        description: "jumps ahead on a zig-zag cycle at every length (Snek AI, 3.3)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::Plain(|| Arc::new(Shortcut::modified_cycle())),
    },
    KnownSolver {
        name: "modified-endgame",
        description: "modified-cycle up to half the board or :LENGTH, then the cycle (Snek AI, \
                      3.4)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(
                length.map_or_else(Shortcut::modified_endgame, Shortcut::modified_endgame_from),
            )
        }),
    },
    KnownSolver {
        name: "sub-hamiltonian",
        description: "cycles of two halves up to a critical :LENGTH, then the whole cycle \
                      (Slitherin Round, 7.4)",
        wins: Some(
            "one side even, one at least 4; the start on its cycle; tail entry; a torus counts as \
             walled",
        ),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length))),
    },
    KnownSolver {
        name: "sub-hamiltonian-reverse",
        description: "sub-hamiltonian, walked in reverse where that is sooner at the food \
                      (Slitherin Round, 8)",
        wins: Some("as sub-hamiltonian"),
        make: Make::WithLength(|length| Arc::new(SubHamiltonian::halves(length).with_turning())),
    },
    KnownSolver {
        name: "series",
        description: "cycles of many parts, fewer as the snake grows (Slitherin Round, 8)",
        wins: Some("as sub-hamiltonian"),
        make: Make::Plain(|| Arc::new(SubHamiltonian::series())),
    },
    KnownSolver {
        name: "almighty-long",
        description: "two cycles in turn that miss a cell each (Slitherin Round, 7.3)",
        wins: Some(
            "both sides odd; the start on one of the cycles; tail entry; a torus counts as walled",
        ),
        make: Make::Plain(|| Arc::new(Almighty::long())),
    },
    KnownSolver {
        name: "almighty-long-reverse",
        description: "almighty-long, walked in reverse where that is sooner at the food (Slitherin \
                      Round, 8)",
        wins: Some("as almighty-long"),
        make: Make::Plain(|| Arc::new(Almighty::long_with_turning())),
    },
    KnownSolver {
        name: "almighty-branch",
        description: "teeth along rows and teeth along columns in turn (Slitherin Round, method \
                      5); a torus counts as walled",
        wins: None,
        make: Make::Plain(|| Arc::new(Almighty::branch())),
    },
    KnownSolver {
        name: "killer",
        description: "shortest path if a cycle can be computed again after it, else jumps on the \
                      cycle up to :LENGTH (Killer Devouring Snake)",
        wins: Some("as hamiltonian, tail entry"),
        make: Make::WithLength(|length| {
            Arc::new(length.map_or_else(Killer::default, Killer::jumping_up_to))
        }),
    },
    KnownSolver {
        name: "bfs",
        description: "the shortest path to the food, straight on where it can (chuyangliu/snake \
                      and Killer Devouring Snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest())),
    },
    KnownSolver {
        name: "bfs-row-first",
        description: "the shortest path to the food, horizontal moves first (Slitherin Round, \
                      method 1)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::shortest_row_first())),
    },
    KnownSolver {
        name: "dfs",
        description: "nearer to the food, straight on where it can, looking one cell ahead \
                      (Slitherin Round, method 2)",
        wins: None,
        make: Make::Plain(|| Arc::new(DepthFirst)),
    },
    KnownSolver {
        name: "longest",
        description: "a long path to the food (Slitherin Round, method 3; a heuristic of \
                      chuyangliu/snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Follow::longest())),
    },
    KnownSolver {
        name: "greedy",
        description: "shortest path to the food if the tail stays reachable, else wanders (the \
                      Greedy Solver of chuyangliu/snake)",
        wins: None,
        make: Make::Plain(|| Arc::new(Greedy)),
    },
    KnownSolver {
        name: "random",
        description: "a random legal move",
        wins: None,
        make: Make::Plain(|| Arc::new(Random)),
    },
];

impl KnownSolver {
    /// The number after the name, read from the text after the colon, if there is one.
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

    /// What makes its policies, with the number after the name or without one.
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

    /// Where a torus counts as walled, its games are those of the board with walls.
    #[test]
    fn what_counts_as_walled_is_told() {
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
        let told = |known: &KnownSolver| {
            [Some(known.description), known.wins]
                .into_iter()
                .flatten()
                .collect::<String>()
        };
        for known in SOLVERS
            .iter()
            .filter(|known| told(known).contains("a torus counts as walled"))
        {
            let even = told(known).ends_with("if a side is 2 or odd");
            assert_eq!(
                [6, 8].map(|side| alike(known.name, [6, side])),
                [!even; 2],
                "{}",
                known.name
            );
            assert!(
                [[5, 5], [5, 6]]
                    .iter()
                    .all(|&sides| alike(known.name, sides)),
                "{}",
                known.name
            );
        }
        assert!(!alike("hamiltonian", [5, 5]) && !alike("greedy", [6, 6]));
    }
}
