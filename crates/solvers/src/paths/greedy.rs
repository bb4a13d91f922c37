//! The Greedy Solver of "chuyangliu/snake".

use super::path_finder::PathFinder;
use hognose_game::{Direction, Event, MakePolicy, Policy, Position, Sight, Status, Unsupported};

/// A policy that follows the shortest path to the food if the tail stays reachable after eating.
/// Otherwise it follows a long path to the tail or, without one, moves away from the food. It may
/// lose, and may wander forever.
///
/// Comments in the code mark the five steps that "chuyangliu/snake" describes. Where the document
/// is silent, the solver takes a path that fills the board, breaks ties in step 5 clockwise from
/// up, and goes straight on if no move is legal.
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
            // Step 2: move a virtual snake along P1 until it eats.
            let mut after = position.clone();
            let mut event = Event::Moved;
            for &direction in &path {
                event = after.step(direction);
            }
            debug_assert!(
                matches!(event, Event::Ate | Event::Won),
                "the path ends on the food"
            );
            // Step 3: if a path P2 leads from its head to its tail, follow P1. (If a shortest path
            // exists, so does a longest.)
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
        // Step 5: move to the cell farthest from the food.
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
