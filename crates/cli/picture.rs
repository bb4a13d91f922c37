//! Which picture of a game is drawn, and where it is written.

use crate::error::{Error, Result};
use crate::screen::frames;
use crate::{files, plots};
use hognose_eval::plot;
use std::path::{Path, PathBuf};

/// Which picture is drawn: the whole game, or one position of it.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("file").args(["svg", "out"]).required(true))]
pub(crate) struct PictureArguments {
    /// File to write with the whole game, as a picture that moves; it ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plots::moving)]
    svg: Option<PathBuf>,
    /// Steps shown each second
    #[arg(long, default_value_t = 15.0, value_parser = frames, conflicts_with = "out")]
    fps: f64,
    /// File to write with one position; its ending says what: .svg or .png
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the position after this many steps [default: the last position]
    #[arg(long, value_name = "N", conflicts_with = "svg")]
    step: Option<usize>,
    /// Leave out what the players have in mind
    #[arg(long)]
    pub(crate) plain: bool,
}

/// The picture that is drawn.
pub(crate) enum Picture<'a> {
    /// The whole game.
    Moving { path: &'a Path, fps: f64 },
    /// One position.
    Still(Still<'a>),
}

/// A picture of one position.
pub(crate) struct Still<'a> {
    pub(crate) path: &'a Path,
    is_png: bool,
    /// After how many steps; `None`: after the last one.
    step: Option<usize>,
}

impl PictureArguments {
    /// The picture that the options name. Its file can be written.
    pub(crate) fn picture(&self) -> Result<Picture<'_>> {
        let (path, picture) = match (&self.svg, &self.out) {
            (Some(path), _) => (path, Picture::Moving { path, fps: self.fps }),
            (None, Some(path)) => {
                let is_png = match path.extension().and_then(|ending| ending.to_str()) {
                    Some("svg") => false,
                    Some("png") => true,
                    _ => {
                        let got = path.display();
                        return Err(Error::new(format!("expected a file that ends in .svg or .png, got {got}")));
                    }
                };
                (path, Picture::Still(Still { path, is_png, step: self.step }))
            }
            (None, None) => unreachable!("one of them is required"),
        };
        files::check_writable(path)?;
        Ok(picture)
    }
}

impl Still<'_> {
    /// How many steps of the game are played at most.
    pub(crate) fn last_step(&self) -> usize {
        self.step.unwrap_or(usize::MAX)
    }

    /// Refuses a step that the game does not have.
    pub(crate) fn check(&self, steps: usize) -> Result<()> {
        match self.step {
            Some(step) if steps < step => {
                Err(Error::new(format!("expected a step of the game, which ends after {steps}, got {step}")))
            }
            _ => Ok(()),
        }
    }

    /// Writes the picture.
    pub(crate) fn write(&self, svg: String) -> Result<()> {
        match self.is_png {
            true => files::write(self.path, plot::png(&svg)?),
            false => files::write(self.path, svg),
        }
    }
}
