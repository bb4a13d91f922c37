//! The options of `hognose watch`.

use crate::plots;
use crate::screen::frames;
use std::path::PathBuf;

/// How a game is shown.
#[derive(clap::Args)]
pub(crate) struct WatchArguments {
    /// Moves shown per second
    #[arg(long, default_value_t = 15.0, value_parser = frames)]
    pub(crate) fps: f64,
    /// Continue with the next game, and show running statistics
    #[arg(long = "loop")]
    pub(crate) repeat: bool,
    /// Save the game as an animated picture in this .svg file
    #[arg(long, value_name = "FILE", value_parser = plots::moving, conflicts_with = "repeat")]
    pub(crate) svg: Option<PathBuf>,
    /// Hide the players' plans
    #[arg(long)]
    pub(crate) plain: bool,
}
