//! Which games are played.

use crate::Limits;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Game, Origin, Position, Rules, Seed};

/// Games that reported results are played on.
pub const EVALUATION: Purpose = Purpose::new("evaluation");
/// Games that choose the best checkpoint during training.
pub const SELECTION: Purpose = Purpose::new("selection");
const POLICY: Purpose = Purpose::new("policy");

/// Which games are played. Every policy plays the same ones: a game's start and foods follow from
/// its seed alone.
///
/// ```
/// use hognose_eval::{Evaluation, Limits};
/// use hognose_game::Rules;
///
/// let rules = Rules::new("6x6".parse()?);
/// let config = Evaluation { limits: Limits::NONE, threads: 2, ..Evaluation::new(rules, 0, 1000) };
/// assert_eq!(config.game(3), config.game(3));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The rules.
    pub rules: Rules,
    /// Where games begin, in turn, instead of at a start that the rules draw: positions of the same
    /// board. Empty for the rules.
    pub starts: Vec<Position>,
    /// What the games' seeds are derived from.
    pub seed: u64,
    /// What they are for: [`EVALUATION`] or [`SELECTION`]; they share no game.
    pub purpose: Purpose,
    /// The index of the first game.
    pub first: usize,
    /// How many games, at least 1.
    pub games: usize,
    /// When a game is cut off.
    pub limits: Limits,
    /// How many threads play, at least 1; results do not depend on it.
    pub threads: usize,
    /// What happens to games that the policy refuses.
    pub refused: RefusedGames,
}

/// What happens to games that the policy refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedGames {
    /// The evaluation fails.
    Fail,
    /// They are left out.
    LeaveOut,
}

impl Evaluation {
    /// Games for reporting, with the usual limits, on one thread; what a policy refuses fails.
    pub fn new(rules: Rules, seed: u64, games: usize) -> Evaluation {
        Evaluation {
            rules,
            starts: Vec::new(),
            seed,
            purpose: EVALUATION,
            first: 0,
            games,
            limits: Limits::new(rules),
            threads: 1,
            refused: RefusedGames::Fail,
        }
    }

    /// A game before its first move, by its index; the games that are played begin at
    /// [`first`](Self::first).
    pub fn game(&self, index: usize) -> Game {
        let seed = self.game_seed(index);
        match self.origin(index) {
            Origin::Position(start) => Game::from_position(*start, seed),
            Origin::Seed(rules) => Game::new(rules, seed),
        }
    }

    /// Where a game begins, by its index.
    pub fn origin(&self, index: usize) -> Origin {
        match index.checked_rem(self.starts.len()) {
            Some(start) => Origin::Position(Box::new(self.starts[start].clone())),
            None => Origin::Seed(self.rules),
        }
    }

    /// The seed of a game, by its index.
    pub fn game_seed(&self, index: usize) -> Seed {
        rng::derive(self.seed, self.purpose, index as u64)
    }

    /// What a policy's own randomness in a game follows from.
    pub fn policy_seed(game_seed: Seed) -> u64 {
        rng::derive(game_seed, POLICY, 0)
    }
}
