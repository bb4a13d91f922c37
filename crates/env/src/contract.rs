//! The contract of a vector environment, as a check that anybody can run on any configuration, and
//! on environments of one's own that implement [`VectorEnvironment`].
//!
//! Each failure is a sentence of the contract that does not hold.
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
//!     .expect("it is valid");
//!     env.with_threads(threads).expect("threads can be started")
//! };
//! contract::check(make, 20)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod duels;

use crate::{
    Autoreset, Batch, Buffers, Element, EnvError, EpisodeStats, Signal, Snapshot, Space, StepError,
    Termination, VectorEnv, steps_on,
};
use hognose_game::rng::{self, Generator, Purpose};

const CONTRACT: Purpose = Purpose::new("contract");

/// What the contract asks of a vector environment. Environments are called by their index.
pub trait VectorEnvironment {
    /// All of one environment's state, its future included.
    type Snapshot: PartialEq;

    /// How many environments there are.
    fn num_envs(&self) -> usize;
    /// How many actions there are, at most 8.
    fn num_actions(&self) -> usize;
    /// The shape of one observation.
    fn space(&self) -> Space;
    /// Truncates the episode at hand after this many steps; `None` for never.
    fn time_limit(&self, env: usize) -> Option<u32>;
    /// Truncates the episode at hand after this many steps in which [`length`](Self::length) did
    /// not grow; `None` for never.
    fn starvation(&self, env: usize) -> Option<u32>;
    /// The length that must grow, lest the episode starve.
    fn length(&self, env: usize) -> usize;
    /// Bit i says whether action i is allowed; 0 where every action loses.
    fn action_bits(&mut self, env: usize) -> u8;
    /// The steps of the episode at hand.
    fn episode_steps(&self, env: usize) -> u32;
    /// The last finished episode.
    fn last_episode(&self, env: usize) -> Option<EpisodeStats>;
    /// Observes all environments, each at the start of an episode.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    fn reset<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError>;
    /// Begins the next episode of the environments whose entry is true, and observes them all.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    fn reset_where<T: Element>(
        &mut self,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError>;
    /// Begins the next episode of an environment, without observing.
    fn restart(&mut self, env: usize);
    /// Writes observations and masks of all environments as they stand.
    ///
    /// # Errors
    /// When a buffer is of the wrong length.
    fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError>;
    /// Steps every environment and observes it.
    ///
    /// # Errors
    /// When an action or a buffer is not as it must be; no environment has moved then.
    fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError>;
    /// All of an environment's state.
    fn snapshot(&self, env: usize) -> Self::Snapshot;
    /// Puts an environment into a state.
    ///
    /// # Errors
    /// When the state does not fit; the environment is then as it was.
    fn restore(&mut self, env: usize, snapshot: &Self::Snapshot) -> Result<(), EnvError>;
    /// Copies one environment's state into others, with futures of their own if `reseed` is given.
    fn fork(&mut self, from: usize, to: &[usize], reseed: Option<u64>);
}

impl VectorEnvironment for VectorEnv {
    type Snapshot = Snapshot;

    fn num_envs(&self) -> usize {
        self.num_envs()
    }

    fn num_actions(&self) -> usize {
        self.num_actions()
    }

    fn space(&self) -> Space {
        self.space()
    }

    fn time_limit(&self, env: usize) -> Option<u32> {
        self.config().time_limit.map(|steps| {
            steps_on(
                steps,
                self.config().rules.board(),
                self.position(env).board(),
            )
        })
    }

    fn starvation(&self, env: usize) -> Option<u32> {
        self.config().starvation.map(|steps| {
            steps_on(
                steps,
                self.config().rules.board(),
                self.position(env).board(),
            )
        })
    }

    fn length(&self, env: usize) -> usize {
        self.position(env).len()
    }

    fn action_bits(&mut self, env: usize) -> u8 {
        self.action_bits(env)
    }

    fn episode_steps(&self, env: usize) -> u32 {
        self.episode_steps(env)
    }

    fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.last_episode(env)
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

    fn snapshot(&self, env: usize) -> Snapshot {
        self.snapshot(env)
    }

    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), EnvError> {
        self.restore(env, snapshot)
    }

    fn fork(&mut self, from: usize, to: &[usize], reseed: Option<u64>) {
        self.fork(from, to, reseed);
    }
}

/// Checks the contract on environments that `make` builds from (autoreset, number of environments,
/// seed, threads), else all alike. Plays `steps` random steps of each kind, on up to 8
/// environments, and a few on 3,000.
///
/// # Errors
/// The first sentence of the contract that does not hold.
pub fn check<E: VectorEnvironment>(
    make: impl Fn(Autoreset, usize, u64, usize) -> E,
    steps: usize,
) -> Result<(), String> {
    spaces(make(Autoreset::SameStep, 7, 1, 1), steps)?;
    for autoreset in [Autoreset::SameStep, Autoreset::NextStep] {
        independence(|n, threads| make(autoreset, n, 2, threads), steps)?;
        snapshots(make(autoreset, 4, 3, 1), steps)?;
        keeping(make(autoreset, 5, 7, 2), make(autoreset, 5, 7, 1), steps)?;
    }
    resets(|autoreset| make(autoreset, 3, 4, 1), steps)?;
    limits(make(Autoreset::SameStep, 7, 5, 1), steps)?;
    refusals(make(Autoreset::Disabled, 2, 6, 1), steps)
}

fn buffers<T: Element>(env: &impl VectorEnvironment) -> Buffers<T> {
    Buffers::with_sizes(env.num_envs(), env.space().len(), env.num_actions())
}

fn hold(holds: bool, sentence: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(sentence.to_owned())
    }
}

/// A random action for every environment; allowed ones, but for one in twenty.
fn random_actions(
    masks: &[bool],
    actions: usize,
    draws: &mut [Generator],
) -> Result<Vec<u8>, String> {
    let choose = |(mask, draws): (&[bool], &mut Generator)| {
        let allowed: Vec<u8> = (0..actions as u8)
            .filter(|&action| mask[usize::from(action)])
            .collect();
        hold(!allowed.is_empty(), "a mask allows at least one action")?;
        Ok(if rng::below(draws, 20) == 0 {
            rng::below(draws, actions as u64) as u8
        } else {
            allowed[rng::below(draws, allowed.len() as u64) as usize]
        })
    };
    masks.chunks(actions).zip(draws).map(choose).collect()
}

fn draws(n: usize) -> Vec<Generator> {
    (0..n)
        .map(|env| rng::keyed(0, CONTRACT, env as u64))
        .collect()
}

fn spaces(mut env: impl VectorEnvironment, steps: usize) -> Result<(), String> {
    let mut units = buffers::<f32>(&env);
    let mut bytes = buffers::<u8>(&env);
    let mut draws = draws(env.num_envs());
    env.reset(&mut units.batch())
        .map_err(|error| error.to_string())?;
    let mut returns = vec![0.0; env.num_envs()];
    hold(
        (1..=8).contains(&env.num_actions()),
        "there are 1 to 8 actions",
    )?;
    for _ in 0..steps {
        let actions = random_actions(&units.masks, env.num_actions(), &mut draws)?;
        let legal: Vec<bool> = (0..env.num_envs())
            .map(|i| env.action_bits(i) >> actions[i] & 1 == 1)
            .collect();
        env.step(&actions, &mut units.batch())
            .map_err(|error| error.to_string())?;
        env.observe(&mut bytes.batch())
            .map_err(|error| error.to_string())?;
        hold(
            units.observations.iter().all(|x| (0.0..=1.0).contains(x)),
            "every observation lies in its bounds",
        )?;
        let rounded = units.observations.iter().zip(&bytes.observations);
        let close = rounded.into_iter().all(|(&unit, &byte)| {
            let exact = 255.0 * unit;
            f32::from(byte) >= exact - 1e-3
                && f32::from(byte) < exact + 1.001
                && (byte == 0) == (unit == 0.0)
        });
        hold(
            close,
            "a u8 observation is 255 times the f32 observation, rounded up",
        )?;
        for i in 0..env.num_envs() {
            let mask = &units.masks[i * env.num_actions()..][..env.num_actions()];
            let bits = env.action_bits(i);
            let exported = if bits == 0 { u8::MAX } else { bits };
            let same = mask
                .iter()
                .enumerate()
                .all(|(action, &allowed)| allowed == (exported >> action & 1 == 1));
            hold(
                same,
                "the mask is true for exactly the allowed actions, and for all where no move is \
                 legal",
            )?;
            returns[i] += f64::from(units.rewards[i]);
            let lost = matches!(
                units.signals[i],
                Signal::Terminated(Termination::Wall | Termination::Body)
            );
            hold(
                !(legal[i] && lost),
                "an allowed action does not lose in the same step",
            )?;
            if units.signals[i].ended() {
                let episode = env
                    .last_episode(i)
                    .ok_or("an ended episode has statistics")?;
                hold(
                    (episode.reward - returns[i]).abs() < 1e-6,
                    "an episode's reward is the sum of its rewards",
                )?;
                hold(
                    episode.signal == units.signals[i],
                    "an episode's statistics tell how it ended",
                )?;
                returns[i] = 0.0;
            }
        }
    }
    Ok(())
}

/// Whether two vector environments show the same, step by step, of the environments that both have.
fn alike<E: VectorEnvironment>(mut one: E, mut other: E, steps: usize) -> Result<bool, String> {
    let [mut left, mut right] = [buffers::<f32>(&one), buffers(&other)];
    let [mut draws, mut others] = [draws(one.num_envs()), draws(other.num_envs())];
    one.reset(&mut left.batch())
        .map_err(|error| error.to_string())?;
    other
        .reset(&mut right.batch())
        .map_err(|error| error.to_string())?;
    let actions = one.num_actions();
    for _ in 0..steps {
        let chosen = random_actions(&left.masks, actions, &mut draws)?;
        one.step(&chosen, &mut left.batch())
            .map_err(|error| error.to_string())?;
        let chosen = random_actions(&right.masks, actions, &mut others)?;
        other
            .step(&chosen, &mut right.batch())
            .map_err(|error| error.to_string())?;
        if !same_rows(&left, &right) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the rows that both have are the same.
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

fn independence<E: VectorEnvironment>(
    make: impl Fn(usize, usize) -> E,
    steps: usize,
) -> Result<(), String> {
    hold(
        alike(make(3, 1), make(3, 1), steps)?,
        "the same seed gives the same episodes",
    )?;
    hold(
        alike(make(3, 1), make(8, 1), steps)?,
        "environment i plays the same episodes whatever num_envs is",
    )?;
    // So many that threads share them; few steps, so that this takes no longer.
    hold(
        alike(make(3000, 1), make(3000, 3), steps.min(8))?,
        "threads do not change what environments do",
    )
}

fn snapshots(mut env: impl VectorEnvironment, steps: usize) -> Result<(), String> {
    let mut buffers = buffers::<f32>(&env);
    let mut draws = draws(env.num_envs());
    env.reset(&mut buffers.batch())
        .map_err(|error| error.to_string())?;
    for _ in 0..steps.min(50) {
        let actions = random_actions(&buffers.masks, env.num_actions(), &mut draws)?;
        env.step(&actions, &mut buffers.batch())
            .map_err(|error| error.to_string())?;
    }
    // Environment 1 becomes environment 0; from there the same actions must have the same effects.
    env.restore(1, &env.snapshot(0))
        .map_err(|error| error.to_string())?;
    env.fork(0, &[2], None);
    env.fork(0, &[3], Some(9));
    hold(
        env.snapshot(2) == env.snapshot(0),
        "a fork without reseeding is the same in everything",
    )?;
    let values = env.space().len();
    let actions = env.num_actions();
    env.observe(&mut buffers.batch())
        .map_err(|error| error.to_string())?;
    let shown = |env: usize| {
        (
            &buffers.observations[env * values..][..values],
            &buffers.masks[env * actions..][..actions],
        )
    };
    hold(
        shown(3) == shown(0),
        "a reseeded fork is observed as the environment that it copies",
    )?;
    for _ in 0..steps {
        let chosen = random_actions(&buffers.masks[..actions], actions, &mut draws[..1])?[0];
        env.step(&[chosen; 4], &mut buffers.batch())
            .map_err(|error| error.to_string())?;
        let row = |env: usize| &buffers.observations[env * values..][..values];
        let same = row(0) == row(1) && buffers.rewards[0] == buffers.rewards[1];
        hold(
            same && buffers.signals[0] == buffers.signals[1] && env.snapshot(0) == env.snapshot(1),
            "a restored environment has the same future, later episodes included",
        )?;
    }
    Ok(())
}

/// One environment changes the observations that it wrote last; its twin writes them anew.
fn keeping<E: VectorEnvironment>(mut keeper: E, mut twin: E, steps: usize) -> Result<(), String> {
    let [mut kept, mut fresh] = [buffers::<f32>(&keeper), buffers(&twin)];
    let mut draws = draws(keeper.num_envs());
    keeper
        .reset(&mut kept.batch())
        .map_err(|error| error.to_string())?;
    twin.reset(&mut fresh.batch())
        .map_err(|error| error.to_string())?;
    for step in 0..steps {
        if step % 20 == 7 {
            // What happens between steps is seen in the next one.
            keeper.fork(0, &[2, 3], Some(step as u64));
            twin.fork(0, &[2, 3], Some(step as u64));
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
            .map_err(|error| error.to_string())?;
        twin.step(&actions, &mut fresh.batch())
            .map_err(|error| error.to_string())?;
        hold(
            kept == fresh,
            "observations that are kept up to date equal those written anew",
        )?;
    }
    Ok(())
}

/// Same-step, next-step and disabled autoreset show the same episodes.
fn resets<E: VectorEnvironment>(make: impl Fn(Autoreset) -> E, steps: usize) -> Result<(), String> {
    let [mut same, mut next, mut disabled] = [
        Autoreset::SameStep,
        Autoreset::NextStep,
        Autoreset::Disabled,
    ]
    .map(&make);
    let n = same.num_envs();
    let values = same.space().len();
    let actions = same.num_actions();
    let text = |error: StepError| error.to_string();
    let [mut s, mut x, mut d] = [buffers::<f32>(&same), buffers(&next), buffers(&disabled)];
    same.reset(&mut s.batch()).map_err(text)?;
    next.reset(&mut x.batch()).map_err(text)?;
    disabled.reset(&mut d.batch()).map_err(text)?;
    hold(
        s == x && s == d,
        "every autoreset mode begins with the same observations",
    )?;
    let mut draws = draws(n);
    for _ in 0..steps {
        let chosen = random_actions(&s.masks, actions, &mut draws)?;
        same.step(&chosen, &mut s.batch()).map_err(text)?;
        disabled.step(&chosen, &mut d.batch()).map_err(text)?;
        hold(
            s.rewards == d.rewards && s.signals == d.signals,
            "autoreset changes neither rewards nor signals",
        )?;
        let ended: Vec<bool> = d.signals.iter().map(|signal| signal.ended()).collect();
        for env in (0..n).filter(|&env| ended[env]) {
            hold(
                s.final_observations[env * values..][..values]
                    == d.observations[env * values..][..values]
                    && s.final_masks[env * actions..][..actions]
                        == d.masks[env * actions..][..actions],
                "same-step autoreset gives the last observation of the episode as the final \
                 observation",
            )?;
        }
        disabled.reset_where(&ended, &mut d.batch()).map_err(text)?;
        hold(
            s.observations == d.observations && s.masks == d.masks,
            "same-step autoreset observes the next episode",
        )?;
    }
    // Next-step: one environment against its own same-step twin, a step later after each end.
    let mut draws = self::draws(n);
    let mut twin = make(Autoreset::SameStep);
    twin.reset(&mut s.batch()).map_err(text)?;
    for _ in 0..steps {
        let chosen = random_actions(&s.masks, actions, &mut draws)?;
        twin.step(&chosen, &mut s.batch()).map_err(text)?;
        next.step(&chosen, &mut x.batch()).map_err(text)?;
        hold(
            s.rewards == x.rewards && s.signals == x.signals,
            "next-step autoreset plays the same episodes",
        )?;
        let ended: Vec<usize> = (0..n).filter(|&env| x.signals[env].ended()).collect();
        if ended.is_empty() {
            hold(
                s.observations == x.observations,
                "next-step autoreset observes the same episodes",
            )?;
            continue;
        }
        for &env in &ended {
            hold(
                x.observations[env * values..][..values]
                    == s.final_observations[env * values..][..values],
                "next-step autoreset shows the last observation of the episode",
            )?;
        }
        // The environments that go on are put back after the step that the ended ones need.
        let kept: Vec<_> = (0..n).map(|env| next.snapshot(env)).collect();
        next.step(&vec![0; n], &mut x.batch()).map_err(text)?;
        for &env in &ended {
            let row = env * values;
            hold(
                x.rewards[env] == 0.0
                    && x.signals[env] == Signal::Running
                    && x.observations[row..][..values] == s.observations[row..][..values],
                "the step after the end ignores its action, pays nothing and observes the next \
                 episode",
            )?;
        }
        for env in (0..n).filter(|env| !ended.contains(env)) {
            next.restore(env, &kept[env])
                .map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn limits(mut env: impl VectorEnvironment, steps: usize) -> Result<(), String> {
    let mut buffers = buffers::<u8>(&env);
    let mut draws = draws(env.num_envs());
    env.reset(&mut buffers.batch())
        .map_err(|error| error.to_string())?;
    let mut hunger = vec![0; env.num_envs()];
    let mut length: Vec<usize> = (0..env.num_envs()).map(|i| env.length(i)).collect();
    for _ in 0..steps {
        let actions = random_actions(&buffers.masks, env.num_actions(), &mut draws)?;
        let before: Vec<_> = (0..env.num_envs())
            .map(|i| (env.episode_steps(i), env.time_limit(i), env.starvation(i)))
            .collect();
        env.step(&actions, &mut buffers.batch())
            .map_err(|error| error.to_string())?;
        for i in 0..env.num_envs() {
            let signal = buffers.signals[i];
            let now = if signal.ended() {
                env.last_episode(i).map_or(0, |e| e.length)
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

fn refusals(mut env: impl VectorEnvironment, steps: usize) -> Result<(), String> {
    let mut buffers = buffers::<f32>(&env);
    env.reset(&mut buffers.batch())
        .map_err(|error| error.to_string())?;
    let before = env.snapshot(0);
    let bad = env.num_actions() as u8;
    hold(
        env.step(&[0, bad], &mut buffers.batch()).is_err(),
        "an action out of range is refused",
    )?;
    hold(
        env.step(&[0], &mut buffers.batch()).is_err(),
        "a missing action is refused",
    )?;
    buffers.rewards.pop();
    hold(
        env.step(&[0, 0], &mut buffers.batch()).is_err(),
        "a buffer of the wrong length is refused",
    )?;
    buffers.rewards.push(0.0);
    hold(
        env.snapshot(0) == before,
        "a refused step moves no environment",
    )?;
    for _ in 0..steps {
        env.step(&[0, 0], &mut buffers.batch())
            .map_err(|error| error.to_string())?;
        if buffers.signals.iter().any(|signal| signal.ended()) {
            let refused = env.step(&[0, 0], &mut buffers.batch()).is_err();
            return hold(
                refused,
                "where autoreset is disabled, an ended environment must be reset before the next \
                 step",
            );
        }
    }
    Ok(())
}
