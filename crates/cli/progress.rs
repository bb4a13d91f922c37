//! Progress bars of games, and Ctrl-C while they are played.

use crate::error::Result;
use crate::interrupt;
use crate::output::plain;
use hognose_eval::{EvalError, Evaluation, Played};
use hognose_policies::NamedPolicy;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::ops::ControlFlow;

/// How a bar looks. It is one line: the end of its message is cut off where the terminal is narrow.
pub(crate) fn style() -> Result<ProgressStyle> {
    let style = ProgressStyle::with_template("{bar:16} {percent:>3}% {left}, {wide_msg}")?;
    Ok(
        style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A bar has nowhere to tell that it can't write.
            let _ = if state.per_sec() > 0.0 {
                write!(out, "{:#} left", HumanDuration(state.eta()))
            } else {
                write!(out, "? left")
            };
        }),
    )
}

/// A bar of so many games of something.
pub(crate) fn bar(games: usize, of: impl Into<String>) -> Result<ProgressBar> {
    let message = format!("{games} games of {}", of.into());
    Ok(ProgressBar::new(games as u64)
        .with_message(message)
        .with_style(style()?))
}

/// Shows how many games are finished; breaks off if the user asked to stop.
pub(crate) fn tick(bar: &ProgressBar, finished: usize) -> ControlFlow<()> {
    bar.set_position(finished as u64);
    interrupt::go_on()
}

/// Plays a policy's games, and shows how far they are, and why the first game was forfeited, if one
/// was.
pub(crate) fn play(
    policy: &NamedPolicy,
    config: &Evaluation,
    bar: &ProgressBar,
) -> std::result::Result<Played, EvalError> {
    play_while(policy, config, bar, || true)
}

/// Plays a policy's games as [`play`] does, but breaks off when this is false.
pub(crate) fn play_while(
    policy: &NamedPolicy,
    config: &Evaluation,
    bar: &ProgressBar,
    goes_on: impl Fn() -> bool,
) -> std::result::Result<Played, EvalError> {
    let mut told = false;
    let played = hognose_eval::evaluate(
        || policy.player(),
        config,
        |progress| {
            if let Some(reason) = progress.forfeit.filter(|_| !told) {
                bar.println(plain(&format!(
                    "{}: a game was forfeited: {reason}",
                    policy.name()
                )));
                told = true;
            }
            if goes_on() {
                tick(bar, progress.finished)
            } else {
                ControlFlow::Break(())
            }
        },
    );
    bar.finish_and_clear();
    played
}
