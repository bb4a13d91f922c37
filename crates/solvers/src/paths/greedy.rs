//! The Greedy Solver of "chuyangliu/snake".

use super::path_finder::PathFinder;
use hognose_game::{Direction, Event, MakePolicy, Policy, Position, Sight, Status, Unsupported};

/// Eats along the shortest path if the tail can be reached afterwards. Else it wanders along a long
/// path to the tail, or, without one, goes away from the food. It may lose, and may wander for
/// ever.
///
/// The five steps that "chuyangliu/snake" describes are marked in the code. Where the document is
/// silent, a path that fills the board is taken, ties in step 5 go to the first direction clockwise
/// from up, and where no move is legal it goes straight on.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Greedy;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Greedy.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl MakePolicy for Greedy {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(GreedyPolicy {
            paths: PathFinder::new(position.board()),
        }))
    }
}

/// Plays one game.
struct GreedyPolicy {
    paths: PathFinder,
}

impl Policy for GreedyPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let paths = &mut self.paths;
        let board = position.board();
        let nearest = position.nearest_food();
        // Step 1: the shortest path P1 to the food.
        let to_food = nearest.and_then(|food| paths.shortest(position, food));
        if let Some(path) = to_food {
            // Step 2: a virtual snake eats along P1.
            let mut after = position.clone();
            let mut event = Event::Moved;
            for &direction in &path {
                event = after.step(direction);
            }
            debug_assert!(
                matches!(event, Event::Ate | Event::Won),
                "the path ends on the food"
            );
            // Step 3: if a path P2 leads from its head to its tail, follow P1. (A longest path
            // exists if a shortest does.)
            if after.status() == Status::Won || reaches_tail(paths, &after) {
                return path[0];
            }
        }
        // Step 4: follow the longest path P3 to the tail.
        if position.len() > 1
            && let Some(path) = paths.longest(position, position.tail())
        {
            return path[0];
        }
        // Step 5: go where the food is farthest.
        let away = |direction| {
            board.neighbor(position.head(), direction).and_then(|from| {
                position
                    .foods()
                    .iter()
                    .map(|&food| board.distance(from, food))
                    .min()
            })
        };
        let farthest = position.legal_moves().iter().reduce(|best, other| {
            if away(other) > away(best) {
                other
            } else {
                best
            }
        });
        farthest.unwrap_or(position.heading())
    }
}

fn reaches_tail(paths: &mut PathFinder, position: &Position) -> bool {
    position.len() == 1 || paths.shortest(position, position.tail()).is_some()
}
