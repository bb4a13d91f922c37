//! Games of one snake played by programs.

use crate::programs::{Programs, Talk};
use crate::protocol;
use hognose_game::{Direction, Forfeit, MakePolicy, Policy, Position, Unsupported};

impl MakePolicy for Programs {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let start = protocol::start(position, seed, self.move_limit().as_secs_f64());
        Ok(Box::new(ProgramGame {
            talk: self.talk(start),
            after: position.clone(),
        }))
    }

    fn depends_on_clock(&self) -> bool {
        true
    }
}

/// A game played by a program.
struct ProgramGame {
    talk: Talk,
    /// The position after the last move, without new food.
    after: Position,
}

impl Policy for ProgramGame {
    /// Goes straight on if the game is forfeited.
    fn act(&mut self, position: &Position) -> Direction {
        self.try_act(position).unwrap_or(position.heading())
    }

    fn try_act(&mut self, position: &Position) -> Result<Direction, Forfeit> {
        let direction = self
            .talk
            .ask(protocol::position(position, self.talk.steps()))?;
        self.after.clone_from(position);
        self.after.step(direction);
        Ok(direction)
    }
}

impl Drop for ProgramGame {
    fn drop(&mut self) {
        self.talk.end(protocol::end(&self.after, self.talk.steps()));
    }
}
