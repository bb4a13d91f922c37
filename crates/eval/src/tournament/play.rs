//! A tournament, and how it is played.

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

/// The version of the format that tournaments are written in. In the first, foods were never
/// turned.
const FORMAT: u32 = 2;

/// A tournament: which games it has, and those that were played so far.
///
/// It holds no times, so the same games give the same tournament, on any number of threads, and
/// however often it was broken off.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "TournamentText")]
pub struct Tournament {
    /// The version of the format.
    format: u32,
    /// What the games follow from, as a number.
    check: String,
    #[serde(flatten)]
    schedule: Schedule,
    /// In the order of their numbers.
    duels: Vec<PlayedDuel>,
    /// By bot; empty before anything is played.
    #[serde(skip)]
    depend_on_clock: Vec<bool>,
    /// By bot, of the games that this value has played.
    #[serde(skip)]
    speeds: Vec<Speed>,
}

#[derive(Deserialize)]
struct TournamentText {
    format: u32,
    /// Tournaments of the first format have none.
    check: Option<String>,
    #[serde(flatten)]
    schedule: Schedule,
    duels: Vec<PlayedDuel>,
}

/// How far a tournament is.
#[derive(Clone, Copy, Debug)]
pub struct TournamentProgress<'a> {
    /// The games that have ended, in the order in which they ended.
    pub played: &'a [PlayedDuel],
    /// Games in all.
    pub games: usize,
    /// The game that has just ended; `None` if time has passed and nothing else.
    pub ended: Option<&'a PlayedDuel>,
}

/// Why a tournament is not played to its end, or not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TournamentError {
    /// There is no such tournament.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// It is of another version of the format.
    #[error("expected a tournament of format 1 or {FORMAT}, got format {0}")]
    Format(u32),
    /// A game is not one of the tournament's, or there twice.
    #[error("game {0} is out of place")]
    Game(usize),
    /// A game can't have come to what it says.
    #[error("game {game} contradicts itself or the rules: {what}")]
    Contradiction {
        /// The number of the game.
        game: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The rules, the seed or the bots are others than those that the games were played with.
    #[error(
        "the rules, the seed or the bots were changed after games were played: expected the check \
         {expected}, got {got}"
    )]
    Changed {
        /// What follows from the tournament as it is.
        expected: String,
        /// What is written.
        got: String,
    },
    /// A longer tournament can't become a shorter one.
    #[error(
        "expected at least the {expected} games of each pair that the tournament has, got {got}"
    )]
    Shorter {
        /// The games of each pair that it has.
        expected: usize,
        /// The games of each pair that were asked for.
        got: usize,
    },
    /// There are not as many bots as names.
    #[error("expected {expected} bots, got {got}")]
    Bots {
        /// How many names there are.
        expected: usize,
        /// How many bots.
        got: usize,
    },
    /// There is no thread to play on.
    #[error("the number of threads must be at least 1, got 0")]
    Threads,
    /// A bot does not play by these rules.
    #[error("{bot}: {reason}")]
    Unsupported {
        /// The bot.
        bot: String,
        /// Why not.
        reason: Unsupported,
    },
    /// The caller broke it off. The games that had ended are kept.
    #[error("interrupted")]
    Interrupted,
}

impl Tournament {
    /// A tournament before its first game.
    pub fn new(schedule: Schedule) -> Tournament {
        let (duels, depend_on_clock, speeds) = Default::default();
        Tournament {
            format: FORMAT,
            check: schedule.check(),
            schedule,
            duels,
            depend_on_clock,
            speeds,
        }
    }

    /// A tournament of which these games were played, in the order of their numbers.
    ///
    /// # Errors
    /// When a game is not one of the tournament's, or there twice, or out of order.
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

    /// This tournament with more games of each pair. Games that were played stay.
    ///
    /// # Errors
    /// When the number is smaller than before, or odd.
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

    /// Which games it has.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The games that have ended, in the order of their numbers.
    pub fn duels(&self) -> &[PlayedDuel] {
        &self.duels
    }

    /// Whether all games were played.
    pub fn is_finished(&self) -> bool {
        self.duels.len() == self.schedule.len()
    }

    /// How fast each bot was in the games that this value has played; empty before.
    pub fn speeds(&self) -> &[Speed] {
        &self.speeds
    }

    /// Whether the moves of a bot depended on how long they took, so that another machine may play
    /// other games.
    pub fn depends_on_clock(&self, bot: usize) -> bool {
        self.depend_on_clock.get(bot).copied().unwrap_or(false)
    }

    /// Plays the games that are missing, on this many threads. `bots` are in the order of their
    /// names. Calls `progress` on this thread, at least ten times a second. If it breaks off, the
    /// games that had ended are kept, and playing again goes on with the others. A bot that is
    /// still being made, or that thinks for half a second longer, is left behind on its thread.
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
    /// When a bot refuses the rules (then nothing is played), or `progress` breaks off.
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
        let schedule = self.schedule.clone();
        let bots = bots.to_vec();
        let stop = AtomicBool::new(false);
        let work = Arc::new(Work {
            schedule,
            bots,
            played,
            next: AtomicUsize::new(0),
            stop,
        });
        // Threads wait until their game is told: so few games are played on when the caller breaks
        // off.
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
                Some(Message::Refused(error)) => {
                    result = Err(error);
                    None
                }
                Some(Message::Done(speeds)) => {
                    self.speeds
                        .iter_mut()
                        .zip(speeds)
                        .for_each(|(speed, its)| speed.add(its));
                    None
                }
                None => None,
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
            if result.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        self.duels.sort_unstable_by_key(|duel| duel.index);
        result
    }

    /// Whether all bots play by these rules, with both seats. Bots may think long when they are
    /// made, so a thread makes them, which is left behind if `progress` breaks off.
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
                // Nobody listens any more once the caller has broken off.
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
            if let Some((bot, reason)) = refusal {
                result = Err(TournamentError::Unsupported {
                    bot: names[bot].clone(),
                    reason,
                });
            } else if result.is_ok() && progress(so_far).is_break() {
                result = Err(TournamentError::Interrupted);
            }
            if result.is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        result
    }
}

/// What threads share.
struct Work {
    schedule: Schedule,
    bots: Vec<Arc<dyn MakeBot>>,
    /// The numbers of the games that were played before, in order.
    played: Vec<usize>,
    /// The number of the next game that may be missing.
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Work {
    /// Plays games that are missing until there are no more, and tells each.
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
                // Nobody listens any more only where the tournament has failed already.
                Ok(Some(duel)) => drop(sender.send(Message::Ended(duel))),
                Ok(None) => break,
                Err((seat, reason)) => {
                    let bot = schedule.bots()[game.bots[seat.index()]].clone();
                    drop(sender.send(Message::Refused(TournamentError::Unsupported {
                        bot,
                        reason,
                    })));
                    break;
                }
            }
        }
        drop(sender.send(Message::Done(speeds)));
    }
}

/// Plays the game of a number with the bots of a schedule, and writes it down; `None` if `stop`
/// broke it off. A schedule knows the games after its last one, too.
///
/// # Errors
/// When a bot refuses the game.
///
/// # Panics
/// When there are fewer bots than in the schedule.
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
    let played = played.map_err(|(seat, reason)| TournamentError::Unsupported {
        bot: schedule.label(game.bots[seat.index()]),
        reason,
    })?;
    Ok(played.map(|played| {
        (
            played,
            DuelRecord::new(start, moves).expect("the moves were made in the duel"),
        )
    }))
}

enum Message {
    Ended(PlayedDuel),
    Refused(TournamentError),
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
