//! The Greedy Solver of document 002 (chuyangliu/snake).

use crate::PathFinder;
use hognose_game::{Direction, Event, MakePolicy, Policy, Position, Status, Unsupported};

/// Eats along the shortest path if the tail can be reached afterwards; else wanders along a long path to the tail;
/// else goes away from the food. The five steps of document 002 are marked in the code. It may lose, and may wander
/// for ever.
///
/// Where the document is silent: a path that fills the board is taken; food that no path reaches is the first food;
/// ties in step 5 go to the first direction clockwise from up; where no move is legal, it goes straight.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl MakePolicy for Greedy {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(GreedyPolicy { paths: PathFinder::new(position.board()) }))
    }
}

struct GreedyPolicy {
    paths: PathFinder,
}

impl Policy for GreedyPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let paths = &mut self.paths;
        let board = position.board();
        let distance = |from| position.foods().iter().map(|&food| board.distance(from, food)).min();
        let nearest = position.foods().iter().copied().min_by_key(|&food| board.distance(position.head(), food));
        // Step 1: the shortest path P1 to the food.
        let to_food = nearest.and_then(|food| paths.shortest(position, food));
        if let Some(path) = to_food {
            // Step 2: a virtual snake eats along P1.
            let mut after = position.clone();
            let mut event = Event::Moved;
            for &direction in &path {
                event = after.step(direction);
            }
            debug_assert!(matches!(event, Event::Ate | Event::Won), "the path ends on the food");
            // Step 3: if a path P2 leads from its head to its tail, follow P1. (A longest path exists if a shortest does.)
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
        let away = |direction| board.neighbor(position.head(), direction).and_then(distance);
        let farthest =
            position.legal_moves().iter().reduce(|best, other| if away(other) > away(best) { other } else { best });
        farthest.unwrap_or(position.heading())
    }
}

fn reaches_tail(paths: &mut PathFinder, position: &Position) -> bool {
    position.len() == 1 || paths.shortest(position, position.tail()).is_some()
}
