//! Which picture of a game is drawn, and where it is written.

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::screen::frames;
use crate::{files, plots};
use hognose_plot as plot;
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
#[derive(Clone, Copy)]
pub(crate) enum Picture {
    /// The whole game, at so many steps each second.
    Moving { fps: f64 },
    /// The position after so many steps; `None`: the last one.
    Still { step: Option<usize> },
}

/// A picture that was drawn.
pub(crate) struct Sheet {
    pub(crate) svg: String,
    /// What it shows, in words.
    pub(crate) what: String,
    pub(crate) outcome: Outcome,
}

impl PictureArguments {
    /// The picture that the options name.
    pub(crate) fn picture(&self) -> Picture {
        if self.svg.is_some() {
            Picture::Moving { fps: self.fps }
        } else {
            Picture::Still { step: self.step }
        }
    }

    /// Refuses a file that is no picture, or can't be written.
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

    /// Writes the picture, and says what it shows.
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

/// Whether the position that is drawn comes after that with so many steps.
pub(crate) fn is_after(step: Option<usize>, steps: usize) -> bool {
    step.is_none_or(|step| steps < step)
}

/// Refuses a step that a game with so many does not have.
pub(crate) fn check_step(step: Option<usize>, steps: usize) -> Result<()> {
    match step {
        Some(step) if steps < step => Err(Error::new(format!(
            "expected a step of the game, which ends after {steps}, got {step}"
        ))),
        _ => Ok(()),
    }
}
