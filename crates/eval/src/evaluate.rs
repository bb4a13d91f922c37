//! Plays the same games with any policy.

use hognose_game::rng::{self, Purpose};
use hognose_game::{
    BatchPolicy, Cause, Choice, Direction, Event, Game, MakeFilter, MakePolicy, MoveFilter, Player, Position, Rules,
    Seed, Status, Unsupported,
};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Games that reported results are played on.
pub const EVALUATION: Purpose = Purpose::new("evaluation");
/// Games that choose the best checkpoint during training.
pub const SELECTION: Purpose = Purpose::new("selection");
const POLICY: Purpose = Purpose::new("policy");

/// How many games a batch policy plays side by side.
const SIDE_BY_SIDE: usize = 128;

/// The caller is asked at least so often whether to go on.
const TICK: Duration = Duration::from_millis(100);

/// Which games are played.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The rules.
    pub rules: Rules,
    /// Where games begin, in turn, instead of at a start that the rules draw: positions of the same board. Empty for the rules.
    pub starts: Vec<Position>,
    /// What the games' seeds are derived from.
    pub seed: u64,
    /// What they are for: [`EVALUATION`] or [`SELECTION`]; they share no game.
    pub purpose: Purpose,
    /// The index of the first game.
    pub first: usize,
    /// How many games, at least 1.
    pub games: usize,
    /// A game is cut off after this many steps without food.
    pub limit: u32,
    /// A game is cut off after this many steps.
    pub max_steps: u64,
    /// How many threads play, at least 1; results do not depend on it.
    pub threads: usize,
    /// What happens to games that the policy refuses.
    pub refused: Refused,
}

/// What happens to a game that the policy refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The evaluation fails.
    Fail,
    /// It is left out.
    LeaveOut,
}

impl Evaluation {
    /// Games for reporting, with the default limit, on one thread; what a policy refuses fails.
    pub fn new(rules: Rules, seed: u64, games: usize) -> Evaluation {
        Evaluation {
            rules,
            starts: Vec::new(),
            seed,
            purpose: EVALUATION,
            first: 0,
            games,
            limit: Evaluation::default_limit(rules),
            max_steps: u64::MAX,
            threads: 1,
            refused: Refused::Fail,
        }
    }

    /// The default limit: 4 x area steps without food.
    pub fn default_limit(rules: Rules) -> u32 {
        4 * rules.board().area() as u32
    }

    /// A game before its first move, by its index; the games that are played begin at [`first`](Self::first).
    pub fn game(&self, index: usize) -> Game {
        let seed = self.game_seed(index);
        match index.checked_rem(self.starts.len()) {
            Some(start) => Game::from_position(self.starts[start].clone(), seed),
            None => Game::new(self.rules, seed),
        }
    }

    /// The seed of a game, by its index.
    pub fn game_seed(&self, index: usize) -> Seed {
        rng::derive(self.seed, self.purpose, index as u64)
    }

    /// What a policy's own randomness in a game follows from.
    pub fn policy_seed(game_seed: Seed) -> u64 {
        rng::derive(game_seed, POLICY, 0)
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The body fills the board.
    Won,
    /// The snake left the board.
    Wall,
    /// The snake hit itself.
    Body,
    /// Cut off, most often for want of food.
    Limit,
}

/// A game played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// The game's seed.
    pub seed: Seed,
    /// Steps, the fatal one included.
    pub steps: u64,
    /// Length at the end, in cells.
    pub length: usize,
    /// Foods eaten.
    pub foods: u64,
    /// Why it ended.
    pub end: End,
    /// How often a filter forbade the policy's choice.
    pub forbidden: u64,
}

/// How far an evaluation is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Games finished.
    pub finished: usize,
    /// Games in all.
    pub games: usize,
}

/// Why an evaluation gives no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Nothing to play.
    #[error("the number of {0} must be at least 1, got 0")]
    Zero(&'static str),
    /// The policy does not play these games.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The caller broke it off.
    #[error("interrupted")]
    Interrupted,
}

/// The games of one policy, in the order of their index, and how long they took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Played {
    /// The games.
    pub episodes: Vec<Episode>,
    /// Games left out because the policy refused them.
    pub refused: usize,
    /// For each length, what the foods cost that a snake of that length ate.
    pub costs: Vec<Cost>,
    /// Time spent playing (rules included, setting up excluded), summed over threads.
    pub time: Duration,
    /// Time that policies and filters took to set up the games, such as tables that they solve, summed over threads.
    pub setup: Duration,
}

impl Played {
    /// Adds games of the same policy and rules that were played elsewhere.
    pub fn append(&mut self, other: Played) {
        self.episodes.extend(other.episodes);
        self.refused += other.refused;
        self.costs.iter_mut().zip(other.costs).for_each(|(cost, its)| cost.add(its));
        self.time += other.time;
        self.setup += other.setup;
    }
}

/// What some foods cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// How many foods.
    pub foods: u64,
    /// Steps for all of them.
    pub steps: u64,
    /// The squares of these numbers of steps, added up.
    pub squares: u128,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.foods += other.foods;
        self.steps += other.steps;
        self.squares += other.squares;
    }

    /// Steps a food, and the standard deviation (with n); `None` without food.
    pub fn mean_and_sd(&self) -> Option<(f64, f64)> {
        let n = self.foods as f64;
        let mean = self.steps as f64 / n;
        (self.foods > 0).then(|| (mean, (self.squares as f64 / n - mean * mean).max(0.0).sqrt()))
    }
}

/// Plays every game with players that `make` builds here, one for each thread; calls `progress` on this thread, at least
/// ten times a second.
///
/// # Errors
/// When there is nothing to play, the policy refuses a game, or `progress` breaks it off.
pub fn evaluate(
    mut make: impl FnMut() -> Player,
    config: &Evaluation,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Played, EvalError> {
    for (what, number) in [("games", config.games), ("threads", config.threads), ("limit steps", config.limit as usize)]
    {
        if number == 0 {
            return Err(EvalError::Zero(what));
        }
    }
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let mut episodes: Vec<Option<Episode>> = vec![None; config.games];
    let mut refused = 0;
    let mut costs = vec![Cost::default(); config.rules.board().area()];
    let (mut time, mut setup) = (Duration::ZERO, Duration::ZERO);
    let mut result = Ok(());
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..config.threads.min(config.games) {
            let (sender, player, next, stop) = (sender.clone(), make(), &next, &stop);
            scope.spawn(move || {
                let costs = vec![Cost::default(); config.rules.board().area()];
                let mut games = Games { config, next, stop, sender, costs, setup: Duration::ZERO };
                let started = Instant::now();
                let outcome = match player {
                    Player::Single(maker) => games.play_singly(&*maker),
                    Player::Batch(policy, make_filter) => games.play_side_by_side(&*policy, make_filter),
                };
                let (elapsed, setup) = (started.elapsed(), games.setup);
                let costs = std::mem::take(&mut games.costs);
                let done = |()| Message::Done { time: elapsed.saturating_sub(setup), setup, costs };
                let message = outcome.map_or_else(Message::Refused, done);
                // Nobody listens any more only where the evaluation has failed already.
                let _ = games.sender.send(message);
            });
        }
        drop(sender);
        let mut finished = 0;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Message::Finished(index, episode)) => {
                    episodes[index] = Some(episode);
                    finished += 1;
                }
                Ok(Message::Refused(_)) if config.refused == Refused::LeaveOut => refused += 1,
                Ok(Message::Refused(reason)) => {
                    stop.store(true, Ordering::Relaxed);
                    if result.is_ok() {
                        result = Err(reason.into());
                    }
                }
                Ok(Message::Done { time: its, setup: its_setup, costs: its_costs }) => {
                    costs.iter_mut().zip(its_costs).for_each(|(cost, its)| cost.add(its));
                    time += its;
                    setup += its_setup;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if result.is_ok() && progress(Progress { finished, games: config.games }).is_break() {
                stop.store(true, Ordering::Relaxed);
                result = Err(EvalError::Interrupted);
            }
        }
    });
    result.map(|()| Played { episodes: episodes.into_iter().flatten().collect(), refused, costs, time, setup })
}

enum Message {
    Finished(usize, Episode),
    Done { time: Duration, setup: Duration, costs: Vec<Cost> },
    Refused(Unsupported),
}

/// What a thread draws its games from.
struct Games<'a> {
    config: &'a Evaluation,
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
    sender: mpsc::Sender<Message>,
    /// By length.
    costs: Vec<Cost>,
    /// Time that setting up took so far.
    setup: Duration,
}

/// A game being played.
struct Table {
    index: usize,
    game: Game,
    steps: u64,
    foods: u64,
    hunger: u32,
    forbidden: u64,
}

impl Games<'_> {
    fn draw(&mut self) -> Option<Table> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let game = || self.config.game(self.config.first + index);
        (index < self.config.games).then(|| Table { index, game: game(), steps: 0, foods: 0, hunger: 0, forbidden: 0 })
    }

    fn finish(&mut self, table: &Table, end: End) {
        let Table { index, ref game, steps, foods, forbidden, .. } = *table;
        let episode = Episode { seed: game.seed(), steps, length: game.position().len(), foods, end, forbidden };
        // Nobody listens any more only where the evaluation has failed already.
        let _ = self.sender.send(Message::Finished(index, episode));
    }

    /// What plays a game, unless it is left out; fails if a refusal is to fail.
    fn accepts<T>(&self, answer: Result<T, Unsupported>) -> Result<Option<T>, Unsupported> {
        match answer {
            Ok(accepted) => Ok(Some(accepted)),
            Err(reason) if self.config.refused == Refused::LeaveOut => {
                // Nobody listens any more only where the evaluation has failed already.
                let _ = self.sender.send(Message::Refused(reason));
                Ok(None)
            }
            Err(reason) => Err(reason),
        }
    }

    fn play_singly(&mut self, maker: &dyn MakePolicy) -> Result<(), Unsupported> {
        while let Some(mut table) = self.draw() {
            let started = Instant::now();
            let made = maker.make(table.game.position(), Evaluation::policy_seed(table.game.seed()));
            self.setup += started.elapsed();
            let Some(mut policy) = self.accepts(made)? else { continue };
            let end = loop {
                let direction = policy.act(table.game.position());
                if let Some(end) = table.step(direction, self.config, &mut self.costs) {
                    break Some(end);
                }
                if self.stop.load(Ordering::Relaxed) {
                    break None;
                }
            };
            if let Some(end) = end {
                self.finish(&table, end);
            }
        }
        Ok(())
    }

    fn play_side_by_side(&mut self, policy: &dyn BatchPolicy, make_filter: MakeFilter) -> Result<(), Unsupported> {
        let mut tables: Vec<(Table, Box<dyn MoveFilter>)> = Vec::new();
        let (mut allowed, mut choices, mut going_on) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            while tables.len() < SIDE_BY_SIDE
                && let Some(table) = self.draw()
            {
                let mut filter = make_filter();
                let position = table.game.position();
                let started = Instant::now();
                let answer = policy.check(position).and_then(|()| filter.reset(position));
                self.setup += started.elapsed();
                if self.accepts(answer)?.is_some() {
                    tables.push((table, filter));
                }
            }
            if tables.is_empty() || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            allowed.clear();
            allowed.extend(tables.iter_mut().map(|(table, filter)| filter.allowed(table.game.position())));
            choices.clear();
            choices.resize(tables.len(), Choice { direction: Direction::Up, forbidden: false });
            let positions: Vec<_> = tables.iter().map(|(table, _)| table.game.position()).collect();
            policy.act_all(&positions, &allowed, &mut choices);
            let mut choices = choices.iter();
            going_on.clear();
            tables.retain_mut(|(table, filter)| {
                let &Choice { direction, forbidden } = choices.next().expect("one choice for each game");
                filter.commit(direction);
                table.forbidden += u64::from(forbidden);
                let end = table.step(direction, self.config, &mut self.costs);
                going_on.push(end.inspect(|&end| self.finish(table, end)).is_none());
                going_on[going_on.len() - 1]
            });
            policy.keep(&going_on);
        }
    }
}

impl Table {
    #[inline]
    fn step(&mut self, direction: Direction, config: &Evaluation, costs: &mut [Cost]) -> Option<End> {
        self.steps += 1;
        self.hunger += 1;
        let event = self.game.step(direction);
        if matches!(event, Event::Ate | Event::Won) {
            let steps = u64::from(std::mem::take(&mut self.hunger));
            let squares = u128::from(steps).pow(2);
            costs[self.game.position().len() - 1].add(Cost { foods: 1, steps, squares });
            self.foods += 1;
        }
        match event {
            Event::Won => Some(End::Won),
            Event::Lost(cause) => {
                debug_assert_eq!(self.game.position().status(), Status::Lost(cause));
                Some(if cause == Cause::Wall { End::Wall } else { End::Body })
            }
            Event::Moved | Event::Ate => {
                (self.hunger >= config.limit || self.steps >= config.max_steps).then_some(End::Limit)
            }
        }
    }
}
