//! Regret: what a policy loses compared with optimal play.

use crate::stats::{self, Interval};
use crate::threads::{TICK, listen};
use crate::{Evaluation, LimitedGame, RefusedGames};
use hognose_game::{Direction, MakePolicy, Position, Unsupported};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::Instant;

/// The minimum expected number of steps to fill the board for certain after each move, including
/// the move itself; `None` for moves that lose or after which no win is certain.
pub type Worth = [Option<f64>; 4];

/// The regret of a policy's games. A position is *sure* if some move keeps a win certain; only
/// these positions count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regret {
    /// Games played.
    pub games: usize,
    /// Sure positions encountered.
    pub positions: usize,
    /// Share of sure positions in which the policy played an optimal move.
    pub optimal_moves: f64,
    /// The interval of that share, by bootstrap over games.
    pub optimal_moves_interval: Option<Interval>,
    /// Moves after which a win was no longer certain.
    pub given_away: usize,
    /// Mean over games of the expected steps lost by the other moves.
    pub steps_per_game: f64,
    /// The interval of that mean (Student's t).
    pub steps_per_game_interval: Option<Interval>,
    /// Mean expected steps lost per move, over the moves in sure positions that kept a win certain.
    pub steps_per_move: f64,
    /// Spearman's rank correlation between the policy's own value of a position and the negated
    /// exact value, computed among sure positions of the same length and averaged over lengths (a
    /// value that counts future rewards falls with the length, whatever the position). `None` for
    /// policies without values.
    pub value_correlation: Option<f64>,
    /// For each length, the mean expected steps lost per game.
    pub steps_by_length: Vec<f64>,
}

/// Moves whose expected steps differ by less are equally good.
const EQUAL: f64 = 1e-9;

/// The maximum number of moves that wait for their evaluation.
const WAITING_MOVES: usize = 64;

/// Plays an evaluation's games one by one, and compares each move with optimal play and the
/// policy's own values with exact ones.
///
/// `worth` returns the exact expected steps after each move in a position, and `own_value` the
/// policy's own value of the position. `played` is called at least ten times a second with the
/// number of finished games, and may stop; then the games so far count. The policy plays on a
/// separate thread, which is abandoned if it thinks for another half second. A forfeited game
/// counts up to the forfeit.
///
/// Here all legal moves take the same number of steps, so every move is optimal:
///
/// ```
/// use hognose_eval::{Evaluation, regret};
/// use hognose_game::{Direction, Position, Rules};
/// use hognose_solvers::Hamiltonian;
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// let config = Evaluation::new(Rules::new("4x4".parse()?), 0, 10);
/// let worth = |position: &Position| {
///     let legal = position.legal_moves();
///     Ok(Direction::ALL.map(|direction| legal.contains(direction).then_some(30.0)))
/// };
/// let policy = Arc::new(Hamiltonian::default());
/// let lost = regret(policy, &config, worth, |_| None, |_| ControlFlow::Continue(()))?;
/// assert_eq!((lost.games, lost.optimal_moves, lost.steps_per_game), (10, 1.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the policy refuses a game and refused games are not left out, or if `worth` refuses a
/// position.
pub fn regret(
    maker: Arc<dyn MakePolicy>,
    config: &Evaluation,
    mut worth: impl FnMut(&Position) -> Result<Worth, Unsupported>,
    mut own_value: impl FnMut(&Position) -> Option<f64>,
    mut played: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Regret, Unsupported> {
    let area = config.rules.board().area();
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, messages) = mpsc::sync_channel(WAITING_MOVES);
    let player = {
        let config = config.clone();
        let stop = Arc::clone(&stop);
        thread::spawn(move || play(&*maker, &config, &stop, &sender))
    };
    let mut lost_by_length = vec![0.0; area];
    let mut given_away = 0;
    let mut kept = 0;
    let mut games = Vec::new();
    // For each game: optimal moves, and positions that count.
    let mut counts: Vec<(usize, usize)> = Vec::new();
    let mut values_of = vec![Vec::new(); area];
    // For the current game.
    let mut lost = 0.0;
    let mut optimal = 0;
    let mut positions = 0;
    let mut result = Ok(());
    let mut asked = Instant::now();
    listen(vec![player], &messages, &stop, |message| {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let has_moved = matches!(message, Some(Message::Moved(..)));
        match message {
            Some(Message::Moved(position, direction)) => match worth(&position) {
                Ok(values) => {
                    let length = position.len();
                    let best = values.into_iter().flatten().reduce(f64::min);
                    positions += usize::from(best.is_some());
                    values_of[length]
                        .extend(best.and_then(|best| Some((own_value(&position)?, -best))));
                    match (best, values[direction.index()]) {
                        (Some(best), Some(value)) => {
                            kept += 1;
                            optimal += usize::from(value - best < EQUAL);
                            lost += value - best;
                            lost_by_length[length] += value - best;
                        }
                        (Some(_), None) => given_away += 1,
                        (None, _) => {}
                    }
                }
                Err(reason) => result = Err(reason),
            },
            Some(Message::Ended) => {
                games.push(std::mem::take(&mut lost));
                counts.push((std::mem::take(&mut optimal), std::mem::take(&mut positions)));
            }
            Some(Message::Refused(reason)) if config.refused == RefusedGames::Fail => {
                result = Err(reason)
            }
            _ => {}
        }
        if result.is_err() {
            return false;
        }
        if has_moved && asked.elapsed() < TICK {
            return true;
        }
        asked = Instant::now();
        played(games.len()).is_continue()
    });
    result?;
    let total: f64 = games.iter().sum();
    let (optimal, positions) = counts
        .iter()
        .fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1));
    Ok(Regret {
        games: games.len(),
        positions,
        optimal_moves: optimal as f64 / positions.max(1) as f64,
        optimal_moves_interval: stats::bootstrap_interval(&counts, config.seed),
        given_away,
        steps_per_game: total / games.len().max(1) as f64,
        steps_per_game_interval: stats::mean_interval(&games),
        steps_per_move: total / kept.max(1) as f64,
        value_correlation: mean_correlation(&values_of),
        steps_by_length: lost_by_length
            .iter()
            .map(|lost| lost / games.len().max(1) as f64)
            .collect(),
    })
}

/// A message of the playing thread.
enum Message {
    Moved(Position, Direction),
    Ended,
    Refused(Unsupported),
}

/// Plays the games, and sends each move with its position.
fn play(
    maker: &dyn MakePolicy,
    config: &Evaluation,
    stop: &AtomicBool,
    sender: &SyncSender<Message>,
) {
    for index in 0..config.games {
        let mut game = LimitedGame::new(config.game(config.first + index), config.limits);
        let message = match maker.make(game.position(), Evaluation::policy_seed(game.seed())) {
            Ok(mut policy) => {
                while game.end().is_none() {
                    let position = game.position().clone();
                    let Ok(direction) = game.play(&mut *policy) else {
                        continue;
                    };
                    if stop.load(Ordering::Relaxed)
                        || sender.send(Message::Moved(position, direction)).is_err()
                    {
                        return;
                    }
                }
                Message::Ended
            }
            Err(reason) => Message::Refused(reason),
        };
        if stop.load(Ordering::Relaxed) || sender.send(message).is_err() {
            return;
        }
    }
}

/// Returns the mean of the rank correlations of groups of pairs, weighted by group size.
fn mean_correlation(groups: &[Vec<(f64, f64)>]) -> Option<f64> {
    let correlations = groups
        .iter()
        .filter_map(|pairs| Some((pairs.len() as f64, stats::rank_correlation(pairs)?)));
    let (weight, total) = correlations.fold((0.0, 0.0), |(weight, total), (n, r)| {
        (weight + n, total + n * r)
    });
    (weight > 0.0).then(|| total / weight)
}
