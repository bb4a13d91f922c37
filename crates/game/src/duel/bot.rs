//! What plays duels.

use crate::duel::{DuelPosition, Mixture, Seat};
use crate::{Direction, Forfeit, Unsupported};

/// Plays one seat of one duel, from the position that it was made for to the end. [`MakeBot`]
/// makes one for each seat of each duel. It sees neither the seed of the duel nor the other's move.
pub trait Bot: Send {
    /// Answers with the next move. It is called once for every position of the game, in order.
    fn act(&mut self, position: &DuelPosition) -> Direction;

    /// As [`act`](Self::act), for bots that may fail, such as programs that others have written.
    /// Who plays duels calls this one; a bot that never fails need not know of it.
    ///
    /// # Errors
    /// When the bot gives the game up. It must not be asked again.
    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        Ok(self.act(position))
    }

    /// Tells how the game ended: the position after the last step. It goes on there if it was
    /// broken off, as where the other bot forfeited. Whoever plays duels calls it once, at the end.
    fn end(&mut self, _position: &DuelPosition) {}

    /// How often it plays each move in a position, if its moves follow from the position alone: not
    /// from what it has seen before, nor from a clock, and from its seed only where it draws a move
    /// from this mixture. Such a bot may be asked about any positions by the rules of its game, in
    /// any order. `None`: it is no such bot.
    fn mixture(&mut self, _position: &DuelPosition) -> Option<Mixture> {
        None
    }

    /// What the bot thought of the position that it last moved in.
    fn thought(&self) -> Thought {
        Thought::default()
    }
}

/// What a bot thought of a position, for viewers and for tables of speed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// The joint moves that it expects from the position on, seats in order; empty if it did not
    /// search.
    pub line: Vec<[Direction; 2]>,
    /// The joint positions that its search stepped to.
    pub nodes: u64,
}

impl Thought {
    /// The moves that the bot plans for its own snake after the one that it has made: none if it
    /// expected to make another.
    pub fn plan(&self, seat: Seat, made: Direction) -> Vec<Direction> {
        match self.line.split_first() {
            Some((first, rest)) if first[seat.index()] == made => {
                rest.iter().map(|moves| moves[seat.index()]).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Makes the bots of games. It holds what games share: settings and budgets.
///
/// Functions of a position, a seat and a seed are such makers, too:
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::{Duel, DuelPosition, DuelRules, Bot, MakeBot, Seat};
///
/// /// Plays its first legal move.
/// struct First(Seat);
///
/// impl Bot for First {
///     fn act(&mut self, position: &DuelPosition) -> Direction {
///         position
///             .legal_moves(self.0)
///             .iter()
///             .next()
///             .unwrap_or(Direction::Up)
///     }
/// }
///
/// let maker =
///     |_: &DuelPosition, seat: Seat, _seed: u64| Ok(Box::new(First(seat)) as Box<dyn Bot>);
/// let mut duel = Duel::new(DuelRules::ai_snakes_2020(), 7);
/// let mut bots =
///     [Seat::First, Seat::Second].map(|seat| maker.make(duel.position(), seat, 0).unwrap());
/// while duel.position().outcome().is_none() {
///     let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
///     duel.step(moves);
/// }
/// ```
pub trait MakeBot: Send + Sync {
    /// Makes the bot of a game that begins at this position. Its random choices follow from
    /// `seed`, which is not the seed of the game.
    ///
    /// # Errors
    /// When no bot of this kind can play by these rules or from this position.
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported>;

    /// Whether moves depend on how long they take, so that another machine may play other games.
    fn depends_on_clock(&self) -> bool {
        false
    }

    /// Whether a bot that is made anew, and asked about the positions of a game again in their
    /// order, makes the same moves. So a game can be taken up in its middle. Who asks something
    /// that has a state of its own, such as a function in another language, can't promise it.
    fn repeats(&self) -> bool {
        !self.depends_on_clock()
    }
}

impl<F> MakeBot for F
where
    F: Fn(&DuelPosition, Seat, u64) -> Result<Box<dyn Bot>, Unsupported> + Send + Sync,
{
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        self(position, seat, seed)
    }
}
