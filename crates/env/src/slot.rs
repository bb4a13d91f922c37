//! One environment, and what steps many of them.

use crate::encode::Mark;
use crate::encode::sealed::AnyBatch;
use crate::play::Play;
use crate::{
    ActionKind, Autoreset, Batch, Element, Encoder, EnvConfig, EpisodeStats, Signal, Snapshot, Termination, Truncation,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Allowed, Cause, Direction, Event, Game, Position, Unsupported};
use std::borrow::Cow;
use std::slice::ChunksExactMut;

const EPISODE: Purpose = Purpose::new("episode");
const STARTS: Purpose = Purpose::new("starts");

/// Where episodes may begin beside the start of the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    pub(crate) positions: Vec<Position>,
    pub(crate) share: f64,
}

/// Environments, whatever plays their games; each is called by its index.
pub(crate) trait Fleet: Send {
    fn len(&self) -> usize;
    fn game(&self, env: usize) -> Cow<'_, Game>;
    fn allowed(&mut self, env: usize) -> Allowed;
    fn heading(&self, env: usize) -> Direction;
    /// The steps of the episode at hand.
    fn steps(&self, env: usize) -> u32;
    /// Whether the episode at hand has ended.
    fn ended(&self, env: usize) -> bool;
    fn story(&self, env: usize) -> &Story;
    /// Begins the first episode under a seed.
    fn reseed(&mut self, env: usize, seed: u64, starts: &Starts);
    fn next_episode(&mut self, env: usize, starts: &Starts);
    /// Begins the next episode at a position.
    fn next_episode_from(&mut self, env: usize, position: &Position);
    fn snapshot(&self, env: usize) -> Snapshot;
    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported>;
    fn observe(&mut self, config: &EnvConfig, encoder: &mut Encoder, batch: AnyBatch<'_>);
    /// Steps all; one encoder for each thread of the pool and one for this thread.
    fn step(&mut self, job: &Job<'_>, encoders: &mut [Encoder], actions: &[u8], batch: AnyBatch<'_>);
}

/// What all environments do alike.
pub(crate) struct Job<'a> {
    pub(crate) config: &'a EnvConfig,
    pub(crate) starts: &'a Starts,
    pub(crate) pool: Option<&'a rayon::ThreadPool>,
}

/// The time for all environments, in steps of them all, and how long episodes may last.
#[derive(Clone, Copy, Debug)]
struct Time {
    now: u64,
    time_limit: u64,
    starvation: u64,
}

impl Time {
    fn new(config: &EnvConfig) -> Time {
        let [time_limit, starvation] =
            [config.time_limit, config.starvation].map(|limit| limit.map_or(NEVER, u64::from));
        // Late enough for every episode that may be restored to have begun.
        Time { now: 1 << 32, time_limit, starvation }
    }
}

const NEVER: u64 = u64::MAX;

/// The episode at hand: what is told by the time, so that most steps leave it as it is.
#[derive(Clone, Debug, Default)]
struct Clock {
    began: u64,
    fed: u64,
    /// When it will be truncated.
    due: u64,
    reward: f64,
    ended: bool,
    /// Whether the environment stands as it was observed last.
    shown: bool,
}

impl Clock {
    fn new(time: Time, ended: bool) -> Clock {
        let mut clock = Clock { began: time.now, fed: time.now, ended, ..Clock::default() };
        clock.wind(time);
        clock
    }

    fn wind(&mut self, time: Time) {
        self.due = self.began.saturating_add(time.time_limit).min(self.fed.saturating_add(time.starvation));
    }

    fn steps(&self, time: Time) -> u32 {
        (time.now - self.began) as u32
    }

    fn hunger(&self, time: Time) -> u32 {
        (time.now - self.fed) as u32
    }
}

/// The order of the episodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    pub(crate) seed: u64,
    pub(crate) episode: u64,
    pub(crate) last_episode: Option<EpisodeStats>,
}

/// One environment. What every step touches lies together.
#[repr(C, align(64))]
struct Slot<P> {
    clock: Clock,
    play: P,
    story: Story,
}

/// Environments whose games are played alike.
pub(crate) struct Alike<P: Play> {
    shared: P::Shared,
    slots: Vec<Slot<P>>,
    time: Time,
}

impl<P: Play> Alike<P> {
    pub(crate) fn new(
        config: &EnvConfig,
        shared: P::Shared,
        n: usize,
        mut make: impl FnMut(&P::Shared) -> P,
    ) -> Alike<P> {
        let mut slot = || Slot { clock: Clock::default(), play: make(&shared), story: Story::default() };
        Alike { slots: (0..n).map(|_| slot()).collect(), shared, time: Time::new(config) }
    }

    fn observe_all<T: Element>(&mut self, config: &EnvConfig, encoder: &mut Encoder, batch: Batch<'_, T>) {
        let Batch { observations, masks, .. } = batch;
        let n = self.slots.len();
        for (env, slot) in self.slots.iter_mut().enumerate() {
            slot.show(&self.shared, config, encoder, row(observations, env, n), row(masks, env, n));
            slot.clock.shown |= !observations.is_empty();
        }
    }

    fn step_all<T: Element>(&mut self, job: &Job<'_>, encoders: &mut [Encoder], actions: &[u8], batch: Batch<'_, T>) {
        let Alike { shared, slots, time } = self;
        time.now += 1;
        Part { slots, encoders, actions, batch }.step(shared, job, *time);
    }
}

impl<P: Play> Fleet for Alike<P> {
    fn len(&self) -> usize {
        self.slots.len()
    }

    fn game(&self, env: usize) -> Cow<'_, Game> {
        self.slots[env].play.game(&self.shared)
    }

    fn allowed(&mut self, env: usize) -> Allowed {
        self.slots[env].play.allowed()
    }

    fn heading(&self, env: usize) -> Direction {
        self.slots[env].play.heading()
    }

    fn steps(&self, env: usize) -> u32 {
        self.slots[env].clock.steps(self.time)
    }

    fn ended(&self, env: usize) -> bool {
        self.slots[env].clock.ended
    }

    fn story(&self, env: usize) -> &Story {
        &self.slots[env].story
    }

    fn reseed(&mut self, env: usize, seed: u64, starts: &Starts) {
        let slot = &mut self.slots[env];
        slot.story = Story { seed, ..Story::default() };
        slot.begin_episode(&self.shared, starts, self.time);
    }

    fn next_episode(&mut self, env: usize, starts: &Starts) {
        self.slots[env].next_episode(&self.shared, starts, self.time);
    }

    fn next_episode_from(&mut self, env: usize, position: &Position) {
        let slot = &mut self.slots[env];
        slot.story.episode += 1;
        slot.begin_from(&self.shared, position, self.time);
    }

    fn snapshot(&self, env: usize) -> Snapshot {
        let Slot { clock, play, story } = &self.slots[env];
        Snapshot {
            game: play.game(&self.shared).into_owned(),
            seed: story.seed,
            episode: story.episode,
            steps: clock.steps(self.time),
            hunger: clock.hunger(self.time),
            reward: clock.reward,
            ended: clock.ended,
            last_episode: story.last_episode,
            filter: play.filter_state(),
        }
    }

    fn restore(&mut self, env: usize, snapshot: &Snapshot) -> Result<(), Unsupported> {
        let slot = &mut self.slots[env];
        slot.play.restore(&self.shared, &snapshot.game, &snapshot.filter)?;
        let &Snapshot { seed, episode, steps, hunger, reward, ended, last_episode, .. } = snapshot;
        let now = self.time.now;
        let (began, fed) = (now - u64::from(steps), now - u64::from(hunger));
        slot.clock = Clock { began, fed, reward, ended, ..Clock::default() };
        slot.clock.wind(self.time);
        slot.story = Story { seed, episode, last_episode };
        Ok(())
    }

    fn observe(&mut self, config: &EnvConfig, encoder: &mut Encoder, batch: AnyBatch<'_>) {
        match batch {
            AnyBatch::F32(batch) => self.observe_all(config, encoder, batch),
            AnyBatch::U8(batch) => self.observe_all(config, encoder, batch),
        }
    }

    fn step(&mut self, job: &Job<'_>, encoders: &mut [Encoder], actions: &[u8], batch: AnyBatch<'_>) {
        match batch {
            AnyBatch::F32(batch) => self.step_all(job, encoders, actions, batch),
            AnyBatch::U8(batch) => self.step_all(job, encoders, actions, batch),
        }
    }
}

/// What one thread steps.
struct Part<'a, P, T> {
    slots: &'a mut [Slot<P>],
    encoders: &'a mut [Encoder],
    actions: &'a [u8],
    batch: Batch<'a, T>,
}

impl<P: Play, T: Element> Part<'_, P, T> {
    /// Steps in as many parts as there are encoders, each with its own, or fewer where games are few: this thread one of them,
    /// the pool's the others.
    fn step(self, shared: &P::Shared, job: &Job<'_>, time: Time) {
        let parts = self.encoders.len().min(self.slots.len() / P::grain(&self.encoders[0]));
        let Some(pool) = job.pool.filter(|_| parts > 1) else { return self.step_alone(shared, job, time) };
        pool.in_place_scope(|scope| {
            let mut rest = self;
            for parts in (2..=parts).rev() {
                let n = rest.slots.len() / parts;
                let (first, others) = rest.split(n);
                rest = others;
                scope.spawn(move |_| first.step_alone(shared, job, time));
            }
            rest.step_alone(shared, job, time);
        });
    }

    /// The first `n` environments and the rest, with an encoder for the former.
    fn split(self, n: usize) -> (Self, Self) {
        let (batch, batch_rest) = self.batch.split(n, self.slots.len());
        let (slots, slots_rest) = self.slots.split_at_mut(n);
        let (encoders, encoders_rest) = self.encoders.split_at_mut(1);
        let (actions, actions_rest) = self.actions.split_at(n);
        (
            Part { slots, encoders, actions, batch },
            Part { slots: slots_rest, encoders: encoders_rest, actions: actions_rest, batch: batch_rest },
        )
    }

    fn step_alone(self, shared: &P::Shared, job: &Job<'_>, time: Time) {
        let kept = self.batch.kept && !self.batch.observations.is_empty();
        match (job.config.action, kept) {
            (ActionKind::Absolute, true) => self.step_blocks::<4, true>(shared, job, time),
            (ActionKind::Absolute, false) => self.step_blocks::<4, false>(shared, job, time),
            (ActionKind::Relative, true) => self.step_blocks::<3, true>(shared, job, time),
            (ActionKind::Relative, false) => self.step_blocks::<3, false>(shared, job, time),
        }
    }

    /// Steps so many environments at a time that they stay in the nearest cache from being stepped to being observed.
    fn step_blocks<const ACTIONS: usize, const KEPT: bool>(self, shared: &P::Shared, job: &Job<'_>, time: Time) {
        let Part { mut slots, encoders, mut actions, mut batch } = self;
        while !slots.is_empty() {
            let n = slots.len().min(BLOCK);
            let (block, rest) = batch.split(n, slots.len());
            let (first, other) = slots.split_at_mut(n);
            let block = Block { slots: first, actions: &actions[..n], batch: block };
            block.step::<ACTIONS, KEPT>(shared, job, time, &mut encoders[0]);
            (slots, actions, batch) = (other, &actions[n..], rest);
        }
    }
}

const BLOCK: usize = 64;

/// At most `BLOCK` environments.
struct Block<'a, P, T> {
    slots: &'a mut [Slot<P>],
    actions: &'a [u8],
    batch: Batch<'a, T>,
}

impl<P: Play, T: Element> Block<'_, P, T> {
    fn step<const ACTIONS: usize, const KEPT: bool>(
        self,
        shared: &P::Shared,
        job: &Job<'_>,
        time: Time,
        encoder: &mut Encoder,
    ) {
        let Block { slots, actions, batch } = self;
        let Batch { observations, final_observations, rewards, signals, masks, final_masks, .. } = batch;
        let config = job.config;
        let n = slots.len();
        let values = observations.len() / n;
        let priced = config.reward.step != 0.0 || config.reward.shaping != 0.0;
        let mut marks = [const { None }; BLOCK];
        let mut unasked = [[false; ACTIONS]; BLOCK];
        let asked = !masks.is_empty();
        let masks = if asked { masks.as_chunks_mut::<ACTIONS>().0 } else { &mut unasked[..n] };

        rewards.fill(0.0);
        signals.fill(Signal::Running);
        for (i, (((slot, &action), mark), mask)) in slots.iter_mut().zip(actions).zip(&mut marks).zip(masks).enumerate()
        {
            if slot.clock.ended {
                // Next-step autoreset: `step` refuses ended environments where autoreset is disabled.
                slot.next_episode(shared, job.starts, time);
                *mask = slot.mask_if(asked);
            } else {
                if KEPT && slot.clock.shown {
                    *mark = slot.play.mark(shared, encoder);
                }
                let potential = if priced { slot.play.potential(shared, &config.reward) } else { 0.0 };
                let from = if ACTIONS == 4 { 0 } else { slot.play.heading().index() + 3 };
                let event = slot.play.step(shared, Direction::from_index(from + usize::from(action)));
                *mask = slot.mask_if(asked);
                if event != Event::Moved || slot.clock.due <= time.now || priced {
                    (rewards[i], signals[i]) = slot.settle(shared, config, time, potential, event);
                    if KEPT && let Some(mark) = mark {
                        mark.event = event;
                    }
                    if signals[i].ended() && config.autoreset == Autoreset::SameStep {
                        slot.show(shared, config, encoder, row(final_observations, i, n), row(final_masks, i, n));
                        slot.next_episode(shared, job.starts, time);
                        *mask = slot.mask_if(asked);
                        if KEPT {
                            *mark = None;
                        }
                    }
                }
            }
        }

        if values == 0 {
            slots.iter_mut().for_each(|slot| slot.clock.shown = false);
        } else {
            show(slots, shared, encoder, &marks, observations.chunks_exact_mut(values));
        }
    }
}

/// Observes; where there is a mark, by no more than what has changed.
#[inline(never)]
fn show<P: Play, T: Element>(
    slots: &mut [Slot<P>],
    shared: &P::Shared,
    encoder: &mut Encoder,
    marks: &[Option<Mark>],
    observations: ChunksExactMut<'_, T>,
) {
    for ((slot, mark), row) in slots.iter_mut().zip(marks).zip(observations) {
        match mark {
            Some(mark) => slot.play.update(shared, encoder, mark, row),
            None => {
                slot.play.encode(shared, encoder, row);
                slot.clock.shown = true;
            }
        }
    }
}

impl<P: Play> Slot<P> {
    fn next_episode(&mut self, shared: &P::Shared, starts: &Starts, time: Time) {
        self.story.episode += 1;
        self.begin_episode(shared, starts, time);
    }

    #[cold]
    fn begin_episode(&mut self, shared: &P::Shared, starts: &Starts, time: Time) {
        let Story { seed, episode, .. } = self.story;
        if !starts.positions.is_empty() {
            let mut draws = rng::keyed(seed, STARTS, episode);
            const ONE: u64 = 1 << 53;
            if (rng::below(&mut draws, ONE) as f64) < starts.share * ONE as f64 {
                let index = rng::below(&mut draws, starts.positions.len() as u64) as usize;
                return self.begin_from(shared, &starts.positions[index], time);
            }
        }
        self.play.restart(shared, rng::derive(seed, EPISODE, episode));
        self.clock = Clock::new(time, self.play.is_over());
    }

    fn begin_from(&mut self, shared: &P::Shared, position: &Position, time: Time) {
        self.play.restart_from(shared, position, rng::derive(self.story.seed, EPISODE, self.story.episode));
        self.clock = Clock::new(time, self.play.is_over());
    }

    #[inline(always)]
    fn mask_if<const ACTIONS: usize>(&mut self, asked: bool) -> [bool; ACTIONS] {
        if asked { self.mask() } else { [false; ACTIONS] }
    }

    /// Which actions are allowed: 4 absolute or 3 relative ones; all where none is.
    #[inline(always)]
    fn mask<const ACTIONS: usize>(&mut self) -> [bool; ACTIONS] {
        let moves = self.play.moves();
        let bits = if ACTIONS == 4 { moves.bits() } else { moves.turn_bits(self.play.heading()) };
        *MASKS[usize::from(bits) & 15].first_chunk().expect("at most 4 actions")
    }

    /// Writes what is seen, where a row is given for it.
    fn show<T: Element>(
        &mut self,
        shared: &P::Shared,
        config: &EnvConfig,
        encoder: &mut Encoder,
        observation: &mut [T],
        mask: &mut [bool],
    ) {
        if !observation.is_empty() {
            self.play.encode(shared, encoder, observation);
        }
        if !mask.is_empty() {
            match config.action {
                ActionKind::Absolute => mask.copy_from_slice(&self.mask::<4>()),
                ActionKind::Relative => mask.copy_from_slice(&self.mask::<3>()),
            }
        }
    }

    /// The reward and the signal of a step, where it is more than a move that pays nothing.
    #[cold]
    fn settle(
        &mut self,
        shared: &P::Shared,
        config: &EnvConfig,
        time: Time,
        potential: f32,
        event: Event,
    ) -> (f32, Signal) {
        let Slot { clock, play, story } = self;
        let reward = config.reward.of_potentials(potential, event, play.potential(shared, &config.reward));
        clock.reward += f64::from(reward);
        if event == Event::Ate {
            clock.fed = time.now;
            clock.wind(time);
        }
        let (steps, hunger) = (clock.steps(time), clock.hunger(time));
        let signal = match event {
            Event::Won => Signal::Terminated(Termination::Won),
            Event::Lost(Cause::Wall) => Signal::Terminated(Termination::Wall),
            Event::Lost(Cause::Body) => Signal::Terminated(Termination::Body),
            _ if u64::from(steps) >= time.time_limit => Signal::Truncated(Truncation::TimeLimit),
            _ if u64::from(hunger) >= time.starvation => Signal::Truncated(Truncation::Starvation),
            _ => Signal::Running,
        };
        if signal.ended() {
            clock.ended = true;
            story.last_episode = Some(EpisodeStats { reward: clock.reward, steps, length: play.len(), signal });
        }
        (reward, signal)
    }
}

/// The i-th of n rows.
fn row<U>(buffer: &mut [U], i: usize, n: usize) -> &mut [U] {
    let len = buffer.len() / n;
    &mut buffer[i * len..][..len]
}

/// By bits of allowed actions: which are allowed; all where none is.
const MASKS: [[bool; 4]; 16] = {
    let mut masks = [[true; 4]; 16];
    let mut bits = 1;
    while bits < 16 {
        masks[bits] = [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0];
        bits += 1;
    }
    masks
};
