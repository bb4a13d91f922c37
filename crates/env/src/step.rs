//! A step of many environments: shared among threads, and in blocks that stay in the nearest cache.

use crate::env_game::EnvGame;
use crate::environment::{Common, Encoders, Environment};
use crate::observation::Change;
use crate::share::{Parts, share};
use crate::{ActionKind, Autoreset, Batch, Element, RewardFunction, Signal};
use hognose_game::{Direction, Event};

/// Environments, their actions and their rows of the batch.
pub(crate) struct Rows<'a, G, T> {
    pub(crate) environments: &'a mut [Environment<G>],
    pub(crate) actions: &'a [u8],
    pub(crate) batch: Batch<'a, T>,
}

/// So many environments are stepped and then observed at a time.
const BLOCK: usize = 64;

impl<G: EnvGame, T: Element> Parts for Rows<'_, G, T> {
    fn count(&self) -> usize {
        self.environments.len()
    }

    fn split(self, n: usize) -> (Self, Self) {
        let (batch, batch_rest) = self.batch.split(n, self.environments.len());
        let (environments, environments_rest) = self.environments.split_at_mut(n);
        let (actions, actions_rest) = self.actions.split_at(n);
        (
            Rows {
                environments,
                actions,
                batch,
            },
            Rows {
                environments: environments_rest,
                actions: actions_rest,
                batch: batch_rest,
            },
        )
    }
}

impl<G: EnvGame, T: Element> Rows<'_, G, T> {
    /// Steps all of them, shared among threads; `grain` environments are worth a thread.
    pub(crate) fn step<R: RewardFunction>(
        self,
        common: Common<'_, G, R>,
        encoders: &mut [Encoders],
        pool: Option<&rayon::ThreadPool>,
        grain: usize,
    ) {
        share(self, encoders, pool, grain, |part, encoders| {
            part.step_here(common, encoders)
        });
    }

    /// Steps all of them on this thread.
    fn step_here<R: RewardFunction>(self, common: Common<'_, G, R>, encoders: &mut Encoders) {
        let kept = self.batch.kept && !self.batch.observations.is_empty();
        match (common.setup.config.action, kept) {
            (ActionKind::Absolute, true) => self.step_blocks::<4, true, R>(common, encoders),
            (ActionKind::Absolute, false) => self.step_blocks::<4, false, R>(common, encoders),
            (ActionKind::Relative, true) => self.step_blocks::<3, true, R>(common, encoders),
            (ActionKind::Relative, false) => self.step_blocks::<3, false, R>(common, encoders),
        }
    }

    fn step_blocks<const ACTIONS: usize, const KEPT: bool, R: RewardFunction>(
        self,
        common: Common<'_, G, R>,
        encoders: &mut Encoders,
    ) {
        let mut rest = self;
        while !rest.environments.is_empty() {
            let n = rest.environments.len().min(BLOCK);
            let (block, others) = rest.split(n);
            block.step_block::<ACTIONS, KEPT, R>(common, encoders);
            rest = others;
        }
    }

    /// Steps at most `BLOCK` environments, then observes them.
    fn step_block<const ACTIONS: usize, const KEPT: bool, R: RewardFunction>(
        self,
        common: Common<'_, G, R>,
        encoders: &mut Encoders,
    ) {
        let Rows {
            environments,
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
        let Common {
            setup,
            rules,
            reward,
            now,
        } = common;
        let n = environments.len();
        let values = observations.len() / n;
        let looks = reward.looks_at_every_step();
        let updates = KEPT && setup.config.observation.updates();
        let mut changes = [const { None }; BLOCK];
        let mut unasked = [[false; ACTIONS]; BLOCK];
        let asked = !masks.is_empty();
        let masks = if asked {
            masks.as_chunks_mut::<ACTIONS>().0
        } else {
            &mut unasked[..n]
        };

        rewards.fill(0.0);
        signals.fill(Signal::Running);
        let each = environments
            .iter_mut()
            .zip(actions)
            .zip(&mut changes)
            .zip(masks)
            .enumerate();
        for (i, (((environment, &action), change), mask)) in each {
            if environment.episode.ended {
                // Next-step autoreset: `VectorEnv::step` refuses ended environments where autoreset
                // is disabled.
                environment.next_episode(common);
                *mask = environment.mask_if(asked);
                continue;
            }
            if KEPT && updates && environment.episode.observed {
                *change = Some(Change::before(environment.game.sight(rules)));
            }
            let before = if looks {
                reward.before(environment.game.sight(rules))
            } else {
                R::Before::default()
            };
            let from = if ACTIONS == 4 {
                0
            } else {
                environment.game.heading().index() + 3
            };
            let event = environment
                .game
                .step(rules, Direction::from_index(from + usize::from(action)));
            *mask = environment.mask_if(asked);
            if event != Event::Moved || environment.episode.due <= now || looks {
                (rewards[i], signals[i]) = environment.settle(common, before, event);
                if KEPT && let Some(change) = change {
                    change.event = event;
                }
                if signals[i].ended() && setup.config.autoreset == Autoreset::SameStep {
                    environment.show(
                        common,
                        encoders,
                        row(final_observations, i, n),
                        row(final_masks, i, n),
                    );
                    environment.next_episode(common);
                    *mask = environment.mask_if(asked);
                    if KEPT {
                        *change = None;
                    }
                }
            }
        }

        if values == 0 {
            environments
                .iter_mut()
                .for_each(|environment| environment.episode.observed = false);
        } else {
            observe(
                environments,
                rules,
                encoders,
                &changes,
                observations.chunks_exact_mut(values),
            );
        }
    }
}

/// Observes; where the change is known, by writing no more than that.
#[inline(never)]
fn observe<'a, G: EnvGame, T: Element>(
    environments: &mut [Environment<G>],
    rules: &G::Rules,
    encoders: &mut Encoders,
    changes: &[Option<Change>],
    observations: impl Iterator<Item = &'a mut [T]>,
) {
    for ((environment, change), row) in environments.iter_mut().zip(changes).zip(observations) {
        match change {
            Some(change) => encoders[environment.game.board()].update(
                change,
                environment.game.sight(rules),
                row,
            ),
            None => {
                environment.encode(rules, encoders, row);
                environment.episode.observed = true;
            }
        }
    }
}

impl<G: EnvGame> Environment<G> {
    #[inline(always)]
    fn mask_if<const ACTIONS: usize>(&mut self, asked: bool) -> [bool; ACTIONS] {
        if asked { self.mask() } else { [false; ACTIONS] }
    }
}

/// The i-th of n rows.
pub(crate) fn row<U>(buffer: &mut [U], i: usize, n: usize) -> &mut [U] {
    let len = buffer.len() / n;
    &mut buffer[i * len..][..len]
}
