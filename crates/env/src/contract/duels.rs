//! The contract of a vector environment of duels.
//!
//! ```
//! use hognose_env::{DuelEnvConfig, DuelVectorEnv, contract};
//! use hognose_game::duel::DuelRules;
//!
//! let config = DuelEnvConfig::new(DuelRules::ai_snakes_2021());
//! let make = |autoreset, num_duels, seed, threads| {
//!     let config = DuelEnvConfig { autoreset, ..config.clone() };
//!     let env = DuelVectorEnv::new(config, num_duels, seed).expect("it is valid");
//!     env.with_threads(threads).expect("threads can be started")
//! };
//! contract::duels::check(make, 20)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{draws, hold, random_actions, same_rows};
use crate::{Autoreset, Batch, Buffers, DuelVectorEnv, Signal, StepError, Termination};
use hognose_game::rng::Generator;

/// Checks the contract of duels: `make` makes an environment for (autoreset, number of duels, seed,
/// threads). Takes `steps` random steps for most sentences.
///
/// # Errors
/// The first sentence of the contract that does not hold.
pub fn check(
    make: impl Fn(Autoreset, usize, u64, usize) -> DuelVectorEnv,
    steps: usize,
) -> Result<(), String> {
    ends(make(Autoreset::SameStep, 7, 1, 1), steps)?;
    for autoreset in [Autoreset::SameStep, Autoreset::NextStep] {
        independence(|n, threads| make(autoreset, n, 2, threads), steps)?;
        keeping(make(autoreset, 5, 7, 2), make(autoreset, 5, 7, 1), steps)?;
    }
    for autoreset in [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ] {
        snapshots(make(autoreset, 3, 3, 1), steps)?;
    }
    resets(|autoreset| make(autoreset, 3, 4, 1), steps)?;
    refusals(make(Autoreset::Disabled, 2, 6, 1), steps)
}

fn text(error: StepError) -> String {
    error.to_string()
}

/// Bounds, masks, and how episodes end.
fn ends(mut env: DuelVectorEnv, steps: usize) -> Result<(), String> {
    let mut units = Buffers::<f32>::for_duels(&env);
    let mut bytes = Buffers::<u8>::for_duels(&env);
    let rows = env.num_rows();
    let actions = env.num_actions();
    let mut draws = draws(rows);
    let mut returns = vec![0.0; rows];
    env.reset(&mut units.batch()).map_err(text)?;
    for _ in 0..steps {
        let chosen = random_actions(&units.masks, actions, &mut draws)?;
        env.step(&chosen, &mut units.batch()).map_err(text)?;
        env.observe(&mut bytes.batch()).map_err(text)?;
        hold(
            units.observations.iter().all(|x| (0.0..=1.0).contains(x)),
            "every observation lies in its bounds",
        )?;
        let close = units
            .observations
            .iter()
            .zip(&bytes.observations)
            .all(|(&unit, &byte)| {
                let exact = 255.0 * unit;
                f32::from(byte) >= exact - 1e-3
                    && f32::from(byte) < exact + 1.001
                    && (byte == 0) == (unit == 0.0)
            });
        hold(
            close,
            "a u8 observation is 255 times the f32 observation, rounded up",
        )?;
        for (row, returned) in returns.iter_mut().enumerate() {
            let mask = &units.masks[row * actions..][..actions];
            let bits = env.action_bits(row);
            let exported = if bits == 0 { u8::MAX } else { bits };
            let same = mask
                .iter()
                .enumerate()
                .all(|(action, &allowed)| allowed == (exported >> action & 1 == 1));
            hold(
                same,
                "the mask is true for exactly the legal actions, and for all where no move is \
                 legal",
            )?;
            hold(!units.signals[row].truncated(), "a duel is never truncated")?;
            *returned += f64::from(units.rewards[row]);
            if units.signals[row].ended() {
                let episode = env
                    .last_episode(row)
                    .ok_or("an ended episode is remembered")?;
                hold(
                    (episode.reward - *returned).abs() < 1e-6,
                    "an episode's reward is the sum of its rewards",
                )?;
                let expected = match episode.outcome.winner {
                    None => Termination::Drawn,
                    Some(winner) if winner == episode.seat => Termination::Won,
                    Some(_) => Termination::Lost,
                };
                hold(
                    units.signals[row] == Signal::Terminated(expected),
                    "the signal tells whether the row has won",
                )?;
                *returned = 0.0;
            }
        }
        for pair in units.signals.chunks(rows / env.num_duels()) {
            hold(
                pair.iter().all(|signal| signal.ended() == pair[0].ended()),
                "both players end in the same step",
            )?;
        }
    }
    Ok(())
}

/// Whether two vector environments show the same, step by step, of the duels that both have.
fn alike(mut one: DuelVectorEnv, mut other: DuelVectorEnv, steps: usize) -> Result<bool, String> {
    let [mut left, mut right] = [Buffers::<f32>::for_duels(&one), Buffers::for_duels(&other)];
    let [mut draws, mut others] = [draws(one.num_rows()), draws(other.num_rows())];
    one.reset(&mut left.batch()).map_err(text)?;
    other.reset(&mut right.batch()).map_err(text)?;
    let actions = one.num_actions();
    for _ in 0..steps {
        one.step(
            &random_actions(&left.masks, actions, &mut draws)?,
            &mut left.batch(),
        )
        .map_err(text)?;
        other
            .step(
                &random_actions(&right.masks, actions, &mut others)?,
                &mut right.batch(),
            )
            .map_err(text)?;
        if !same_rows(&left, &right) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn independence(make: impl Fn(usize, usize) -> DuelVectorEnv, steps: usize) -> Result<(), String> {
    hold(
        alike(make(3, 1), make(3, 1), steps)?,
        "the same seed gives the same episodes",
    )?;
    hold(
        alike(make(3, 1), make(8, 1), steps)?,
        "duel i plays the same episodes whatever the number of duels is",
    )?;
    // So many that threads share them; few steps, so that this takes no longer.
    hold(
        alike(make(1500, 1), make(1500, 3), steps.min(8))?,
        "threads do not change what duels do",
    )
}

/// One environment changes the observations that it wrote last; its twin writes them anew.
fn keeping(mut keeper: DuelVectorEnv, mut twin: DuelVectorEnv, steps: usize) -> Result<(), String> {
    let [mut kept, mut fresh] = [
        Buffers::<f32>::for_duels(&keeper),
        Buffers::for_duels(&twin),
    ];
    let mut draws = draws(keeper.num_rows());
    keeper.reset(&mut kept.batch()).map_err(text)?;
    twin.reset(&mut fresh.batch()).map_err(text)?;
    for step in 0..steps {
        if step % 20 == 7 {
            // What happens between steps is seen in the next one.
            keeper.restart(4);
            twin.restart(4);
        }
        let actions = random_actions(&fresh.masks, keeper.num_actions(), &mut draws)?;
        keeper
            .step(
                &actions,
                &mut Batch {
                    kept: true,
                    ..kept.batch()
                },
            )
            .map_err(text)?;
        twin.step(&actions, &mut fresh.batch()).map_err(text)?;
        hold(
            kept == fresh,
            "observations that are kept up to date equal those written anew",
        )?;
    }
    Ok(())
}

/// Duel 1 becomes duel 0 after each of some random steps, also where its episode has ended. Then
/// the same actions have the same effects on both.
fn snapshots(mut env: DuelVectorEnv, steps: usize) -> Result<(), String> {
    let mut buffers = Buffers::<f32>::for_duels(&env);
    let actions = env.num_actions();
    let learners = env.num_rows() / env.num_duels();
    let values = learners * env.space().len();
    let mut draws = draws(env.num_rows());
    env.reset(&mut buffers.batch()).map_err(text)?;
    for step in 0..steps {
        if step % 9 == 4 || env.has_ended(0) {
            let kept = env.snapshot(0).map_err(|error| error.to_string())?;
            env.restore(1, &kept).map_err(|error| error.to_string())?;
            hold(
                env.snapshot(1) == Ok(kept),
                "a restored duel is the same in everything",
            )?;
            env.observe(&mut buffers.batch()).map_err(text)?;
        }
        let ended: Vec<bool> = (0..env.num_duels())
            .map(|duel| env.has_ended(duel))
            .collect();
        if env.config().autoreset == Autoreset::Disabled && ended.contains(&true) {
            env.reset_where(&ended, &mut buffers.batch())
                .map_err(text)?;
        }
        let mut chosen = random_actions(&buffers.masks, actions, &mut draws)?;
        if step >= 4 {
            chosen.copy_within(..learners, learners);
        }
        env.step(&chosen, &mut buffers.batch()).map_err(text)?;
        let row = |duel: usize| &buffers.observations[duel * values..][..values];
        let told = |duel: usize| {
            (duel * learners..(duel + 1) * learners).map(|row| {
                (
                    buffers.rewards[row],
                    buffers.signals[row],
                    env.last_episode(row),
                )
            })
        };
        let same = row(0) == row(1) && told(0).eq(told(1));
        let message = "a restored duel has the same future, later episodes included";
        hold(
            step < 4 || same && env.snapshot(0) == env.snapshot(1),
            message,
        )?;
    }
    Ok(())
}

/// What one row is shown of one step.
#[derive(Debug, PartialEq)]
struct Shown {
    reward: f32,
    signal: Signal,
    observation: Vec<f32>,
    mask: Vec<bool>,
    /// The first observation and mask of the next episode, where this one ends.
    next: Option<(Vec<f32>, Vec<bool>)>,
}

/// What each row is shown of its first steps.
fn shown(mut env: DuelVectorEnv, steps: usize) -> Result<Vec<Vec<Shown>>, String> {
    let rows = env.num_rows();
    let duels = env.num_duels();
    let learners = rows / env.num_duels();
    let values = env.space().len();
    let actions = env.num_actions();
    let mut buffers = Buffers::<f32>::for_duels(&env);
    let mut draws: Vec<Generator> = draws(rows);
    env.reset(&mut buffers.batch()).map_err(text)?;
    let mut seen: Vec<Vec<Shown>> = (0..rows).map(|_| Vec::new()).collect();
    for _ in 0..steps {
        let resetting: Vec<bool> = (0..duels).map(|duel| env.has_ended(duel)).collect();
        let mut chosen = vec![0; rows];
        for row in (0..rows).filter(|row| !resetting[row / learners]) {
            let mask = &buffers.masks[row * actions..][..actions];
            chosen[row] = random_actions(mask, actions, &mut draws[row..=row])?[0];
        }
        env.step(&chosen, &mut buffers.batch()).map_err(text)?;
        let now = |row: usize, buffers: &Buffers<f32>| {
            let mask = buffers.masks[row * actions..][..actions].to_vec();
            (
                buffers.observations[row * values..][..values].to_vec(),
                mask,
            )
        };
        for row in 0..rows {
            let reward = buffers.rewards[row];
            let signal = buffers.signals[row];
            if resetting[row / learners] {
                hold(
                    reward == 0.0 && signal == Signal::Running,
                    "the step that begins an episode pays nothing",
                )?;
                seen[row].last_mut().ok_or("an episode was before")?.next =
                    Some(now(row, &buffers));
                continue;
            }
            let ((observation, mask), next) = match (signal.ended(), env.config().autoreset) {
                (true, Autoreset::SameStep) => {
                    let last = buffers.final_observations[row * values..][..values].to_vec();
                    let mask = buffers.final_masks[row * actions..][..actions].to_vec();
                    ((last, mask), Some(now(row, &buffers)))
                }
                _ => (now(row, &buffers), None),
            };
            seen[row].push(Shown {
                reward,
                signal,
                observation,
                mask,
                next,
            });
        }
        if env.config().autoreset == Autoreset::Disabled {
            let ended: Vec<bool> = (0..duels).map(|duel| env.has_ended(duel)).collect();
            env.reset_where(&ended, &mut buffers.batch())
                .map_err(text)?;
            for row in (0..rows).filter(|row| ended[row / learners]) {
                seen[row].last_mut().ok_or("an episode was before")?.next =
                    Some(now(row, &buffers));
            }
        }
    }
    Ok(seen)
}

/// Same-step, next-step and disabled autoreset show the same episodes.
fn resets(make: impl Fn(Autoreset) -> DuelVectorEnv, steps: usize) -> Result<(), String> {
    let [same, next, disabled] = [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ]
    .map(|autoreset| shown(make(autoreset), steps));
    let same = same?;
    let next = next?;
    hold(
        same == disabled?,
        "autoreset changes neither rewards nor signals nor what is observed",
    )?;
    for (row, next) in same.iter().zip(&next) {
        // The last step may have ended an episode, of which the next one is not begun yet.
        let whole = next.len().saturating_sub(1);
        hold(
            row[..whole] == next[..whole],
            "next-step autoreset shows the same episodes, a step later after each",
        )?;
    }
    Ok(())
}

fn refusals(mut env: DuelVectorEnv, steps: usize) -> Result<(), String> {
    let mut buffers = Buffers::<f32>::for_duels(&env);
    env.reset(&mut buffers.batch()).map_err(text)?;
    let before = env.duel(0).clone();
    let rows = env.num_rows();
    let mut bad = vec![0; rows];
    bad[rows - 1] = env.num_actions() as u8;
    hold(
        env.step(&bad, &mut buffers.batch()).is_err(),
        "an action out of range is refused",
    )?;
    hold(
        env.step(&bad[1..], &mut buffers.batch()).is_err(),
        "a missing action is refused",
    )?;
    buffers.rewards.pop();
    hold(
        env.step(&vec![0; rows], &mut buffers.batch()).is_err(),
        "a buffer of the wrong length is refused",
    )?;
    buffers.rewards.push(0.0);
    hold(*env.duel(0) == before, "a refused step moves no duel")?;
    for _ in 0..steps {
        env.step(&vec![0; rows], &mut buffers.batch())
            .map_err(text)?;
        if buffers.signals.iter().any(|signal| signal.ended()) {
            let refused = env.step(&vec![0; rows], &mut buffers.batch()).is_err();
            return hold(
                refused,
                "where autoreset is disabled, an ended duel must be reset before the next step",
            );
        }
    }
    Ok(())
}
