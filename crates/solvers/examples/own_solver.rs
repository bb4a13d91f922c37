//! A solver of your own that can't lose: it may make any move that keeps a certificate of winning,
//! and takes the one nearest to the food.

use hognose_game::{
    Board, Direction, Game, MakePolicy, MoveFilter, Policy, Position, Rules, Status, Unsupported,
};
use hognose_solvers::SafeMoves;
use std::error::Error;

/// Plays one game.
struct SafeAndNear {
    safe: SafeMoves,
}

impl Policy for SafeAndNear {
    fn act(&mut self, position: &Position) -> Direction {
        let board = position.board();
        let allowed = self.safe.allowed(position).moves;
        let food = position.foods()[0];
        let nearest = allowed.iter().min_by_key(|&direction| {
            let head = board.neighbor(position.head(), direction);
            head.map(|head| board.distance(head, food))
        });
        let direction = nearest.expect("a safe move follows every safe move");
        self.safe.commit(direction);
        direction
    }
}

/// Makes the policy of a game. Such a function is a `MakePolicy`, so that `hognose-eval` can
/// evaluate it, too.
fn safe_and_near(position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
    let mut safe = SafeMoves::default();
    safe.reset(position)?;
    Ok(Box::new(SafeAndNear { safe }))
}

fn main() -> Result<(), Box<dyn Error>> {
    for seed in 0..10 {
        let mut game = Game::new(Rules::new(Board::new(6, 6)?), seed);
        let mut policy = safe_and_near.make(game.position(), 0)?;
        let mut steps = 0;
        while game.position().status() == Status::Ongoing && steps < 5_000 {
            let direction = policy.act(game.position());
            game.step(direction);
            steps += 1;
        }
        println!(
            "seed {seed}: {:?} after {steps} steps",
            game.position().status()
        );
        assert!(!matches!(game.position().status(), Status::Lost(_)));
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
