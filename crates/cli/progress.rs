//! Progress bars of games, and Ctrl-C while games are played.

use crate::error::Result;
use crate::interrupt;
use crate::output::plain;
use hognose_eval::{EvalError, Evaluation, Played};
use hognose_policies::NamedPolicy;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::ops::ControlFlow;

/// Returns the style of a bar: one line, whose message is cut off if the terminal is narrow.
pub(crate) fn style() -> Result<ProgressStyle> {
    let style = ProgressStyle::with_template("{bar:16} {percent:>3}% {left}, {wide_msg}")?;
    Ok(
        style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A bar can't report write errors.
            let _ = if state.per_sec() > 0.0 {
                write!(out, "{:#} left", HumanDuration(state.eta()))
            } else {
                write!(out, "? left")
            };
        }),
    )
}

/// Returns a bar of `games` games, described by `of`.
pub(crate) fn bar(games: usize, of: impl Into<String>) -> Result<ProgressBar> {
    let message = format!("{games} games of {}", of.into());
    Ok(ProgressBar::new(games as u64)
        .with_message(message)
        .with_style(style()?))
}

/// Shows the number of finished games; breaks if a stop was requested.
pub(crate) fn tick(bar: &ProgressBar, finished: usize) -> ControlFlow<()> {
    bar.set_position(finished as u64);
    interrupt::go_on()
}

/// Plays a policy's games, and shows progress and the first forfeit.
pub(crate) fn play(
    policy: &NamedPolicy,
    config: &Evaluation,
    bar: &ProgressBar,
) -> std::result::Result<Played, EvalError> {
    play_while(policy, config, bar, || true)
}

/// Plays a policy's games like [`play`], but stops when `goes_on` returns false.
pub(crate) fn play_while(
    policy: &NamedPolicy,
    config: &Evaluation,
    bar: &ProgressBar,
    goes_on: impl Fn() -> bool,
) -> std::result::Result<Played, EvalError> {
    let mut reported = false;
    let played = hognose_eval::evaluate(
        || policy.player(),
        config,
        |progress| {
            if let Some(reason) = progress.forfeit.filter(|_| !reported) {
                bar.println(plain(&format!(
                    "{}: a game was forfeited: {reason}",
                    policy.name()
                )));
                reported = true;
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
