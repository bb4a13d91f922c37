//! The lines of duels: like those of games of one snake, but with both snakes. Answers are the
//! same.

use crate::protocol::{PROTOCOL, Place, Sides, line, places, short_seed};
use hognose_game::duel::{
    DuelBody, DuelCause, DuelPosition, DuelPositionError, DuelRules, DuelView, Food, HeadOn, Seat,
};
use hognose_game::{Board, Cell, Direction};
use serde::{Deserialize, Serialize};

/// A message to a program, one JSON object per line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Start {
        protocol: u32,
        game: &'static str,
        board: Sides,
        rules: Terms,
        seat: Seat,
        seed: u64,
        move_limit: f64,
    },
    Position {
        step: u64,
        #[serde(flatten)]
        me: Snake,
        other: Snake,
        foods: Vec<Place>,
        values: Vec<u8>,
        hunger: u16,
        redrawn: bool,
    },
    End {
        result: &'static str,
        steps: u64,
        #[serde(flatten)]
        me: Option<Ended>,
        #[serde(skip_serializing_if = "Option::is_none")]
        other: Option<Ended>,
    },
}

#[derive(Serialize)]
struct Terms {
    head_on: HeadOn,
    redraw_after: Option<u16>,
    step_limit: u32,
    foods: usize,
    values: [u8; 2],
}

#[derive(Serialize)]
struct Snake {
    heading: Direction,
    body: Vec<Place>,
    growth: usize,
    legal: Vec<Direction>,
    ate: bool,
}

impl Snake {
    fn of(view: DuelView<'_>, before: Option<&DuelPosition>) -> Snake {
        let length = |position: &DuelPosition| position.length(view.seat());
        Snake {
            heading: view.me().heading(),
            body: places(view.board(), view.me().body()),
            growth: view.position().growth(view.seat()),
            legal: view.legal_moves().iter().collect(),
            ate: before.is_some_and(|before| length(before) < length(view.position())),
        }
    }
}

/// The end of a duel for one snake.
#[derive(Serialize)]
struct Ended {
    cause: Option<DuelCause>,
    length: usize,
}

impl Ended {
    fn of(view: DuelView<'_>) -> Ended {
        let position = view.position();
        let seat = view.seat();
        let cause = position
            .outcome()
            .and_then(|outcome| outcome.causes[seat.index()]);
        Ended {
            cause,
            length: position.length(seat),
        }
    }
}

/// Returns the line that begins a duel; the seed is the bot's.
pub(crate) fn start(rules: &DuelRules, seat: Seat, seed: u64, move_limit: f64) -> String {
    line(&Message::Start {
        protocol: PROTOCOL,
        game: "duel",
        board: Sides::of(rules.board()),
        rules: Terms {
            head_on: rules.head_on(),
            redraw_after: rules.redraw_after(),
            step_limit: rules.step_limit(),
            foods: rules.foods(),
            values: rules.values().into_inner().into(),
        },
        seat,
        seed: short_seed(seed),
        move_limit,
    })
}

/// Returns the line that asks for a move, given the position before the last step; steps count
/// from 0.
pub(crate) fn position(view: DuelView<'_>, before: Option<&DuelPosition>, step: u64) -> String {
    let position = view.position();
    let me = Snake::of(view, before);
    let other = Snake::of(position.view(view.seat().other()), before);
    let new_foods = before.is_some_and(|before| before.foods() != position.foods());
    let redrawn = new_foods && !me.ate && !other.ate;
    line(&Message::Position {
        step,
        me,
        other,
        foods: places(view.board(), position.foods().iter().map(|food| food.cell)),
        values: position.foods().iter().map(|food| food.value).collect(),
        hunger: position.hunger(),
        redrawn,
    })
}

/// What a position line says of the position.
#[derive(Deserialize)]
struct PositionLine {
    step: u32,
    #[serde(flatten)]
    me: BodyLine,
    other: BodyLine,
    foods: Vec<Place>,
    values: Vec<u8>,
    hunger: u16,
}

#[derive(Deserialize)]
struct BodyLine {
    body: Vec<Place>,
    growth: u16,
}

/// Why a line is no position of a duel.
#[derive(Debug, thiserror::Error)]
pub enum PositionError {
    /// The line is not JSON, or lacks a key.
    #[error("expected the JSON of a position line of a duel: {0}")]
    Line(#[from] serde_json::Error),
    /// A place is not on the board.
    #[error("[{}, {}] is not on the board {board}", place[0], place[1])]
    OffBoard {
        /// The column and the row.
        place: Place,
        /// The board.
        board: Board,
    },
    /// A food has no value, or a value no food.
    #[error("expected a value for each of {foods} foods, got {values}")]
    Values {
        /// The number of foods.
        foods: usize,
        /// The number of values.
        values: usize,
    },
    /// The rules don't allow the position.
    #[error(transparent)]
    Position(#[from] DuelPositionError),
}

/// Returns the position of a position line that the program in this seat received.
///
/// # Errors
/// Fails if the line is no position by these rules.
pub fn parse_position(
    line: &str,
    rules: DuelRules,
    seat: Seat,
) -> Result<DuelPosition, PositionError> {
    let PositionLine {
        step,
        me,
        other,
        foods,
        values,
        hunger,
    } = serde_json::from_str(line)?;
    let board = rules.board();
    let cell = |place: Place| {
        let is_on_board = place[0] < board.width() && place[1] < board.height();
        is_on_board
            .then(|| board.cell(place[0], place[1]))
            .ok_or(PositionError::OffBoard { place, board })
    };
    let body = |BodyLine { body, growth }| {
        let cells = body
            .into_iter()
            .map(cell)
            .collect::<Result<Vec<Cell>, _>>()?;
        Ok::<DuelBody, PositionError>(DuelBody { cells, growth })
    };
    let mut bodies = [body(me)?, body(other)?];
    if seat == Seat::Second {
        bodies.reverse();
    }
    if foods.len() != values.len() {
        return Err(PositionError::Values {
            foods: foods.len(),
            values: values.len(),
        });
    }
    let foods = foods.into_iter().zip(values).map(|(place, value)| {
        Ok::<Food, PositionError>(Food {
            cell: cell(place)?,
            value,
        })
    });
    let foods = foods.collect::<Result<Vec<Food>, _>>()?;
    Ok(DuelPosition::new(rules, bodies, foods, step, hunger)?)
}

/// Returns the line that ends a duel, given the position after the last step; `None` if its end is
/// unknown.
pub(crate) fn end(view: Option<DuelView<'_>>, steps: u64) -> String {
    let outcome = view.and_then(|view| view.position().outcome());
    let result = match (outcome.map(|outcome| outcome.winner), view) {
        (Some(None), _) => "drawn",
        (Some(Some(winner)), Some(view)) if winner == view.seat() => "won",
        (Some(Some(_)), _) => "lost",
        (None, _) => "stopped",
    };
    let other = view.map(|view| Ended::of(view.position().view(view.seat().other())));
    line(&Message::End {
        result,
        steps,
        me: view.map(Ended::of),
        other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::duel::{Duel, DuelBody, Food};

    fn example() -> DuelPosition {
        let rules = DuelRules::ai_snakes_2021()
            .on("6x5".parse().unwrap())
            .unwrap();
        let at = |column, row| rules.board().cell(column, row);
        let first = DuelBody {
            cells: vec![at(2, 1), at(2, 2), at(1, 2)],
            growth: 0,
        };
        let second = DuelBody {
            cells: vec![at(3, 0), at(4, 0), at(5, 0)],
            growth: 1,
        };
        DuelPosition::new(
            rules,
            [first, second],
            [Food {
                cell: at(0, 4),
                value: 1,
            }],
            12,
            3,
        )
        .unwrap()
    }

    /// The book must contain these lines.
    #[test]
    fn lines_are_on_the_page() {
        let page = include_str!("../../../docs/tutorials/programs.md");
        let mut after = example();
        after.step([Direction::Up, Direction::Up]);
        let lines = [
            start(example().rules(), Seat::First, 7 << 11, 1.0),
            position(example().view(Seat::First), None, 12),
            end(Some(after.view(Seat::First)), 13),
        ];
        for line in lines {
            assert!(page.contains(&line), "the page lacks {line}");
        }
    }

    /// Plays toward the food until both were seen: a snake that eats, and food that is drawn again.
    #[test]
    fn position_lines_report_what_happened_to_the_food() {
        let mut seen = [false; 2];
        for seed in 0..20 {
            let mut duel = Duel::new(DuelRules::ai_snakes_2021(), seed);
            let mut before = None;
            while duel.position().outcome().is_none() {
                let now = duel.position().clone();
                let sent = position(now.view(Seat::First), before.as_ref(), 0);
                let sent: serde_json::Value = serde_json::from_str(&sent).unwrap();
                let ate = [&sent["ate"], &sent["other"]["ate"]].map(|ate| ate.as_bool().unwrap());
                let redrawn = sent["redrawn"].as_bool().unwrap();
                // Hunger starts again in both cases, and in the first step.
                let changed = before.is_some() && now.hunger() == 0;
                assert_eq!(changed, ate[0] || ate[1] || redrawn, "{sent}");
                seen = [seen[0] || ate[0] || ate[1], seen[1] || redrawn];
                let food = now.foods()[0].cell;
                let nearest = |seat| {
                    let head = |direction| now.neighbor(now.snake(seat).head(), direction).unwrap();
                    let legal = now.legal_moves(seat).iter();
                    legal
                        .min_by_key(|&direction| now.board().distance(head(direction), food))
                        .unwrap_or(Direction::Up)
                };
                let moves = [nearest(Seat::First), now.snake(Seat::Second).heading()];
                before = Some(now);
                duel.step(moves);
            }
        }
        assert_eq!(seen, [true; 2]);
    }

    #[test]
    fn each_seat_is_sent_its_own_result() {
        let mut position = example();
        position.step([Direction::Up, Direction::Up]);
        let sent = |seat: Seat| end(Some(position.view(seat)), 1);
        assert!(
            sent(Seat::First)
                .starts_with(r#"{"type":"end","result":"won","steps":1,"cause":null,"length":3,"#)
        );
        assert!(
            sent(Seat::Second).starts_with(
                r#"{"type":"end","result":"lost","steps":1,"cause":"wall","length":4,"#
            )
        );
        assert!(
            end(Some(example().view(Seat::First)), 5)
                .starts_with(r#"{"type":"end","result":"stopped","steps":5,"#)
        );
        assert_eq!(
            end(None, 2),
            r#"{"type":"end","result":"stopped","steps":2}"#
        );
    }
}
