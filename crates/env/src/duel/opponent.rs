//! The bot that a learner plays against.

use crate::EnvError;
use crate::duel::snapshot::{Played, other};
use hognose_game::duel::{Bot, Duel, DuelPosition, MakeBot, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Unsupported};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const OPPONENT: Purpose = Purpose::new("opponent");

/// The seat of a learner who plays against an opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerSeat {
    /// The first seat.
    First,
    /// The second seat.
    Second,
    /// The other seat in each next episode. The duel's seed decides the seat in the first episode.
    #[default]
    Alternate,
}

impl LearnerSeat {
    /// Returns the learner's seat in an episode.
    pub(crate) fn in_episode(self, seed: u64, episode: u64) -> Seat {
        match self {
            LearnerSeat::First => Seat::First,
            LearnerSeat::Second => Seat::Second,
            LearnerSeat::Alternate => Seat::BOTH[((seed ^ episode) & 1) as usize],
        }
    }
}

/// The maker of opponents, and the learner's seat.
pub(crate) struct Opponents {
    maker: Arc<dyn MakeBot>,
    learner: LearnerSeat,
}

/// The opponent in one episode.
pub(crate) struct Opponent {
    pub(crate) seat: Seat,
    /// The bot, or why it can't play.
    bot: Result<Box<dyn Bot>, Unsupported>,
    /// Its answer to the current position, once asked, or why it forfeits.
    answer: Option<Result<Direction, String>>,
    /// The joint moves of the episode, which determine the bot's state.
    moves: Vec<[Direction; 2]>,
}

impl Opponents {
    /// Creates the opponents of episodes that begin at a position.
    ///
    /// # Errors
    /// Fails if the bot can't play from there.
    pub(crate) fn new(
        maker: Arc<dyn MakeBot>,
        learner: LearnerSeat,
        start: &DuelPosition,
    ) -> Result<Opponents, EnvError> {
        for seat in Seat::BOTH {
            maker.make(start, seat, 0).map_err(EnvError::Opponent)?;
        }
        Ok(Opponents { maker, learner })
    }

    /// Returns the opponent for an episode of a duel's seed that begins at a position.
    pub(crate) fn make(&self, position: &DuelPosition, seed: u64, episode: u64) -> Opponent {
        let seat = self.learner.in_episode(seed, episode).other();
        let bot = self
            .maker
            .make(position, seat, rng::derive(seed, OPPONENT, episode));
        Opponent {
            seat,
            bot,
            answer: None,
            moves: Vec::new(),
        }
    }

    /// Returns the opponent for an episode of a duel's seed after asking it again about every
    /// position that was played; `duel` makes the same moves.
    ///
    /// # Errors
    /// Fails if its seat or its moves differ from those played, or the duel ends too soon.
    pub(crate) fn replay(
        &self,
        duel: &mut Duel,
        seed: u64,
        episode: u64,
        played: &Played,
    ) -> Result<Opponent, EnvError> {
        self.check_repeats()?;
        let mut opponent = self.make(duel.position(), seed, episode);
        let seat = opponent.seat;
        let got = played.seat;
        if seat != got {
            let with =
                |seat: Seat| format!("a duel in which the learner has the {} seat", seat.other());
            return Err(other(with(seat), with(got)));
        }
        for moves in &played.moves {
            opponent.ask(duel.position());
            if duel.position().outcome().is_some()
                || opponent.answer != Some(Ok(moves[seat.index()]))
            {
                let got = "a duel in which the opponent made other moves";
                return Err(other("a duel against this opponent", got));
            }
            duel.step(opponent.joint(moves[seat.other().index()]));
        }
        Ok(opponent)
    }

    /// Rejects opponents that may answer differently when asked again.
    pub(crate) fn check_repeats(&self) -> Result<(), EnvError> {
        if self.maker.repeats() {
            Ok(())
        } else {
            Err(EnvError::OpponentState)
        }
    }
}

impl Opponent {
    /// Asks for the answer to a position, unless it is already known.
    pub(crate) fn ask(&mut self, position: &DuelPosition) {
        let Opponent { bot, answer, .. } = self;
        answer.get_or_insert_with(|| match bot {
            Ok(bot) => bot.try_act(position).map_err(|forfeit| forfeit.to_string()),
            Err(refusal) => Err(refusal.to_string()),
        });
    }

    /// Returns why the opponent forfeits in the current position, if it does.
    pub(crate) fn gives_up(&self) -> Option<&str> {
        self.answer
            .as_ref()
            .and_then(|answer| answer.as_ref().err())
            .map(String::as_str)
    }

    /// Returns the next joint move: the learner's move and the opponent's answer, which must be
    /// known.
    pub(crate) fn joint(&mut self, learner: Direction) -> [Direction; 2] {
        let answer = self
            .answer
            .take()
            .and_then(Result::ok)
            .expect("the opponent has answered");
        let moves = self.seat.joint(answer, learner);
        self.moves.push(moves);
        moves
    }

    /// Passes the end of the episode to the bot.
    pub(crate) fn end(&mut self, position: &DuelPosition) {
        if let Ok(bot) = &mut self.bot {
            bot.end(position);
        }
    }

    /// Returns what the opponent has played in this episode.
    pub(crate) fn played(&self) -> Played {
        Played {
            seat: self.seat,
            moves: self.moves.clone(),
        }
    }
}
