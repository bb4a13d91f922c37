//! Plays a game, writes it as a record, and replays the record: the same seed and the same moves
//! give the same game, on every machine.

use hognose_game::{Board, Direction, Game, Origin, Record, Rules, Status};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Rules::new(Board::new(8, 8)?);
    let seed = 42;
    let mut game = Game::new(rules, seed);
    let mut moves = Vec::new();
    while game.position().status() == Status::Ongoing && moves.len() < 1000 {
        let direction = toward_food(&game);
        game.step(direction);
        moves.push(direction);
    }
    let record = Record::new(Origin::Seed(rules), seed, moves)?;
    let text = record.to_string();
    println!("{text}");

    let replayed = text.parse::<Record>()?.replay()?;
    assert_eq!(replayed.position(), game.position());
    println!(
        "length {} after {} moves",
        game.position().len(),
        record.moves().len()
    );
    Ok(())
}

/// The legal move after which the head is nearest to the food; up if no move is legal.
fn toward_food(game: &Game) -> Direction {
    let position = game.position();
    let board = position.board();
    let distance = |direction| {
        let head = board
            .neighbor(position.head(), direction)
            .expect("a legal move stays on the board");
        position
            .foods()
            .iter()
            .map(|&food| board.distance(head, food))
            .min()
    };
    let legal = position.legal_moves();
    legal
        .iter()
        .min_by_key(|&direction| distance(direction))
        .unwrap_or(Direction::Up)
}

#[test]
fn runs() {
    main().unwrap();
}
