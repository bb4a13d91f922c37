//! All positions of duels on a small board, and the results of joint moves.

use super::bodies::{Bodies, Count};
use super::error::ExactError;
use hognose_game::duel::{DuelBody, DuelPosition, DuelRules, Food, Seat};
use hognose_game::{Cell, Direction, Directions};
use std::ops::Range;

/// The maximum number of cells of a board.
const MOST_CELLS: usize = 16;
/// Bytes in one GiB.
const GIB: f64 = (1u64 << 30) as f64;

/// All positions of duels with some rules, reachable or not: two bodies that do not overlap, and a
/// food on one of the other cells, or none if no cell is left.
///
/// A *state* is a position with, if the rules redraw food, the steps since food was eaten or drawn.
/// States are numbers. They don't include the remaining steps.
pub struct Positions {
    rules: DuelRules,
    bodies: Bodies,
    /// For each pair, the numbers of both bodies.
    pairs: Vec<[u32; 2]>,
    /// For each first body, the index of its first pair; then the number of pairs.
    pairs_of: Vec<u32>,
    /// For each pair, the index of its first position; then the number of positions. A pair's
    /// positions differ by the cell of the food.
    first: Vec<u32>,
    /// The entry of each position.
    entries: Vec<Entry>,
    /// The number of possible counts of steps without food.
    hungers: u32,
}

/// A position's pair, and the results of its joint moves.
struct Entry {
    pair: u32,
    /// The moves to consider, by seat.
    choices: [Directions; 2],
    /// Indexed by 4 times the first seat's direction plus the second's.
    after: [After; 16],
}

/// The result of a joint move, if steps remain after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The game ends, with 1, 0 or -1 points for the first seat.
    Ends(i8),
    /// The game continues in this state.
    Goes(u32),
    /// Food is drawn for this pair of bodies.
    Draws(u32),
}

impl Positions {
    /// Counts the positions of some rules, checks that solving them takes at most `gib` GiB of
    /// memory, and enumerates them.
    ///
    /// # Errors
    /// Fails if the board is too large, the rules have more than one food, foods may be worth more
    /// than one cell, or too much memory is needed.
    pub fn new(rules: DuelRules, gib: f64) -> Result<Positions, ExactError> {
        let board = rules.board();
        if board.area() > MOST_CELLS {
            return Err(ExactError::Board {
                most: MOST_CELLS,
                got: board.area(),
            });
        }
        if rules.foods() != 1 {
            return Err(ExactError::Foods(rules.foods()));
        }
        if rules.values() != (1..=1) {
            return Err(ExactError::Values(rules.values()));
        }
        let count = Count::new(board);
        let hungers = rules.redraw_after().map_or(1, u32::from);
        let states = count.positions * u64::from(hungers);
        // Bodies, pairs, the values for two numbers of remaining steps, and entries.
        let bytes = [
            count.bodies * Bodies::BYTES,
            count.pairs * size_of::<[u32; 2]>() as u64,
            states * 16,
            count.positions * size_of::<Entry>() as u64,
        ];
        let needed = bytes.iter().sum::<u64>() as f64 / GIB;
        if needed > gib || states > u64::from(u32::MAX) {
            return Err(ExactError::Memory {
                most: gib,
                states,
                gib: needed,
            });
        }
        let bodies = Bodies::new(board);
        let mut pairs = Vec::new();
        let mut pairs_of = vec![0];
        let mut first = vec![0];
        for (a, body) in (0..).zip(bodies.all()) {
            for (b, other) in (0..).zip(bodies.all()) {
                if body.cells & other.cells == 0 {
                    pairs.push([a, b]);
                    let free = board.area() - body.path.len() - other.path.len();
                    first.push(first[first.len() - 1] + free.max(1) as u32);
                }
            }
            pairs_of.push(pairs.len() as u32);
        }
        let mut all = Positions {
            rules,
            bodies,
            pairs,
            pairs_of,
            first,
            entries: Vec::new(),
            hungers,
        };
        all.entries = (0..all.pairs.len() as u32)
            .flat_map(|pair| all.entries_of(pair))
            .collect();
        Ok(all)
    }

    /// Returns the rules.
    pub fn rules(&self) -> &DuelRules {
        &self.rules
    }

    /// Returns the number of positions, not counting different hunger and steps.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no positions, which never happens.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the number of states. If the rules redraw food, each hunger is a different state.
    pub fn states(&self) -> usize {
        self.len() * self.hungers as usize
    }

    /// Converts a state to a position after `steps` steps.
    ///
    /// # Panics
    /// Panics if there is no such state, or the game has ended by that step.
    pub fn position(&self, state: u32, steps: u32) -> DuelPosition {
        let position = state / self.hungers;
        let hunger = state % self.hungers;
        let pair = self.entries[position as usize].pair;
        let food = self
            .foods(pair)
            .nth((position - self.first[pair as usize]) as usize);
        self.lay(self.rules, pair, food, steps, hunger as u16)
    }

    /// Returns the state of an ongoing game's position, or `None` if it is not of these rules.
    pub fn state(&self, position: &DuelPosition) -> Option<u32> {
        let food = position.foods().first().map(|food| food.cell);
        let number = self.with_food(self.pair_of(position)?, food)?;
        let hunger = if self.hungers == 1 {
            0
        } else {
            u32::from(position.hunger())
        };
        Some(number * self.hungers + hunger)
    }

    /// Returns the equally likely states of the start, one for each food that may be drawn.
    ///
    /// # Errors
    /// Fails if the start is not one of these positions, because a body is too long.
    pub fn starts(&self) -> Result<impl ExactSizeIterator<Item = u32> + use<>, ExactError> {
        let start = DuelPosition::start(self.rules);
        match self.pair_of(&start) {
            Some(pair) => Ok(self.drawn(pair)),
            None => Err(ExactError::Position(Box::new(start))),
        }
    }

    /// Returns a pair's equally likely states just after food is drawn.
    #[inline]
    pub(super) fn drawn(&self, pair: u32) -> impl ExactSizeIterator<Item = u32> + use<> {
        let (Range { start, end }, hungers) = (self.of_pair(pair), self.hungers);
        (start..end).map(move |position| position * hungers)
    }

    pub(super) fn pairs(&self) -> u32 {
        self.pairs.len() as u32
    }

    /// Returns the moves of each seat to consider: the legal ones, or the three that do not turn
    /// back if none is legal. No other move is ever better.
    #[inline]
    pub(super) fn choices(&self, state: u32) -> [Directions; 2] {
        self.entries[(state / self.hungers) as usize].choices
    }

    /// Returns the results of joint moves in a state.
    #[inline]
    pub(super) fn after(&self, state: u32) -> impl Fn([Direction; 2]) -> After + '_ {
        let position = state / self.hungers;
        let hunger = state % self.hungers;
        let Entry { after, .. } = &self.entries[position as usize];
        move |moves| match after[moves[0].index() * 4 + moves[1].index()] {
            After::Goes(next) if self.rules.redraw_after().is_none() => After::Goes(next),
            After::Goes(next) if hunger + 1 < self.hungers => {
                After::Goes(next * self.hungers + hunger + 1)
            }
            After::Goes(next) => After::Draws(self.entries[next as usize].pair),
            after => after,
        }
    }

    /// Returns the first seat's points if the game ends in a state at the step limit: 1, 0 or -1.
    pub(super) fn points(&self, state: u32) -> i8 {
        let pair = self.entries[(state / self.hungers) as usize].pair;
        let [first, second] =
            self.pairs[pair as usize].map(|number| self.bodies.body(number).path.len());
        first.cmp(&second) as i8
    }

    #[inline]
    fn of_pair(&self, pair: u32) -> Range<u32> {
        self.first[pair as usize]..self.first[pair as usize + 1]
    }

    /// Returns the number of the pair of both bodies of a position, or `None` if it is not among
    /// these.
    fn pair_of(&self, position: &DuelPosition) -> Option<u32> {
        let [first, second] = Seat::BOTH.map(|seat| {
            let path: Vec<Cell> = position.snake(seat).body().collect();
            self.bodies.number(&path)
        });
        self.pair([first?, second?])
    }

    /// Returns the number of the pair of two bodies, or `None` if they overlap.
    fn pair(&self, [first, second]: [u32; 2]) -> Option<u32> {
        let range = self.pairs_of[first as usize]..self.pairs_of[first as usize + 1];
        let pairs = &self.pairs[range.start as usize..range.end as usize];
        Some(range.start + pairs.binary_search(&[first, second]).ok()? as u32)
    }

    /// Returns the cells where the food of a pair may be.
    fn foods(&self, pair: u32) -> impl Iterator<Item = Cell> + use<> {
        let taken = self.pairs[pair as usize].map(|number| self.bodies.body(number).cells);
        self.rules
            .board()
            .cells()
            .filter(move |cell| (taken[0] | taken[1]) >> cell.0 & 1 == 0)
    }

    /// Returns the number of a pair's position with this food, or `None` if a body covers it.
    fn with_food(&self, pair: u32, food: Option<Cell>) -> Option<u32> {
        let place = match food {
            Some(food) => self.foods(pair).position(|cell| cell == food)?,
            None => 0,
        };
        Some(self.first[pair as usize] + place as u32)
    }

    fn lay(
        &self,
        rules: DuelRules,
        pair: u32,
        food: Option<Cell>,
        steps: u32,
        hunger: u16,
    ) -> DuelPosition {
        let food = food.map(|cell| Food { cell, value: 1 });
        let bodies = self.pairs[pair as usize].map(|number| DuelBody {
            cells: self.bodies.body(number).path.to_vec(),
            growth: 0,
        });
        DuelPosition::new(rules, bodies, food, steps, hunger)
            .expect("bodies that do not overlap form a position")
    }

    /// Returns the entries of a pair's positions, by steps of a [`DuelPosition`]. Entries ignore
    /// hunger and the step limit.
    fn entries_of(&self, pair: u32) -> Vec<Entry> {
        let rules = self
            .rules
            .with_redraw_after(None)
            .and_then(|rules| rules.with_step_limit(u32::MAX));
        let rules = rules.expect("these changes are valid for all rules");
        (0..self.of_pair(pair).len())
            .map(|place| {
                let food = self.foods(pair).nth(place);
                let mut laid = self.lay(rules, pair, food, 0, 0);
                let after = |number: usize| {
                    let moves = [number / 4, number % 4].map(Direction::from_index);
                    let event = laid.step(moves);
                    laid.undo();
                    if let Some(outcome) = event.outcome {
                        let points = |winner| if winner == Seat::First { 1 } else { -1 };
                        return After::Ends(outcome.winner.map_or(0, points));
                    }
                    let next = Seat::BOTH.map(|seat| {
                        let number = self.pairs[pair as usize][seat.index()];
                        self.bodies
                            .after(number, moves[seat.index()], event.ate[seat.index()])
                    });
                    let next = self.pair(next).expect("snakes that survive do not overlap");
                    if event.ate == [false; 2] {
                        let next = self.with_food(next, food);
                        After::Goes(next.expect("food that stays is there"))
                    } else {
                        After::Draws(next)
                    }
                };
                let after = std::array::from_fn(after);
                Entry {
                    pair,
                    choices: Seat::BOTH.map(|seat| choices(&laid, seat)),
                    after,
                }
            })
            .collect()
    }
}

fn choices(position: &DuelPosition, seat: Seat) -> Directions {
    position
        .legal_moves(seat)
        .or(Directions::of_turns(position.snake(seat).heading()))
}

/// Returns the mean of the values of some states.
pub(super) fn mean(states: impl ExactSizeIterator<Item = u32>, values: &[f64]) -> f64 {
    let number = states.len() as f64;
    states.map(|state| values[state as usize]).sum::<f64>() / number
}
