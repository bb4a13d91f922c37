//! One file or folder per command, with its options (`Arguments`) and implementation (`run`).
//! Commands that also handle duels have a second file for them, and `train` has one for its output.

pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod curves;
pub(crate) mod duel;
pub(crate) mod evaluate;
pub(crate) mod leaderboard;
pub(crate) mod page;
pub(crate) mod play;
mod play_duel;
pub(crate) mod policies;
pub(crate) mod record;
pub(crate) mod render;
mod render_duel;
pub(crate) mod replay;
pub(crate) mod reproduce;
pub(crate) mod tablebase;
mod tablebase_duel;
pub(crate) mod train;
mod train_results;
pub(crate) mod verify;
pub(crate) mod watch;
mod watch_duel;
