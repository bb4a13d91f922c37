//! Plays the same games with any policy, on several threads.

use crate::threads::listen;
use crate::{Cost, Episode, Evaluation, LimitedGame, Played, RefusedGames};
use hognose_game::{
    BatchPolicy, Choice, Direction, Event, Forfeit, MakeFilter, MakePolicy, MoveFilter, Player,
    Unsupported,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The number of games that a batch policy plays side by side.
const SIDE_BY_SIDE: usize = 128;

/// The progress of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Games finished.
    pub finished: usize,
    /// Total games.
    pub games: usize,
    /// The reason of the first forfeit; `None` if there was none.
    pub forfeit: Option<&'a Forfeit>,
}

/// The maximum number of games of an evaluation: its episodes take about a gigabyte.
pub const MOST_GAMES: usize = 1 << 24;

/// An error of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// There is nothing to play.
    #[error("the number of {0} must be at least 1, got 0")]
    Zero(&'static str),
    /// There are too many games.
    #[error("the number of games must be at most {MOST_GAMES}, got {0}")]
    TooMany(usize),
    /// The policy does not play these games.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The caller stopped the evaluation.
    #[error("interrupted")]
    Interrupted,
}

/// Plays every game with players that `make` creates, one per thread. Calls `progress` on this
/// thread at least ten times a second. If `progress` stops the evaluation, a policy that thinks for
/// another half second is abandoned on its thread, which ends after the move.
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
/// Fails if there is nothing to play, the policy refuses a game, or `progress` stops the
/// evaluation.
pub fn evaluate(
    mut make: impl FnMut() -> Player,
    config: &Evaluation,
    mut progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Played, EvalError> {
    check(config)?;
    let work = Arc::new(Work {
        config: config.clone(),
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    });
    let (sender, messages) = mpsc::channel();
    let mut tally = Tally::new(config);
    let mut threads = Vec::new();
    for _ in 0..config.threads.min(config.games) {
        let player = make();
        tally.depends_on_clock |=
            matches!(&player, Player::Single(maker) if maker.depends_on_clock());
        let worker = Worker {
            work: Arc::clone(&work),
            sender: sender.clone(),
            costs: vec![Cost::default(); config.rules.board().area()],
            setup: Duration::ZERO,
        };
        threads.push(thread::spawn(move || worker.play(player)));
    }
    drop(sender);
    let mut result = Ok(());
    listen(threads, &messages, &work.stop, |message| {
        let received = message.map_or(Ok(()), |message| tally.receive(message));
        if result.is_ok() {
            result = received;
        }
        if result.is_ok() && progress(tally.progress()).is_break() {
            result = Err(EvalError::Interrupted);
        }
        result.is_ok()
    });
    result.map(|()| tally.played())
}

/// Checks that there is something to play, and not too much.
fn check(config: &Evaluation) -> Result<(), EvalError> {
    let limits = config.limits;
    let one_at_least = [
        ("games", config.games == 0),
        ("threads", config.threads == 0),
        ("steps until starvation", limits.starvation == Some(0)),
        (
            "steps until starvation per cell",
            limits.starvation_per_cell == Some(0),
        ),
        ("steps in the time limit", limits.time_limit == Some(0)),
    ];
    if let Some((what, _)) = one_at_least.into_iter().find(|(_, zero)| *zero) {
        return Err(EvalError::Zero(what));
    }
    if config.games > MOST_GAMES {
        return Err(EvalError::TooMany(config.games));
    }
    Ok(())
}

/// The reports of the threads so far. Games arrive in any order and are identified by their index.
struct Tally<'a> {
    config: &'a Evaluation,
    episodes: Vec<Option<Episode>>,
    finished: usize,
    forfeits: BTreeMap<usize, Forfeit>,
    refused: BTreeMap<usize, Unsupported>,
    depends_on_clock: bool,
    costs: Vec<Cost>,
    time: Duration,
    setup: Duration,
}

impl<'a> Tally<'a> {
    fn new(config: &'a Evaluation) -> Tally<'a> {
        Tally {
            config,
            episodes: vec![None; config.games],
            finished: 0,
            forfeits: BTreeMap::new(),
            refused: BTreeMap::new(),
            depends_on_clock: false,
            costs: vec![Cost::default(); config.rules.board().area()],
            time: Duration::ZERO,
            setup: Duration::ZERO,
        }
    }

    /// Adds a report. Fails if the policy refused a game that it must play.
    fn receive(&mut self, message: Message) -> Result<(), EvalError> {
        match message {
            Message::Finished(index, episode) => {
                self.episodes[index] = Some(episode);
                self.finished += 1;
            }
            Message::Forfeited(index, reason) => {
                self.forfeits.insert(index, reason);
            }
            Message::Refused(_, reason) if self.config.refused == RefusedGames::Fail => {
                return Err(reason.into());
            }
            Message::Refused(index, reason) => {
                self.refused.insert(self.config.first + index, reason);
            }
            Message::Done { time, setup, costs } => {
                for (cost, its) in self.costs.iter_mut().zip(costs) {
                    cost.add(its);
                }
                self.time += time;
                self.setup += setup;
            }
        }
        Ok(())
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            finished: self.finished,
            games: self.config.games,
            forfeit: self.forfeits.values().next(),
        }
    }

    /// Returns the games that all threads played.
    fn played(self) -> Played {
        let forfeit = self.forfeits.into_values().next();
        let refused = self.refused.keys().copied().collect();
        let refusal = self.refused.into_values().next();
        Played {
            episodes: self.episodes.into_iter().flatten().collect(),
            refused,
            refusal: refusal.map(|Unsupported(reason)| reason),
            forfeit: forfeit.map(|Forfeit(reason)| reason),
            depends_on_clock: self.depends_on_clock,
            costs: self.costs,
            time: self.time,
            setup: self.setup,
        }
    }
}

/// A report of a thread.
enum Message {
    Finished(usize, Episode),
    Forfeited(usize, Forfeit),
    Refused(usize, Unsupported),
    Done {
        time: Duration,
        setup: Duration,
        costs: Vec<Cost>,
    },
}

/// The state shared by all threads.
struct Work {
    config: Evaluation,
    /// The index of the next game.
    next: AtomicUsize,
    stop: AtomicBool,
}

/// The state of one thread, and its results so far.
struct Worker {
    work: Arc<Work>,
    sender: mpsc::Sender<Message>,
    /// Costs by length.
    costs: Vec<Cost>,
    /// Time spent on setup so far.
    setup: Duration,
}

/// A game of an evaluation in progress.
struct Drawn {
    index: usize,
    game: LimitedGame,
    forbidden: u64,
}

impl Worker {
    /// Plays games until there are no more, or the caller stops the evaluation.
    fn play(mut self, player: Player) {
        let started = Instant::now();
        match player {
            Player::Single(maker) => self.play_singly(&*maker),
            Player::Batch(policy, make_filter) => self.play_side_by_side(&*policy, make_filter),
        }
        let time = started.elapsed().saturating_sub(self.setup);
        let costs = std::mem::take(&mut self.costs);
        self.report(Message::Done {
            time,
            setup: self.setup,
            costs,
        });
    }

    /// Sends a message. The receiver is gone only if the caller has stopped the evaluation.
    fn report(&self, message: Message) {
        let _ = self.sender.send(message);
    }

    fn is_stopped(&self) -> bool {
        self.work.stop.load(Ordering::Relaxed)
    }

    /// Returns the next game, if one is left and the caller has not stopped the evaluation.
    fn draw(&self) -> Option<Drawn> {
        let Work { config, next, .. } = &*self.work;
        let index = next.fetch_add(1, Ordering::Relaxed);
        if self.is_stopped() || index >= config.games {
            return None;
        }
        let game = LimitedGame::new(config.game(config.first + index), config.limits);
        Some(Drawn {
            index,
            game,
            forbidden: 0,
        })
    }

    /// Makes a move, and counts the cost of a food.
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
            self.report(Message::Finished(
                drawn.index,
                Episode {
                    forbidden: drawn.forbidden,
                    ..episode
                },
            ));
        }
    }

    fn play_singly(&mut self, maker: &dyn MakePolicy) {
        while let Some(mut drawn) = self.draw() {
            let started = Instant::now();
            let made = maker.make(
                drawn.game.position(),
                Evaluation::policy_seed(drawn.game.seed()),
            );
            self.setup += started.elapsed();
            let mut policy = match made {
                Ok(policy) => policy,
                Err(reason) => {
                    self.report(Message::Refused(drawn.index, reason));
                    continue;
                }
            };
            while drawn.game.end().is_none() && !self.is_stopped() {
                match policy.try_act(drawn.game.position()) {
                    Ok(direction) => self.step(&mut drawn.game, direction),
                    Err(reason) => {
                        drawn.game.forfeit();
                        self.report(Message::Forfeited(drawn.index, reason));
                    }
                }
            }
            self.send(&drawn);
        }
    }

    fn play_side_by_side(&mut self, policy: &dyn BatchPolicy, make_filter: MakeFilter) {
        let mut games: Vec<(Drawn, Box<dyn MoveFilter>)> = Vec::new();
        let mut allowed = Vec::new();
        let mut choices = Vec::new();
        let mut going_on = Vec::new();
        loop {
            while games.len() < SIDE_BY_SIDE
                && let Some(drawn) = self.draw()
            {
                let mut filter = make_filter();
                let position = drawn.game.position();
                let started = Instant::now();
                let answer = policy.check(position).and_then(|()| filter.reset(position));
                self.setup += started.elapsed();
                match answer {
                    Ok(()) if drawn.game.end().is_none() => games.push((drawn, filter)),
                    // The body may fill the board from the start.
                    Ok(()) => self.send(&drawn),
                    Err(reason) => self.report(Message::Refused(drawn.index, reason)),
                }
            }
            if games.is_empty() || self.is_stopped() {
                return;
            }
            allowed.clear();
            allowed.extend(
                games
                    .iter_mut()
                    .map(|(drawn, filter)| filter.allowed(drawn.game.position())),
            );
            choices.clear();
            choices.resize(
                games.len(),
                Choice {
                    direction: Direction::Up,
                    forbidden: false,
                },
            );
            let positions: Vec<_> = games
                .iter()
                .map(|(drawn, _)| drawn.game.position())
                .collect();
            policy.act_all(&positions, &allowed, &mut choices);
            let mut choices = choices.iter();
            going_on.clear();
            games.retain_mut(|(drawn, filter)| {
                let &Choice {
                    direction,
                    forbidden,
                } = choices.next().expect("one choice for each game");
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
