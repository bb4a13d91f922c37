//! Many environments stepped as one, for any game: shared among threads, in blocks that stay in the
//! fastest cache.

use crate::episode::Flags;
use crate::observation::Change;
use crate::share::{Parts, Workers};
use crate::{ActionKind, Autoreset, Batch, Element, Encoder, Observation, Signal, StepError};
use hognose_game::{Direction, Directions, Sight};

/// An environment without its state: what all environments of a vector share.
pub(crate) trait Env: Sync + Sized {
    /// The state of one environment.
    type State: Send;
    /// A player's view of a state.
    type Sight<'a>: Sight
    where
        Self: 'a;

    /// Returns the properties that stepping depends on.
    fn spec(&self) -> Spec;
    /// Prepares a joint step of all environments.
    ///
    /// # Errors
    /// Fails if they can't be stepped; none has moved then.
    fn before_step(
        &mut self,
        states: &mut [Self::State],
        workers: &mut Workers,
    ) -> Result<(), StepError>;
    fn flags(state: &mut Self::State) -> &mut Flags;
    fn next_episode(&self, state: &mut Self::State);
    /// Returns the index of the board in use, if there are several.
    #[inline(always)]
    fn board(_state: &Self::State) -> usize {
        0
    }
    /// Returns the view of a row's player.
    fn sight<'a>(&'a self, state: &'a Self::State, row: usize) -> Self::Sight<'a>;
    /// Returns the moves that a row's player may choose.
    fn moves(&self, state: &mut Self::State, row: usize) -> Directions;
    /// Applies the actions of all rows of an environment; returns `None` for a step with reward 0
    /// that changes no food.
    fn step<const ACTIONS: usize, const ROWS: usize>(
        &self,
        state: &mut Self::State,
        actions: [u8; ROWS],
    ) -> Option<Settled<ROWS>>;
    /// Calls [`Rows::step`] with the numbers of actions and rows.
    fn step_rows<T: Element>(&self, rows: Rows<'_, Self, T>, encoders: &mut [Encoder]);
}

/// The properties of environments that stepping depends on.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    pub(crate) observation: Observation,
    pub(crate) action: ActionKind,
    pub(crate) autoreset: Autoreset,
    /// The number of rows per environment, one for each player.
    pub(crate) rows: usize,
    /// The number of environments that justifies another thread.
    pub(crate) grain: usize,
}

/// The rewards of a step, and what it does besides moving.
pub(crate) struct Settled<const ROWS: usize> {
    pub(crate) rewards: [f32; ROWS],
    /// Either all end, or none.
    pub(crate) signals: [Signal; ROWS],
    /// Whether foods were eaten or redrawn.
    pub(crate) foods_changed: bool,
}

/// Environments with their states.
pub(crate) struct Vectorized<E: Env> {
    pub(crate) env: E,
    pub(crate) states: Vec<E::State>,
}

impl<E: Env> Vectorized<E> {
    /// Starts the next episode of the environments whose entry is true, and observes all
    /// environments.
    pub(crate) fn reset_where<T: Element>(
        &mut self,
        workers: &mut Workers,
        which: &[bool],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        StepError::check_len("the reset mask", which.len(), self.states.len())?;
        self.check_buffers(workers, batch)?;
        for (state, _) in self
            .states
            .iter_mut()
            .zip(which)
            .filter(|(_, which)| **which)
        {
            self.env.next_episode(state);
        }
        self.observe(workers, batch)
    }

    /// Writes the current observations and masks of all environments.
    pub(crate) fn observe<T: Element>(
        &mut self,
        workers: &mut Workers,
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.check_buffers(workers, batch)?;
        let rows = self.env.spec().rows;
        let n = rows * self.states.len();
        for (i, state) in self.states.iter_mut().enumerate() {
            for player in 0..rows {
                let observation = row(batch.observations, rows * i + player, n);
                let mask = row(batch.masks, rows * i + player, n);
                show(&self.env, state, player, workers.first(), observation, mask);
            }
            E::flags(state).observed |= !batch.observations.is_empty();
        }
        Ok(())
    }

    /// Steps and observes every environment.
    pub(crate) fn step<T: Element>(
        &mut self,
        workers: &mut Workers,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        self.check_step(workers, actions, batch)?;
        let Vectorized { env, states } = self;
        env.before_step(states, workers)?;
        let rows = Rows {
            states,
            actions,
            batch: batch.reborrow(),
        };
        workers.share(rows, env.spec().grain, |rows, encoders| {
            env.step_rows(rows, encoders)
        });
        Ok(())
    }

    fn check_step<T>(
        &mut self,
        workers: &mut Workers,
        actions: &[u8],
        batch: &Batch<'_, T>,
    ) -> Result<(), StepError> {
        let spec = self.env.spec();
        StepError::check_len("actions", actions.len(), spec.rows * self.states.len())?;
        self.check_buffers(workers, batch)?;
        StepError::check_actions(actions, spec.action.count())?;
        if spec.autoreset == Autoreset::Disabled
            && let Some(env) = self
                .states
                .iter_mut()
                .position(|state| E::flags(state).ended)
        {
            return Err(StepError::NeedsReset { env });
        }
        Ok(())
    }

    fn check_buffers<T>(
        &self,
        workers: &mut Workers,
        batch: &Batch<'_, T>,
    ) -> Result<(), StepError> {
        let spec = self.env.spec();
        let values = workers.first()[0].space().len();
        batch.check(spec.rows * self.states.len(), values, spec.action.count())
    }
}

/// Environments with their actions and their rows of the batch.
pub(crate) struct Rows<'a, E: Env, T> {
    states: &'a mut [E::State],
    actions: &'a [u8],
    batch: Batch<'a, T>,
}

/// The number of rows that are stepped and then observed at a time.
const BLOCK: usize = 64;

impl<E: Env, T: Element> Parts for Rows<'_, E, T> {
    fn count(&self) -> usize {
        self.states.len()
    }

    fn split_off(&mut self, n: usize) -> Self {
        let count = self.states.len();
        let actions = n * (self.actions.len() / count);
        Rows {
            states: self.states.split_off_mut(..n).expect("n states"),
            actions: self.actions.split_off(..actions).expect("their actions"),
            batch: self.batch.split_off(n, count),
        }
    }
}

impl<E: Env, T: Element> Rows<'_, E, T> {
    /// Steps all rows on this thread.
    pub(crate) fn step<const ACTIONS: usize, const ROWS: usize>(
        mut self,
        env: &E,
        encoders: &mut [Encoder],
    ) {
        let kept = self.batch.kept && !self.batch.observations.is_empty();
        while !self.states.is_empty() {
            let block = self.split_off(self.states.len().min(BLOCK / ROWS));
            if kept {
                block.step_block::<ACTIONS, ROWS, true>(env, encoders);
            } else {
                block.step_block::<ACTIONS, ROWS, false>(env, encoders);
            }
        }
    }

    /// Steps one block, then observes it.
    fn step_block<const ACTIONS: usize, const ROWS: usize, const KEPT: bool>(
        self,
        env: &E,
        encoders: &mut [Encoder],
    ) {
        let Rows {
            states,
            actions,
            batch,
        } = self;
        let Batch {
            observations,
            final_observations,
            rewards,
            signals,
            masks,
            final_masks,
            ..
        } = batch;
        let n = ROWS * states.len();
        let spec = env.spec();
        let updates = KEPT && spec.observation.updates();
        let mut changes: [Option<[Change; ROWS]>; BLOCK] = [const { None }; BLOCK];
        let mut unasked = [[[false; ACTIONS]; ROWS]; BLOCK];
        let asked = !masks.is_empty();
        let masks = if asked {
            masks.as_chunks_mut::<ACTIONS>().0.as_chunks_mut::<ROWS>().0
        } else {
            &mut unasked[..states.len()]
        };
        rewards.fill(0.0);
        signals.fill(Signal::Running);
        let rewards = rewards.as_chunks_mut::<ROWS>().0;
        let signals = signals.as_chunks_mut::<ROWS>().0;

        let each = states
            .iter_mut()
            .zip(actions.as_chunks::<ROWS>().0)
            .zip(&mut changes)
            .zip(masks)
            .enumerate();
        for (i, (((state, &actions), change), masks)) in each {
            if E::flags(state).ended {
                // This is next-step autoreset: if it is disabled, ended environments are rejected
                // earlier.
                env.next_episode(state);
            } else {
                if updates && E::flags(state).observed {
                    *change = Some(std::array::from_fn(|row| {
                        Change::before(env.sight(state, row))
                    }));
                }
                if let Some(outcome) = env.step::<ACTIONS, ROWS>(state, actions) {
                    (rewards[i], signals[i]) = (outcome.rewards, outcome.signals);
                    if outcome.signals[0].ended() {
                        *change = None;
                        if spec.autoreset == Autoreset::SameStep {
                            for player in 0..ROWS {
                                let observation = row(final_observations, ROWS * i + player, n);
                                let mask = row(final_masks, ROWS * i + player, n);
                                show(env, state, player, encoders, observation, mask);
                            }
                            env.next_episode(state);
                        }
                    } else if let Some(changes) = change {
                        changes
                            .iter_mut()
                            .for_each(|change| change.foods = outcome.foods_changed);
                    }
                }
            }
            *masks = std::array::from_fn(|row| match asked {
                true => mask(env.moves(state, row), env.sight(state, row).heading()),
                false => [false; ACTIONS],
            });
        }

        if observations.is_empty() {
            states
                .iter_mut()
                .for_each(|state| E::flags(state).observed = false);
        } else {
            observe_block(env, states, encoders, &changes, observations);
        }
    }
}

/// Writes observations; if the change is known, only that.
#[inline(never)]
fn observe_block<E: Env, T: Element, const ROWS: usize>(
    env: &E,
    states: &mut [E::State],
    encoders: &mut [Encoder],
    changes: &[Option<[Change; ROWS]>],
    observations: &mut [T],
) {
    let values = observations.len() / (ROWS * states.len());
    let each = states
        .iter_mut()
        .zip(changes)
        .zip(observations.chunks_exact_mut(ROWS * values));
    for ((state, change), mut rest) in each {
        for player in 0..ROWS {
            let (out, others) = rest.split_at_mut(values);
            rest = others;
            match change {
                Some(changes) => {
                    let sight = env.sight(state, player);
                    encoders[E::board(state)].update(&changes[player], sight, out);
                }
                None => encode(env, state, player, encoders, out),
            }
        }
        E::flags(state).observed = true;
    }
}

/// Writes a player's whole observation.
#[inline(never)]
fn encode<E: Env, T: Element>(
    env: &E,
    state: &mut E::State,
    player: usize,
    encoders: &mut [Encoder],
    out: &mut [T],
) {
    let moves = env.moves(state, player);
    encoders[E::board(state)].encode(env.sight(state, player), moves, out);
}

/// Writes a player's observation and mask, if there are rows for them.
fn show<E: Env, T: Element>(
    env: &E,
    state: &mut E::State,
    player: usize,
    encoders: &mut [Encoder],
    observation: &mut [T],
    out: &mut [bool],
) {
    if !observation.is_empty() {
        encode(env, state, player, encoders, observation);
    }
    if !out.is_empty() {
        let moves = env.moves(state, player);
        let heading = env.sight(state, player).heading();
        match env.spec().action {
            ActionKind::Absolute => out.copy_from_slice(&mask::<4>(moves, heading)),
            ActionKind::Relative => out.copy_from_slice(&mask::<3>(moves, heading)),
        }
    }
}

/// Returns row i of n.
fn row<U>(buffer: &mut [U], i: usize, n: usize) -> &mut [U] {
    let len = buffer.len() / n;
    &mut buffer[i * len..][..len]
}

/// Returns what 4 or 3 actions mean.
#[inline(always)]
pub(crate) fn kind<const ACTIONS: usize>() -> ActionKind {
    match ACTIONS {
        4 => ActionKind::Absolute,
        _ => ActionKind::Relative,
    }
}

/// Returns which of 4 absolute or 3 relative actions make one of these moves; all if there are no
/// moves.
#[inline(always)]
fn mask<const ACTIONS: usize>(moves: Directions, heading: Direction) -> [bool; ACTIONS] {
    let bits = kind::<ACTIONS>().bits(moves, heading);
    *MASKS[usize::from(bits) & 15]
        .first_chunk()
        .expect("at most 4 actions")
}

/// The mask for each set of allowed actions, as bits; all actions if the set is empty.
const MASKS: [[bool; 4]; 16] = {
    let mut masks = [[true; 4]; 16];
    let mut bits = 1;
    while bits < 16 {
        masks[bits] = [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0];
        bits += 1;
    }
    masks
};
