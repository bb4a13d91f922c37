//! The games of an evaluation.

use crate::Limits;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Game, Origin, Position, Rules, Seed};

/// The purpose of games whose results are reported.
pub const EVALUATION: Purpose = Purpose::new("evaluation");
/// The purpose of games that choose the best checkpoint during training.
pub const SELECTION: Purpose = Purpose::new("selection");
const POLICY: Purpose = Purpose::new("policy");

/// The games of an evaluation. Every policy plays the same ones: the start and the foods of a game
/// depend only on its seed.
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
    /// Positions where games begin, in turn, all on the board of the rules. If empty, the rules
    /// draw the starts.
    pub starts: Vec<Position>,
    /// The seed that the games' seeds are derived from.
    pub seed: u64,
    /// The purpose of the games: [`EVALUATION`] or [`SELECTION`], which share no game.
    pub purpose: Purpose,
    /// The index of the first game.
    pub first: usize,
    /// The number of games, at least 1.
    pub games: usize,
    /// When games are cut off.
    pub limits: Limits,
    /// The number of threads, at least 1; results do not depend on it.
    pub threads: usize,
    /// How refused games are handled.
    pub refused: RefusedGames,
}

/// How games that the policy refuses are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedGames {
    /// The evaluation fails.
    Fail,
    /// They are left out.
    LeaveOut,
}

impl Evaluation {
    /// Creates an evaluation for reporting, with the usual limits, on one thread; a refused game is
    /// an error.
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

    /// Returns the game with this index before its first move; the games to play begin at
    /// [`first`](Self::first).
    pub fn game(&self, index: usize) -> Game {
        let seed = self.game_seed(index);
        match self.origin(index) {
            Origin::Position(start) => Game::from_position(*start, seed),
            Origin::Seed(rules) => Game::new(rules, seed),
        }
    }

    /// Returns the origin of the game with this index.
    pub fn origin(&self, index: usize) -> Origin {
        match index.checked_rem(self.starts.len()) {
            Some(start) => Origin::Position(Box::new(self.starts[start].clone())),
            None => Origin::Seed(self.rules),
        }
    }

    /// Returns the seed of the game with this index.
    pub fn game_seed(&self, index: usize) -> Seed {
        rng::derive(self.seed, self.purpose, index as u64)
    }

    /// Returns the seed of a policy's own randomness in a game.
    pub fn policy_seed(game_seed: Seed) -> u64 {
        rng::derive(game_seed, POLICY, 0)
    }
}
