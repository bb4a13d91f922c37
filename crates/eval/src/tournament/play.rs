//! Tournaments and how they are played.

use crate::threads::listen;
use crate::tournament::played::{PlayedDuel, Speed, play_duel};
use crate::tournament::{Schedule, ScheduleError};
use hognose_game::Unsupported;
use hognose_game::duel::{DuelPosition, DuelRecord, MakeBot, Seat};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;

/// The format version of tournaments. In the first version, foods were never rotated.
const FORMAT: u32 = 2;

/// A tournament: its schedule, and the games played so far.
///
/// It contains no times, so the same games give the same tournament, on any number of threads and
/// however often it was interrupted.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "TournamentText")]
pub struct Tournament {
    /// The format version.
    format: u32,
    /// A checksum of what determines the games.
    check: String,
    #[serde(flatten)]
    schedule: Schedule,
    /// The games played, ordered by index.
    duels: Vec<PlayedDuel>,
    /// By bot; empty before anything is played.
    #[serde(skip)]
    depend_on_clock: Vec<bool>,
    /// By bot, for the games played by this instance.
    #[serde(skip)]
    speeds: Vec<Speed>,
}

#[derive(Deserialize)]
struct TournamentText {
    format: u32,
    /// Absent in the first format version.
    check: Option<String>,
    #[serde(flatten)]
    schedule: Schedule,
    duels: Vec<PlayedDuel>,
}

/// The progress of a tournament.
#[derive(Clone, Copy, Debug)]
pub struct TournamentProgress<'a> {
    /// The games that have ended, in the order in which they ended.
    pub played: &'a [PlayedDuel],
    /// Total games.
    pub games: usize,
    /// The game that has just ended; `None` if only time has passed.
    pub ended: Option<&'a PlayedDuel>,
}

/// An error of playing or reading a tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TournamentError {
    /// The schedule is invalid.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The tournament has another format version.
    #[error("expected a tournament of format 1 or {FORMAT}, got format {0}")]
    Format(u32),
    /// A game does not belong to the tournament, or is a duplicate.
    #[error("game {0} does not belong to the tournament, is a duplicate or is out of order")]
    Game(usize),
    /// The result of a game is impossible.
    #[error("game {game} contradicts itself or the rules: {what}")]
    Contradiction {
        /// The number of the game.
        game: usize,
        /// The contradiction.
        what: &'static str,
    },
    /// The rules, the seed or the bots differ from those that the games were played with.
    #[error(
        "the rules, the seed or the bots were changed after games were played: expected the check \
         {expected}, got {got}"
    )]
    Changed {
        /// The checksum of the tournament as it is.
        expected: String,
        /// The checksum in the file.
        got: String,
    },
    /// A tournament can't be shortened.
    #[error(
        "expected at least {expected} games per pair, which the tournament already has, got {got}"
    )]
    Shorter {
        /// Games per pair of the tournament.
        expected: usize,
        /// Games per pair requested.
        got: usize,
    },
    /// The number of bots does not match the number of names.
    #[error("expected {expected} bots, got {got}")]
    Bots {
        /// The number of names.
        expected: usize,
        /// The number of bots.
        got: usize,
    },
    /// There are no threads.
    #[error("the number of threads must be at least 1, got 0")]
    Threads,
    /// A bot does not play by these rules.
    #[error("{bot}: {reason}")]
    Unsupported {
        /// The bot.
        bot: String,
        /// The reason.
        reason: Unsupported,
    },
    /// The caller stopped the tournament. The games that had ended are kept.
    #[error("interrupted")]
    Interrupted,
}

impl Tournament {
    /// Creates a tournament before its first game.
    pub fn new(schedule: Schedule) -> Tournament {
        Tournament {
            format: FORMAT,
            check: schedule.check(),
            schedule,
            duels: Vec::new(),
            depend_on_clock: Vec::new(),
            speeds: Vec::new(),
        }
    }

    /// Creates a tournament in which these games were already played, ordered by index.
    ///
    /// # Errors
    /// Fails if a game does not belong to the tournament, is a duplicate or is out of order.
    pub fn from_duels(
        schedule: Schedule,
        duels: Vec<PlayedDuel>,
    ) -> Result<Tournament, TournamentError> {
        let mut next = 0;
        for duel in &duels {
            if duel.index < next || duel.index >= schedule.len() {
                return Err(TournamentError::Game(duel.index));
            }
            next = duel.index + 1;
        }
        Ok(Tournament {
            duels,
            ..Tournament::new(schedule)
        })
    }

    /// Returns this tournament with more games per pair, keeping the games that were played.
    ///
    /// # Errors
    /// Fails if the number is smaller than before, or odd.
    pub fn with_games(self, games: usize) -> Result<Tournament, TournamentError> {
        if games < self.schedule.games() {
            return Err(TournamentError::Shorter {
                expected: self.schedule.games(),
                got: games,
            });
        }
        Ok(Tournament {
            schedule: self.schedule.with_games(games)?,
            ..self
        })
    }

    /// Returns the schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the games that have ended, ordered by index.
    pub fn duels(&self) -> &[PlayedDuel] {
        &self.duels
    }

    /// Returns whether all games were played.
    pub fn is_finished(&self) -> bool {
        self.duels.len() == self.schedule.len()
    }

    /// Returns the speed of each bot in the games played by this instance; empty before.
    pub fn speeds(&self) -> &[Speed] {
        &self.speeds
    }

    /// Returns whether the moves of a bot depend on the clock, so that games may differ on another
    /// machine.
    pub fn depends_on_clock(&self, bot: usize) -> bool {
        self.depend_on_clock.get(bot).copied().unwrap_or(false)
    }

    /// Plays the remaining games on `threads` threads, with `bots` in the order of their names.
    /// Calls `progress` on this thread at least ten times a second. If it stops the tournament, the
    /// games that had ended are kept, and another call plays the rest. A bot that is still being
    /// created, or that thinks for another half second, is abandoned on its thread.
    ///
    /// ```
    /// use hognose_eval::tournament::{Schedule, Tournament};
    /// use hognose_game::Direction;
    /// use hognose_game::duel::{DuelPosition, DuelRules, Bot, MakeBot, Seat};
    /// use std::ops::ControlFlow;
    /// use std::sync::Arc;
    ///
    /// /// Plays its first or its last legal move.
    /// struct Simple(Seat, bool);
    ///
    /// impl Bot for Simple {
    ///     fn act(&mut self, position: &DuelPosition) -> Direction {
    ///         let mut legal = position.legal_moves(self.0).iter();
    ///         let chosen = if self.1 { legal.next() } else { legal.last() };
    ///         chosen.unwrap_or(Direction::Up)
    ///     }
    /// }
    ///
    /// let bot = |first: bool| -> Arc<dyn MakeBot> {
    ///     Arc::new(move |_: &DuelPosition, seat: Seat, _: u64| {
    ///         Ok(Box::new(Simple(seat, first)) as Box<dyn Bot>)
    ///     })
    /// };
    /// let names = ["first", "last"].map(str::to_owned);
    /// let mut tournament =
    ///     Tournament::new(Schedule::new(DuelRules::ai_snakes_2021(), names, 20, 0)?);
    /// tournament.play(&[bot(true), bot(false)], 2, |_| ControlFlow::Continue(()))?;
    /// let ranking = tournament.ranking();
    /// assert_eq!(ranking.bots[0].games, 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if a bot refuses the rules (then nothing is played), or if `progress` stops the
    /// tournament.
    pub fn play(
        &mut self,
        bots: &[Arc<dyn MakeBot>],
        threads: usize,
        mut progress: impl FnMut(TournamentProgress<'_>) -> ControlFlow<()>,
    ) -> Result<(), TournamentError> {
        self.check(bots, threads, &mut progress)?;
        self.depend_on_clock = bots.iter().map(|bot| bot.depends_on_clock()).collect();
        self.speeds.resize(bots.len(), Speed::default());
        let games = self.schedule.len();
        let played: Vec<usize> = self.duels.iter().map(|duel| duel.index).collect();
        let threads = threads.min(games - played.len());
        let work = Arc::new(Work {
            schedule: self.schedule.clone(),
            bots: bots.to_vec(),
            played,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        });
        // Threads wait until their game is received, so few games are still played after the caller
        // stops.
        let (sender, receiver) = mpsc::sync_channel(1);
        let threads: Vec<JoinHandle<()>> = (0..threads)
            .map(|_| {
                let work = Arc::clone(&work);
                let sender = sender.clone();
                std::thread::spawn(move || work.play(&sender))
            })
            .collect();
        drop(sender);
        let mut result = Ok(());
        listen(threads, &receiver, &work.stop, |message| {
            let ended = match message {
                Some(Message::Ended(duel)) => {
                    self.duels.push(duel);
                    self.duels.last()
                }
                Some(Message::Refused(bot, reason)) if result.is_ok() => {
                    result = Err(refused(&self.schedule, bot, reason));
                    None
                }
                Some(Message::Done(speeds)) => {
                    self.speeds
                        .iter_mut()
                        .zip(speeds)
                        .for_each(|(speed, its)| speed.add(its));
                    None
                }
                Some(Message::Refused(..)) | None => None,
            };
            let played = &self.duels;
            if result.is_ok()
                && progress(TournamentProgress {
                    played,
                    games,
                    ended,
                })
                .is_break()
            {
                result = Err(TournamentError::Interrupted);
            }
            result.is_ok()
        });
        self.duels.sort_unstable_by_key(|duel| duel.index);
        result
    }

    /// Checks that all bots play by these rules, in both seats. Creating a bot may take long, so it
    /// runs on a thread, which is abandoned if `progress` stops.
    fn check(
        &self,
        bots: &[Arc<dyn MakeBot>],
        threads: usize,
        progress: &mut impl FnMut(TournamentProgress<'_>) -> ControlFlow<()>,
    ) -> Result<(), TournamentError> {
        let names = self.schedule.bots();
        if bots.len() != names.len() {
            return Err(TournamentError::Bots {
                expected: names.len(),
                got: bots.len(),
            });
        }
        if threads == 0 {
            return Err(TournamentError::Threads);
        }
        let start = DuelPosition::start(*self.schedule.rules());
        let makers = bots.to_vec();
        let (sender, refusals) = mpsc::sync_channel(1);
        let check = std::thread::spawn(move || {
            let refusal = |(bot, maker): (usize, &Arc<dyn MakeBot>)| {
                Seat::BOTH
                    .into_iter()
                    .find_map(|seat| maker.make(&start, seat, 0).err())
                    .map(|reason| (bot, reason))
            };
            if let Some(refusal) = makers.iter().enumerate().find_map(refusal) {
                // The receiver is gone once the caller has stopped.
                drop(sender.send(refusal));
            }
        });
        let mut result = Ok(());
        listen(vec![check], &refusals, &AtomicBool::new(false), |refusal| {
            let so_far = TournamentProgress {
                played: &self.duels,
                games: self.schedule.len(),
                ended: None,
            };
            if result.is_ok() {
                if let Some((bot, reason)) = refusal {
                    result = Err(refused(&self.schedule, bot, reason));
                } else if progress(so_far).is_break() {
                    result = Err(TournamentError::Interrupted);
                }
            }
            result.is_ok()
        });
        result
    }
}

/// The state shared by all threads.
struct Work {
    schedule: Schedule,
    bots: Vec<Arc<dyn MakeBot>>,
    /// The indices of the games played before, in order.
    played: Vec<usize>,
    /// The index of the next game that may be missing.
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Work {
    /// Plays missing games until there are no more, and sends each.
    fn play(&self, sender: &SyncSender<Message>) {
        let Work {
            schedule,
            bots,
            played,
            next,
            stop,
        } = self;
        let mut speeds = vec![Speed::default(); bots.len()];
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= schedule.len() {
                break;
            }
            if played.binary_search(&index).is_ok() {
                continue;
            }
            let game = schedule.game(index);
            let [first, second] = game.bots;
            let its_speeds = speeds
                .get_disjoint_mut([first, second])
                .expect("no bot plays itself");
            let makers = [&bots[first], &bots[second]];
            match play_duel(
                &game,
                schedule.duel(&game),
                makers,
                its_speeds,
                |_| (),
                || stop.load(Ordering::Relaxed),
            ) {
                // The receiver is gone only if the tournament has already failed.
                Ok(Some(duel)) => drop(sender.send(Message::Ended(duel))),
                Ok(None) => break,
                Err((bot, reason)) => {
                    drop(sender.send(Message::Refused(bot, reason)));
                    break;
                }
            }
        }
        drop(sender.send(Message::Done(speeds)));
    }
}

/// Plays the game with this index with the bots of a schedule, and records it; `None` if `stop`
/// interrupted it. The index may exceed the schedule's last game.
///
/// # Errors
/// Fails if a bot refuses the game.
///
/// # Panics
/// Panics if there are fewer bots than in the schedule.
pub fn record_duel(
    schedule: &Schedule,
    index: usize,
    bots: &[Arc<dyn MakeBot>],
    stop: impl Fn() -> bool,
) -> Result<Option<(PlayedDuel, DuelRecord)>, TournamentError> {
    let game = schedule.game(index);
    let start = schedule.duel(&game);
    let makers = game.bots.map(|bot| &bots[bot]);
    let [mut first, mut second] = [Speed::default(); 2];
    let mut moves = Vec::new();
    let played = play_duel(
        &game,
        start.clone(),
        makers,
        [&mut first, &mut second],
        |both| moves.push(both),
        stop,
    );
    let played = played.map_err(|(bot, reason)| refused(schedule, bot, reason))?;
    Ok(played.map(|played| {
        (
            played,
            DuelRecord::new(start, moves).expect("the moves were made in the duel"),
        )
    }))
}

/// Returns the error of a bot that refuses a game.
fn refused(schedule: &Schedule, bot: usize, reason: Unsupported) -> TournamentError {
    TournamentError::Unsupported {
        bot: schedule.label(bot),
        reason,
    }
}

enum Message {
    Ended(PlayedDuel),
    Refused(usize, Unsupported),
    Done(Vec<Speed>),
}

impl TryFrom<TournamentText> for Tournament {
    type Error = TournamentError;

    fn try_from(text: TournamentText) -> Result<Tournament, TournamentError> {
        let TournamentText {
            format,
            check,
            schedule,
            duels,
        } = text;
        if !(1..=FORMAT).contains(&format) {
            return Err(TournamentError::Format(format));
        }
        let expected = schedule.check();
        match check {
            Some(got) if got != expected => return Err(TournamentError::Changed { expected, got }),
            None if format > 1 => {
                return Err(TournamentError::Changed {
                    expected,
                    got: "none".to_owned(),
                });
            }
            _ => {}
        }
        for duel in &duels {
            duel.check(schedule.rules())
                .map_err(|what| TournamentError::Contradiction {
                    game: duel.index,
                    what,
                })?;
        }
        Tournament::from_duels(schedule, duels)
    }
}
