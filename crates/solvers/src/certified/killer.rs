//! The solver of "Killer Devouring Snake".

use super::repair::CycleRepair;
use crate::cycles::Cycle;
use crate::cycles::jumps::{after_eating, check_tail_entry, farthest_move, steps_to_tail_or_food};
use crate::grid::{Grid, tail_to_head};
use crate::paths::PathFinder;
use hognose_game::{Cell, Direction, MakePolicy, Overlay, Policy, Position, Route, Unsupported};

/// A policy that takes a shortest path to the food if a Hamiltonian cycle can then be computed for
/// the longer snake; otherwise it jumps ahead on the current cycle, or follows it. If tail entry is
/// allowed, it wins every game on boards with a Hamiltonian cycle: it checks the path to the food
/// step by step before taking it, and the path ends on a cycle that contains the whole snake.
/// Between such paths it keeps the invariant of [`Shortcut`](crate::Shortcut).
///
/// Where the document is silent, this solver makes three choices. It tries three shortest paths:
/// the one with few turns, and those along rows or columns first; more gain nothing. It computes
/// the first cycle as the document says, by extending a path from head to tail, but later ones by
/// repairing the current one, since the extension hardly ever covers the board around a long snake.
/// And it jumps only up to a third of the board, since a long snake needs another lap for the cells
/// that it skips.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Killer;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Killer::default().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Killer {
    /// The maximum length at which the snake jumps; by default a third of the board.
    threshold: Option<usize>,
}

impl Killer {
    /// Returns a policy that jumps up to a length of `threshold` cells.
    pub fn jumping_up_to(threshold: usize) -> Killer {
        Killer {
            threshold: Some(threshold),
        }
    }
}

impl MakePolicy for Killer {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        let board = position.board();
        Ok(Box::new(KillerPolicy {
            cycle: Cycle::extended(position)?,
            paths: PathFinder::new(board),
            repair: CycleRepair::new(Grid::new(board)),
            threshold: self.threshold.unwrap_or(board.area() / 3),
            route: Route::default(),
        }))
    }
}

struct KillerPolicy {
    cycle: Cycle,
    paths: PathFinder,
    repair: CycleRepair,
    /// The maximum length at which the snake jumps.
    threshold: usize,
    /// The remaining moves to the food.
    route: Route,
}

impl Policy for KillerPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if let Some(direction) = self.route.next() {
            return direction;
        }
        let KillerPolicy {
            cycle,
            paths,
            repair,
            ..
        } = self;
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        for &food in position.foods() {
            for path in shortest_paths(paths, position, food) {
                // Food that appears after another food is eaten on the way would make the snake
                // longer than this check assumes.
                let Some(after) = after_eating(position, &path) else {
                    continue;
                };
                // A full board needs no cycle.
                if after.len() < position.board().area() {
                    let body: Vec<u16> = tail_to_head(&after).collect();
                    let Some(held) = repair.contiguous(cycle, &body) else {
                        continue;
                    };
                    *cycle = held;
                }
                return self.route.begin(path).expect("a path to food has moves");
            }
        }
        if position.len() > self.threshold {
            return cycle.next(position.head());
        }
        farthest_move(cycle, position, steps_to_tail_or_food(cycle, position))
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(self.cycle.cells().to_vec())
    }
}

/// Returns different shortest paths to the food; none if there is no path.
fn shortest_paths(paths: &mut PathFinder, position: &Position, food: Cell) -> Vec<Vec<Direction>> {
    let mut found: Vec<Vec<Direction>> = Vec::new();
    let straight = paths.shortest(position, food);
    let rows = paths.shortest_row_first(position, food);
    let columns = paths.shortest_column_first(position, food);
    for path in [straight, rows, columns].into_iter().flatten() {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}
