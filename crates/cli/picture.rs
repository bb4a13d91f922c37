//! The picture of a game to draw, and the file for it.

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::screen::frames;
use crate::{files, plots};
use hognose_plot as plot;
use std::path::{Path, PathBuf};

/// The picture to draw: the whole game, or one position of it.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("file").args(["svg", "out"]).required(true))]
pub(crate) struct PictureArguments {
    /// Draw the whole game as an animated picture in this .svg file
    #[arg(long, value_name = "FILE", value_parser = plots::moving)]
    svg: Option<PathBuf>,
    /// Steps shown per second
    #[arg(long, default_value_t = 15.0, value_parser = frames, conflicts_with = "out")]
    fps: f64,
    /// Draw one position in this .svg or .png file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the position after this many steps [default: the last position]
    #[arg(long, value_name = "N", conflicts_with = "svg")]
    step: Option<usize>,
    /// Hide the players' plans
    #[arg(long)]
    pub(crate) plain: bool,
}

/// The picture to draw.
#[derive(Clone, Copy)]
pub(crate) enum Picture {
    /// The whole game, at `fps` steps per second.
    Moving { fps: f64 },
    /// The position after `step` steps; the last position if `None`.
    Still { step: Option<usize> },
}

/// A finished picture.
pub(crate) struct Sheet {
    pub(crate) svg: String,
    /// A description of the picture.
    pub(crate) what: String,
    pub(crate) outcome: Outcome,
}

impl PictureArguments {
    /// Returns the picture that the options select.
    pub(crate) fn picture(&self) -> Picture {
        if self.svg.is_some() {
            Picture::Moving { fps: self.fps }
        } else {
            Picture::Still { step: self.step }
        }
    }

    /// Refuses a file that is not a picture, or can't be written.
    pub(crate) fn check(&self) -> Result<()> {
        let path = self.path();
        if !["svg", "png"]
            .into_iter()
            .any(|ending| path.extension().is_some_and(|its| its == ending))
        {
            let got = path.display();
            return Err(Error::new(format!(
                "expected a file that ends in .svg or .png, got {got}"
            )));
        }
        files::check_writable(path)
    }

    /// Writes the picture, and prints its description.
    pub(crate) fn write(&self, sheet: &Sheet) -> Result<()> {
        let path = self.path();
        match path.extension().is_some_and(|ending| ending == "png") {
            true => files::write(path, plot::png(&sheet.svg)?)?,
            false => files::write(path, &sheet.svg)?,
        }
        say!("{}: {}", path.display(), sheet.what);
        Ok(())
    }

    fn path(&self) -> &Path {
        self.svg
            .as_ref()
            .or(self.out.as_ref())
            .expect("one of them is required")
    }
}

/// Returns whether the position to draw comes after `steps` steps.
pub(crate) fn is_after(step: Option<usize>, steps: usize) -> bool {
    step.is_none_or(|step| steps < step)
}

/// Refuses a step beyond the end of a game with `steps` steps.
pub(crate) fn check_step(step: Option<usize>, steps: usize) -> Result<()> {
    match step {
        Some(step) if steps < step => Err(Error::new(format!(
            "expected a step of at most {steps}, where the game ends, got {step}"
        ))),
        _ => Ok(()),
    }
}
