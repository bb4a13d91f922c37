//! The bot against which a learner plays.

use hognose_game::duel::{DuelPosition, Duelist, MakeDuelist, Seat};
use hognose_game::{Direction, Unsupported};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which seat the learner has against an opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnerSeat {
    /// The first.
    First,
    /// The second.
    Second,
    /// Another one in each episode of a duel. The seed of the duel says which seat it has in the first episode.
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
    pub(crate) maker: Arc<dyn MakeDuelist>,
    pub(crate) learner: LearnerSeat,
}

/// The opponent in one episode.
pub(crate) struct Opponent {
    pub(crate) seat: Seat,
    /// Why there is none, if it refused to play.
    bot: Result<Box<dyn Duelist>, Unsupported>,
    /// What it answers to the position at hand, once it was asked, or why it gives up.
    answer: Option<Result<Direction, String>>,
}

impl Opponents {
    /// The opponent in an episode that begins at a position.
    pub(crate) fn make(&self, position: &DuelPosition, learner: Seat, seed: u64) -> Opponent {
        let seat = learner.other();
        Opponent { seat, bot: self.maker.make(position, seat, seed), answer: None }
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
        self.answer.as_ref().and_then(|answer| answer.as_ref().err()).map(String::as_str)
    }

    /// Takes the answer to the position at hand, which was asked for and is a move.
    pub(crate) fn take_answer(&mut self) -> Direction {
        self.answer.take().and_then(Result::ok).expect("the opponent was asked and has answered")
    }
}
