//! Progress bars of games, and Ctrl-C while they are played.

use crate::error::Result;
use crate::interrupt;
use hognose_eval::{EvalError, Evaluation, Played};
use hognose_policies::Named;
use indicatif::{ProgressBar, ProgressStyle};
use std::ops::ControlFlow;

/// A bar of so many games of something.
pub(crate) fn bar(games: usize, of: impl Into<String>) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games of {msg}, {eta} left")?;
    Ok(ProgressBar::new(games as u64).with_message(of.into()).with_style(style))
}

/// Shows how many games are finished; breaks off if the user asked to stop.
pub(crate) fn tick(bar: &ProgressBar, finished: usize) -> ControlFlow<()> {
    bar.set_position(finished as u64);
    interrupt::go_on()
}

/// Plays a policy's games, and shows how far they are, and why the first game was forfeited, if one was.
pub(crate) fn play(policy: &Named, config: &Evaluation, bar: &ProgressBar) -> std::result::Result<Played, EvalError> {
    let mut told = false;
    let played = hognose_eval::evaluate(
        || policy.player(),
        config,
        |progress| {
            if let Some(reason) = progress.forfeit.filter(|_| !told) {
                bar.println(format!("{}: a game was forfeited: {reason}", policy.name()));
                told = true;
            }
            tick(bar, progress.finished)
        },
    );
    bar.finish_and_clear();
    played
}
