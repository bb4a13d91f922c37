//! The rules of duels.

use crate::duel::Seat;
use crate::{Board, Cell, Direction};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The minimum length of a snake in a duel; at this length, moving straight back always enters the
/// own body.
pub const MIN_LENGTH: usize = 3;

/// The rules of a duel. They are valid by construction: starts that don't fit are rejected.
///
/// ```
/// use hognose_game::duel::DuelRules;
///
/// let rules = DuelRules::ai_snakes_2020().with_foods(3)?;
/// assert_eq!(rules.to_string(), "ai-snakes-2020, 3 foods");
/// # Ok::<(), hognose_game::duel::DuelRulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "DuelRulesText", try_from = "DuelRulesText")]
pub struct DuelRules {
    board: Board,
    starts: [DuelStart; 2],
    head_on: HeadOn,
    redraw_after: Option<u16>,
    step_limit: u32,
    foods: u16,
    values: (u8, u8),
}

/// Where a snake starts; its body trails straight behind the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelStart {
    /// The head's column.
    pub column: u8,
    /// The head's row.
    pub row: u8,
    /// The heading.
    pub heading: Direction,
    /// The length, at least [`MIN_LENGTH`].
    pub length: u8,
}

/// What happens when two heads enter one cell or change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeadOn {
    /// The longer snake wins; equal lengths draw. This is how the competition's code works.
    LongerWins,
    /// The game is drawn. This is what the competition's web page of 2020 states.
    Draw,
}

/// Why rules can't be used for a duel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DuelRulesError {
    /// A snake does not fit on the board.
    #[error("the start of the {seat} snake does not fit on {board}: {start}")]
    Start {
        /// The board.
        board: Board,
        /// The snake's seat.
        seat: Seat,
        /// The start.
        start: DuelStart,
    },
    /// A snake is too short.
    #[error("the {seat} snake must have a length of at least {MIN_LENGTH}, got {length}")]
    Length {
        /// The snake's seat.
        seat: Seat,
        /// The length asked for.
        length: u8,
    },
    /// The torus is so narrow that opposite directions lead to the same cell.
    #[error("a torus must have at least 3 columns and 3 rows for a duel, got {0}")]
    NarrowTorus(Board),
    /// The snakes overlap.
    #[error("both snakes start on the cell in column {column} and row {row}")]
    Overlap {
        /// The column of a cell that both cover.
        column: usize,
        /// Its row.
        row: usize,
    },
    /// The snakes leave no cell free for food.
    #[error("the snakes must leave a cell free for food, but they cover the whole board {0}")]
    NoRoom(Board),
    /// The number of foods is out of range.
    #[error("the number of foods must be 1..={max}, got {foods}")]
    Foods {
        /// The number of cells that both snakes leave free.
        max: usize,
        /// The number asked for.
        foods: u16,
    },
    /// The range of values is empty or begins at 0.
    #[error("food values must be a range within 1..=255, got {lowest}..={highest}")]
    Values {
        /// The lowest value asked for.
        lowest: u8,
        /// The highest.
        highest: u8,
    },
    /// The number is 0.
    #[error("{0} must be at least 1, got 0")]
    Zero(&'static str),
    /// No rules have this name.
    #[error("expected the rules ai-snakes-2020 or ai-snakes-2021, got {0:?}")]
    Name(String),
}

impl DuelRules {
    /// The names of named rules.
    pub const NAMES: [&'static str; 2] = ["ai-snakes-2020", "ai-snakes-2021"];

    /// Returns the rules of the AI Snakes competition of 2020: 14x14, 900 steps, one food that
    /// stays until it is eaten.
    pub fn ai_snakes_2020() -> DuelRules {
        DuelRules {
            board: Board::new(14, 14).expect("14 is a valid side"),
            starts: [start(2, 6, Direction::Up), start(11, 7, Direction::Down)],
            head_on: HeadOn::LongerWins,
            redraw_after: None,
            step_limit: 900,
            foods: 1,
            values: (1, 1),
        }
    }

    /// Returns the rules of the AI Snakes competition of 2021: other starts, and food that is
    /// redrawn after 11 steps in which nobody ate.
    pub fn ai_snakes_2021() -> DuelRules {
        DuelRules {
            starts: [start(2, 11, Direction::Up), start(11, 2, Direction::Down)],
            redraw_after: Some(11),
            ..DuelRules::ai_snakes_2020()
        }
    }

    /// Returns the rules with a name from [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    /// Fails if no rules have this name.
    pub fn named(name: &str) -> Result<DuelRules, DuelRulesError> {
        match name {
            "ai-snakes-2020" => Ok(DuelRules::ai_snakes_2020()),
            "ai-snakes-2021" => Ok(DuelRules::ai_snakes_2021()),
            _ => Err(DuelRulesError::Name(name.to_owned())),
        }
    }

    /// Returns the name of these rules in [`NAMES`](Self::NAMES), if they have one.
    pub fn name(&self) -> Option<&'static str> {
        DuelRules::NAMES
            .into_iter()
            .find(|name| DuelRules::named(name).is_ok_and(|named| named == *self))
    }

    /// Returns these rules on another board, with the given starts.
    ///
    /// # Errors
    /// Fails if the board is a torus with two columns or rows, a start is too short or does not
    /// fit, the snakes overlap, or too little room is left for food.
    pub fn with_board(
        self,
        board: Board,
        starts: [DuelStart; 2],
    ) -> Result<DuelRules, DuelRulesError> {
        if board.is_torus() && board.width().min(board.height()) < 3 {
            return Err(DuelRulesError::NarrowTorus(board));
        }
        let rules = DuelRules {
            board,
            starts,
            ..self
        };
        for seat in Seat::BOTH {
            let start = rules.start(seat);
            if usize::from(start.length) < MIN_LENGTH {
                return Err(DuelRulesError::Length {
                    seat,
                    length: start.length,
                });
            }
            let side = if start.heading.index().is_multiple_of(2) {
                board.height()
            } else {
                board.width()
            };
            let on_board = start.column < board.width && start.row < board.height;
            if !on_board
                || usize::from(start.length) > side
                || rules.body(seat).count() < start.length.into()
            {
                return Err(DuelRulesError::Start { board, seat, start });
            }
        }
        if let Some(cell) = rules
            .body(Seat::First)
            .find(|&cell| rules.body(Seat::Second).any(|other| other == cell))
        {
            return Err(DuelRulesError::Overlap {
                column: board.column(cell),
                row: board.row(cell),
            });
        }
        rules.with_foods(rules.foods)
    }

    /// Returns these rules on another board. A board of the same size keeps the starts. Otherwise,
    /// the starts are as in the competition of 2021: one snake in the third column, at the bottom,
    /// heading up, and the other rotated by half a turn. On boards with fewer than six columns,
    /// they start closer to the sides.
    ///
    /// # Errors
    /// Fails if the starts don't fit, or too little room is left for food.
    pub fn on(self, board: Board) -> Result<DuelRules, DuelRulesError> {
        if (board.width, board.height) == (self.board.width, self.board.height) {
            return self.with_board(board, self.starts);
        }
        let Board { width, height, .. } = board;
        let column = (width / 2 - 1).min(2);
        let first = start(column, height.saturating_sub(3), Direction::Up);
        let second = start(width - 1 - column, 2, Direction::Down);
        self.with_board(board, [first, second])
    }

    /// Returns these rules with another result of a head-on.
    pub fn with_head_on(self, head_on: HeadOn) -> DuelRules {
        DuelRules { head_on, ..self }
    }

    /// Returns these rules with food redrawn after `steps` steps in which nobody ate; `None`: food
    /// stays until it is eaten.
    ///
    /// # Errors
    /// Fails if the number is 0.
    pub fn with_redraw_after(self, steps: Option<u16>) -> Result<DuelRules, DuelRulesError> {
        if steps == Some(0) {
            return Err(DuelRulesError::Zero(
                "the number of steps before food is redrawn",
            ));
        }
        Ok(DuelRules {
            redraw_after: steps,
            ..self
        })
    }

    /// Returns these rules with another step limit, at which the longer snake wins.
    ///
    /// # Errors
    /// Fails if the number is 0.
    pub fn with_step_limit(self, steps: u32) -> Result<DuelRules, DuelRulesError> {
        if steps == 0 {
            return Err(DuelRulesError::Zero("the step limit"));
        }
        Ok(DuelRules {
            step_limit: steps,
            ..self
        })
    }

    /// Returns these rules with another number of foods on the board at a time.
    ///
    /// # Errors
    /// Fails if the number is 0, or larger than the room that both snakes leave at the start.
    pub fn with_foods(self, foods: u16) -> Result<DuelRules, DuelRulesError> {
        let [first, second] = self.starts.map(|start| usize::from(start.length));
        let max = self.board.area() - first - second;
        if max == 0 {
            return Err(DuelRulesError::NoRoom(self.board));
        }
        if foods == 0 || usize::from(foods) > max {
            return Err(DuelRulesError::Foods { max, foods });
        }
        Ok(DuelRules { foods, ..self })
    }

    /// Returns these rules with food values drawn uniformly from a range. A snake that eats a food
    /// of value k grows by one cell in this step and in each of the next k - 1 steps.
    ///
    /// # Errors
    /// Fails if the range is empty or begins at 0.
    pub fn with_values(self, values: RangeInclusive<u8>) -> Result<DuelRules, DuelRulesError> {
        let (lowest, highest) = values.into_inner();
        if lowest == 0 || lowest > highest {
            return Err(DuelRulesError::Values { lowest, highest });
        }
        Ok(DuelRules {
            values: (lowest, highest),
            ..self
        })
    }

    /// Returns the board.
    #[inline]
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the start of a snake.
    pub fn start(&self, seat: Seat) -> DuelStart {
        self.starts[seat.index()]
    }

    /// Returns the result of a head-on.
    #[inline]
    pub fn head_on(&self) -> HeadOn {
        self.head_on
    }

    /// Returns the number of steps without eating after which food is redrawn; `None`: it stays.
    #[inline]
    pub fn redraw_after(&self) -> Option<u16> {
        self.redraw_after
    }

    /// Returns the steps until food is redrawn if nobody eats, when nobody has eaten for `hunger`
    /// steps; `None` if it stays.
    #[inline]
    pub fn steps_to_redraw(&self, hunger: u16) -> Option<u16> {
        self.redraw_after.map(|steps| steps.saturating_sub(hunger))
    }

    /// Returns the number of steps after which the longer snake wins.
    #[inline]
    pub fn step_limit(&self) -> u32 {
        self.step_limit
    }

    /// Returns the number of foods on the board at a time, if there is room.
    #[inline]
    pub fn foods(&self) -> usize {
        self.foods.into()
    }

    /// Returns the range of food values.
    #[inline]
    pub fn values(&self) -> RangeInclusive<u8> {
        self.values.0..=self.values.1
    }

    /// Returns the body at the start, from head to tail; cut off at the edge of the board.
    pub fn body(&self, seat: Seat) -> impl Iterator<Item = Cell> + '_ {
        let DuelStart {
            column,
            row,
            heading,
            length,
        } = self.start(seat);
        let head = self.board.cell(column.into(), row.into());
        std::iter::successors(Some(head), move |&cell| {
            self.board.neighbor(cell, heading.opposite())
        })
        .take(length.into())
    }

    /// Returns these rules, mirrored left to right.
    pub fn mirrored(&self) -> DuelRules {
        DuelRules {
            starts: self.starts.map(|start| DuelStart {
                column: self.board.width - 1 - start.column,
                heading: start.heading.mirrored(),
                ..start
            }),
            ..*self
        }
    }

    /// Returns these rules, rotated by half a turn.
    pub fn half_turned(&self) -> DuelRules {
        DuelRules {
            starts: self.starts.map(|start| DuelStart {
                column: self.board.width - 1 - start.column,
                row: self.board.height - 1 - start.row,
                heading: start.heading.opposite(),
                ..start
            }),
            ..*self
        }
    }

    /// Returns whether the starts are half-turns of each other.
    pub fn starts_are_half_turns(&self) -> bool {
        self.half_turned().with_seats_swapped() == *self
    }

    /// Returns these rules with the seats swapped.
    pub fn with_seats_swapped(&self) -> DuelRules {
        DuelRules {
            starts: [self.starts[1], self.starts[0]],
            ..*self
        }
    }
}

/// Returns a start with three cells.
fn start(column: u8, row: u8, heading: Direction) -> DuelStart {
    DuelStart {
        column,
        row,
        heading,
        length: 3,
    }
}

impl std::fmt::Display for DuelStart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DuelStart {
            column,
            row,
            heading,
            length,
        } = self;
        write!(
            f,
            "column {column} row {row} heading {heading} length {length}"
        )
    }
}

/// Formats the most similar named rules, and the differences from them.
impl std::fmt::Display for DuelRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, named) = match self.redraw_after {
            None => ("ai-snakes-2020", DuelRules::ai_snakes_2020()),
            Some(_) => ("ai-snakes-2021", DuelRules::ai_snakes_2021()),
        };
        f.write_str(name)?;
        if self.board != named.board {
            write!(f, ", {}", self.board)?;
        }
        for seat in Seat::BOTH {
            if self.start(seat) != named.start(seat) {
                write!(f, ", {seat} {}", self.start(seat))?;
            }
        }
        if self.head_on != named.head_on {
            write!(f, ", head-on draws")?;
        }
        match self.redraw_after {
            Some(steps) if self.redraw_after != named.redraw_after => {
                write!(f, ", food drawn again after {steps} steps")?;
            }
            _ => {}
        }
        if self.step_limit != named.step_limit {
            write!(f, ", {} steps", self.step_limit)?;
        }
        if self.foods != named.foods {
            write!(f, ", {} foods", self.foods)?;
        }
        if self.values != named.values {
            write!(f, ", values {}..={}", self.values.0, self.values.1)?;
        }
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DuelRulesText {
    board: Board,
    first: DuelStart,
    second: DuelStart,
    head_on: HeadOn,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redraw_after: Option<u16>,
    step_limit: u32,
    #[serde(default = "one_food")]
    foods: u16,
    #[serde(default = "worth_one")]
    values: (u8, u8),
}

fn one_food() -> u16 {
    1
}

fn worth_one() -> (u8, u8) {
    (1, 1)
}

impl From<DuelRules> for DuelRulesText {
    fn from(rules: DuelRules) -> DuelRulesText {
        let DuelRules {
            board,
            starts: [first, second],
            head_on,
            redraw_after,
            step_limit,
            foods,
            values,
        } = rules;
        DuelRulesText {
            board,
            first,
            second,
            head_on,
            redraw_after,
            step_limit,
            foods,
            values,
        }
    }
}

impl TryFrom<DuelRulesText> for DuelRules {
    type Error = DuelRulesError;

    fn try_from(text: DuelRulesText) -> Result<DuelRules, DuelRulesError> {
        DuelRules::ai_snakes_2020()
            .with_board(text.board, [text.first, text.second])?
            .with_head_on(text.head_on)
            .with_redraw_after(text.redraw_after)?
            .with_step_limit(text.step_limit)?
            .with_foods(text.foods)?
            .with_values(text.values.0..=text.values.1)
    }
}
