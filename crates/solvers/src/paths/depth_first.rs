//! The "shortest path by depth-first search" of "Slitherin Round".

use hognose_game::{Direction, MakePolicy, Policy, Position, Sight, Unsupported};

/// A policy that goes straight on while that brings it nearer to the food, otherwise turns toward
/// it. If only reversing would bring it nearer, it turns aside. It looks only at the next cell, and
/// loses when the body blocks every move that brings it nearer.
///
/// "Slitherin Round" (section 4, method 2; section 6.1) does not print its code. A textbook
/// depth-first search wanders over the whole board; this descent without backtracking has the
/// scores that the document reports (Figure 5: mean 18.8, maximum 54 on 20x11).
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::DepthFirst;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = DepthFirst.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DepthFirst;

impl MakePolicy for DepthFirst {
    fn make(&self, _position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(*self))
    }
}

impl Policy for DepthFirst {
    fn act(&mut self, position: &Position) -> Direction {
        let board = position.board();
        let head = position.head();
        let heading = position.heading();
        let legal = position.legal_moves();
        let Some(food) = position.nearest_food() else {
            return heading;
        };
        let [straight, right, back, left] =
            [0, 1, 2, 3].map(|turn| Direction::from_index(heading.index() + turn));
        let nearer = |direction| {
            board
                .neighbor(head, direction)
                .is_some_and(|cell| board.distance(cell, food) < board.distance(head, food))
        };
        let towards = [straight, left, right, back]
            .into_iter()
            .filter(|&direction| nearer(direction));
        if let Some(direction) = towards.clone().find(|&direction| legal.contains(direction)) {
            return direction;
        }
        let aside = [left, right, straight]
            .into_iter()
            .find(|&direction| legal.contains(direction));
        if nearer(back) {
            aside.unwrap_or(heading)
        } else {
            towards.into_iter().next().unwrap_or(heading)
        }
    }
}
