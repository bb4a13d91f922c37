//! The buffers of a step.

use crate::{Signal, StepError};

/// The caller's buffers for one step of `n` environments; row i belongs to environment i.
/// [`Buffers`] allocates such buffers.
///
/// ```
/// use hognose_env::{Batch, EnvConfig, Signal, VectorEnv};
/// use hognose_game::{Board, Rules};
///
/// let mut env = VectorEnv::new(EnvConfig::new(Rules::new(Board::new(6, 6)?)), 2, 0)?;
/// let (mut rewards, mut signals) = ([0.0; 2], [Signal::Running; 2]);
/// let mut unseen = Batch::<f32> {
///     observations: &mut [],
///     kept: false,
///     final_observations: &mut [],
///     rewards: &mut rewards,
///     signals: &mut signals,
///     masks: &mut [],
///     final_masks: &mut [],
/// };
/// env.step(&[1, 1], &mut unseen)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Batch<'a, T> {
    /// n x [`Space::len`](crate::Space::len) values; if empty, no observations are written.
    pub observations: &'a mut [T],
    /// Whether `observations` still holds what this environment last wrote there; then only changes
    /// are written.
    pub kept: bool,
    /// The last observations of episodes that end (same-step autoreset), the same size as
    /// `observations`; rows of other environments stay unchanged. May be empty.
    pub final_observations: &'a mut [T],
    /// n rewards.
    pub rewards: &'a mut [f32],
    /// n signals.
    pub signals: &'a mut [Signal],
    /// n x number of actions: whether the move filter allows an action; all true if no move is
    /// legal. May be empty.
    pub masks: &'a mut [bool],
    /// The masks of the final observations, the same size as `masks`. May be empty.
    pub final_masks: &'a mut [bool],
}

impl<T> Batch<'_, T> {
    /// Reborrows these buffers for a shorter lifetime.
    pub fn reborrow(&mut self) -> Batch<'_, T> {
        Batch {
            observations: self.observations,
            kept: self.kept,
            final_observations: self.final_observations,
            rewards: self.rewards,
            signals: self.signals,
            masks: self.masks,
            final_masks: self.final_masks,
        }
    }

    /// Checks that the buffers fit `n` rows with `values` values per observation and `num_actions`
    /// actions.
    pub(crate) fn check(
        &self,
        n: usize,
        values: usize,
        num_actions: usize,
    ) -> Result<(), StepError> {
        StepError::check_len("rewards", self.rewards.len(), n)?;
        StepError::check_len("signals", self.signals.len(), n)?;
        let optional = |name, got, expected| {
            if got == 0 {
                Ok(())
            } else {
                StepError::check_len(name, got, expected)
            }
        };
        optional("observations", self.observations.len(), n * values)?;
        optional(
            "final_observations",
            self.final_observations.len(),
            n * values,
        )?;
        optional("masks", self.masks.len(), n * num_actions)?;
        optional("final_masks", self.final_masks.len(), n * num_actions)
    }

    /// Splits off the buffers of the first `n` of `of` environments.
    pub(crate) fn split_off(&mut self, n: usize, of: usize) -> Self {
        fn first<'a, U>(slice: &mut &'a mut [U], n: usize, of: usize) -> &'a mut [U] {
            let row = slice.len() / of;
            slice.split_off_mut(..n * row).expect("n of them")
        }
        Batch {
            observations: first(&mut self.observations, n, of),
            kept: self.kept,
            final_observations: first(&mut self.final_observations, n, of),
            rewards: first(&mut self.rewards, n, of),
            signals: first(&mut self.signals, n, of),
            masks: first(&mut self.masks, n, of),
            final_masks: first(&mut self.final_masks, n, of),
        }
    }
}

/// Owned buffers of the right sizes.
///
/// ```
/// use hognose_env::Buffers;
///
/// // For 4 environments with observations of 24 values and 3 actions.
/// let mut buffers = Buffers::<f32>::with_sizes(4, 24, 3);
/// assert_eq!(buffers.batch().observations.len(), 4 * 24);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Buffers<T> {
    /// n x [`Space::len`](crate::Space::len) values; row i is the observation of environment i.
    pub observations: Vec<T>,
    /// The last observations of episodes that end (same-step autoreset), the same size as
    /// `observations`.
    pub final_observations: Vec<T>,
    /// n rewards.
    pub rewards: Vec<f32>,
    /// n signals.
    pub signals: Vec<Signal>,
    /// n x number of actions: whether an action is allowed; all true if no move is legal.
    pub masks: Vec<bool>,
    /// The masks of the final observations, the same size as `masks`.
    pub final_masks: Vec<bool>,
}

impl<T: Clone + Default> Buffers<T> {
    /// Allocates buffers for `num_envs` environments, with `values` values per observation.
    pub fn with_sizes(num_envs: usize, values: usize, num_actions: usize) -> Buffers<T> {
        Buffers {
            observations: vec![T::default(); num_envs * values],
            final_observations: vec![T::default(); num_envs * values],
            rewards: vec![0.0; num_envs],
            signals: vec![Signal::Running; num_envs],
            masks: vec![false; num_envs * num_actions],
            final_masks: vec![false; num_envs * num_actions],
        }
    }

    /// Borrows all buffers for one step.
    pub fn batch(&mut self) -> Batch<'_, T> {
        Batch {
            observations: &mut self.observations,
            kept: false,
            final_observations: &mut self.final_observations,
            rewards: &mut self.rewards,
            signals: &mut self.signals,
            masks: &mut self.masks,
            final_masks: &mut self.final_masks,
        }
    }
}
