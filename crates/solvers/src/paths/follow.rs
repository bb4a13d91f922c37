//! Policies that follow a path to the food without looking beyond it.

use super::path_finder::PathFinder;
use hognose_game::{
    Cell, Direction, MakePolicy, Overlay, Policy, Position, Route, Sight, Unsupported,
};

/// A policy that plans a path to the nearest food whenever food appears, and follows it to the end.
/// The path stays open because the body only leaves cells meanwhile. Without a path it makes any
/// legal move, preferably straight ahead, and plans again. It eventually loses on all but the
/// smallest boards.
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
    find: FindPath,
}

/// Returns a path from the head to a cell, if there is one.
type FindPath = fn(&mut PathFinder, &Position, Cell) -> Option<Vec<Direction>>;

impl Follow {
    /// Returns a policy that follows the shortest path with few turns ("chuyangliu/snake", "Killer
    /// Devouring Snake").
    pub fn shortest() -> Follow {
        Follow {
            find: PathFinder::shortest,
        }
    }

    /// Returns a policy that follows the shortest path with horizontal moves first ("Slitherin
    /// Round", section 4, method 1).
    pub fn shortest_row_first() -> Follow {
        Follow {
            find: |paths, position, food| paths.shortest_row_first(position, food),
        }
    }

    /// Returns a policy that follows a long path, made by extending a shortest one ("Slitherin
    /// Round", section 4, method 3, with the heuristic of "chuyangliu/snake").
    pub fn longest() -> Follow {
        Follow {
            find: PathFinder::longest,
        }
    }
}

impl MakePolicy for Follow {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(FollowPolicy {
            find: self.find,
            paths: PathFinder::new(position.board()),
            food: None,
            route: Route::default(),
        }))
    }
}

struct FollowPolicy {
    find: FindPath,
    paths: PathFinder,
    food: Option<Cell>,
    /// The rest of the path.
    route: Route,
}

impl Policy for FollowPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let food = position.nearest_food();
        // Food eaten on the way, or new food on the path, changes the body: plan again.
        if self.food != food {
            (self.food, self.route) = (food, Route::default());
        }
        if let Some(direction) = self.route.next() {
            return direction;
        }
        if let Some(path) = food.and_then(|food| (self.find)(&mut self.paths, position, food)) {
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
