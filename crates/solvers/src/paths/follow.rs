//! Policies that follow a path to the food and think of nothing else.

use super::path_finder::PathFinder;
use hognose_game::{
    Cell, Direction, MakePolicy, Overlay, Policy, Position, Route, Sight, Unsupported,
};

/// Plans a path to the nearest food whenever there is new food, and follows it to the end. The body
/// only leaves cells meanwhile, so the path stays open. Where no path leads to the food it moves
/// on, straight if that is legal, and plans again. It loses sooner or later on all but the smallest
/// boards.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Follow;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Follow::shortest().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Follow {
    kind: PathKind,
}

#[derive(Clone, Copy, Debug)]
enum PathKind {
    Shortest,
    ShortestRowFirst,
    Longest,
}

impl Follow {
    /// Follows the shortest path that turns little ("chuyangliu/snake", "Killer Devouring Snake").
    pub fn shortest() -> Follow {
        Follow {
            kind: PathKind::Shortest,
        }
    }

    /// Follows the shortest path whose horizontal moves come first ("Slitherin Round", section 4,
    /// method 1).
    pub fn shortest_row_first() -> Follow {
        Follow {
            kind: PathKind::ShortestRowFirst,
        }
    }

    /// Follows a long path, which is found by extending a shortest one ("Slitherin Round", section
    /// 4, method 3; the heuristic is that of "chuyangliu/snake").
    pub fn longest() -> Follow {
        Follow {
            kind: PathKind::Longest,
        }
    }
}

impl MakePolicy for Follow {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let paths = PathFinder::new(position.board());
        Ok(Box::new(FollowPolicy {
            kind: self.kind,
            paths,
            food: None,
            route: Route::default(),
        }))
    }
}

/// Plays one game.
struct FollowPolicy {
    kind: PathKind,
    paths: PathFinder,
    food: Option<Cell>,
    /// The rest of the path.
    route: Route,
}

impl FollowPolicy {
    fn path_to(&mut self, position: &Position, food: Cell) -> Option<Vec<Direction>> {
        match self.kind {
            PathKind::Shortest => self.paths.shortest(position, food),
            PathKind::ShortestRowFirst => self.paths.shortest_row_first(position, food),
            PathKind::Longest => self.paths.longest(position, food),
        }
    }
}

impl Policy for FollowPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let food = position.nearest_food();
        // Another food that was eaten on the way, or that appeared on it, changes the body: plan
        // again.
        if self.food != food {
            (self.food, self.route) = (food, Route::default());
        }
        if let Some(direction) = self.route.next() {
            return direction;
        }
        if let Some(path) = food.and_then(|food| self.path_to(position, food)) {
            return self
                .route
                .begin(path)
                .expect("a path to the food has moves");
        }
        let turns = [0, 1, 3].map(|turn| Direction::from_index(position.heading().index() + turn));
        let legal = position.legal_moves();
        turns
            .into_iter()
            .find(|&direction| legal.contains(direction))
            .unwrap_or(position.heading())
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(Vec::new())
    }
}
