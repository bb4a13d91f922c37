//! The result of a step of a duel, and of a duel.

use crate::duel::{HeadOn, Seat};
use serde::{Deserialize, Serialize};

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DuelEvent {
    /// Whether each snake ate. Nobody eats in the step that ends a game by a collision.
    pub ate: [bool; 2],
    /// Whether all foods were removed, to be redrawn.
    pub redrawn: bool,
    /// How the game ended; `None` while it goes on.
    pub outcome: Option<Outcome>,
}

/// How a duel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// What ended the game of each snake; `None` if only the other died.
    pub causes: [Option<DuelCause>; 2],
}

/// What ended the game of a snake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuelCause {
    /// It left the board.
    Wall,
    /// It entered its own body.
    OwnBody,
    /// It entered the opponent's body.
    OtherBody,
    /// Its head and the opponent's entered one cell or swapped cells.
    HeadOn,
    /// The step limit was reached.
    StepLimit,
}

impl DuelCause {
    /// All causes.
    pub const ALL: [DuelCause; 5] = [
        DuelCause::Wall,
        DuelCause::OwnBody,
        DuelCause::OtherBody,
        DuelCause::HeadOn,
        DuelCause::StepLimit,
    ];
}

impl std::fmt::Display for DuelCause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["wall", "own body", "other body", "head-on", "step limit"][*self as usize])
    }
}

/// Formats the outcome, such as `the first snake wins: second wall`.
impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.winner {
            Some(winner) => write!(f, "the {winner} snake wins: ")?,
            None => write!(f, "a draw: ")?,
        }
        match self.causes {
            [Some(DuelCause::StepLimit), _] => write!(f, "step limit"),
            [Some(first), Some(second)] if first == second => write!(f, "both {first}"),
            [Some(first), Some(second)] => write!(f, "first {first}, second {second}"),
            [Some(cause), None] => write!(f, "first {cause}"),
            [None, Some(cause)] => write!(f, "second {cause}"),
            [None, None] => write!(f, "no cause"),
        }
    }
}

impl Outcome {
    /// Returns the outcome of a game with these causes and lengths.
    pub(super) fn of(
        head_on: HeadOn,
        causes: [Option<DuelCause>; 2],
        lengths: [usize; 2],
    ) -> Outcome {
        let winner = match causes {
            [Some(DuelCause::HeadOn), _] if head_on == HeadOn::Draw => None,
            [Some(_), Some(_)] => Seat::longer(lengths),
            [Some(_), None] => Some(Seat::Second),
            [None, _] => Some(Seat::First),
        };
        Outcome { winner, causes }
    }
}
