//! How a game is watched: the options of `hognose watch`.

use crate::plots;
use crate::screen::frames;
use std::path::PathBuf;

/// How a game is shown.
#[derive(clap::Args)]
pub(crate) struct WatchArguments {
    /// Moves shown each second
    #[arg(long, default_value_t = 15.0, value_parser = frames)]
    pub(crate) fps: f64,
    /// Go on with the next game, and show the running statistics
    #[arg(long = "loop")]
    pub(crate) repeat: bool,
    /// File to write with the game, as a picture that moves; it ends in .svg
    #[arg(long, value_name = "FILE", value_parser = plots::moving, conflicts_with = "repeat")]
    pub(crate) svg: Option<PathBuf>,
    /// Leave out what the players have in mind
    #[arg(long)]
    pub(crate) plain: bool,
}
