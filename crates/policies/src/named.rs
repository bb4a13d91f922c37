//! A policy found by its name.

use crate::one_by_one::one_by_one;
use crate::source::Source;
use hognose_game::{BoardRange, MakePolicy, Player, Position};
use std::sync::Arc;

/// A policy found by its name in a [`Catalog`](crate::Catalog). It makes any number of players,
/// such as one for each thread.
///
/// ```
/// use hognose_game::{Game, Rules};
/// use hognose_policies::Catalog;
///
/// let shortcut = Catalog::default().policy("shortcut:10")?;
/// let game = Game::new(Rules::new("6x6".parse()?), 3);
/// let mut policy = shortcut.single_player().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NamedPolicy {
    name: String,
    source: Box<dyn Source>,
}

impl NamedPolicy {
    pub(crate) fn new(name: &str, source: Box<dyn Source>) -> NamedPolicy {
        NamedPolicy {
            name: name.to_owned(),
            source,
        }
    }

    /// Returns the name that it was found by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the boards that the policy was trained on, the only ones that it plays, or `None` if
    /// it was not trained.
    pub fn boards(&self) -> Option<BoardRange> {
        self.source.boards()
    }

    /// Returns whether the policy claims to win every game that it does not refuse.
    pub fn claims_to_win(&self) -> bool {
        self.source.claims_to_win()
    }

    /// Returns the policy's value of a position, or `None` for policies without values. An agent's
    /// value is its highest Q-value of an allowed action.
    pub fn value(&self, position: &Position) -> Option<f64> {
        self.q_values(position)?
            .into_iter()
            .flatten()
            .reduce(f64::max)
    }

    /// Returns an agent's Q-value of each move: its estimate of the discounted return. `None` for
    /// policies that don't choose among moves by Q-values. Directions are in the order up, right,
    /// down, left; a move is `None` if it is not allowed in a game that starts at this position.
    pub fn q_values(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        self.source.q_values(position)
    }

    /// Returns the estimated cost of each move in steps, for an agent that chooses among plans: the
    /// cost of the best plan that begins with the move, which is the plan's steps to the food plus
    /// the later cost of the body after it. Costs compare the moves of one position. `None` for
    /// other policies, and if the agent plays no game that starts at this position. Directions are
    /// in the order up, right, down, left; a move is `None` if no plan begins with it.
    pub fn plan_costs(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        self.source.plan_costs(position)
    }

    /// Returns a player: for many games at once if the policy supports that, otherwise for one at a
    /// time.
    pub fn player(&self) -> Player {
        self.source.player()
    }

    /// Returns a maker of players for one game each, which make the same moves as those of
    /// [`player`](Self::player). Games on several threads share a policy that plays many games at
    /// once, such as an agent, and take turns: for speed, give each thread its own
    /// [`player`](Self::player).
    pub fn single_player(&self) -> Arc<dyn MakePolicy> {
        one_by_one(self.player())
    }
}
