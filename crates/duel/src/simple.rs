//! Bots that look only at the next step, or search for a path.

use hognose_game::duel::{Bot, DuelPosition, MakeBot, Mixture, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Cell, Direction, Unsupported};
use std::collections::VecDeque;

const RANDOM: Purpose = Purpose::new("random bot");

/// A bot that plays a uniformly random legal move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

/// A bot that plays the first legal move of up, right, down, left.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample;

/// A bot that plays a legal move that brings the head nearer to the nearest food, or else plays as
/// [`Sample`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Search;

/// A bot that follows the shortest path to a food around both bodies in their current cells.
/// Without a path, it enters the cell from which it reaches the most cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl MakeBot for Random {
    fn make(&self, _: &DuelPosition, seat: Seat, seed: u64) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(RandomBot {
            seat,
            draws: rng::keyed(seed, RANDOM, 0),
        }))
    }
}

impl MakeBot for Sample {
    fn make(&self, _: &DuelPosition, seat: Seat, _seed: u64) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(Stateless {
            seat,
            choose: sample,
        }))
    }
}

impl MakeBot for Search {
    fn make(&self, _: &DuelPosition, seat: Seat, _seed: u64) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(Stateless {
            seat,
            choose: search,
        }))
    }
}

impl MakeBot for Greedy {
    fn make(&self, _: &DuelPosition, seat: Seat, _seed: u64) -> Result<Box<dyn Bot>, Unsupported> {
        Ok(Box::new(Stateless {
            seat,
            choose: greedy,
        }))
    }
}

struct RandomBot {
    seat: Seat,
    draws: Generator,
}

impl Bot for RandomBot {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let legal = position.legal_moves(self.seat);
        if legal.is_empty() {
            return position.snake(self.seat).heading();
        }
        let nth = rng::below(&mut self.draws, legal.len() as u64) as usize;
        legal.iter().nth(nth).expect("nth < len")
    }

    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        let legal = position.legal_moves(self.seat);
        let heading = position.snake(self.seat).heading();
        Some(if legal.is_empty() {
            Mixture::pure(heading)
        } else {
            Mixture::even(legal)
        })
    }
}

/// A bot whose moves depend only on the position.
struct Stateless {
    seat: Seat,
    choose: fn(&DuelPosition, Seat) -> Option<Direction>,
}

impl Bot for Stateless {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        (self.choose)(position, self.seat).unwrap_or_else(|| position.snake(self.seat).heading())
    }

    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        Some(Mixture::pure(self.act(position)))
    }
}

fn sample(position: &DuelPosition, seat: Seat) -> Option<Direction> {
    position.legal_moves(seat).iter().next()
}

fn search(position: &DuelPosition, seat: Seat) -> Option<Direction> {
    let board = position.board();
    let head = position.snake(seat).head();
    let nearest = position
        .foods()
        .iter()
        .map(|food| food.cell)
        .min_by_key(|&food| board.distance(head, food));
    let nearer = nearest.and_then(|food| {
        let distance = |direction| {
            board
                .neighbor(head, direction)
                .map(|cell| board.distance(cell, food))
        };
        position
            .legal_moves(seat)
            .iter()
            .find(|&direction| distance(direction) < Some(board.distance(head, food)))
    });
    nearer.or_else(|| sample(position, seat))
}

fn greedy(position: &DuelPosition, seat: Seat) -> Option<Direction> {
    let head = position.snake(seat).head();
    let mut reached = 0;
    let mut best = None;
    let mut nearest: Option<(usize, Direction)> = None;
    for direction in position.legal_moves(seat).iter() {
        let Some(cell) = position.board().neighbor(head, direction) else {
            continue;
        };
        let flood = flood(position, cell);
        if let Some(steps) = flood.food
            && nearest.is_none_or(|(least, _)| steps < least)
        {
            nearest = Some((steps, direction));
        }
        if flood.cells > reached {
            (reached, best) = (flood.cells, Some(direction));
        }
    }
    nearest.map(|(_, direction)| direction).or(best)
}

/// The result of a search from a cell around both bodies in their current cells.
struct Flood {
    /// The number of cells that it reaches.
    cells: usize,
    /// The steps to the nearest food.
    food: Option<usize>,
}

fn flood(position: &DuelPosition, from: Cell) -> Flood {
    let board = position.board();
    let mut seen = vec![false; board.area()];
    seen[from.index()] = true;
    let mut open = VecDeque::from([(from, 0)]);
    let mut cells = 0;
    let mut food = None;
    while let Some((cell, steps)) = open.pop_front() {
        cells += 1;
        if food.is_none() && position.is_food(cell) {
            food = Some(steps);
        }
        for (_, next) in board.neighbors(cell) {
            if !seen[next.index()] && position.covered_by(next).is_none() {
                seen[next.index()] = true;
                open.push_back((next, steps + 1));
            }
        }
    }
    Flood { cells, food }
}
