//! Backward induction over the steps that are left.

use super::blocks::{BLOCK, in_order};
use super::error::ExactError;
use super::positions::{After, Positions};
use crate::matrix::mixture;
use crate::{MOST, Matrix, Solution};
use hognose_game::Direction;
use hognose_game::duel::{Mixture, Seat};

/// Pure strategies that guarantee this much less than the value are taken for worse than it. Values
/// are sums of up to a few hundred terms, each of which is right to 1e-16.
const ROUNDING: f64 = 1e-9;

/// How moves are chosen in each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// By both seats at once, as the rules say. They may mix moves.
    AtOnce,
    /// By this seat first, and the other one knows the move. So this seat gets what it can
    /// guarantee if it never mixes.
    Told(Seat),
}

/// The values of all states for one number of steps left: what the first seat gets if both play as
/// well as possible, where a win is worth 1, a draw 0 and a loss -1.
///
/// It begins with no step left, where the longer snake wins, and goes back step by step. In each
/// state, both players choose a move at once: a zero-sum game of at most three moves each, which is
/// solved exactly (Shapley, *Stochastic games*, 1953).
pub struct Solver<'a> {
    positions: &'a Positions,
    choice: Choice,
    left: u32,
    /// By state.
    values: Vec<f64>,
    /// By pair of bodies: the mean over the foods that may be drawn.
    drawn: Vec<f64>,
}

/// What one number of steps left came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// The steps that are left.
    pub left: u32,
    /// How many states there are.
    pub states: u64,
    /// In how many of them optimal play mixes moves, if moves are chosen at once: no single move of
    /// the one or no single move of the other guarantees the value.
    pub mixed: u64,
    /// The sum of all [gaps](Self::widest).
    pub gaps: f64,
    /// The widest gap, and the first state that has it. The gap of a state is what the first seat
    /// gets if it chooses its move after the second, less what it gets if it chooses before the
    /// second. It is 0 unless optimal play mixes.
    pub widest: Option<(f64, u32)>,
    /// In how many states somebody wins for sure.
    pub decided: u64,
}

impl<'a> Solver<'a> {
    /// The values with no step left.
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

    /// Solves all states with one more step left.
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
        let states = self.values.len() as u64;
        let start = Layer {
            left: self.left,
            states,
            mixed: 0,
            gaps: 0.0,
            widest: None,
            decided: 0,
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

    /// The steps that are left.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// What the start of the rules is worth to the first seat, in the mean over the foods that may
    /// be drawn.
    ///
    /// # Errors
    /// When the start is none of the positions.
    pub fn start(&self) -> Result<f64, ExactError> {
        let states = self.positions.starts()?;
        let number = states.len() as f64;
        Ok(states.map(|state| self.value(state)).sum::<f64>() / number)
    }

    /// What a state is worth to the first seat.
    pub fn value(&self, state: u32) -> f64 {
        self.values[state as usize]
    }

    /// How both seats play in a state with one more step left, if they play as well as possible.
    pub fn mixtures(&self, state: u32) -> [Mixture; 2] {
        let Solution { rows, columns, .. } = self.matrix(state).solve();
        let choices = self.positions.choices(state);
        [
            mixture(choices[0].iter(), &rows),
            mixture(choices[1].iter(), &columns),
        ]
    }

    /// Solves the states from a number on, with one more step left.
    fn solve_block(&self, from: u32, values: &mut [f64]) -> Layer {
        let mut layer = Layer {
            left: 0,
            states: 0,
            mixed: 0,
            gaps: 0.0,
            widest: None,
            decided: 0,
        };
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

    /// What each pair of moves is worth to the first seat, with one more step left.
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

    /// Takes the means over the foods that may be drawn.
    fn draw(&mut self) {
        self.drawn = (0..self.positions.pairs())
            .map(|pair| {
                let states = self.positions.drawn(pair);
                let number = states.len() as f64;
                states.map(|state| self.values[state as usize]).sum::<f64>() / number
            })
            .collect();
    }
}
