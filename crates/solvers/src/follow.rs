//! Policies that follow a path to the food and think of nothing else.

use crate::PathFinder;
use hognose_game::{Cell, Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

/// Plans a path to the nearest food whenever there is new food, and follows it to the end. The body only leaves cells
/// meanwhile, so the path stays open. Where no path leads to the food it moves on, straight if that is legal, and plans again.
/// It loses sooner or later on all but the smallest boards.
#[derive(Clone, Copy, Debug)]
pub struct Follow {
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Shortest,
    ShortestRowFirst,
    Longest,
}

impl Follow {
    /// The shortest path that turns little (documents 002 and 004).
    pub fn shortest() -> Follow {
        Follow { kind: Kind::Shortest }
    }

    /// The shortest path, horizontal moves first (document 000, section 4, method 1).
    pub fn shortest_row_first() -> Follow {
        Follow { kind: Kind::ShortestRowFirst }
    }

    /// A long path, found by extending a shortest one (document 000, section 4, method 3; document 002's heuristic).
    pub fn longest() -> Follow {
        Follow { kind: Kind::Longest }
    }
}

impl MakePolicy for Follow {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let paths = PathFinder::new(position.board());
        Ok(Box::new(FollowPolicy { kind: self.kind, paths, food: None, plan: Vec::new() }))
    }
}

struct FollowPolicy {
    kind: Kind,
    paths: PathFinder,
    food: Option<Cell>,
    /// The rest of the path, last move first.
    plan: Vec<Direction>,
}

impl Policy for FollowPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let paths = &mut self.paths;
        let (board, head) = (position.board(), position.head());
        // Another food that was eaten on the way, or that appeared on it, changes the body: plan again.
        let food = position.foods().iter().copied().min_by_key(|&food| board.distance(head, food));
        if self.plan.is_empty() || self.food != food {
            self.food = food;
            let path = food.and_then(|food| match self.kind {
                Kind::Shortest => paths.shortest(position, food),
                Kind::ShortestRowFirst => paths.shortest_row_first(position, food),
                Kind::Longest => paths.longest(position, food),
            });
            self.plan = path.unwrap_or_default();
            self.plan.reverse();
        }
        self.plan.pop().unwrap_or_else(|| {
            let turns = [0, 1, 3].map(|turn| Direction::from_index(position.heading().index() + turn));
            let legal = position.legal_moves();
            turns.into_iter().find(|&direction| legal.contains(direction)).unwrap_or(position.heading())
        })
    }

    fn overlay(&self) -> Overlay {
        Overlay { plan: self.plan.iter().rev().copied().collect(), ..Overlay::default() }
    }
}
