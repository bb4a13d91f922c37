//! The protocol: the lines that a program reads, and its answers.

use hognose_game::{Board, Cause, Cell, Direction, Position, Status};
use serde::{Deserialize, Serialize};

/// The version of the protocol, which the start line contains.
pub const PROTOCOL: u32 = 1;

/// The maximum number of characters that an error quotes from a line and from what is wrong with
/// it.
const QUOTED: usize = 120;

/// A message to a program, one JSON object per line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Start {
        protocol: u32,
        board: Sides,
        rules: Terms,
        seed: u64,
        move_limit: f64,
    },
    Position {
        step: u64,
        heading: Direction,
        body: Vec<Place>,
        foods: Vec<Place>,
        legal: Vec<Direction>,
    },
    End {
        result: &'static str,
        steps: u64,
        length: usize,
    },
}

#[derive(Serialize)]
pub(crate) struct Sides {
    width: usize,
    height: usize,
    torus: bool,
}

impl Sides {
    pub(crate) fn of(board: Board) -> Sides {
        Sides {
            width: board.width(),
            height: board.height(),
            torus: board.is_torus(),
        }
    }
}

#[derive(Serialize)]
struct Terms {
    tail_entry: bool,
    foods: usize,
}

/// A column and a row, from 0 at the top left.
pub(crate) type Place = [usize; 2];

pub(crate) fn places(board: Board, cells: impl Iterator<Item = Cell>) -> Vec<Place> {
    cells
        .map(|cell| [board.column(cell), board.row(cell)])
        .collect()
}

/// Formats a message as a line.
pub(crate) fn line(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("messages are plain data")
}

/// Returns a seed below 2^53, which every language can represent.
pub(crate) fn short_seed(seed: u64) -> u64 {
    seed >> 11
}

/// Returns the line that begins a game; the seed is the policy's.
pub(crate) fn start(position: &Position, seed: u64, move_limit: f64) -> String {
    let rules = position.rules();
    line(&Message::Start {
        protocol: PROTOCOL,
        board: Sides::of(position.board()),
        rules: Terms {
            tail_entry: rules.tail_entry(),
            foods: rules.foods(),
        },
        seed: short_seed(seed),
        move_limit,
    })
}

/// Returns the line that asks for a move; steps count from 0.
pub(crate) fn position(position: &Position, step: u64) -> String {
    let board = position.board();
    line(&Message::Position {
        step,
        heading: position.heading(),
        body: places(board, position.body()),
        foods: places(board, position.foods().iter().copied()),
        legal: position.legal_moves().iter().collect(),
    })
}

/// Returns the line that ends a game, given the position after the last move.
pub(crate) fn end(position: &Position, steps: u64) -> String {
    let result = match position.status() {
        Status::Won => "won",
        Status::Lost(Cause::Wall) => "wall",
        Status::Lost(Cause::Body) => "body",
        Status::Ongoing => "limit",
    };
    line(&Message::End {
        result,
        steps,
        length: position.len(),
    })
}

/// A program's answer to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Answer {
    /// The step of the answered position.
    pub step: u64,
    /// The move.
    #[serde(rename = "move")]
    pub direction: Direction,
}

/// Error for a line that is not an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected an answer such as {{\"step\":0,\"move\":\"up\"}}, got {line:?} ({reason}); standard \
     output is only for answers, everything else belongs on standard error"
)]
pub struct AnswerError {
    line: String,
    reason: String,
}

/// Parses an answer: a JSON object with the step and the move. Other keys are ignored.
///
/// ```
/// use hognose_game::Direction;
/// use hognose_process::{Answer, parse_answer};
///
/// let answer = parse_answer(br#"{"step": 3, "move": "left"}"#);
/// assert_eq!(answer, Ok(Answer { step: 3, direction: Direction::Left }));
/// assert!(parse_answer(b"left").is_err());
/// ```
///
/// # Errors
/// Fails if the line is not an answer.
pub fn parse_answer(line: &[u8]) -> Result<Answer, AnswerError> {
    serde_json::from_slice(line).map_err(|error| {
        let line = String::from_utf8_lossy(line);
        let reason = error.to_string();
        AnswerError {
            line: beginning(&line),
            reason: beginning(&reason),
        }
    })
}

/// Returns the beginning of a text.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Rules;

    fn example() -> Position {
        let rules = Rules::new("4x3".parse().unwrap()).with_tail_entry(false);
        let at = |column, row| rules.board().cell(column, row);
        Position::new(rules, Direction::Right, [at(1, 0), at(0, 0)], [at(2, 2)]).unwrap()
    }

    /// The book must contain these lines.
    #[test]
    fn lines_are_on_the_page() {
        let page = include_str!("../../../docs/tutorials/programs.md");
        let mut after = example();
        let position = position(&after, 0);
        after.step(Direction::Up);
        for line in [start(&example(), 7 << 11, 1.0), position, end(&after, 1)] {
            assert!(page.contains(&line), "the page lacks {line}");
        }
    }

    #[test]
    fn seeds_fit_into_numbers_of_every_language() {
        assert!(
            start(&example(), u64::MAX, 0.5)
                .contains("\"seed\":9007199254740991,\"move_limit\":0.5}")
        );
    }

    #[test]
    fn invalid_answers_are_quoted() {
        let answer = parse_answer(br#" {"move":"down", "step":12, "why":[1,{}]} "#).unwrap();
        assert_eq!(
            answer,
            Answer {
                step: 12,
                direction: Direction::Down
            }
        );
        let error = |line: &[u8]| parse_answer(line).unwrap_err().to_string();
        assert!(error(br#"{"step":1}"#).contains("missing field `move`"));
        assert!(error(br#"{"step":-1,"move":"up"}"#).contains("expected u64"));
        assert!(
            error(br#"{"step":1,"move":"UP"}"#)
                .contains("unknown variant `UP`, expected one of `up`, `right`")
        );
        assert!(error(b"").contains("got \"\""));
        assert!(error(b"\xff\x00").contains("got \"\u{fffd}\\0\""));
        assert!(error(&b"[".repeat(10_000)).len() < 500);
        assert!(
            error(format!(r#"{{"step":1,"move":"{}"}}"#, "up".repeat(10_000)).as_bytes()).len()
                < 500
        );
    }
}
