//! A step of many duels: shared among threads, and in blocks that stay in the nearest cache.

use crate::duel::environment::{Environment, Setup};
use crate::observation::Change;
use crate::share::Parts;
use crate::step::row;
use crate::{ActionKind, Autoreset, Batch, Element, Encoder, Signal};
use hognose_game::Event;

/// Duels, the actions of their learners, and their rows of the batch.
pub(crate) struct Rows<'a, T> {
    pub(crate) duels: &'a mut [Environment],
    pub(crate) actions: &'a [u8],
    pub(crate) batch: Batch<'a, T>,
}

/// So many duels are stepped and then observed at a time.
const BLOCK: usize = 32;

impl<T: Element> Parts for Rows<'_, T> {
    fn count(&self) -> usize {
        self.duels.len()
    }

    fn split(self, n: usize) -> (Self, Self) {
        let count = self.duels.len();
        let (batch, batch_rest) = self.batch.split(n, count);
        let (actions, actions_rest) = self.actions.split_at(n * (self.actions.len() / count));
        let (duels, duels_rest) = self.duels.split_at_mut(n);
        (
            Rows {
                duels,
                actions,
                batch,
            },
            Rows {
                duels: duels_rest,
                actions: actions_rest,
                batch: batch_rest,
            },
        )
    }
}

impl Parts for &mut [Environment] {
    fn count(&self) -> usize {
        self.len()
    }

    fn split(self, n: usize) -> (Self, Self) {
        self.split_at_mut(n)
    }
}

impl<T: Element> Rows<'_, T> {
    /// Steps all of them on this thread. Opponents have answered.
    pub(crate) fn step(self, setup: &Setup, encoder: &mut Encoder) {
        let one = setup.opponents.is_some();
        match (setup.config.action, one) {
            (ActionKind::Absolute, false) => self.step_blocks::<4, 2>(setup, encoder),
            (ActionKind::Absolute, true) => self.step_blocks::<4, 1>(setup, encoder),
            (ActionKind::Relative, false) => self.step_blocks::<3, 2>(setup, encoder),
            (ActionKind::Relative, true) => self.step_blocks::<3, 1>(setup, encoder),
        }
    }

    fn step_blocks<const ACTIONS: usize, const ROWS: usize>(
        self,
        setup: &Setup,
        encoder: &mut Encoder,
    ) {
        let mut rest = self;
        while !rest.duels.is_empty() {
            let n = rest.duels.len().min(BLOCK);
            let (block, others) = rest.split(n);
            block.step_block::<ACTIONS, ROWS>(setup, encoder);
            rest = others;
        }
    }

    /// Steps at most `BLOCK` duels, then observes them.
    fn step_block<const ACTIONS: usize, const ROWS: usize>(
        self,
        setup: &Setup,
        encoder: &mut Encoder,
    ) {
        let Rows {
            duels,
            actions,
            batch,
        } = self;
        let Batch {
            observations,
            kept,
            final_observations,
            rewards,
            signals,
            masks,
            final_masks,
        } = batch;
        let reward = &setup.config.reward;
        let rows = ROWS * duels.len();
        let updates = kept && !observations.is_empty() && setup.config.observation.updates();
        let mut changes: [Option<[Change; ROWS]>; BLOCK] = [const { None }; BLOCK];
        rewards.fill(0.0);
        signals.fill(Signal::Running);
        let actions = actions.as_chunks::<ROWS>().0;
        let rewards = rewards.as_chunks_mut::<ROWS>().0;
        let signals = signals.as_chunks_mut::<ROWS>().0;
        let mut masks = masks
            .as_chunks_mut::<ACTIONS>()
            .0
            .as_chunks_mut::<ROWS>()
            .0
            .iter_mut();

        for (i, (environment, change)) in duels.iter_mut().zip(&mut changes).enumerate() {
            if environment.ended {
                // Next-step autoreset: `DuelVectorEnv::step` refuses ended duels where autoreset is
                // disabled.
                environment.next_episode(setup);
            } else {
                if updates && environment.observed {
                    *change = Some(std::array::from_fn(|learner| {
                        Change::before(environment.view(learner))
                    }));
                }
                let potentials = environment.potentials::<ROWS>(setup);
                let moves = environment.moves::<ACTIONS, ROWS>(actions[i]);
                let event = environment.duel.step(moves);
                let foods_changed = event.redrawn || event.ate != [false; 2];
                if event.outcome.is_some() || foods_changed || !reward.pays_for_events_alone() {
                    (rewards[i], signals[i]) = environment.settle(setup, potentials, event);
                }
                if environment.ended {
                    *change = None;
                } else if foods_changed && let Some(changes) = change {
                    changes
                        .iter_mut()
                        .for_each(|change| change.event = Event::Ate);
                }
                if environment.ended && setup.config.autoreset == Autoreset::SameStep {
                    for learner in 0..ROWS {
                        let at = ROWS * i + learner;
                        let observation = row(final_observations, at, rows);
                        let mask = row(final_masks, at, rows);
                        environment.show(setup, learner, encoder, observation, mask);
                    }
                    environment.next_episode(setup);
                }
            }
            if let Some(masks) = masks.next() {
                *masks = std::array::from_fn(|learner| environment.mask(learner));
            }
        }

        let values = observations.len() / rows;
        if values == 0 {
            duels
                .iter_mut()
                .for_each(|environment| environment.observed = false);
        } else {
            observe::<T, ROWS>(
                duels,
                encoder,
                &changes,
                observations.chunks_exact_mut(values),
            );
        }
    }
}

/// Observes; where the change is known, by writing no more than that.
#[inline(never)]
fn observe<'a, T: Element, const ROWS: usize>(
    duels: &mut [Environment],
    encoder: &mut Encoder,
    changes: &[Option<[Change; ROWS]>],
    mut observations: impl Iterator<Item = &'a mut [T]>,
) {
    for (environment, change) in duels.iter_mut().zip(changes) {
        for (learner, row) in observations.by_ref().take(ROWS).enumerate() {
            let view = environment.view(learner);
            match change {
                Some(changes) => encoder.update(&changes[learner], view, row),
                None => encoder.encode(view, view.legal_moves(), row),
            }
        }
        environment.observed = true;
    }
}
