//! Plays the same games with any policy, on several threads.

use crate::{Cost, Episode, Evaluation, LimitedGame, Played, RefusedGames};
use hognose_game::{
    BatchPolicy, Choice, Direction, Event, Forfeit, MakeFilter, MakePolicy, MoveFilter, Player, Unsupported,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How many games a batch policy plays side by side.
const SIDE_BY_SIDE: usize = 128;

/// The caller is asked at least so often whether to go on.
const TICK: Duration = Duration::from_millis(100);

/// How far an evaluation is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Games finished.
    pub finished: usize,
    /// Games in all.
    pub games: usize,
    /// Why the first of the forfeited games was given up; `None` if none was.
    pub forfeit: Option<&'a Forfeit>,
}

/// How many games an evaluation may have: its episodes take about a gigabyte then.
pub const MOST_GAMES: usize = 1 << 24;

/// Why an evaluation gives no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Nothing to play.
    #[error("the number of {0} must be at least 1, got 0")]
    Zero(&'static str),
    /// More games than anybody can play.
    #[error("the number of games must be at most {MOST_GAMES}, got {0}")]
    TooMany(usize),
    /// The policy does not play these games.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The caller broke it off.
    #[error("interrupted")]
    Interrupted,
}

/// Plays every game with players that `make` builds here, one for each thread; calls `progress` on this thread, at
/// least ten times a second.
///
/// ```
/// use hognose_eval::{Evaluation, evaluate};
/// use hognose_game::{Player, Rules};
/// use hognose_solvers::Hamiltonian;
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let config = Evaluation { threads: 2, ..Evaluation::new(Rules::new("4x4".parse()?), 0, 10) };
/// let player = || Player::Single(Arc::new(Hamiltonian::default()));
/// let played = evaluate(player, &config, |_| ControlFlow::Continue(()))?;
/// assert!(played.episodes.iter().all(|episode| episode.length == 16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is nothing to play, the policy refuses a game, or `progress` breaks it off.
pub fn evaluate(
    mut make: impl FnMut() -> Player,
    config: &Evaluation,
    mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Played, EvalError> {
    let one_at_least = [
        ("games", config.games == 0),
        ("threads", config.threads == 0),
        ("steps until starvation", config.limits.starvation == Some(0)),
        ("steps of the time limit", config.limits.time_limit == Some(0)),
    ];
    if let Some((what, _)) = one_at_least.into_iter().find(|(_, zero)| *zero) {
        return Err(EvalError::Zero(what));
    }
    if config.games > MOST_GAMES {
        return Err(EvalError::TooMany(config.games));
    }
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let mut episodes: Vec<Option<Episode>> = vec![None; config.games];
    let mut refused = 0;
    let mut depends_on_clock = false;
    // Of the game with the lowest index.
    let mut forfeit: Option<(usize, Forfeit)> = None;
    let mut costs = vec![Cost::default(); config.rules.board().area()];
    let (mut time, mut setup) = (Duration::ZERO, Duration::ZERO);
    let mut result = Ok(());
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..config.threads.min(config.games) {
            let (sender, player, next, stop) = (sender.clone(), make(), &next, &stop);
            depends_on_clock |= matches!(&player, Player::Single(maker) if maker.depends_on_clock());
            scope.spawn(move || {
                let costs = vec![Cost::default(); config.rules.board().area()];
                let mut worker = Worker { config, next, stop, sender, costs, setup: Duration::ZERO };
                let started = Instant::now();
                let outcome = match player {
                    Player::Single(maker) => worker.play_singly(&*maker),
                    Player::Batch(policy, make_filter) => worker.play_side_by_side(&*policy, make_filter),
                };
                let (elapsed, setup) = (started.elapsed(), worker.setup);
                let costs = std::mem::take(&mut worker.costs);
                let done = |()| Message::Done { time: elapsed.saturating_sub(setup), setup, costs };
                let message = outcome.map_or_else(Message::Refused, done);
                // Nobody listens any more only where the evaluation has failed already.
                let _ = worker.sender.send(message);
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
                Ok(Message::Forfeited(index, reason)) => {
                    if forfeit.as_ref().is_none_or(|(first, _)| index < *first) {
                        forfeit = Some((index, reason));
                    }
                }
                Ok(Message::Refused(_)) if config.refused == RefusedGames::LeaveOut => refused += 1,
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
            let forfeit = forfeit.as_ref().map(|(_, reason)| reason);
            if result.is_ok() && progress(Progress { finished, games: config.games, forfeit }).is_break() {
                stop.store(true, Ordering::Relaxed);
                result = Err(EvalError::Interrupted);
            }
        }
    });
    result.map(|()| Played {
        episodes: episodes.into_iter().flatten().collect(),
        refused,
        forfeit: forfeit.map(|(_, Forfeit(reason))| reason),
        depends_on_clock,
        costs,
        time,
        setup,
    })
}

enum Message {
    Finished(usize, Episode),
    Forfeited(usize, Forfeit),
    Done { time: Duration, setup: Duration, costs: Vec<Cost> },
    Refused(Unsupported),
}

/// What a thread draws its games from, and what it has found so far.
struct Worker<'a> {
    config: &'a Evaluation,
    next: &'a AtomicUsize,
    stop: &'a AtomicBool,
    sender: mpsc::Sender<Message>,
    /// By length.
    costs: Vec<Cost>,
    /// Time that setting up took so far.
    setup: Duration,
}

/// A game of an evaluation that is being played.
struct Drawn {
    index: usize,
    game: LimitedGame,
    forbidden: u64,
}

impl Worker<'_> {
    /// The next game, if there is one left and nobody asked to stop.
    fn draw(&self) -> Option<Drawn> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) || index >= self.config.games {
            return None;
        }
        let game = LimitedGame::new(self.config.game(self.config.first + index), self.config.limits);
        Some(Drawn { index, game, forbidden: 0 })
    }

    /// Makes a move, and counts what a food cost.
    #[inline]
    fn step(&mut self, game: &mut LimitedGame, direction: Direction) {
        let steps = game.hunger() + 1;
        if matches!(game.step(direction), Event::Ate | Event::Won) {
            self.costs[game.position().len() - 1].add(Cost::of_food(steps));
        }
    }

    /// Sends the result of a game that has ended.
    fn send(&self, drawn: &Drawn) {
        if let Some(episode) = drawn.game.episode() {
            let episode = Episode { forbidden: drawn.forbidden, ..episode };
            // Nobody listens any more only where the evaluation has failed already.
            let _ = self.sender.send(Message::Finished(drawn.index, episode));
        }
    }

    /// What plays a game, unless it is left out; fails if a refusal is to fail.
    fn accepts<T>(&self, answer: Result<T, Unsupported>) -> Result<Option<T>, Unsupported> {
        match answer {
            Ok(accepted) => Ok(Some(accepted)),
            Err(reason) if self.config.refused == RefusedGames::LeaveOut => {
                // Nobody listens any more only where the evaluation has failed already.
                let _ = self.sender.send(Message::Refused(reason));
                Ok(None)
            }
            Err(reason) => Err(reason),
        }
    }

    fn play_singly(&mut self, maker: &dyn MakePolicy) -> Result<(), Unsupported> {
        while let Some(mut drawn) = self.draw() {
            let started = Instant::now();
            let made = maker.make(drawn.game.position(), Evaluation::policy_seed(drawn.game.seed()));
            self.setup += started.elapsed();
            let Some(mut policy) = self.accepts(made)? else { continue };
            while drawn.game.end().is_none() && !self.stop.load(Ordering::Relaxed) {
                match policy.try_act(drawn.game.position()) {
                    Ok(direction) => self.step(&mut drawn.game, direction),
                    Err(reason) => {
                        drawn.game.forfeit();
                        // Nobody listens any more only where the evaluation has failed already.
                        let _ = self.sender.send(Message::Forfeited(drawn.index, reason));
                    }
                }
            }
            self.send(&drawn);
        }
        Ok(())
    }

    fn play_side_by_side(&mut self, policy: &dyn BatchPolicy, make_filter: MakeFilter) -> Result<(), Unsupported> {
        let mut games: Vec<(Drawn, Box<dyn MoveFilter>)> = Vec::new();
        let (mut allowed, mut choices, mut going_on) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            while games.len() < SIDE_BY_SIDE
                && let Some(drawn) = self.draw()
            {
                let mut filter = make_filter();
                let position = drawn.game.position();
                let started = Instant::now();
                let answer = policy.check(position).and_then(|()| filter.reset(position));
                self.setup += started.elapsed();
                match self.accepts(answer)? {
                    Some(()) if drawn.game.end().is_none() => games.push((drawn, filter)),
                    // The body may fill the board from the beginning.
                    Some(()) => self.send(&drawn),
                    None => {}
                }
            }
            if games.is_empty() || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            allowed.clear();
            allowed.extend(games.iter_mut().map(|(drawn, filter)| filter.allowed(drawn.game.position())));
            choices.clear();
            choices.resize(games.len(), Choice { direction: Direction::Up, forbidden: false });
            let positions: Vec<_> = games.iter().map(|(drawn, _)| drawn.game.position()).collect();
            policy.act_all(&positions, &allowed, &mut choices);
            let mut choices = choices.iter();
            going_on.clear();
            games.retain_mut(|(drawn, filter)| {
                let &Choice { direction, forbidden } = choices.next().expect("one choice for each game");
                filter.commit(direction);
                drawn.forbidden += u64::from(forbidden);
                self.step(&mut drawn.game, direction);
                self.send(drawn);
                let goes_on = drawn.game.end().is_none();
                going_on.push(goes_on);
                goes_on
            });
            policy.keep(&going_on);
        }
    }
}
