//! Errors of configurations, environments and steps.

use crate::StartError;
use hognose_game::{Board, BoardRange, Rules, RulesError, Status, Unsupported};

/// Why a configuration can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A limit is 0.
    #[error("{0} must be at least 1 step, got 0")]
    Limit(&'static str),
    /// A reward is not finite.
    #[error("reward.{name} must be finite, got {value}")]
    Reward {
        /// The reward's name.
        name: &'static str,
        /// The value of the reward.
        value: f32,
    },
    /// The discount is not in 0..=1.
    #[error("reward.discount must be from 0 to 1, got {0}")]
    Discount(f32),
    /// There are no boards for episodes to draw from, or too many.
    #[error(
        "boards must list from 1 to {most} boards that are not held out, got {}",
        at_most(*got, *most)
    )]
    Boards {
        /// The maximum number of boards.
        most: usize,
        /// The number of boards, counted up to one more than the maximum.
        got: usize,
    },
    /// Boards are held out, but none are listed.
    #[error("held_out excludes boards from the list boards, but boards is empty")]
    HeldOutAlone,
    /// A held-out board lies outside the range of the listed boards.
    #[error("held_out must list boards in {expected}, the range of boards, got {got}")]
    HeldOut {
        /// The range of the listed boards.
        expected: BoardRange,
        /// A held-out board.
        got: Board,
    },
    /// Some boards are tori and others are not.
    #[error(
        "boards and held_out must be tori if and only if rules.board ({expected}) is one, got \
         {got}"
    )]
    Torus {
        /// The board of the rules.
        expected: Board,
        /// A board that differs.
        got: Board,
    },
    /// The shape of the observation depends on the board.
    #[error(
        "observation must have one shape for all boards, such as \"centered\", got \
         \"{observation}\", which differs on {first} and {other}"
    )]
    Shape {
        /// The observation's name.
        observation: &'static str,
        /// A board.
        first: Board,
        /// A board with another shape.
        other: Board,
    },
    /// The share of episodes that begin at given positions is not in 0..=1.
    #[error("start_share must be from 0 to 1, got {0}")]
    StartShare(f64),
    /// No episode can begin at a given position.
    #[error("position {index} of starts: {reason}")]
    Start {
        /// The number of the position, from 1.
        index: usize,
        /// The reason.
        reason: StartError,
    },
    /// The rules don't fit on a board that episodes draw.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

fn at_most(got: usize, most: usize) -> String {
    if got > most {
        format!("more than {most}")
    } else {
        got.to_string()
    }
}

/// Why an environment can't be created, start at a position, or restore a state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EnvError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The number of environments is 0.
    #[error("num_envs must be at least 1, got 0")]
    NoEnvs,
    /// The number of threads is 0 or too large.
    #[error("threads must be from 1 to {most}, got {got}")]
    ThreadCount {
        /// The maximum number of threads.
        most: usize,
        /// The number of threads.
        got: usize,
    },
    /// The mask is [`Mask::Safe`](crate::Mask::Safe), but there is no filter of safe moves.
    #[error("mask \"safe\" needs a move filter, got none")]
    NoFilter,
    /// A state belongs to another filter or another position.
    #[error(transparent)]
    Filter(#[from] Unsupported),
    /// The filter knows no safe move from a start.
    #[error("mask \"safe\" can't be kept from the start {start}: {refusal}")]
    Unsafe {
        /// The head's cell, the heading and the length.
        start: String,
        /// The filter's reason.
        refusal: Unsupported,
    },
    /// An episode can't begin in a finished game.
    #[error("an episode must begin in an unfinished game, got a game that is {0}")]
    Finished(Status),
    /// A position has other rules.
    #[error("expected a position under the rules {expected}, got {got}")]
    OtherRules {
        /// The environment's rules.
        expected: Rules,
        /// The position's rules.
        got: Rules,
    },
    /// A new configuration changes what agents see or do.
    #[error(
        "environments can't change their {what} between episodes: expected {expected}, got {got}"
    )]
    Fixed {
        /// What would change.
        what: &'static str,
        /// What the environments have.
        expected: String,
        /// What the configuration has.
        got: String,
    },
    /// The opponent can't play these duels.
    #[error("the opponent can't play from the start of the duel: {0}")]
    Opponent(Unsupported),
    /// The opponent may move differently when asked again, so its duels can't be restored.
    #[error(
        "a duel against this opponent can't be saved and restored: asked again, it may make \
         other moves, like programs, functions and bots with a time limit"
    )]
    OpponentState,
    /// The episode began before the configuration changed: no environment could restore a snapshot
    /// of it.
    #[error("a duel that began before its configuration changed has no snapshot: reset it first")]
    EarlierConfig,
    /// A snapshot belongs to another duel.
    #[error("expected a snapshot of {expected}, got one of {got}")]
    OtherDuel {
        /// The kind of duel expected.
        expected: String,
        /// The kind of duel found.
        got: String,
    },
    /// Threads could not be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The system's reason.
        reason: String,
    },
}

impl EnvError {
    /// Checks that a configuration changes none of these named values.
    ///
    /// # Errors
    /// Fails with the first value that differs.
    pub(crate) fn check_fixed<const N: usize>(
        own: [(&'static str, String); N],
        new: [(&'static str, String); N],
    ) -> Result<(), EnvError> {
        let mut pairs = own.into_iter().zip(new);
        match pairs.find(|(own, new)| own != new) {
            None => Ok(()),
            Some(((what, expected), (_, got))) => Err(EnvError::Fixed {
                what,
                expected,
                got,
            }),
        }
    }
}

/// Why a step was rejected; no environment has moved then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// A buffer has the wrong length.
    #[error("{buffer} must have {expected} values, got {got}")]
    Buffer {
        /// The buffer's name.
        buffer: &'static str,
        /// The required length.
        expected: usize,
        /// The actual length.
        got: usize,
    },
    /// An action is out of range.
    #[error("the action of environment {env} must be from 0 to {}, got {action}", actions - 1)]
    Action {
        /// The environment.
        env: usize,
        /// The action.
        action: u8,
        /// The number of actions.
        actions: usize,
    },
    /// An ended environment must be reset first (autoreset disabled).
    #[error("the episode of environment {env} has ended: reset it before the next step")]
    NeedsReset {
        /// The environment.
        env: usize,
    },
    /// The opponent has forfeited a duel, which must be reset.
    #[error("the opponent in duel {duel} has forfeited, so reset the duel: {reason}")]
    Opponent {
        /// The duel.
        duel: usize,
        /// The opponent's reason.
        reason: String,
    },
}

impl StepError {
    pub(crate) fn check_len(
        buffer: &'static str,
        got: usize,
        expected: usize,
    ) -> Result<(), StepError> {
        if got == expected {
            Ok(())
        } else {
            Err(StepError::Buffer {
                buffer,
                expected,
                got,
            })
        }
    }

    /// Checks that all actions are in `0..count`.
    pub(crate) fn check_actions(actions: &[u8], count: usize) -> Result<(), StepError> {
        let greatest = actions
            .iter()
            .fold(0, |greatest, &action| action.max(greatest));
        if usize::from(greatest) < count {
            return Ok(());
        }
        let env = actions
            .iter()
            .position(|&action| usize::from(action) >= count)
            .expect("the greatest action is too large");
        Err(StepError::Action {
            env,
            action: actions[env],
            actions: count,
        })
    }
}
