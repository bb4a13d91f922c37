//! The contract of vector environments, as a check to run on any configuration of [`VectorEnv`] and
//! [`DuelVectorEnv`], and on your own implementations of [`VectorEnvironment`].
//!
//! An error is the first sentence of the contract that does not hold.
//!
//! ```
//! use hognose_env::{EnvConfig, VectorEnv, contract};
//! use hognose_game::{Board, Rules};
//!
//! let config = EnvConfig::new(Rules::new(Board::new(4, 4)?));
//! let make = |autoreset, num_envs, seed, threads| {
//!     let env = VectorEnv::new(
//!         EnvConfig {
//!             autoreset,
//!             ..config.clone()
//!         },
//!         num_envs,
//!         seed,
//!     )
//!     .expect("the configuration is valid");
//!     env.with_threads(threads).expect("threads can be started")
//! };
//! contract::check(make, 20)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{
    Autoreset, Batch, Buffers, DuelSnapshot, DuelVectorEnv, Element, EnvError, EpisodeStats,
    Signal, Snapshot, Space, StepError, Termination, VectorEnv,
};
use hognose_game::duel::Seat;
use hognose_game::rng::{self, Generator, Purpose};
use std::error::Error;

const CONTRACT: Purpose = Purpose::new("contract");

/// The methods that the contract checks. Environments are addressed by index. Each has one row of a
/// batch; in games of several players, one row per player, next to each other.
pub trait VectorEnvironment {
    /// The complete state of one environment, including its future.
    type Snapshot: PartialEq;

    /// Returns the number of environments.
    fn num_envs(&self) -> usize;
    /// Returns the number of rows in a batch, a multiple of the number of environments.
    fn num_rows(&self) -> usize {
        self.num_envs()
    }
    /// Returns the number of actions, at most 8.
    fn num_actions(&self) -> usize;
    /// Returns the shape of one observation.
    fn space(&self) -> Space;
    /// Returns the number of steps after which the current episode is truncated; `None` for no
    /// limit.
    fn time_limit(&self, env: usize) -> Option<u32>;
    /// Returns the number of steps without growth of [`length`](Self::length) after which the
    /// current episode is truncated; `None` for no limit.
    fn starvation(&self, env: usize) -> Option<u32>;
    /// Returns the length that must grow to avoid starvation.
    fn length(&self, env: usize) -> usize;
    /// Returns the allowed actions of a row: bit i is set if action i is allowed; 0 if every action
    /// loses.
    fn action_bits(&mut self, row: usize) -> u8;
    /// Returns the number of steps of the current episode.
    fn episode_steps(&self, env: usize) -> u32;
    /// Returns whether the current episode has ended.
    fn has_ended(&self, env: usize) -> bool;
    /// Returns the last finished episode of a row.
    fn last_episode(&self, row: usize) -> Option<EpisodeStats>;
    /// Starts an episode in every environment, and observes all of them.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError>;
    /// Starts the next episode in the environments whose entry is true, and observes all of them.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError>;
    /// Starts the next episode of an environment, without observing.
    fn restart(&mut self, env: usize);
    /// Writes the current observations and masks of all environments.
    ///
    /// # Errors
    /// Fails if a buffer has the wrong length.
    fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError>;
    /// Steps and observes every environment.
    ///
    /// # Errors
    /// Fails if an action is invalid or a buffer has the wrong length; no environment has moved
    /// then.
    fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError>;
    /// Returns the complete state of an environment.
    ///
    /// # Errors
    /// When the state can't be restored.
    fn snapshot(&self, env: usize) -> Result<Self::Snapshot, EnvError>;
    /// Restores a state of an environment.
    ///
    /// # Errors
    /// When the state does not fit; the environment is then unchanged.
    fn restore(&mut self, env: usize, snapshot: &Self::Snapshot) -> Result<(), EnvError>;
}

macro_rules! delegate {
    () => {
        fn num_actions(&self) -> usize {
            self.num_actions()
        }

        fn space(&self) -> Space {
            self.space()
        }

        fn action_bits(&mut self, row: usize) -> u8 {
            Self::action_bits(self, row)
        }

        fn has_ended(&self, env: usize) -> bool {
            self.has_ended(env)
        }

        fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
            self.reset(batch)
        }

        fn reset_where<T: Element>(
            &mut self,
            which: &[bool],
            batch: &mut Batch<'_, T>,
        ) -> Result<(), StepError> {
            self.reset_where(which, batch)
        }

        fn restart(&mut self, env: usize) {
            self.restart(env);
        }

        fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
            self.observe(batch)
        }

        fn step<T: Element>(
            &mut self,
            actions: &[u8],
            batch: &mut Batch<'_, T>,
        ) -> Result<(), StepError> {
            self.step(actions, batch)
        }
    };
}

impl VectorEnvironment for VectorEnv {
    type Snapshot = Snapshot;

    delegate!();

    fn num_envs(&self) -> usize {
        self.num_envs()
    }

    fn time_limit(&self, env: usize) -> Option<u32> {
        let board = self.position(env).board();
        self.config().terms(board).time_limit
    }

    fn starvation(&self, env: usize) -> Option<u32> {
        let board = self.position(env).board();
        self.config().terms(board).starvation
    }

    fn length(&self, env: usize) -> usize {
        self.position(env).len()
    }

    fn episode_steps(&self, env: usize) -> u32 {
        self.episode_steps(env)
    }

    fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.last_episode(env)
    }

    fn snapshot(&self, env: usize) -> Result<Snapshot, EnvError> {
        Ok(self.snapshot(env))
    }

    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        self.restore(env, snapshot)
    }
}

impl VectorEnvironment for DuelVectorEnv {
    type Snapshot = DuelSnapshot;

    delegate!();

    fn num_envs(&self) -> usize {
        self.num_duels()
    }

    fn num_rows(&self) -> usize {
        self.num_rows()
    }

    /// Returns `None`: the step limit belongs to the rules, so it terminates a duel.
    fn time_limit(&self, _duel: usize) -> Option<u32> {
        None
    }

    fn starvation(&self, _duel: usize) -> Option<u32> {
        None
    }

    fn length(&self, duel: usize) -> usize {
        let position = self.duel(duel).position();
        Seat::BOTH.map(|seat| position.length(seat)).iter().sum()
    }

    fn episode_steps(&self, duel: usize) -> u32 {
        self.duel(duel).position().steps()
    }

    fn last_episode(&self, row: usize) -> Option<EpisodeStats> {
        let episode = self.last_episode(row)?;
        Some(EpisodeStats {
            reward: episode.reward,
            steps: episode.steps,
            length: episode.lengths[episode.seat.index()],
            signal: episode.signal(),
            board: self.config().rules.board(),
        })
    }

    fn snapshot(&self, duel: usize) -> Result<DuelSnapshot, EnvError> {
        self.snapshot(duel)
    }

    fn restore(&mut self, duel: usize, snapshot: &DuelSnapshot) -> Result<(), EnvError> {
        self.restore(duel, snapshot)
    }
}

/// Checks the contract on environments that `make` builds from (autoreset, number of environments,
/// seed, threads) and that are otherwise equal. Plays `steps` random steps for each part, on up to
/// 8 environments, and a few steps on 3,000.
///
/// # Errors
/// Returns the first sentence of the contract that does not hold.
pub fn check<E: VectorEnvironment>(
    make: impl Fn(Autoreset, usize, u64, usize) -> E,
    steps: usize,
) -> Result<(), String> {
    check_all(make, steps).map_err(|error| error.to_string())
}

type Checked<T = ()> = Result<T, Box<dyn Error>>;

fn check_all<E: VectorEnvironment>(
    make: impl Fn(Autoreset, usize, u64, usize) -> E,
    steps: usize,
) -> Checked {
    spaces(make(Autoreset::SameStep, 7, 1, 1), steps)?;
    for autoreset in [Autoreset::SameStep, Autoreset::NextStep] {
        independence(|n, threads| make(autoreset, n, 2, threads), steps)?;
        keeping(make(autoreset, 5, 7, 2), make(autoreset, 5, 7, 1), steps)?;
    }
    for autoreset in [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ] {
        snapshots(make(autoreset, 3, 3, 1), steps, autoreset)?;
    }
    resets(|autoreset| make(autoreset, 3, 4, 1), steps)?;
    limits(make(Autoreset::SameStep, 7, 5, 1), steps)?;
    refusals(make(Autoreset::Disabled, 2, 6, 1), steps)
}

fn buffers<T: Element>(env: &impl VectorEnvironment) -> Buffers<T> {
    Buffers::with_sizes(env.num_rows(), env.space().len(), env.num_actions())
}

fn hold(holds: bool, sentence: &str) -> Checked {
    if holds { Ok(()) } else { Err(sentence.into()) }
}

/// Returns a random action for every row: an allowed one, except for one in twenty.
fn random_actions(masks: &[bool], actions: usize, draws: &mut [Generator]) -> Checked<Vec<u8>> {
    masks
        .chunks(actions)
        .zip(draws)
        .map(|(mask, draws)| {
            let allowed: Vec<u8> = (0..actions as u8)
                .filter(|&action| mask[usize::from(action)])
                .collect();
            hold(!allowed.is_empty(), "a mask allows at least one action")?;
            Ok(if rng::below(draws, 20) == 0 {
                rng::below(draws, actions as u64) as u8
            } else {
                allowed[rng::below(draws, allowed.len() as u64) as usize]
            })
        })
        .collect()
}

/// Begins an episode in every environment; returns buffers, and a generator for each row.
fn begin<T: Element>(env: &mut impl VectorEnvironment) -> Checked<(Buffers<T>, Vec<Generator>)> {
    let mut buffers = buffers(env);
    env.reset(&mut buffers.batch())?;
    let draws = (0..env.num_rows()).map(|row| rng::keyed(0, CONTRACT, row as u64));
    Ok((buffers, draws.collect()))
}

/// Checks bounds, masks, and the ends of episodes.
fn spaces(mut env: impl VectorEnvironment, steps: usize) -> Checked {
    let (mut units, mut draws) = begin::<f32>(&mut env)?;
    let mut bytes = buffers::<u8>(&env);
    let rows = env.num_rows();
    let actions = env.num_actions();
    hold((1..=8).contains(&actions), "there are 1 to 8 actions")?;
    let players = rows / env.num_envs();
    hold(
        rows == players * env.num_envs(),
        "each environment has the same number of rows",
    )?;
    let mut returns = vec![0.0; rows];
    for _ in 0..steps {
        let chosen = random_actions(&units.masks, actions, &mut draws)?;
        let allowed: Vec<bool> = (0..rows)
            .map(|row| env.action_bits(row) >> chosen[row] & 1 == 1)
            .collect();
        env.step(&chosen, &mut units.batch())?;
        env.observe(&mut bytes.batch())?;
        hold(
            units.observations.iter().all(|x| (0.0..=1.0).contains(x)),
            "every observation lies in its bounds",
        )?;
        let mut rounded = units.observations.iter().zip(&bytes.observations);
        let close = rounded.all(|(&unit, &byte)| {
            let exact = 255.0 * unit;
            f32::from(byte) >= exact - 1e-3
                && f32::from(byte) < exact + 1.001
                && (byte == 0) == (unit == 0.0)
        });
        hold(
            close,
            "a u8 observation is 255 times the f32 observation, rounded up",
        )?;
        for row in 0..rows {
            let mask = &units.masks[row * actions..][..actions];
            let bits = env.action_bits(row);
            let exported = if bits == 0 { u8::MAX } else { bits };
            let mut each = mask.iter().enumerate();
            hold(
                each.all(|(action, &allowed)| allowed == (exported >> action & 1 == 1)),
                "the mask is true for exactly the allowed actions, and for all if no move is \
                 legal",
            )?;
            let signal = units.signals[row];
            let lost = matches!(
                signal,
                Signal::Terminated(Termination::Wall | Termination::Body)
            );
            hold(
                !(allowed[row] && lost),
                "an allowed action does not lose in the same step",
            )?;
            returns[row] += f64::from(units.rewards[row]);
            if signal.ended() {
                let episode = env
                    .last_episode(row)
                    .ok_or("an ended episode has statistics")?;
                hold(
                    (episode.reward - returns[row]).abs() < 1e-6,
                    "an episode's reward is the sum of its rewards",
                )?;
                hold(
                    episode.signal == signal,
                    "an episode's statistics show how it ended",
                )?;
                returns[row] = 0.0;
            }
        }
        for signals in units.signals.chunks(players) {
            hold(
                signals
                    .iter()
                    .all(|signal| signal.ended() == signals[0].ended()),
                "all rows of an environment end in the same step",
            )?;
        }
    }
    Ok(())
}

/// Returns whether two vector environments show the same in every step, for the environments that
/// both have.
fn alike<E: VectorEnvironment>(mut one: E, mut other: E, steps: usize) -> Checked<bool> {
    let (mut left, mut draws_left) = begin::<f32>(&mut one)?;
    let (mut right, mut draws_right) = begin::<f32>(&mut other)?;
    let actions = one.num_actions();
    for _ in 0..steps {
        let chosen = random_actions(&left.masks, actions, &mut draws_left)?;
        one.step(&chosen, &mut left.batch())?;
        let chosen = random_actions(&right.masks, actions, &mut draws_right)?;
        other.step(&chosen, &mut right.batch())?;
        if !same_rows(&left, &right) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether the rows that both have are equal.
fn same_rows(one: &Buffers<f32>, other: &Buffers<f32>) -> bool {
    fn same<T: PartialEq>(one: &[T], other: &[T]) -> bool {
        one.iter().zip(other).all(|(one, other)| one == other)
    }
    same(&one.observations, &other.observations)
        && same(&one.final_observations, &other.final_observations)
        && same(&one.rewards, &other.rewards)
        && same(&one.signals, &other.signals)
        && same(&one.masks, &other.masks)
        && same(&one.final_masks, &other.final_masks)
}

fn independence<E: VectorEnvironment>(make: impl Fn(usize, usize) -> E, steps: usize) -> Checked {
    hold(
        alike(make(3, 1), make(3, 1), steps)?,
        "the same seed gives the same episodes",
    )?;
    hold(
        alike(make(3, 1), make(8, 1), steps)?,
        "environment i plays the same episodes for any num_envs",
    )?;
    // Enough environments for threads to share; few steps, to take no longer.
    hold(
        alike(make(3000, 1), make(3000, 3), steps.min(8))?,
        "threads do not change the episodes",
    )
}

/// One environment updates the observations that it last wrote; its twin writes complete ones.
fn keeping<E: VectorEnvironment>(mut keeper: E, mut twin: E, steps: usize) -> Checked {
    let (mut kept, mut draws) = begin::<f32>(&mut keeper)?;
    let (mut fresh, _) = begin::<f32>(&mut twin)?;
    for step in 0..steps {
        if step % 20 == 7 {
            // Changes between steps must show up in the next one.
            for env in [&mut keeper, &mut twin] {
                let snapshot = env.snapshot(0)?;
                env.restore(2, &snapshot)?;
                env.restart(4);
            }
        }
        let chosen = random_actions(&fresh.masks, keeper.num_actions(), &mut draws)?;
        let mut batch = Batch {
            kept: true,
            ..kept.batch()
        };
        keeper.step(&chosen, &mut batch)?;
        twin.step(&chosen, &mut fresh.batch())?;
        hold(
            kept == fresh,
            "updated observations equal completely written ones",
        )?;
    }
    Ok(())
}

/// Environment 0 is copied to environment 1 after some random steps, and whenever its episode has
/// ended. From then on, the same actions have the same effects on both.
fn snapshots(mut env: impl VectorEnvironment, steps: usize, autoreset: Autoreset) -> Checked {
    let (mut buffers, mut draws) = begin::<f32>(&mut env)?;
    let actions = env.num_actions();
    let players = env.num_rows() / env.num_envs();
    let values = players * env.space().len();
    for step in 0..steps {
        if step % 9 == 4 || env.has_ended(0) {
            let snapshot = env.snapshot(0)?;
            env.restore(1, &snapshot)?;
            hold(
                env.snapshot(1)? == snapshot,
                "a restored environment has the same state",
            )?;
            env.observe(&mut buffers.batch())?;
        }
        let ended: Vec<bool> = (0..env.num_envs()).map(|i| env.has_ended(i)).collect();
        if autoreset == Autoreset::Disabled && ended.contains(&true) {
            env.reset_where(&ended, &mut buffers.batch())?;
        }
        let mut chosen = random_actions(&buffers.masks, actions, &mut draws)?;
        if step < 4 {
            env.step(&chosen, &mut buffers.batch())?;
            continue;
        }
        chosen.copy_within(..players, players);
        env.step(&chosen, &mut buffers.batch())?;
        let observed = |env: usize| &buffers.observations[env * values..][..values];
        let reported = |row: usize| {
            let reported = (buffers.rewards[row], buffers.signals[row]);
            (reported, env.last_episode(row))
        };
        let same = observed(0) == observed(1)
            && (0..players).all(|row| reported(row) == reported(players + row))
            && env.snapshot(0)? == env.snapshot(1)?;
        hold(
            same,
            "a restored environment has the same future, including later episodes",
        )?;
    }
    Ok(())
}

/// What one row receives in one step.
#[derive(PartialEq)]
struct Shown {
    reward: f32,
    signal: Signal,
    observation: Vec<f32>,
    mask: Vec<bool>,
    /// The first observation and mask of the next episode, if this one ends.
    next: Option<(Vec<f32>, Vec<bool>)>,
}

/// Returns what each row receives in its first steps.
fn shown(
    mut env: impl VectorEnvironment,
    steps: usize,
    autoreset: Autoreset,
) -> Checked<Vec<Vec<Shown>>> {
    let rows = env.num_rows();
    let envs = env.num_envs();
    let players = rows / envs;
    let values = env.space().len();
    let actions = env.num_actions();
    let (mut buffers, mut draws) = begin::<f32>(&mut env)?;
    let mut seen: Vec<Vec<Shown>> = (0..rows).map(|_| Vec::new()).collect();
    for _ in 0..steps {
        let resetting: Vec<bool> = (0..envs).map(|i| env.has_ended(i)).collect();
        let mut chosen = vec![0; rows];
        for row in (0..rows).filter(|row| !resetting[row / players]) {
            let mask = &buffers.masks[row * actions..][..actions];
            chosen[row] = random_actions(mask, actions, &mut draws[row..=row])?[0];
        }
        env.step(&chosen, &mut buffers.batch())?;
        let now = |row: usize, buffers: &Buffers<f32>| {
            let observation = &buffers.observations[row * values..][..values];
            let mask = &buffers.masks[row * actions..][..actions];
            (observation.to_vec(), mask.to_vec())
        };
        for row in 0..rows {
            let reward = buffers.rewards[row];
            let signal = buffers.signals[row];
            if resetting[row / players] {
                hold(
                    reward == 0.0 && signal == Signal::Running,
                    "the step after the end ignores its action, has reward 0 and observes the \
                     next episode",
                )?;
                let last = seen[row].last_mut().ok_or("an episode came before")?;
                last.next = Some(now(row, &buffers));
                continue;
            }
            let ((observation, mask), next) = match (signal.ended(), autoreset) {
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
        if autoreset == Autoreset::Disabled {
            let ended: Vec<bool> = (0..envs).map(|i| env.has_ended(i)).collect();
            env.reset_where(&ended, &mut buffers.batch())?;
            for row in (0..rows).filter(|row| ended[row / players]) {
                let last = seen[row].last_mut().ok_or("an episode came before")?;
                last.next = Some(now(row, &buffers));
            }
        }
    }
    Ok(seen)
}

/// Checks that all autoreset modes show the same episodes.
fn resets<E: VectorEnvironment>(make: impl Fn(Autoreset) -> E, steps: usize) -> Checked {
    let shown = |autoreset| shown(make(autoreset), steps, autoreset);
    let same = shown(Autoreset::SameStep)?;
    let next = shown(Autoreset::NextStep)?;
    hold(
        same == shown(Autoreset::Disabled)?,
        "same-step autoreset gives the last observation of the episode as the final observation, \
         and does not change rewards, signals or other observations",
    )?;
    for (row, next) in same.iter().zip(&next) {
        // The last step may have ended an episode whose successor has not begun.
        let whole = next.len().saturating_sub(1);
        hold(
            row[..whole] == next[..whole],
            "next-step autoreset shows the same episodes, with one more step after each",
        )?;
    }
    Ok(())
}

fn limits(mut env: impl VectorEnvironment, steps: usize) -> Checked {
    let (mut buffers, mut draws) = begin::<u8>(&mut env)?;
    let players = env.num_rows() / env.num_envs();
    let mut hunger = vec![0; env.num_envs()];
    let mut length: Vec<usize> = (0..env.num_envs()).map(|i| env.length(i)).collect();
    for _ in 0..steps {
        let actions = random_actions(&buffers.masks, env.num_actions(), &mut draws)?;
        let before: Vec<_> = (0..env.num_envs())
            .map(|i| (env.episode_steps(i), env.time_limit(i), env.starvation(i)))
            .collect();
        env.step(&actions, &mut buffers.batch())?;
        for i in 0..env.num_envs() {
            let signal = buffers.signals[players * i];
            let now = if signal.ended() {
                env.last_episode(players * i).map_or(0, |e| e.length)
            } else {
                env.length(i)
            };
            hunger[i] = if now > length[i] { 0 } else { hunger[i] + 1 };
            let (steps, time_limit, starvation) = before[i];
            let at_time_limit = time_limit == Some(steps + 1);
            let starved = starvation == Some(hunger[i]);
            hold(
                signal.terminated() || signal.truncated() == (at_time_limit || starved),
                "an episode is truncated exactly at the time limit or when starved, unless it \
                 terminates",
            )?;
            length[i] = env.length(i);
            if signal.ended() {
                hunger[i] = 0;
            }
        }
    }
    Ok(())
}

fn refusals(mut env: impl VectorEnvironment, steps: usize) -> Checked {
    let (mut buffers, _) = begin::<f32>(&mut env)?;
    let before = env.snapshot(0)?;
    let rows = env.num_rows();
    let zeros = vec![0; rows];
    let mut bad = zeros.clone();
    bad[rows - 1] = env.num_actions() as u8;
    hold(
        env.step(&bad, &mut buffers.batch()).is_err(),
        "an action out of range is rejected",
    )?;
    hold(
        env.step(&zeros[1..], &mut buffers.batch()).is_err(),
        "a missing action is rejected",
    )?;
    buffers.rewards.pop();
    hold(
        env.step(&zeros, &mut buffers.batch()).is_err(),
        "a buffer of the wrong length is rejected",
    )?;
    buffers.rewards.push(0.0);
    hold(
        env.snapshot(0)? == before,
        "a rejected step moves no environment",
    )?;
    for _ in 0..steps {
        env.step(&zeros, &mut buffers.batch())?;
        if buffers.signals.iter().any(|signal| signal.ended()) {
            return hold(
                env.step(&zeros, &mut buffers.batch()).is_err(),
                "if autoreset is disabled, an ended environment must be reset before the next \
                 step",
            );
        }
    }
    Ok(())
}
