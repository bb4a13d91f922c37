//! The bot against which a learner plays.

use crate::EnvError;
use crate::duel::snapshot::{Played, other};
use hognose_game::duel::{Bot, Duel, DuelPosition, MakeBot, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Unsupported};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const OPPONENT: Purpose = Purpose::new("opponent");

/// Which seat the learner has against an opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerSeat {
    /// The first.
    First,
    /// The second.
    Second,
    /// Another one in each episode of a duel. The seed of the duel says which seat it has in the
    /// first episode.
    #[default]
    Alternate,
}

impl LearnerSeat {
    /// The seat in an episode.
    pub(crate) fn in_episode(self, seed: u64, episode: u64) -> Seat {
        match self {
            LearnerSeat::First => Seat::First,
            LearnerSeat::Second => Seat::Second,
            LearnerSeat::Alternate => Seat::BOTH[((seed ^ episode) & 1) as usize],
        }
    }
}

/// What makes opponents, and where learners sit.
#[derive(Clone)]
pub(crate) struct Opponents {
    pub(crate) maker: Arc<dyn MakeBot>,
    pub(crate) learner: LearnerSeat,
}

/// The opponent in one episode.
pub(crate) struct Opponent {
    pub(crate) seat: Seat,
    /// Why there is none, if it refused to play.
    bot: Result<Box<dyn Bot>, Unsupported>,
    /// What it answers to the position at hand, once it was asked, or why it gives up.
    answer: Option<Result<Direction, String>>,
    /// The joint moves of the episode so far. Its state follows from them.
    moves: Vec<[Direction; 2]>,
}

impl Opponents {
    /// The opponent in an episode of a seed, which begins at a position.
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

    /// The opponent in an episode of a seed, asked again about every position of a duel, which
    /// makes the moves of before.
    ///
    /// # Errors
    /// When it plays another seat or other moves than it did, or the duel ends too soon.
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

    /// Refuses opponents that may play otherwise when they are asked again.
    pub(crate) fn check_repeats(&self) -> Result<(), EnvError> {
        if self.maker.repeats() {
            Ok(())
        } else {
            Err(EnvError::OpponentState)
        }
    }
}

impl Opponent {
    /// Asks for the answer to a position, unless it is known.
    pub(crate) fn ask(&mut self, position: &DuelPosition) {
        let Opponent { bot, answer, .. } = self;
        answer.get_or_insert_with(|| match bot {
            Ok(bot) => bot.try_act(position).map_err(|forfeit| forfeit.to_string()),
            Err(refusal) => Err(refusal.to_string()),
        });
    }

    /// Why the opponent gives up, if it does so in the position at hand.
    pub(crate) fn gives_up(&self) -> Option<&str> {
        self.answer
            .as_ref()
            .and_then(|answer| answer.as_ref().err())
            .map(String::as_str)
    }

    /// The next joint move, of the learner's move and of the answer to the position at hand, which
    /// was asked for.
    pub(crate) fn joint(&mut self, learner: Direction) -> [Direction; 2] {
        let answer = self
            .answer
            .take()
            .and_then(Result::ok)
            .expect("the opponent was asked and has answered");
        let moves = self.seat.joint(answer, learner);
        self.moves.push(moves);
        moves
    }

    /// Tells it how the episode ended.
    pub(crate) fn end(&mut self, position: &DuelPosition) {
        if let Ok(bot) = &mut self.bot {
            bot.end(position);
        }
    }

    /// What it has played in this episode.
    pub(crate) fn played(&self) -> Played {
        Played {
            seat: self.seat,
            moves: self.moves.clone(),
        }
    }
}
