//! Duels played by programs.

use crate::duel_protocol;
use crate::programs::{Programs, Talk};
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Seat};
use hognose_game::{Direction, Forfeit, Unsupported};

impl MakeBot for Programs {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        let start = duel_protocol::start(
            position.rules(),
            seat,
            seed,
            self.move_limit().as_secs_f64(),
        );
        Ok(Box::new(ProgramBot {
            talk: self.talk(start),
            seat,
            before: None,
            end: None,
        }))
    }

    fn depends_on_clock(&self) -> bool {
        true
    }
}

/// A seat of a duel played by a program.
struct ProgramBot {
    talk: Talk,
    seat: Seat,
    /// The position of the last move.
    before: Option<DuelPosition>,
    /// The line that reports the end of the duel, once it is known.
    end: Option<String>,
}

impl Bot for ProgramBot {
    /// Goes straight on if the game is forfeited.
    fn act(&mut self, position: &DuelPosition) -> Direction {
        self.try_act(position)
            .unwrap_or(position.snake(self.seat).heading())
    }

    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        let line = duel_protocol::position(
            position.view(self.seat),
            self.before.as_ref(),
            self.talk.steps(),
        );
        self.before = Some(position.clone());
        self.talk.ask(line)
    }

    fn end(&mut self, position: &DuelPosition) {
        self.end = Some(duel_protocol::end(
            Some(position.view(self.seat)),
            self.talk.steps(),
        ));
    }
}

impl Drop for ProgramBot {
    fn drop(&mut self) {
        let steps = self.talk.steps();
        let line = self
            .end
            .take()
            .unwrap_or_else(|| duel_protocol::end(None, steps));
        self.talk.end(line);
    }
}
