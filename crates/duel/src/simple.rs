//! Bots that look only at the next step, or search for a path.

use crate::flood::{covered, flood};
use hognose_game::duel::{Bot, DuelPosition, MakeBot, Mixture, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, Unsupported};

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
    let taken = covered(position);
    let mut floods = Vec::new();
    for direction in position.legal_moves(seat).iter() {
        let cell = position
            .neighbor(head, direction)
            .expect("a legal move stays on the board");
        let found = flood(position.board(), &mut taken.clone(), cell);
        floods.push((direction, found));
    }
    let to_food = floods.iter().filter_map(|(direction, found)| {
        let (_, steps) = found.iter().find(|(cell, _)| position.is_food(*cell))?;
        Some((direction, steps))
    });
    let nearest = to_food.min_by_key(|&(_, steps)| steps);
    nearest.map(|(&direction, _)| direction).or_else(|| {
        // Of equally large ones, the first.
        let largest = floods.iter().rev().max_by_key(|(_, found)| found.len());
        largest.map(|(direction, _)| *direction)
    })
}
