//! Hamiltonian cycles of parts of the board, joined by a transition line ("Slitherin Round":
//! Mahoney, Harmer, 2021).

use super::comb::{Comb, Rungs};
use super::jumps::{after_eating, check_tail_entry, grows_onto_its_back, steps_to_tail_or_food};
use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Board, Cell, Direction, Game, MakePolicy, Overlay, Policy, Position, Route, Rules, Unsupported,
};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const SEARCH: Purpose = Purpose::new("sub-hamiltonian search");
/// The approximate number of steps that a search plays for each number of parts.
const SEARCH_STEPS: usize = 2_000_000;
/// The maximum number of games for each number of parts.
const SEARCH_GAMES: usize = 200;

/// A policy that follows the Hamiltonian cycle of the part of the board that holds the food while
/// the snake is short, and then the cycle of the whole board. [`SubHamiltonian::halves`] is the
/// method of "Slitherin Round" (section 7.4); [`with_turning`](Self::with_turning) and
/// [`series`](Self::series) are the improvements that it proposes (section 8).
///
/// All cycles share one layout. A transition line runs along the bottom row from right to left.
/// Above it, one path goes up and down the columns, pair by pair, from the bottom left to the
/// bottom right. Together they are the cycle of the whole board. A part is a range of these columns
/// with its stretch of the line. At either end of the range, where the whole cycle continues to the
/// next part, the part's cycle takes a *rung* between the line and the path.
///
/// A rung is a jump ahead on the whole cycle, and is taken if it passes neither the tail nor the
/// food. This keeps the invariant of [`Shortcut`](crate::Shortcut), so every game is won. Before
/// the snake reverses, it checks that its body will lie in order on the reversed cycle after
/// eating.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::SubHamiltonian;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = SubHamiltonian::halves(Some(30)).with_turning().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SubHamiltonian {
    critical_length: Option<usize>,
    series: bool,
    turns: bool,
    /// The lengths found by search, for each board and number of units.
    found: Mutex<HashMap<(Board, usize), Vec<usize>>>,
}

struct SubHamiltonianPolicy {
    turns: bool,
    comb: Comb,
    /// For each number of parts, most first: the length at which it is no longer used, and the
    /// rungs.
    levels: Vec<(usize, Rungs)>,
    way: usize,
    /// The remaining moves of a reversed path to the food.
    route: Route,
}

impl SubHamiltonian {
    /// Returns a policy with two halves, as equal as pairs of columns allow, up to a critical
    /// length. By default a search finds that length.
    pub fn halves(critical_length: Option<usize>) -> SubHamiltonian {
        SubHamiltonian {
            critical_length,
            series: false,
            turns: false,
            found: Mutex::default(),
        }
    }

    /// Returns a policy with many parts, then half as many, and so on, each up to a length found by
    /// a search.
    pub fn series() -> SubHamiltonian {
        SubHamiltonian {
            series: true,
            ..SubHamiltonian::halves(None)
        }
    }

    /// Lets the snake reverse its direction on the cycle when that reaches the food sooner.
    #[must_use]
    pub fn with_turning(self) -> SubHamiltonian {
        SubHamiltonian {
            turns: true,
            ..self
        }
    }

    /// Returns the length from which the snake follows the whole cycle in a game that starts at
    /// this position.
    ///
    /// # Errors
    /// Fails if the board has no such layout, or the body does not lie on its cycle.
    pub fn critical_length(&self, position: &Position) -> Result<usize, Unsupported> {
        let (comb, _) = Comb::holding(position)?;
        Ok(self.lengths(&comb).into_iter().max().unwrap_or(0))
    }

    /// Returns the length at which each number of parts, most first, is no longer used. A search
    /// finds these lengths once, on the board's first layout with as many units, so that they don't
    /// depend on the order of games.
    fn lengths(&self, comb: &Comb) -> Vec<usize> {
        if let Some(length) = self.critical_length {
            return vec![length];
        }
        let board = comb.cycles[0].board();
        let units = comb.units;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found
            .entry((board, units))
            .or_insert_with(|| {
                let first = Comb::all(board)
                    .find(|comb| comb.units == units)
                    .expect("this layout is among them");
                search(&first, &self.part_counts(units))
            })
            .clone()
    }

    /// Returns the numbers of parts into which the board is divided, most first.
    fn part_counts(&self, units: usize) -> Vec<usize> {
        match self.series {
            false => vec![2],
            true => std::iter::successors(Some(units), |&parts| Some(parts.div_ceil(2)))
                .take_while(|&n| n > 1)
                .collect(),
        }
    }
}

/// Returns the length from which each number of parts needs more steps than the next smaller one,
/// by the mean steps per food at each length in games played for this comparison.
fn search(comb: &Comb, counts: &[usize]) -> Vec<usize> {
    let board = comb.cycles[0].board();
    let area = board.area();
    let games = (SEARCH_STEPS / (area * area / 6 + 1)).clamp(1, SEARCH_GAMES);
    let mut costs: Vec<Vec<f64>> = Vec::new();
    for &parts in counts {
        let levels = vec![(usize::MAX, comb.rungs(parts))];
        let mut policy = SubHamiltonianPolicy {
            turns: false,
            comb: comb.clone(),
            levels,
            way: 0,
            route: Route::default(),
        };
        let mut steps = vec![0u64; area];
        for index in 0..games {
            let mut game = Game::new(Rules::new(board), rng::derive(0, SEARCH, index as u64));
            while game.position().len() < area {
                let length = game.position().len();
                game.step(policy.act(game.position()));
                steps[length] += 1;
            }
        }
        costs.push(
            steps
                .iter()
                .map(|&steps| steps as f64 / games as f64)
                .collect(),
        );
    }
    // The whole cycle's mean is exact.
    costs.push(
        (0..area)
            .map(|length| (area - length + 1) as f64 / 2.0)
            .collect(),
    );
    costs
        .windows(2)
        .map(|pair| {
            let saved =
                pair[0]
                    .iter()
                    .zip(&pair[1])
                    .skip(1)
                    .scan(0.0, |saved, (more_parts, fewer)| {
                        *saved += fewer - more_parts;
                        Some(*saved)
                    });
            let best = (1..)
                .zip(saved)
                .filter(|&(_, saved)| saved > 0.0)
                .max_by(|a, b| a.1.total_cmp(&b.1));
            best.map_or(1, |(length, _)| length + 1)
        })
        .collect()
}

impl SubHamiltonianPolicy {
    fn rungs(&self, length: usize) -> Option<&Rungs> {
        let level = self.levels.iter().find(|&&(up_to, _)| length < up_to);
        level.map(|(_, rungs)| rungs)
    }

    /// Returns the reversed path to the food, if it is shorter than the path ahead and the whole
    /// body will then lie in order on the reversed cycle.
    fn way_back(&self, position: &Position) -> Option<Vec<Direction>> {
        let &[food] = position.foods() else {
            return None;
        };
        let head = position.head();
        let back = 1 - self.way;
        let ahead = self.walk(self.way, position, head, food, usize::MAX)?.len();
        let firsts = position.legal_moves();
        firsts
            .iter()
            .filter_map(|first| {
                let next = position.board().neighbor(head, first)?;
                let rest = self.walk(back, position, next, food, ahead - 1)?;
                Some([vec![first], rest].concat())
            })
            .filter(|path| {
                path.len() >= position.len()
                    && after_eating(position, path)
                        .is_some_and(|after| self.comb.cycles[back].holds_in_order(&after))
            })
            .min_by_key(Vec::len)
    }

    /// Returns the moves from a cell to the food along the parts' cycles, if there are fewer than
    /// `limit`. Ignores the body.
    fn walk(
        &self,
        way: usize,
        position: &Position,
        from: Cell,
        food: Cell,
        limit: usize,
    ) -> Option<Vec<Direction>> {
        let cycle = &self.comb.cycles[way];
        let rungs = self.rungs(position.len()).map(|rungs| &rungs[way]);
        let mut path = Vec::new();
        let mut cell = from;
        while cell != food {
            if path.len() >= limit {
                return None;
            }
            let rung = rungs
                .and_then(|rungs| rungs[cell.index()])
                .filter(|&(_, across)| cycle.distance(cell, across) <= cycle.distance(cell, food));
            let direction = rung.map_or(cycle.next(cell), |(direction, _)| direction);
            path.push(direction);
            cell = position
                .board()
                .neighbor(cell, direction)
                .expect("a cycle stays on the board");
        }
        (path.len() < limit).then_some(path)
    }
}

impl MakePolicy for SubHamiltonian {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        let (comb, way) = Comb::holding(position)?;
        let rungs = self
            .part_counts(comb.units)
            .into_iter()
            .map(|parts| comb.rungs(parts));
        let levels = self.lengths(&comb).into_iter().zip(rungs).collect();
        Ok(Box::new(SubHamiltonianPolicy {
            turns: self.turns,
            comb,
            levels,
            way,
            route: Route::default(),
        }))
    }
}

impl Policy for SubHamiltonianPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if let Some(direction) = self.route.next() {
            return direction;
        }
        if self.turns
            && let Some(path) = self.way_back(position)
        {
            self.way = 1 - self.way;
            return self.route.begin(path).expect("a path to food has moves");
        }
        let cycle = &self.comb.cycles[self.way];
        debug_assert!(cycle.holds_in_order(position), "{position:?}");
        let head = position.head();
        let rung = self
            .rungs(position.len())
            .and_then(|rungs| rungs[self.way][head.index()])
            .filter(|&(_, across)| {
                cycle.distance(head, across) <= steps_to_tail_or_food(cycle, position)
                    && !grows_onto_its_back(cycle, position, across)
            });
        rung.map_or(cycle.next(head), |(direction, _)| direction)
    }

    fn overlay(&self) -> Overlay {
        self.route
            .overlay(self.comb.cycles[self.way].cells().to_vec())
    }
}
