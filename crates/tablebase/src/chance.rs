//! A second objective: the greatest probability of winning.

use crate::graph::Graph;
use crate::index::PathIndex;
use hognose_game::{Board, Cell};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The result of play that wins with the greatest probability and, among such play, takes the
/// fewest steps in the games it wins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chance {
    /// The probability of winning.
    pub win: f64,
    /// E[steps x won]: the expected steps, with 0 for lost games; this adds up along a game.
    pub steps: f64,
}

/// The chances of every body on a board, before the next food has appeared.
///
/// ```
/// use hognose_game::Board;
/// use hognose_tablebase::Chances;
///
/// let board = Board::new(2, 2)?;
/// let chance = Chances::solve(board).of(&[board.cell(0, 0)]);
/// assert_eq!(chance.win, 1.0);
/// assert!((chance.steps - 3.8333).abs() < 1e-4);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chances {
    index: PathIndex,
    /// Indexed by length, from 1.
    lengths: Vec<Vec<Chance>>,
}

/// Probabilities that differ by less are treated as equal.
const SAME: f64 = 1e-12;

impl Chance {
    /// Compares chances: greater probability first, then fewer steps.
    fn order(self, other: Chance) -> Ordering {
        let equal = (self.win - other.win).abs() < SAME;
        if equal {
            other.steps.total_cmp(&self.steps)
        } else {
            self.win.total_cmp(&other.win)
        }
    }
}

impl Chances {
    /// Solves a board of at most 64 cells; suited to small boards of up to about 25 cells.
    pub fn solve(board: Board) -> Chances {
        let (index, mut suffixes) = PathIndex::with_suffixes(board);
        suffixes.pop();
        let area = board.area();
        let mut lengths = vec![vec![
            Chance {
                win: 1.0,
                steps: 0.0
            };
            index.count(area)
        ]];
        for length in (1..area).rev() {
            let graph = Graph::new(&index, length, suffixes.pop());
            let covered = index.grow(length, |cell| 1u64 << cell, |cells, cell| cells | 1 << cell);
            let mut sums = vec![Chance::default(); index.count(length)];
            for food in board.cells() {
                let chances = search(&graph, &index, length, &lengths[lengths.len() - 1], food);
                let free = sums
                    .iter_mut()
                    .zip(&chances)
                    .zip(&covered)
                    .filter(|(_, (_, cells))| cells >> food.0 & 1 == 0);
                free.for_each(|((sum, chance), _)| {
                    sum.win += chance.win;
                    sum.steps += chance.steps;
                });
            }
            let foods = (area - length) as f64;
            lengths.push(
                sums.iter()
                    .map(|sum| Chance {
                        win: sum.win / foods,
                        steps: sum.steps / foods,
                    })
                    .collect(),
            );
        }
        lengths.reverse();
        Chances { index, lengths }
    }

    /// Returns, for bodies of a length, the share that wins for sure, and the mean and the least
    /// probability of winning.
    pub fn summary(&self, length: usize) -> (f64, f64, f64) {
        let chances = &self.lengths[length - 1];
        let sure = chances
            .iter()
            .filter(|chance| chance.win > 1.0 - SAME)
            .count();
        let total: f64 = chances.iter().map(|chance| chance.win).sum();
        let least = chances.iter().map(|chance| chance.win).fold(1.0, f64::min);
        (
            sure as f64 / chances.len() as f64,
            total / chances.len() as f64,
            least,
        )
    }

    /// Returns the chance of a body, with its cells from tail to head.
    pub fn of(&self, body: &[Cell]) -> Chance {
        self.lengths[body.len() - 1][self.index.number(body)]
    }
}

struct Entry(Chance, u32);

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.0.order(other.0)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

/// Returns the chance of every body with this food, by a best-first search backward from the steps
/// that eat. A step costs the probability of winning.
fn search(
    graph: &Graph,
    index: &PathIndex,
    length: usize,
    longer: &[Chance],
    food: Cell,
) -> Vec<Chance> {
    let mut chances = vec![Chance::default(); index.count(length)];
    let mut done = vec![false; chances.len()];
    let mut queue = BinaryHeap::new();
    for (body, after) in graph.eating(index, food.0 as u8) {
        let Chance { win, steps } = longer[after];
        if win > 0.0 {
            queue.push(Entry(
                Chance {
                    win,
                    steps: steps + win,
                },
                body,
            ));
        }
    }
    while let Some(Entry(chance, body)) = queue.pop() {
        if std::mem::replace(&mut done[body as usize], true) {
            continue;
        }
        chances[body as usize] = chance;
        let before = Chance {
            win: chance.win,
            steps: chance.steps + chance.win,
        };
        graph.before(body as usize, |body| {
            if !done[body] && !graph.tail_is(body, food.0 as u8) {
                queue.push(Entry(before, body as u32));
            }
        });
    }
    chances
}
