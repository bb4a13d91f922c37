//! Backward induction over the remaining steps.

use super::blocks::{BLOCK, in_order};
use super::error::ExactError;
use super::positions::{After, Positions, mean};
use crate::matrix::mixture;
use crate::{MOST, Matrix, Solution};
use hognose_game::Direction;
use hognose_game::duel::{Mixture, Seat};

/// Pure strategies count as worse than optimal if they guarantee this much less than the value.
/// Values are sums of up to a few hundred terms, each of which is accurate to 1e-16.
const ROUNDING: f64 = 1e-9;

/// The order of choices in each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Both seats choose at once, as in the rules, and may mix moves.
    AtOnce,
    /// This seat chooses first, and the other knows its move. It gets what it can guarantee without
    /// mixing.
    Told(Seat),
}

/// The values of all states for one number of remaining steps: the first seat's result under
/// optimal play by both. A win is worth 1, a draw 0 and a loss -1.
///
/// The solver starts with no remaining step, where the longer snake wins, and goes back step by
/// step. In each state, both players choose a move at once: a zero-sum game of at most three moves
/// each, which it solves exactly (Shapley, *Stochastic games*, 1953).
pub struct Solver<'a> {
    positions: &'a Positions,
    choice: Choice,
    left: u32,
    /// The value of each state.
    values: Vec<f64>,
    /// For each pair of bodies, the mean over the foods that may be drawn.
    drawn: Vec<f64>,
}

/// Statistics of all states with one number of remaining steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Layer {
    /// The number of remaining steps.
    pub left: u32,
    /// The number of states.
    pub states: u64,
    /// The number of states in which optimal play mixes moves if both choose at once: for one of
    /// the seats, no single move guarantees the value.
    pub mixed: u64,
    /// The sum of all [gaps](Self::widest).
    pub gaps: f64,
    /// The widest gap, and the first state that has it. The gap of a state is the first seat's
    /// result if it chooses its move after the second, minus its result if it chooses first. It is
    /// 0 unless optimal play mixes.
    pub widest: Option<(f64, u32)>,
    /// The number of states in which one seat is sure to win.
    pub decided: u64,
}

impl<'a> Solver<'a> {
    /// Returns the values with no remaining step.
    pub fn new(positions: &'a Positions, choice: Choice) -> Solver<'a> {
        let values = (0..positions.states() as u32)
            .map(|state| positions.points(state).into())
            .collect();
        let mut solver = Solver {
            positions,
            choice,
            left: 0,
            values,
            drawn: Vec::new(),
        };
        solver.draw();
        solver
    }

    /// Solves all states with one more remaining step.
    pub fn step(&mut self, threads: usize) -> Layer {
        let mut values = vec![0.0; self.values.len()];
        let tasks = (0..).step_by(BLOCK).zip(values.chunks_mut(BLOCK));
        let solver = &*self;
        let found = in_order(threads, tasks, || {
            |(from, block): (u32, &mut [f64])| solver.solve_block(from, block)
        });
        self.values = values;
        self.left += 1;
        self.draw();
        let start = Layer {
            left: self.left,
            states: self.values.len() as u64,
            ..Layer::default()
        };
        found.into_iter().fold(start, |all, block| Layer {
            mixed: all.mixed + block.mixed,
            gaps: all.gaps + block.gaps,
            widest: if block.widest.map(|(gap, _)| gap) > all.widest.map(|(gap, _)| gap) {
                block.widest
            } else {
                all.widest
            },
            decided: all.decided + block.decided,
            ..all
        })
    }

    /// Returns the number of remaining steps.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Returns the value of the start for the first seat, averaged over the foods that may be
    /// drawn.
    ///
    /// # Errors
    /// Fails if the start is not one of the positions.
    pub fn start(&self) -> Result<f64, ExactError> {
        Ok(mean(self.positions.starts()?, &self.values))
    }

    /// Returns the value of a state for the first seat.
    pub fn value(&self, state: u32) -> f64 {
        self.values[state as usize]
    }

    /// Returns optimal mixtures of both seats in a state with one more remaining step.
    pub fn mixtures(&self, state: u32) -> [Mixture; 2] {
        let Solution { rows, columns, .. } = self.matrix(state).solve();
        let choices = self.positions.choices(state);
        [
            mixture(choices[0].iter(), &rows),
            mixture(choices[1].iter(), &columns),
        ]
    }

    /// Solves a block of states, starting with state `from`, with one more remaining step.
    fn solve_block(&self, from: u32, values: &mut [f64]) -> Layer {
        let mut layer = Layer::default();
        for (state, value) in (from..).zip(values) {
            let matrix = self.matrix(state);
            let [least, most] = matrix.pure();
            *value = match self.choice {
                Choice::AtOnce if least < most => matrix.solve().value,
                Choice::AtOnce | Choice::Told(Seat::First) => least,
                Choice::Told(Seat::Second) => most,
            };
            let gap = most - least;
            if gap > ROUNDING {
                layer.mixed += 1;
                layer.gaps += gap;
                if layer.widest.is_none_or(|(widest, _)| gap > widest) {
                    layer.widest = Some((gap, state));
                }
            }
            layer.decided += u64::from(value.abs() > 1.0 - ROUNDING);
        }
        layer
    }

    /// Returns the matrix game of a state with one more remaining step.
    #[inline]
    fn matrix(&self, state: u32) -> Matrix {
        let choices = self.positions.choices(state);
        let moves = choices.map(|choices| {
            let mut moves = [Direction::Up; MOST];
            moves
                .iter_mut()
                .zip(choices.iter())
                .for_each(|(place, direction)| *place = direction);
            moves
        });
        let after = self.positions.after(state);
        Matrix::new(
            choices[0].len(),
            choices[1].len(),
            |row, column| match after([moves[0][row], moves[1][column]]) {
                After::Ends(points) => points.into(),
                After::Goes(state) => self.values[state as usize],
                After::Draws(pair) => self.drawn[pair as usize],
            },
        )
    }

    /// Computes the means over the foods that may be drawn.
    fn draw(&mut self) {
        self.drawn = (0..self.positions.pairs())
            .map(|pair| mean(self.positions.drawn(pair), &self.values))
            .collect();
    }
}
