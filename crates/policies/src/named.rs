//! A policy that was found by its name.

use crate::one_by_one::one_by_one;
use crate::source::Source;
use hognose_game::{BoardRange, MakePolicy, Player, Position};
use std::sync::Arc;

/// A policy that was found by its name, in a [`Catalog`](crate::Catalog). It makes players, as many
/// as there are threads.
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

    /// The name that it was found by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The boards that the policy was trained to play, which are the only ones that it plays;
    /// `None` for policies that were not trained.
    pub fn boards(&self) -> Option<BoardRange> {
        self.source.boards()
    }

    /// Whether the policy claims to win every game that it does not refuse.
    pub fn claims_to_win(&self) -> bool {
        self.source.claims_to_win()
    }

    /// What the policy thinks a position is worth; `None` for policies without values. An agent's
    /// value is its highest Q-value of an allowed action.
    pub fn value(&self, position: &Position) -> Option<f64> {
        self.q_values(position)?
            .into_iter()
            .flatten()
            .reduce(f64::max)
    }

    /// The Q-value of each move: the rewards to come after it, discounted, as an agent that chooses
    /// moves thinks. `None` for other policies. Directions are up, right, down, left; a move is
    /// `None` where it is not allowed in a game that begins at this position.
    pub fn q_values(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        self.source.q_values(position)
    }

    /// The steps that each move costs, as an agent that chooses among plans thinks of the best plan
    /// which begins with it: the plan's own steps to the food, and what the body after it will cost
    /// later. They are good to compare moves of one position. `None` for other policies, and where
    /// the agent plays no game that begins at this position. Directions are up, right, down, left;
    /// a move is `None` where none of the plans begins with it.
    pub fn plan_costs(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        self.source.plan_costs(position)
    }

    /// A player: of one game at a time, or of many at once where the policy can do that.
    pub fn player(&self) -> Player {
        self.source.player()
    }

    /// What makes players of one game; they make the same moves as those of
    /// [`player`](Self::player). Games on several threads share a policy that plays many games at
    /// once, such as an agent, and take turns: for speed, give each thread a
    /// [`player`](Self::player) of its own.
    pub fn single_player(&self) -> Arc<dyn MakePolicy> {
        one_by_one(self.player())
    }
}
