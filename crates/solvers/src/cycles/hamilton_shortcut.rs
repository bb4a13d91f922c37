//! The Hamilton Solver of "chuyangliu/snake".

use super::cycle::Cycle;
use super::jumps::grows_onto_its_back;
use crate::paths::PathFinder;
use hognose_game::{Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

/// A policy that follows a cycle built by extending a path from head to tail. While the snake is
/// shorter than half the board, it instead takes the first move of the shortest path to the food if
/// that move leads ahead on the cycle, counted from the tail, but not past the food.
/// "chuyangliu/snake" shows these rules in an image that was lost; they come from the program that
/// it describes.
///
/// It wins every game if tail entry is allowed, by the invariant of [`Shortcut`](crate::Shortcut).
/// Without tail entry, by which the program plays, a head that jumped to just behind the tail may
/// lose.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::HamiltonShortcut;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = HamiltonShortcut.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HamiltonShortcut;

impl MakePolicy for HamiltonShortcut {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let cycle = Cycle::extended(position)?;
        let paths = PathFinder::new(position.board());
        Ok(Box::new(HamiltonShortcutPolicy { cycle, paths }))
    }
}

struct HamiltonShortcutPolicy {
    cycle: Cycle,
    paths: PathFinder,
}

impl Policy for HamiltonShortcutPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let HamiltonShortcutPolicy { cycle, paths } = self;
        let board = position.board();
        let head = position.head();
        let tail = position.tail();
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        let along = cycle.next(head);
        if 2 * position.len() >= board.area() {
            return along;
        }
        let place = |cell| cycle.distance(tail, cell);
        let nearest = position
            .foods()
            .iter()
            .copied()
            .min_by_key(|&food| place(food));
        let Some((food, path)) =
            nearest.and_then(|food| Some((food, paths.shortest(position, food)?)))
        else {
            return along;
        };
        let cell = board
            .neighbor(head, path[0])
            .expect("a path stays on the board");
        // Food next to the tail on the cycle is eaten along the cycle: a shortcut might put the
        // head right behind the tail.
        let beside_tail = place(food) == 1 || place(food) == board.area() - 1;
        let ahead = place(head) < place(cell) && place(cell) <= place(food);
        let safe = ahead
            && !(path.len() == 1 && beside_tail)
            && !grows_onto_its_back(cycle, position, cell);
        if safe { path[0] } else { along }
    }

    fn overlay(&self) -> Overlay {
        self.cycle.overlay()
    }
}
