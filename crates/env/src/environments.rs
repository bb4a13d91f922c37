//! The environments of a vector environment, whatever plays their games and pays for them.

use crate::drawn::{Drawn, DrawnRules};
use crate::element::sealed::AnyBatch;
use crate::env_game::{EnvGame, WholeGame};
use crate::environment::{Common, Encoders, Environment, Setup};
use crate::step::{Rows, row};
use crate::{Batch, Element, EpisodeStats, RewardFunction, Snapshot};
use hognose_game::{
    Allowed, Direction, Game, LeanGame, LeanRules, MakeFilter, Position, Rules, Unsupported,
};
use std::borrow::Cow;

/// Environments, each called by its index.
pub(crate) trait AnyEnvironments: Send {
    fn len(&self) -> usize;
    fn setup(&self) -> &Setup;
    fn set_starts(&mut self, starts: Vec<Position>, share: f64);
    fn game(&self, env: usize) -> Cow<'_, Game>;
    fn allowed(&mut self, env: usize) -> Allowed;
    fn heading(&self, env: usize) -> Direction;
    fn seed(&self, env: usize) -> u64;
    /// The steps of the episode at hand.
    fn steps(&self, env: usize) -> u32;
    /// Whether the episode at hand has ended.
    fn ended(&self, env: usize) -> bool;
    fn last_episode(&self, env: usize) -> Option<EpisodeStats>;
    /// Begins the first episode under a seed.
    fn reseed(&mut self, env: usize, seed: u64);
    fn next_episode(&mut self, env: usize);
    /// Begins the next episode at a position.
    fn next_episode_from(&mut self, env: usize, position: &Position);
    fn snapshot(&self, env: usize) -> Snapshot;
    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported>;
    fn observe(&mut self, encoders: &mut Encoders, batch: AnyBatch<'_>);
    /// Steps all; the encoders of each thread of the pool and of this one.
    fn step(
        &mut self,
        encoders: &mut [Encoders],
        pool: Option<&rayon::ThreadPool>,
        actions: &[u8],
        batch: AnyBatch<'_>,
    );
}

/// `n` environments. They play lean games, in the least size that every board fits in. Where a
/// filter asks for positions, or a board has 16,384 cells or more, they play whole games.
pub(crate) fn environments<R: RewardFunction>(
    setup: Setup,
    n: usize,
    filter: Option<&MakeFilter>,
    reward: R,
) -> Box<dyn AnyEnvironments> {
    fn lean<const N: usize, R: RewardFunction>(
        setup: Setup,
        n: usize,
        reward: R,
    ) -> Box<dyn AnyEnvironments> {
        let grain = setup.config.observation.grain();
        on_boards(n, grain, setup, reward, LeanRules::<N>::new, |rules| {
            LeanGame::new(rules, 0)
        })
    }
    match setup
        .rules
        .iter()
        .map(|rules| rules.board().area())
        .max()
        .expect("there is a board")
    {
        _ if filter.is_some() => {}
        0..64 => return lean::<64, R>(setup, n, reward),
        64..256 => return lean::<256, R>(setup, n, reward),
        256..1024 => return lean::<1024, R>(setup, n, reward),
        1024..4096 => return lean::<4096, R>(setup, n, reward),
        4096..16384 => return lean::<16384, R>(setup, n, reward),
        _ => {}
    }
    let game = |rules: &Rules| WholeGame::new(*rules, filter.map(|make| make()));
    on_boards(n, WHOLE_GRAIN, setup, reward, |rules| rules, game)
}

/// Environments on one board, or on boards that each episode draws.
fn on_boards<G: EnvGame, R: RewardFunction>(
    n: usize,
    grain: usize,
    setup: Setup,
    reward: R,
    rules: impl Fn(Rules) -> G::Rules,
    game: impl Fn(&G::Rules) -> G,
) -> Box<dyn AnyEnvironments> {
    if let [alone] = setup.rules[..] {
        return Box::new(Environments::new(
            n,
            grain,
            setup,
            rules(alone),
            reward,
            game,
        ));
    }
    let each = setup.rules.iter().map(|&one| rules(one)).collect();
    let all = DrawnRules {
        each,
        rules: setup.rules.clone(),
        draws: setup.draws.clone(),
    };
    Box::new(Environments::new(
        n,
        grain,
        setup,
        all,
        reward,
        |all: &DrawnRules<_>| Drawn::new(game(&all.each[0])),
    ))
}

/// Environments that play and pay alike.
struct Environments<G: EnvGame, R> {
    environments: Vec<Environment<G>>,
    setup: Setup,
    rules: G::Rules,
    reward: R,
    /// How many steps all of them have taken.
    now: u64,
    /// How many environments are worth a thread of their own.
    grain: usize,
}

/// How many environments with whole games are worth a thread of their own.
const WHOLE_GRAIN: usize = 8;

/// Late enough for every episode that may be restored to have begun.
const BEGIN: u64 = 1 << 32;

impl<G: EnvGame, R: RewardFunction> Environments<G, R> {
    fn new(
        n: usize,
        grain: usize,
        setup: Setup,
        rules: G::Rules,
        reward: R,
        make: impl Fn(&G::Rules) -> G,
    ) -> Environments<G, R> {
        let environments = (0..n).map(|_| Environment::new(make(&rules))).collect();
        Environments {
            environments,
            setup,
            rules,
            reward,
            now: BEGIN,
            grain,
        }
    }

    /// An environment, and what it has in common with the others.
    fn one(&mut self, env: usize) -> (&mut Environment<G>, Common<'_, G, R>) {
        let Environments {
            environments,
            setup,
            rules,
            reward,
            now,
            ..
        } = self;
        (
            &mut environments[env],
            Common {
                setup,
                rules,
                reward,
                now: *now,
            },
        )
    }

    fn observe_all<T: Element>(&mut self, encoders: &mut Encoders, batch: Batch<'_, T>) {
        let Batch {
            observations,
            masks,
            ..
        } = batch;
        let n = self.environments.len();
        for env in 0..n {
            let (environment, common) = self.one(env);
            environment.show(
                common,
                encoders,
                row(observations, env, n),
                row(masks, env, n),
            );
            environment.episode.observed |= !observations.is_empty();
        }
    }

    fn step_all<T: Element>(
        &mut self,
        encoders: &mut [Encoders],
        pool: Option<&rayon::ThreadPool>,
        actions: &[u8],
        batch: Batch<'_, T>,
    ) {
        self.now += 1;
        let Environments {
            environments,
            setup,
            rules,
            reward,
            now,
            grain,
        } = self;
        let common = Common {
            setup,
            rules,
            reward,
            now: *now,
        };
        Rows {
            environments,
            actions,
            batch,
        }
        .step(common, encoders, pool, *grain);
    }
}

impl<G: EnvGame, R: RewardFunction> AnyEnvironments for Environments<G, R> {
    fn len(&self) -> usize {
        self.environments.len()
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn set_starts(&mut self, starts: Vec<Position>, share: f64) {
        (self.setup.starts, self.setup.start_share) = (starts, share);
    }

    fn game(&self, env: usize) -> Cow<'_, Game> {
        self.environments[env].game.game(&self.rules)
    }

    fn allowed(&mut self, env: usize) -> Allowed {
        self.environments[env].game.allowed()
    }

    fn heading(&self, env: usize) -> Direction {
        self.environments[env].game.heading()
    }

    fn seed(&self, env: usize) -> u64 {
        self.environments[env].seed
    }

    fn steps(&self, env: usize) -> u32 {
        self.environments[env].episode.steps(self.now)
    }

    fn ended(&self, env: usize) -> bool {
        self.environments[env].episode.ended
    }

    fn last_episode(&self, env: usize) -> Option<EpisodeStats> {
        self.environments[env].last_episode
    }

    fn reseed(&mut self, env: usize, seed: u64) {
        let (environment, common) = self.one(env);
        environment.reseed(common, seed);
    }

    fn next_episode(&mut self, env: usize) {
        let (environment, common) = self.one(env);
        environment.next_episode(common);
    }

    fn next_episode_from(&mut self, env: usize, position: &Position) {
        let (environment, common) = self.one(env);
        environment.next_episode_from(common, position);
    }

    fn snapshot(&self, env: usize) -> Snapshot {
        let Environments {
            environments,
            setup,
            rules,
            reward,
            now,
            ..
        } = self;
        environments[env].snapshot(Common {
            setup,
            rules,
            reward,
            now: *now,
        })
    }

    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported> {
        let (environment, common) = self.one(env);
        environment.restore(common, snapshot)
    }

    fn observe(&mut self, encoders: &mut Encoders, batch: AnyBatch<'_>) {
        match batch {
            AnyBatch::F32(batch) => self.observe_all(encoders, batch),
            AnyBatch::U8(batch) => self.observe_all(encoders, batch),
        }
    }

    fn step(
        &mut self,
        encoders: &mut [Encoders],
        pool: Option<&rayon::ThreadPool>,
        actions: &[u8],
        batch: AnyBatch<'_>,
    ) {
        match batch {
            AnyBatch::F32(batch) => self.step_all(encoders, pool, actions, batch),
            AnyBatch::U8(batch) => self.step_all(encoders, pool, actions, batch),
        }
    }
}
