//! AdderBoaCobra's evaluation of positions: the weights of Table 1 of its report (Grooten et al.,
//! 2020), and the additions of its code.

use hognose_game::duel::{DuelCause, DuelPosition, Outcome, Seat};
use hognose_game::{Board, Cell, Direction, Directions};

/// The variants of an [`Adder`](crate::Adder). The default is the bot of the report without its
/// known fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdderStyle {
    /// Whether it encloses food by circling.
    pub circles: Circles,
    /// Its aim after the opponent eats first.
    pub waiting: Waiting,
    /// The value of a drawn head-on.
    pub draw: i32,
    /// The known fault: when both heads enter one food, it assumes that it eats first, and so is
    /// longer.
    pub eats_first: bool,
}

/// Whether an [`Adder`](crate::Adder) encloses food by circling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circles {
    /// It never circles.
    Never,
    /// It circles if the rules have one food.
    OneFood,
    /// It circles, around the nearest of several foods. The report does not try this.
    NearestFood,
}

/// The aim of an [`Adder`](crate::Adder) after the opponent eats first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Many free cells that are closer to its own head than to the opponent's.
    Reach,
    /// The center of the board.
    Center,
}

impl Default for AdderStyle {
    fn default() -> AdderStyle {
        AdderStyle {
            circles: Circles::OneFood,
            waiting: Waiting::Reach,
            draw: 0,
            eats_first: false,
        }
    }
}

impl AdderStyle {
    /// The value of a drawn head-on in Table 1 of the report. In the code it is 0.
    pub const DRAW_OF_THE_REPORT: i32 = GOOD_HEAD_ON;
    /// The value of a drawn head-on that is as bad as a lost one.
    pub const DRAW_AS_LOSS: i32 = BAD_HEAD_ON;
}

const ATE: i32 = 800;
const OTHER_ATE: i32 = -500;
const LOST_LEAD: i32 = -1250;
const COVERED: i32 = 1000;
const RING: i32 = 80_000;
const STUCK: i32 = -20_000;
const OTHER_STUCK: i32 = 10_000;
const GOOD_HEAD_ON: i32 = 5000;
const BAD_HEAD_ON: i32 = -20_000;
/// The value of each cell between the head and the nearest food.
const DISTANCE: i32 = -5;
/// The value of all free cells.
const CLOSER: i32 = 50;
/// The value of each cell between the head and the center.
const CENTER_DISTANCE: i32 = -2;

/// The minimum length of a snake that circles.
const LEAST_LENGTH: usize = 6;

/// The events since the root of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    i_ate: bool,
    other_ate: bool,
    /// The value of meals; earlier meals count more.
    score: i32,
}

/// The result of a joint move.
pub(super) enum Next {
    /// The search may continue.
    Open(Line),
    /// The game ended by a collision, with this value.
    Over(i32),
}

/// A judge of positions for one seat.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    pub(super) me: Seat,
    style: AdderStyle,
    board: Board,
    center: Cell,
    /// The column and the row of each cell.
    places: Vec<[i16; 2]>,
}

impl Judge {
    pub(super) fn new(board: Board, me: Seat, style: AdderStyle) -> Judge {
        let places = board
            .cells()
            .map(|cell| [board.column(cell) as i16, board.row(cell) as i16])
            .collect();
        Judge {
            me,
            style,
            board,
            center: board.cell(board.width() / 2, board.height() / 2),
            places,
        }
    }

    /// Returns the legal moves, own ones first. The error is the value of a position in which the
    /// search ends: no depth is left, the step limit is reached, or a snake has no legal move. The
    /// depth counts the remaining moves of each snake.
    #[inline]
    pub(super) fn moves(
        &self,
        position: &DuelPosition,
        line: Line,
        depth: u32,
    ) -> Result<[Directions; 2], i32> {
        if depth == 0 || position.outcome().is_some() {
            return Err(self.leaf(position, line));
        }
        let moves = [self.me, self.me.other()].map(|seat| position.legal_moves(seat));
        let dead_end = match moves.map(|moves| moves.is_empty()) {
            [true, _] => STUCK * (2 * depth as i32),
            [_, true] => OTHER_STUCK * (2 * depth as i32 - 1),
            [false, false] => return Ok(moves),
        };
        Err(dead_end + self.leaf(position, line))
    }

    /// Takes a step, which the caller must undo.
    #[inline]
    pub(super) fn step(
        &self,
        position: &mut DuelPosition,
        moves: [Direction; 2],
        line: Line,
        depth: u32,
    ) -> Next {
        let event = position.step(moves);
        match event.outcome {
            Some(outcome) if !outcome.causes.contains(&Some(DuelCause::StepLimit)) => {
                Next::Over(self.collision(position, moves, outcome, line, depth))
            }
            _ if event.ate == [false; 2] => Next::Open(line),
            _ => Next::Open(self.after_meal(position, event.ate, line, depth)),
        }
    }

    fn after_meal(&self, position: &DuelPosition, ate: [bool; 2], line: Line, depth: u32) -> Line {
        let mut after = line;
        if ate[self.me.index()] && !line.i_ate {
            after.i_ate = true;
            after.score += ATE + depth as i32;
        }
        if ate[self.me.other().index()] && !line.other_ate {
            after.other_ate = true;
            after.score += OTHER_ATE - depth as i32;
            if self.style.waiting == Waiting::Reach {
                after.score += self.closer(position);
            }
        }
        after
    }

    /// Returns the value of a step that ended the game. The position shows both snakes before it.
    fn collision(
        &self,
        position: &DuelPosition,
        moves: [Direction; 2],
        outcome: Outcome,
        line: Line,
        depth: u32,
    ) -> i32 {
        let [mine, others] = [self.me, self.me.other()].map(|seat| outcome.causes[seat.index()]);
        let ending = if mine == Some(DuelCause::HeadOn) {
            let target = self
                .board
                .neighbor(position.snake(self.me).head(), moves[self.me.index()]);
            let is_over_food = target.is_some_and(|cell| position.is_food(cell));
            if self.style.eats_first && is_over_food {
                ATE + depth as i32 + self.head_on(position.view(self.me).lead() + 1)
            } else {
                self.head_on(
                    outcome
                        .winner
                        .map_or(0, |winner| if winner == self.me { 1 } else { -1 }),
                )
            }
        } else {
            mine.map_or(0, |_| STUCK) + others.map_or(0, |_| OTHER_STUCK)
        };
        ending + self.leaf(position, line)
    }

    fn head_on(&self, lead: i32) -> i32 {
        match lead {
            1.. => GOOD_HEAD_ON,
            0 => self.style.draw,
            _ => BAD_HEAD_ON,
        }
    }

    #[inline]
    fn leaf(&self, position: &DuelPosition, line: Line) -> i32 {
        let head = position.snake(self.me).head();
        let mut score = line.score;
        let nobody_ate = !line.i_ate && !line.other_ate;
        if nobody_ate {
            score += DISTANCE
                * position
                    .foods()
                    .iter()
                    .map(|food| self.distance(head, food.cell))
                    .min()
                    .unwrap_or(0);
        }
        if line.other_ate && self.style.waiting == Waiting::Center {
            score += CENTER_DISTANCE * self.distance(head, self.center);
        }
        if position.view(self.me).lead() > 0 {
            if line.other_ate {
                score += LOST_LEAD;
            } else if nobody_ate && self.style.circles != Circles::Never {
                score += self.ring(position);
            }
        }
        score
    }

    /// Returns the value of a ring around the food.
    #[inline]
    fn ring(&self, position: &DuelPosition) -> i32 {
        let (snake, [food]) = (position.snake(self.me), position.foods()) else {
            return 0;
        };
        let fits = snake.len() >= LEAST_LENGTH
            && snake.len().is_multiple_of(2)
            && position.growth(self.me) == 0;
        if !fits
            || self
                .board
                .neighbors(food.cell)
                .any(|(_, cell)| position.covered_by(cell) != Some(self.me))
        {
            return 0;
        }
        COVERED
            + if self.distance(snake.head(), snake.tail()) == 1 {
                RING
            } else {
                0
            }
    }

    /// Returns the value of the share of free cells that are closer to the own head than to the
    /// other's. Cells at equal distance do not count.
    fn closer(&self, position: &DuelPosition) -> i32 {
        let [mine, others] =
            [self.me, self.me.other()].map(|seat| self.places[position.snake(seat).head().index()]);
        let sides = [self.board.width() as i16, self.board.height() as i16];
        let farther = |axis: usize, at: i16| {
            let distance = |from: i16| self.along(from.abs_diff(at) as i16, sides[axis]);
            distance(mine[axis]) - distance(others[axis])
        };
        let mut columns = [0; u8::MAX as usize];
        for (at, column) in columns[..self.board.width()].iter_mut().enumerate() {
            *column = farther(0, at as i16);
        }
        let mut closer = 0;
        let mut closer_to_other = 0;
        let mut cell = 0;
        for row in 0..sides[1] {
            let in_row = farther(1, row);
            for in_column in &columns[..self.board.width()] {
                if position.covered_by(Cell(cell)).is_none() {
                    closer += i32::from(in_row + in_column < 0);
                    closer_to_other += i32::from(in_row + in_column > 0);
                }
                cell += 1;
            }
        }
        CLOSER * closer / (closer + closer_to_other).max(1)
    }

    /// Returns the distance between two cells on the empty board.
    #[inline]
    fn distance(&self, a: Cell, b: Cell) -> i32 {
        let [a, b] = [a, b].map(|cell| self.places[cell.index()]);
        let columns = self.along((a[0] - b[0]).abs(), self.board.width() as i16);
        let rows = self.along((a[1] - b[1]).abs(), self.board.height() as i16);
        i32::from(columns + rows)
    }

    #[inline]
    fn along(&self, straight: i16, side: i16) -> i16 {
        if self.board.is_torus() {
            straight.min(side - straight)
        } else {
            straight
        }
    }
}
