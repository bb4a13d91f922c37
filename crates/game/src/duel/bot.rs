//! The players of duels.

use crate::duel::{DuelPosition, Mixture, Seat};
use crate::{Direction, Forfeit, Unsupported};

/// Plays one seat of one duel, from the position that it was made for to the end. [`MakeBot`] makes
/// one for each seat of each duel. A bot sees neither the duel's seed nor the opponent's move.
pub trait Bot: Send {
    /// Returns the next move. Called once for each position of the game, in order.
    fn act(&mut self, position: &DuelPosition) -> Direction;

    /// Like [`act`](Self::act), for bots that may fail, such as external programs. Runners of duels
    /// call this method; a bot that never fails need not implement it.
    ///
    /// # Errors
    /// Fails if the bot forfeits the game. It must not be called again.
    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        Ok(self.act(position))
    }

    /// Receives the position after the last step. The game may be unfinished there, for example if
    /// the opponent forfeited. Runners of duels call it once, at the end.
    fn end(&mut self, _position: &DuelPosition) {}

    /// Returns how often the bot plays each move in a position; `None` if its moves depend on
    /// anything else, such as earlier positions or a clock. Its seed may only draw a move from the
    /// mixture. A bot with mixtures may be called for any positions under the rules of its game, in
    /// any order.
    fn mixture(&mut self, _position: &DuelPosition) -> Option<Mixture> {
        None
    }

    /// Returns what the bot computed for the last position in which it moved.
    fn thought(&self) -> Thought {
        Thought::default()
    }
}

/// What a bot computed for a position, for viewers and speed tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// The expected joint moves from the position on, seats in order; empty if it did not search.
    pub line: Vec<[Direction; 2]>,
    /// The number of joint positions that its search reached.
    pub nodes: u64,
}

impl Thought {
    /// Returns the moves that the bot plans for its own snake after the move it made; empty if it
    /// expected to make another move.
    pub fn plan(&self, seat: Seat, made: Direction) -> Vec<Direction> {
        match self.line.split_first() {
            Some((first, rest)) if first[seat.index()] == made => {
                rest.iter().map(|moves| moves[seat.index()]).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Makes the bots of games. It holds what they share: settings and budgets.
///
/// Functions of a position, a seat and a seed implement it, too:
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
    /// Makes the bot for a game that begins at this position. Its random choices are drawn from
    /// `seed`, which is not the seed of the game.
    ///
    /// # Errors
    /// Fails if this kind of bot can't play under these rules or from this position.
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported>;

    /// Returns whether moves depend on how long they take, so that games may differ between
    /// machines.
    fn depends_on_clock(&self) -> bool {
        false
    }

    /// Returns whether a new bot makes the same moves when called again for the positions of a game
    /// in order, so that a game can be resumed in the middle. A bot with state elsewhere, such as a
    /// function in another language, can't promise this.
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
