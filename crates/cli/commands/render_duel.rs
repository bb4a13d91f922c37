//! Pictures of duels.

use crate::duel_game::DuelGame;
use crate::error::Result;
use crate::picture::{Picture, Sheet, check_step, is_after};
use hognose_game::Direction;
use hognose_game::duel::Seat;
use hognose_viewer::{Drawing, DuelFilm, animation, svg};

/// A duel to draw.
pub(crate) struct DrawnDuel {
    pub(crate) game: DuelGame,
    /// Whether to omit plans.
    pub(crate) plain: bool,
}

impl DrawnDuel {
    /// Plays the duel and draws the picture.
    pub(crate) fn draw(self, picture: Picture) -> Result<Sheet> {
        match picture {
            Picture::Moving { fps } => Ok(self.draw_moving(fps)),
            Picture::Still { step } => self.draw_still(step),
        }
    }

    /// Draws the whole duel.
    fn draw_moving(mut self, fps: f64) -> Sheet {
        let mut film = DuelFilm::new(self.game.position(), &self.plans());
        while self.game.step() {
            film.add(self.game.position(), &self.plans());
        }
        let film = film.with_legend(self.game.legend());
        Sheet {
            outcome: self.game.report_forfeits(),
            svg: animation(film.as_film(), fps),
            what: self.game.ending(),
        }
    }

    /// Draws one position.
    fn draw_still(mut self, step: Option<usize>) -> Result<Sheet> {
        while is_after(step, self.game.steps()) && self.game.step() {}
        let outcome = self.game.report_forfeits();
        let steps = self.game.steps();
        check_step(step, steps)?;
        let position = self.game.position();
        let [first, second] = Seat::BOTH.map(|seat| position.length(seat));
        Ok(Sheet {
            outcome,
            svg: svg(&Drawing::of_duel(position, &self.plans()).with_legend(self.game.legend())),
            what: format!("step {steps}, lengths {first} and {second}"),
        })
    }

    /// Returns the plans to draw.
    fn plans(&self) -> [Vec<Direction>; 2] {
        if self.plain {
            Default::default()
        } else {
            self.game.plans().clone()
        }
    }
}
