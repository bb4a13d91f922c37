//! Pictures of duels.

use crate::duel_game::DuelGame;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use crate::picture::{Picture, Still};
use crate::{files, interrupt};
use hognose_game::Direction;
use hognose_game::duel::Seat;
use hognose_viewer::{Drawing, DuelFilm, animation, svg};
use std::path::Path;

/// A duel that is drawn.
pub(crate) struct DrawnDuel {
    pub(crate) game: DuelGame,
    /// Whether plans are left out.
    pub(crate) plain: bool,
}

impl DrawnDuel {
    /// Plays the duel and writes the picture.
    pub(crate) fn draw(self, picture: &Picture<'_>) -> Result<Outcome> {
        match picture {
            Picture::Moving { path, fps } => self.draw_moving(path, *fps),
            Picture::Still(still) => self.draw_still(still),
        }
    }

    /// Draws the whole duel.
    fn draw_moving(mut self, path: &Path, fps: f64) -> Result<Outcome> {
        let played = interrupt::unless_asked(move || {
            let mut film = DuelFilm::new(self.game.position(), &self.plans());
            while !interrupt::asked() && self.game.step() {
                film.add(self.game.position(), &self.plans());
            }
            (self.game, film)
        })?;
        let Some((game, film)) = played.filter(|_| !interrupt::asked()) else { return Ok(Outcome::Interrupted) };
        let outcome = game.tell_forfeits();
        let film = film.with_legend(game.legend());
        files::write(path, animation(film.as_film(), fps))?;
        say!("{}: {}", path.display(), game.ending());
        Ok(outcome)
    }

    /// Draws one position.
    fn draw_still(mut self, still: &Still<'_>) -> Result<Outcome> {
        let last = still.last_step();
        let played = interrupt::unless_asked(move || {
            while self.game.steps() < last && !interrupt::asked() && self.game.step() {}
            self
        })?;
        let Some(drawn) = played.filter(|_| !interrupt::asked()) else { return Ok(Outcome::Interrupted) };
        let game = &drawn.game;
        let outcome = game.tell_forfeits();
        let steps = game.steps();
        still.check(steps)?;
        let position = game.position();
        still.write(svg(&Drawing::of_duel(position, &drawn.plans()).with_legend(game.legend())))?;
        let [first, second] = Seat::BOTH.map(|seat| position.length(seat));
        say!("{}: step {steps}, lengths {first} and {second}", still.path.display());
        Ok(outcome)
    }

    /// The plans that are drawn.
    fn plans(&self) -> [Vec<Direction>; 2] {
        if self.plain { Default::default() } else { self.game.plans().clone() }
    }
}
