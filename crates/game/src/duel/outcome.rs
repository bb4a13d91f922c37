//! What a step of a duel did, and how a duel ended.

use crate::duel::{HeadOn, Seat};
use serde::{Deserialize, Serialize};

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DuelEvent {
    /// Whether each snake ate. Nobody eats in the step that ends a game by a collision.
    pub ate: [bool; 2],
    /// Whether all foods were taken away, to be drawn again.
    pub redrawn: bool,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
}

/// How a duel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Who won; `None`: the game is drawn.
    pub winner: Option<Seat>,
    /// What ended the game of each snake; `None`: it was the other's death.
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
    /// It entered the other's body.
    OtherBody,
    /// Its head and the other's entered one cell, or changed places.
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

/// Such as `first wins: the second hit a wall`.
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
    /// How a game ends in which these are the causes, and so long are the snakes.
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
