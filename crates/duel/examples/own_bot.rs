//! A bot of your own: it goes to the food, but neither into a room that is smaller than its body nor
//! next to the other head. It plays 100 duels against `Search`, from both seats.

use hognose_duel::Search;
use hognose_game::duel::{Bot, Duel, DuelPosition, DuelRules, MakeBot, Seat};
use hognose_game::{Cell, Direction, Unsupported};
use std::error::Error;

/// Plays one seat of one duel.
struct Roomy(Seat);

impl Bot for Roomy {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let board = position.board();
        let own = position.snake(self.0);
        let other = position.snake(self.0.other());
        let food = position.foods().first().map(|food| food.cell);
        let legal = position.legal_moves(self.0);
        let best = legal.iter().min_by_key(|&direction| {
            let head = position
                .neighbor(own.head(), direction)
                .expect("a legal move");
            let cramped = room(position, head) < position.length(self.0);
            let contested = board.distance(head, other.head()) == 1;
            let distance = food.map(|food| board.distance(head, food));
            (cramped, contested, distance)
        });
        best.unwrap_or(own.heading())
    }
}

/// The number of free cells that are connected to a cell, itself included.
fn room(position: &DuelPosition, from: Cell) -> usize {
    let mut found = vec![from];
    let mut next = 0;
    while let Some(&cell) = found.get(next) {
        next += 1;
        for (_, neighbor) in position.board().neighbors(cell) {
            if position.is_free(neighbor) && !found.contains(&neighbor) {
                found.push(neighbor);
            }
        }
    }
    found.len()
}

/// Makes the bot of one seat. Such a function is a `MakeBot`.
fn roomy(_: &DuelPosition, seat: Seat, _seed: u64) -> Result<Box<dyn Bot>, Unsupported> {
    Ok(Box::new(Roomy(seat)))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut won = [0, 0];
    for seed in 0..50 {
        for own_seat in [Seat::First, Seat::Second] {
            let mut duel = Duel::new(DuelRules::ai_snakes_2021(), seed);
            let start = duel.position();
            let mut own = roomy.make(start, own_seat, seed)?;
            let mut search = Search.make(start, own_seat.other(), seed)?;
            let outcome = loop {
                if let Some(outcome) = duel.position().outcome() {
                    break outcome;
                }
                let position = duel.position();
                let moves = own_seat.joint(own.act(position), search.act(position));
                duel.step(moves);
            };
            match outcome.winner {
                Some(seat) if seat == own_seat => won[0] += 1,
                Some(_) => won[1] += 1,
                None => {}
            }
        }
    }
    let [own, search] = won;
    println!(
        "100 duels: {own} won, {search} lost, {} drawn",
        100 - own - search
    );
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
