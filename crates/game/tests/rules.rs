//! A slow, obvious definition of the rules, compared with the fast one on random games on random
//! boards.

use hognose_game::rng::{self, Purpose};
use hognose_game::{
    Board, Cause, Cell, Direction, Directions, Event, Game, LeanGame, LeanRules, Origin, Position,
    Record, Rules, Sight, Start, Status, perft,
};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// A game with coordinates and a list of body cells.
struct Slow {
    rules: Rules,
    body: VecDeque<(i32, i32)>,
    heading: Direction,
    foods: Vec<(i32, i32)>,
    status: Status,
}

impl Slow {
    fn of(position: &Position) -> Slow {
        let board = position.board();
        let point = |cell: Cell| (board.column(cell) as i32, board.row(cell) as i32);
        Slow {
            rules: position.rules(),
            body: position.body().map(point).collect(),
            heading: position.heading(),
            foods: position.foods().iter().copied().map(point).collect(),
            status: position.status(),
        }
    }

    /// Returns the head's new cell, or what the head hits.
    fn target(&self, direction: Direction) -> Result<(i32, i32), Cause> {
        let width = self.rules.board().width() as i32;
        let height = self.rules.board().height() as i32;
        let (dx, dy) = [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
        let mut x = self.body[0].0 + dx;
        let mut y = self.body[0].1 + dy;
        if self.rules.board().is_torus() {
            (x, y) = (x.rem_euclid(width), y.rem_euclid(height));
        }
        if x < 0 || y < 0 || x >= width || y >= height {
            return Err(Cause::Wall);
        }
        let back = self.body.len() >= 2 && direction == self.heading.opposite();
        let tail_leaves = self.rules.tail_entry() && !self.foods.contains(&(x, y));
        let blocking = if tail_leaves {
            self.body.len() - 1
        } else {
            self.body.len()
        };
        if back || self.body.iter().take(blocking).any(|&cell| cell == (x, y)) {
            return Err(Cause::Body);
        }
        Ok((x, y))
    }

    fn step(&mut self, direction: Direction) -> Event {
        let cell = match self.target(direction) {
            Ok(cell) => cell,
            Err(cause) => {
                self.status = Status::Lost(cause);
                return Event::Lost(cause);
            }
        };
        let ate = self.foods.contains(&cell);
        if !ate {
            self.body.pop_back();
        }
        self.foods.retain(|&food| food != cell);
        self.body.push_front(cell);
        self.heading = direction;
        if self.body.len() == self.rules.board().area() {
            self.status = Status::Won;
            return Event::Won;
        }
        if ate { Event::Ate } else { Event::Moved }
    }

    fn free_cells(&self) -> Vec<Cell> {
        let board = self.rules.board();
        let is_free = |&cell: &Cell| {
            let point = (board.column(cell) as i32, board.row(cell) as i32);
            !self.body.contains(&point) && !self.foods.contains(&point)
        };
        board.cells().filter(is_free).collect()
    }

    /// Returns the number of steps until the body has left a cell, by removing the tail one cell at
    /// a time.
    fn steps_until_free(&self, point: (i32, i32)) -> usize {
        let mut body = self.body.clone();
        (0..)
            .find(|_| !body.contains(&point) || body.pop_back().is_none())
            .unwrap_or(0)
    }

    fn assert_same(&self, position: &Position) {
        let board = position.board();
        let same = Slow::of(position);
        assert_eq!(self.body, same.body);
        assert_eq!(self.heading, same.heading);
        assert_eq!(self.foods, same.foods);
        assert_eq!(self.status, same.status);
        let ongoing = self.status == Status::Ongoing;
        let legal = Direction::ALL
            .into_iter()
            .filter(|&direction| ongoing && self.target(direction).is_ok());
        assert_eq!(position.legal_moves(), legal.collect());
        for cell in board.cells() {
            let point = (board.column(cell) as i32, board.row(cell) as i32);
            assert_eq!(
                usize::from(position.steps_until_free(cell)),
                self.steps_until_free(point)
            );
            assert_eq!(position.is_food(cell), self.foods.contains(&point));
        }
        assert_eq!(
            board
                .cells()
                .filter(|&cell| position.is_free(cell))
                .collect::<Vec<_>>(),
            self.free_cells()
        );
    }
}

/// Compares an observer's view of two games, the second by definition; `left` is the cell that the
/// tail left last.
fn assert_same_sight(seen: impl Sight, position: &Position, left: Option<Cell>) {
    assert_eq!(
        (seen.board(), seen.tail_entry()),
        (position.board(), position.rules().tail_entry())
    );
    assert_eq!(
        (seen.head(), seen.tail(), seen.len()),
        (position.head(), position.tail(), position.len())
    );
    assert_eq!(seen.heading(), position.heading());
    assert!(seen.foods().eq(position.foods().iter().copied()));
    assert_eq!(seen.legal_moves(), position.legal_moves());
    assert_eq!(
        seen.ahead(),
        position
            .board()
            .neighbor(position.head(), position.heading())
    );
    assert!(seen.body().eq(position.body()) && seen.body().rev().eq(position.body().rev()));
    for cell in position.board().cells() {
        assert_eq!(seen.steps_until_free(cell), position.steps_until_free(cell));
    }
    let leaving = position.body().rev().enumerate();
    leaving.for_each(|(steps, cell)| assert_eq!(seen.cell_left_after(steps + 1), cell));
    let left = left.filter(|_| position.status() != Status::Won);
    left.into_iter()
        .for_each(|left| assert_eq!(seen.cell_left_after(0), left));
}

fn any_rules() -> impl Strategy<Value = Rules> {
    (
        2u8..=7,
        2u8..=7,
        any::<bool>(),
        any::<bool>(),
        1u16..=3,
        1u8..=4,
        0u8..=1,
    )
        .prop_map(
            |(width, height, torus, tail_entry, foods, length, margin)| {
                let board = Board::new(width, height).unwrap();
                let board = if torus { board.torus() } else { board };
                let rules = Rules::new(board)
                    .with_tail_entry(tail_entry)
                    .with_foods(foods)
                    .unwrap();
                rules
                    .with_start(Start::Random { length, margin })
                    .unwrap_or(rules)
            },
        )
}

proptest! {
    /// Plays mostly legal moves, so that games get long, and some illegal ones, so that they end in
    /// every way.
    #[test]
    fn fast_rules_equal_slow_rules(rules in any_rules(), seed: u64) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 0);
        let mut game = Game::new(rules, seed);
        let mut slow = Slow::of(game.position());
        let mut moves = Vec::new();
        for _ in 0..300 {
            let legal: Vec<Direction> = game.position().legal_moves().iter().collect();
            let direction = if legal.is_empty() || rng::below(&mut choices, 100) == 0 {
                Direction::from_index(rng::below(&mut choices, 4) as usize)
            } else {
                legal[rng::below(&mut choices, legal.len() as u64) as usize]
            };
            moves.push(direction);
            let mut after = game.position().clone();
            let mut image = game.position().mirrored();
            prop_assert_eq!(after.step(direction), image.step(direction.mirrored()));
            prop_assert_eq!(after.mirrored(), image);
            let spawned = game.spawned();
            let event = game.step(direction);
            prop_assert_eq!(event, slow.step(direction));
            for index in spawned..game.spawned() {
                let free = slow.free_cells();
                let mut draws = rng::keyed(seed, Purpose::new("food"), index);
                let cell =
                    (0..).map(|_| Cell(rng::below(&mut draws, rules.board().area() as u64) as u16));
                let cell = cell.into_iter().find(|cell| free.contains(cell)).unwrap();
                slow.foods.push((
                    rules.board().column(cell) as i32,
                    rules.board().row(cell) as i32,
                ));
            }
            slow.assert_same(game.position());
            if game.position().status() != Status::Ongoing {
                let ended = game.clone();
                prop_assert_eq!(game.step(direction), event);
                prop_assert_eq!(&game, &ended);
                break;
            }
            prop_assert_eq!(
                slow.foods.len(),
                rules.foods().min(rules.board().area() - slow.body.len())
            );
        }
        let record = Record::new(Origin::Seed(rules), seed, moves).unwrap();
        prop_assert_eq!(record.replay().unwrap(), game.clone());
        prop_assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
        let json = serde_json::to_string(&game).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Game>(&json).unwrap(), &game);
        if game.position().status() == Status::Ongoing {
            let origin = Origin::Position(Box::new(game.position().clone()));
            let moves = game.position().legal_moves().iter().take(1).collect();
            let record = Record::new(origin, seed ^ 1, moves).unwrap();
            prop_assert_eq!(record.to_string().parse::<Record>().unwrap(), record);
        }
    }

    /// Compares lean games, from their start or restarted from any position, with games.
    #[test]
    fn lean_games_equal_games(rules in any_rules(), seed: u64) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 1);
        let lean_rules = Arc::new(LeanRules::<64>::new(rules));
        let mut game = Game::new(rules, seed);
        let mut lean = LeanGame::new(&lean_rules, seed);
        let mut left = None;
        for step in 0..400 {
            let position = game.position();
            prop_assert_eq!(&lean.to_game(), &game);
            assert_same_sight(&lean, position, left);
            assert_same_sight(position, position, left);
            let legal: Vec<Direction> = position.legal_moves().iter().collect();
            let drawn = rng::below(&mut choices, 100);
            if drawn < 3 {
                left = None;
            }
            match drawn {
                0 => {
                    game = Game::from_position(position.clone(), step);
                    lean.restart_from(
                        &lean_rules,
                        &lean.to_game().position().clone(),
                        step,
                    );
                }
                1 => {
                    let before = game.clone();
                    for _ in 0..3 {
                        game.step(Direction::Up);
                    }
                    lean.restore(&lean_rules, &game);
                    prop_assert_eq!(&lean.to_game(), &game);
                    lean.restore(&lean_rules, &before);
                    game = before;
                }
                2 => {
                    game.restart(step);
                    lean.restart(&lean_rules, step);
                }
                draw => {
                    let direction = match legal.len() {
                        0 => Direction::Left,
                        _ if draw == 3 => Direction::from_index(step as usize),
                        count => legal[draw as usize % count],
                    };
                    let tail = position.tail();
                    let event = game.step(direction);
                    prop_assert_eq!(event, lean.step(direction));
                    if event == Event::Moved {
                        left = Some(tail);
                    }
                }
            }
        }
    }

    /// Finds every (cell, heading) pair that fits, by trying all of them.
    #[test]
    fn starts_are_exactly_those_that_fit(
        width in 2u8..=6,
        height in 2u8..=6,
        torus: bool,
        length in 1u8..=5,
        margin in 0u8..=2,
    ) {
        let board = Board::new(width, height).unwrap();
        let board = if torus { board.torus() } else { board };
        let mut expected = Vec::new();
        for heading in Direction::ALL {
            for cell in board.cells() {
                let column = board.column(cell);
                let row = board.row(cell);
                let margin = usize::from(margin);
                let inside = column.min(row) >= margin
                    && column + margin < board.width()
                    && row + margin < board.height();
                let body = std::iter::successors(Some(cell), |&cell| {
                    board.neighbor(cell, heading.opposite())
                });
                let body: Vec<Cell> = body.take(length.into()).collect();
                let position = Position::new(Rules::new(board), heading, body.iter().copied(), []);
                let room = usize::from(length) < board.area();
                if inside && body.len() == usize::from(length) && position.is_ok() && room {
                    expected.push((cell, heading));
                }
            }
        }
        match Rules::new(board).with_start(Start::Random { length, margin }) {
            Ok(rules) => {
                let starts: Vec<_> = (0..rules.start_count())
                    .map(|index| rules.start_at(index))
                    .collect();
                prop_assert_eq!(starts, expected);
            }
            Err(_) => prop_assert!(expected.is_empty()),
        }
    }
}

#[test]
fn straight_back_loses_even_into_the_tail_of_two_cells() {
    let board = Board::new(4, 4).unwrap();
    let mut position =
        Position::new(Rules::new(board), Direction::Right, [Cell(1), Cell(0)], []).unwrap();
    assert_eq!(position.step(Direction::Left), Event::Lost(Cause::Body));
    assert_eq!(position.head(), Cell(1));
}

#[test]
fn finished_games_have_no_legal_moves() {
    let rules = Rules::new(Board::new(2, 2).unwrap());
    let full = Position::new(rules, Direction::Left, [2, 3, 1, 0].map(Cell), []).unwrap();
    let mut lost = Position::new(rules, Direction::Right, [Cell(1)], []).unwrap();
    assert_eq!(lost.step(Direction::Right), Event::Lost(Cause::Wall));
    let lean_rules = Arc::new(LeanRules::<8>::new(rules));
    for position in [full, lost] {
        assert_eq!(position.legal_moves(), Directions::EMPTY);
        assert_eq!(perft(&position, 1), 0);
        let mut lean = LeanGame::new(&lean_rules, 0);
        lean.restart_from(&lean_rules, &position, 0);
        assert_eq!(lean.legal_moves(), Directions::EMPTY);
    }
    // From a corner, clockwise or counterclockwise, with food everywhere; the third move fills the
    // board.
    let growing = Position::new(
        rules.with_foods(3).unwrap(),
        Direction::Up,
        [Cell(0)],
        [1, 2, 3].map(Cell),
    )
    .unwrap();
    assert_eq!(
        [1, 2, 3, 4].map(|depth| perft(&growing, depth)),
        [2, 2, 2, 0]
    );
}

#[test]
fn unreachable_positions_are_rejected() {
    let rules = Rules::new(Board::new(2, 2).unwrap());
    let error = Position::new(rules, Direction::Up, [Cell(0)], [Cell(1), Cell(2)]).unwrap_err();
    assert_eq!(error.to_string(), "expected at most 1 foods, got 2");
    let read = |heading: &str, body: &str, status: &str| {
        let text = format!(
            r#"{{"rules":{{"board":"2x2"}},"heading":"{heading}","body":[{body}],
                "foods":[],"status":{status}}}"#
        );
        serde_json::from_str::<Position>(&text)
            .map(|position| position.status())
            .map_err(|error| error.to_string())
    };
    let wall = r#"{"lost":"wall"}"#;
    let body = r#"{"lost":"body"}"#;
    assert_eq!(read("left", "2,3,1,0", r#""won""#), Ok(Status::Won));
    assert_eq!(read("left", "2,3", body), Ok(Status::Lost(Cause::Body)));
    assert_eq!(read("up", "0", wall), Ok(Status::Lost(Cause::Wall)));
    for (heading, cells, status) in [
        ("up", "0", r#""won""#),
        ("up", "0", body),
        ("left", "2,3,1,0", r#""ongoing""#),
        ("left", "2,3,1,0", wall),
    ] {
        let error = read(heading, cells, status).unwrap_err();
        assert!(error.starts_with("the status is "), "{error}");
    }
}

#[test]
fn a_single_cell_may_turn_back() {
    let mut position = Position::new(
        Rules::new(Board::new(4, 4).unwrap()),
        Direction::Right,
        [Cell(1)],
        [],
    )
    .unwrap();
    assert_eq!(position.step(Direction::Left), Event::Moved);
}

#[test]
fn reseeding_keeps_the_foods_on_the_board() {
    let game = Game::new(Rules::new(Board::new(5, 5).unwrap()), 1);
    let mut other = game.clone();
    other.reseed(2);
    assert_eq!(other.position(), game.position());
    assert_eq!(Game::from_position(game.position().clone(), 2), other);
}

#[test]
fn records_that_do_not_replay_are_rejected() {
    let rules = Rules::new(Board::new(5, 5).unwrap());
    let record = Record::new(Origin::Seed(rules), 3, vec![Direction::Up]).unwrap();
    let text = record.to_string();
    assert!(
        text.replace("length 1 check", "length 2 check")
            .parse::<Record>()
            .unwrap()
            .replay()
            .is_err()
    );
    for (from, to) in [
        ("5x5", "5x1"),
        ("moves u", "moves ux"),
        ("end ", "and "),
        ("foods 1", "foods 99"),
        ("seed 3", ""),
    ] {
        let error = text
            .replace(from, to)
            .parse::<Record>()
            .expect_err(to)
            .to_string();
        assert!(!error.is_empty());
    }
    let error = text
        .replace("hognose-record 1", "hognose-record 2")
        .parse::<Record>()
        .unwrap_err()
        .to_string();
    assert_eq!(error, "expected a record of version 1, got version 2");
    for length in 0..text.len() - 1 {
        assert!(
            text[..length]
                .parse::<Record>()
                .map_or(true, |cut| cut.replay().is_err()),
            "cut at {length}"
        );
    }
    assert!(Record::new(Origin::Seed(rules), 3, vec![Direction::Up; 9]).is_err());
}

/// Lean games number their steps with 16 bits, and start over in the middle of a game.
#[test]
fn lean_games_go_on_after_65536_steps() {
    for (seed, tail_entry) in [(0, false), (1, true)] {
        let rules = Rules::new(Board::new(7, 3).unwrap().torus()).with_tail_entry(tail_entry);
        let lean_rules = Arc::new(LeanRules::<32>::new(rules));
        let mut game = Game::new(rules, seed);
        let mut lean = LeanGame::new(&lean_rules, seed);
        for step in 0..140_000 {
            let position = game.position();
            let eats = |to: &Direction| {
                rules
                    .board()
                    .neighbor(position.head(), *to)
                    .is_some_and(|to| position.is_food(to))
            };
            // The snake eats now and then while it is short.
            let sated = position.len() > 6 || step % 20_000 != 0;
            let direction = position
                .legal_moves()
                .iter()
                .find(|to| !(sated && eats(to)))
                .expect("the snake never traps itself");
            assert_eq!(game.step(direction), lean.step(direction));
            assert_eq!(lean.legal_moves(), game.position().legal_moves());
            if step % 1000 == 0 {
                assert_eq!(lean.to_game(), game);
            }
        }
    }
}
