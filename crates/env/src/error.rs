//! What can be wrong with a configuration, an environment or a step.

use crate::StartError;
use hognose_game::{Board, BoardRange, Rules, RulesError, Status, Unsupported};

/// Why a configuration can't be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// A limit is 0.
    #[error("{0} must be at least 1 step, got 0")]
    Limit(&'static str),
    /// A reward is not a number that can be paid.
    #[error("reward.{name} must be finite, got {value}")]
    Reward {
        /// The reward's name.
        name: &'static str,
        /// The value of the reward.
        value: f32,
    },
    /// The discount is out of range.
    #[error("reward.discount must be in 0..=1, got {0}")]
    Discount(f32),
    /// There are no boards for episodes to draw, or too many.
    #[error(
        "boards must list from 1 to {most} boards that are not held out, got {}",
        at_most(*got, *most)
    )]
    Boards {
        /// How many there may be.
        most: usize,
        /// How many there are; of too many, one more than there may be.
        got: usize,
    },
    /// Boards are held out from a list that is not there.
    #[error("held_out takes boards away from the list boards, but no boards are listed")]
    HeldOutAlone,
    /// What is learned from episodes is not meant for a board that is held out from them.
    #[error("held_out must be boards of {expected}, the range of boards, got {got}")]
    HeldOut {
        /// The range of the boards that are listed.
        expected: BoardRange,
        /// A board that is held out.
        got: Board,
    },
    /// Some boards are tori, and others are not.
    #[error(
        "boards and held_out must be tori if rules.board ({expected}) is one, and else not, got \
         {got}"
    )]
    Torus {
        /// The board of the rules.
        expected: Board,
        /// Another board.
        got: Board,
    },
    /// The observation of one board has another shape than that of another.
    #[error(
        "observation must have one shape for all boards, such as \"centered\" has, got \
         \"{observation}\", which differs on {first} and {other}"
    )]
    Shape {
        /// The observation's name.
        observation: &'static str,
        /// A board.
        first: Board,
        /// A board where the observation is of another shape.
        other: Board,
    },
    /// The share of the episodes that begin at given positions is out of range.
    #[error("start_share must be in 0..=1, got {0}")]
    StartShare(f64),
    /// No episode can begin at one of the given positions.
    #[error("position {index} of starts: {reason}")]
    Start {
        /// Its number, from 1 on.
        index: usize,
        /// Why it can't be one.
        reason: StartError,
    },
    /// The rules do not fit on a board that episodes draw.
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

/// Why an environment can't be made, or can't begin at a position or go on from a state.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EnvError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There would be no environment.
    #[error("num_envs must be at least 1, got 0")]
    NoEnvs,
    /// There would be no thread.
    #[error("threads must be at least 1, got 0")]
    NoThreads,
    /// Nobody knows which moves are safe.
    #[error("mask \"safe\" needs a move filter, got none")]
    NoFilter,
    /// A state is of another filter, or of another position.
    #[error(transparent)]
    Filter(#[from] Unsupported),
    /// The filter does not know of a safe move from a start.
    #[error("mask \"safe\" can't be kept from the start {start}: {refusal}")]
    Unsafe {
        /// The head's cell, the heading and the length.
        start: String,
        /// What the filter says.
        refusal: Unsupported,
    },
    /// An episode can't begin where the game is over.
    #[error("an episode must begin at a game that goes on, got one that is {0}")]
    Finished(Status),
    /// A position is of other rules.
    #[error("the environment plays by {expected}, the position is of {got}")]
    OtherRules {
        /// The environment's rules.
        expected: Rules,
        /// The position's rules.
        got: Rules,
    },
    /// The opponent can't play these duels.
    #[error("the opponent refuses the start of the duel: {0}")]
    Opponent(Unsupported),
    /// Asked again, the opponent may play otherwise, so a duel against it can't be gone back to.
    #[error(
        "a duel against this opponent can't be kept and restored: asked again it may make other \
         moves, as programs, functions and bots with a time limit may"
    )]
    OpponentState,
    /// A snapshot is of another kind of duel.
    #[error("expected a snapshot of {expected}, got one of {got}")]
    OtherDuel {
        /// What it must be of.
        expected: String,
        /// What it is of.
        got: String,
    },
    /// The threads could not be started.
    #[error("can't start {threads} threads: {reason}")]
    Threads {
        /// How many threads were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

/// Why a step was refused; no environment has moved then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// A buffer is of the wrong length.
    #[error("{buffer} must have {expected} values, got {got}")]
    Buffer {
        /// The buffer's name.
        buffer: &'static str,
        /// The length that the buffer must have.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// An action is out of range.
    #[error("the action of environment {env} must be in 0..{actions}, got {action}")]
    Action {
        /// The environment.
        env: usize,
        /// The action.
        action: u8,
        /// How many actions there are.
        actions: usize,
    },
    /// An ended environment must be reset first (autoreset disabled).
    #[error("the episode of environment {env} has ended: reset it before the next step")]
    NeedsReset {
        /// The environment.
        env: usize,
    },
    /// The opponent gave a duel up. The duel can't go on before it is reset.
    #[error("the opponent in duel {duel} has given up: {reason}")]
    Opponent {
        /// The duel.
        duel: usize,
        /// What the opponent says.
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

    /// Whether all actions are in `0..count`.
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
            .expect("the greatest is one");
        Err(StepError::Action {
            env,
            action: actions[env],
            actions: count,
        })
    }
}
