//! The Greedy Solver of "chuyangliu/snake".

use super::path_finder::{PathFinder, is_open};
use hognose_game::{
    Cell, Direction, Event, MakePolicy, Policy, Position, Sight, Status, Unsupported,
};

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
            followed: None,
            enclosed: None,
        }))
    }
}

struct GreedyPolicy {
    paths: PathFinder,
    followed: Option<Followed>,
    enclosed: Option<Enclosed>,
}

/// A path P1 that the snake follows.
struct Followed {
    food: Cell,
    /// The tail and the length when the snake made the last move.
    tail: Cell,
    length: usize,
    /// The moves that are left, in reverse order.
    left: Vec<Direction>,
}

impl Followed {
    /// Returns the next move, if the shortest path from here is the rest of this one: if the cell
    /// that the tail has left is too far away for a path through it to be as short. The search
    /// prefers the first moves that are the straightest, and the rest of such a path has them, too.
    /// After this path, the snake is where it would have been.
    fn next(&mut self, position: &Position, food: Option<Cell>) -> Option<Direction> {
        let board = position.board();
        let through_tail =
            board.distance(position.head(), self.tail) + board.distance(self.tail, self.food);
        if food != Some(self.food)
            || position.len() != self.length
            || through_tail <= self.left.len()
        {
            return None;
        }
        self.tail = position.tail();
        self.left.pop()
    }
}

/// A food that no path leads to.
struct Enclosed {
    food: Cell,
    /// The tail when the snake made the last move.
    tail: Cell,
    /// At least the cells that paths from the head lead to.
    reached: Vec<bool>,
}

impl Enclosed {
    /// Returns whether certainly no path leads to the food still, after adding the cells reached
    /// through the one that the tail has left.
    fn holds(&mut self, position: &Position, food: Option<Cell>) -> bool {
        if food != Some(self.food) {
            return false;
        }
        let board = position.board();
        let left = std::mem::replace(&mut self.tail, position.tail());
        let neighbors = |cell| board.neighbors(cell).map(|(_, neighbor)| neighbor);
        if !neighbors(left).any(|cell| self.reached[cell.index()]) {
            return true;
        }
        self.reached[left.index()] = true;
        let mut found = vec![left];
        while let Some(cell) = found.pop() {
            for cell in neighbors(cell) {
                if is_open(position, cell) && !self.reached[cell.index()] {
                    self.reached[cell.index()] = true;
                    found.push(cell);
                }
            }
        }
        !self.reached[self.food.index()]
    }
}

impl Policy for GreedyPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let GreedyPolicy {
            paths,
            followed,
            enclosed,
        } = self;
        let board = position.board();
        let nearest = position.nearest_food();
        if let Some(followed) = followed
            && let Some(direction) = followed.next(position, nearest)
        {
            return direction;
        }
        *followed = None;
        // Step 1: the shortest path P1 to the food.
        let is_enclosed = enclosed
            .as_mut()
            .is_some_and(|enclosed| enclosed.holds(position, nearest));
        let to_food = nearest.filter(|_| !is_enclosed).and_then(|food| {
            let path = paths.shortest(position, food);
            *enclosed = path.is_none().then(|| Enclosed {
                food,
                tail: position.tail(),
                reached: paths.reached(),
            });
            Some((food, path?))
        });
        if let Some((food, mut path)) = to_food {
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
                path.reverse();
                let first = path.pop();
                *followed = Some(Followed {
                    food,
                    tail: position.tail(),
                    length: position.len(),
                    left: path,
                });
                return first.expect("a path to the food has moves");
            }
        }
        // Step 4: follow the longest path P3 to the tail.
        if position.len() > 1
            && let Some(direction) = paths.start_of_longest(position, position.tail())
        {
            return direction;
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

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Board, Game, Rules};

    /// Following a path without searching anew makes the moves that searching anew makes.
    #[test]
    fn memory_changes_no_move() {
        let mut followed = 0;
        for text in ["6x6", "5x9", "12x12", "2x7-torus", "8x7-torus"] {
            let board: Board = text.parse().unwrap();
            for (foods, tail_entry) in [(1, true), (1, false), (3, true), (3, false)] {
                let rules = Rules::new(board).with_foods(foods).unwrap();
                let rules = rules.with_tail_entry(tail_entry);
                for seed in 0..8 {
                    let mut game = Game::new(rules, seed);
                    let [mut usual, mut forgetful] = [(); 2].map(|()| GreedyPolicy {
                        paths: PathFinder::new(board),
                        followed: None,
                        enclosed: None,
                    });
                    for _ in 0..1500 {
                        let position = game.position();
                        if position.status() != Status::Ongoing {
                            break;
                        }
                        (forgetful.followed, forgetful.enclosed) = (None, None);
                        let direction = usual.act(position);
                        assert_eq!(direction, forgetful.act(position), "{position:?}");
                        followed += 1;
                        game.step(direction);
                    }
                }
            }
        }
        assert!(followed > 10_000, "{followed}");
    }

    /// The first move of the longest path, and of the whole path that is extended.
    #[test]
    fn the_start_of_the_longest_path_is_its_first_move() {
        for text in ["6x6", "5x9", "8x7-torus"] {
            let board: Board = text.parse().unwrap();
            for seed in 0..5 {
                let mut game = Game::new(Rules::new(board), seed);
                let mut policy = Greedy.make(game.position(), 0).unwrap();
                let mut paths = PathFinder::new(board);
                for _ in 0..500 {
                    let position = game.position();
                    if position.status() != Status::Ongoing {
                        break;
                    }
                    if position.len() > 1 {
                        let longest = paths.longest(position, position.tail());
                        let start = paths.start_of_longest(position, position.tail());
                        assert_eq!(longest.map(|path| path[0]), start, "{position:?}");
                    }
                    game.step(policy.act(position));
                }
            }
        }
    }
}
