//! Compares tables with published values, a slow and obvious definition, and games.

use hognose_game::{Board, Cell, Direction, Event, Game, MakePolicy, Position, Rules, Status};
use hognose_solvers::Random;
use hognose_tablebase::{
    Chances, FileError, Optimal, Table, TableError, check, read_table, write_table,
};
use std::collections::HashMap;

fn board(width: u8, height: u8) -> Board {
    Board::new(width, height).unwrap()
}

fn solve(width: u8, height: u8) -> Table {
    Table::solve(board(width, height), |_| ()).unwrap()
}

/// Least expected steps from a corner and from the middle, solved earlier by another program with
/// 32-bit floats.
#[test]
fn values_agree_with_an_earlier_program() {
    let close = |a: f64, b: f64| (a - b).abs() < 5e-4;
    for (width, height, corner) in [
        (2, 2, 3.8333),
        (3, 3, 17.7051),
        (4, 4, 42.0097),
        (4, 5, 60.2070),
    ] {
        let value = solve(width, height).expected(&[Cell(0)]);
        assert!(close(value, corner), "{width}x{height}: {value} {corner}");
    }
    for (width, height, column, row, expected) in [
        (3, 3, 1, 1, 17.2454),
        (4, 4, 1, 1, 41.1323),
        (6, 4, 2, 1, 79.7192),
    ] {
        let value = solve(width, height).expected(&[board(width, height).cell(column, row)]);
        assert!(
            close(value, expected),
            "{width}x{height}: {value} {expected}"
        );
    }
}

/// Returns all positions of a board, as bodies from head to tail.
fn bodies(board: Board) -> Vec<Vec<Cell>> {
    let mut bodies: Vec<Vec<Cell>> = board.cells().map(|cell| vec![cell]).collect();
    let mut next = 0;
    while next < bodies.len() {
        let body = bodies[next].clone();
        let longer = board
            .neighbors(body[0])
            .filter(|(_, cell)| !body.contains(cell));
        bodies.extend(longer.map(|(_, cell)| [vec![cell], body.clone()].concat()));
        next += 1;
    }
    bodies
}

/// Returns every legal step from a body, given from head to tail: its event, and the body after it.
fn steps(rules: Rules, body: &[Cell], food: Cell) -> Vec<(Event, Vec<Cell>)> {
    let heading = match body[..] {
        [head, neck, ..] => rules.board().direction(neck, head).unwrap(),
        _ => Direction::Up,
    };
    let position = Position::new(rules, heading, body.iter().copied(), [food]).unwrap();
    let step = |direction| {
        let mut after = position.clone();
        (after.step(direction), after.body().collect())
    };
    position.legal_moves().iter().map(step).collect()
}

/// Iterates values over positions under the rules: V = 1 + E after eating, or 1 + the least V of a
/// legal step.
fn iterate(board: Board) -> HashMap<Vec<Cell>, f64> {
    let rules = Rules::new(board);
    let mut expected: HashMap<Vec<Cell>, f64> = HashMap::new();
    for length in (1..=board.area()).rev() {
        let bodies: Vec<Vec<Cell>> = bodies(board)
            .into_iter()
            .filter(|body| body.len() == length)
            .collect();
        let mut sums: HashMap<&Vec<Cell>, f64> = bodies.iter().map(|body| (body, 0.0)).collect();
        for food in board.cells() {
            let clear: Vec<&Vec<Cell>> =
                bodies.iter().filter(|body| !body.contains(&food)).collect();
            let mut values: HashMap<&Vec<Cell>, f64> =
                clear.iter().map(|&body| (body, f64::INFINITY)).collect();
            loop {
                let mut changed = false;
                for &body in &clear {
                    for (event, cells) in steps(rules, body, food) {
                        let value = 1.0
                            + if event == Event::Moved {
                                values[&cells]
                            } else {
                                expected[&cells]
                            };
                        if value < values[body] {
                            *values.get_mut(body).unwrap() = value;
                            changed = true;
                        }
                    }
                }
                if !changed {
                    break;
                }
            }
            clear
                .iter()
                .for_each(|&body| *sums.get_mut(body).unwrap() += values[body]);
        }
        let free = (board.area() - length) as f64;
        let means: Vec<(Vec<Cell>, f64)> = sums
            .iter()
            .map(|(&body, sum)| (body.clone(), if free == 0.0 { 0.0 } else { sum / free }))
            .collect();
        expected.extend(means);
    }
    expected
}

#[test]
fn tables_agree_with_value_iteration() {
    for (width, height) in [(2, 2), (2, 3), (4, 2), (3, 3)] {
        let table = solve(width, height);
        let expected = iterate(board(width, height));
        assert_eq!(expected.len(), table.bodies());
        let mut infinite = 0;
        for (body, value) in &expected {
            let from_tail: Vec<Cell> = body.iter().rev().copied().collect();
            let own = table.expected(&from_tail);
            assert!(
                (own - value).abs() < 1e-9 || own == *value,
                "{width}x{height} {body:?}: {own} {value}"
            );
            infinite += usize::from(value.is_infinite());
        }
        // On 2x2, every position is a sure win.
        assert!(
            (infinite > 0) == (width * height > 4) && infinite < expected.len(),
            "{width}x{height}"
        );
    }
}

/// If a win is sure, the greatest probability of winning is 1, with the steps of the sure win.
/// Otherwise, both agree with iteration over positions: the greatest probability, then the fewest
/// steps of games won.
#[test]
fn chances_agree_with_iteration() {
    for (width, height) in [(2, 2), (2, 3), (4, 2), (3, 3)] {
        let board = board(width, height);
        let table = solve(width, height);
        let chances = Chances::solve(board);
        let expected = iterate_chances(board);
        let mut sure = 0;
        let mut open = 0;
        for (body, &(win, steps)) in &expected {
            let from_tail: Vec<Cell> = body.iter().rev().copied().collect();
            let own = chances.of(&from_tail);
            let exact = table.expected(&from_tail);
            assert!(
                (own.win - win).abs() < 1e-9 && (own.steps - steps).abs() < 1e-7,
                "{body:?}: {own:?} {win} {steps}"
            );
            if exact.is_finite() {
                assert!(
                    (own.win - 1.0).abs() < 1e-9 && (own.steps - exact).abs() < 1e-7,
                    "{body:?}: {own:?} {exact}"
                );
                sure += 1;
            } else {
                assert!(own.win < 1.0 - 1e-9, "{body:?}: {own:?}");
                open += usize::from(own.win > 0.0);
            }
        }
        assert!(
            sure > 0 && (open > 0) == (width * height > 4),
            "{width}x{height}: {sure} {open}"
        );
    }
}

/// Returns for each body the greatest probability of winning and E[steps x won], by repeatedly
/// taking the best legal step.
fn iterate_chances(board: Board) -> HashMap<Vec<Cell>, (f64, f64)> {
    let rules = Rules::new(board);
    let better = |a: (f64, f64), b: (f64, f64)| {
        a.0 > b.0 + 1e-12 || ((a.0 - b.0).abs() <= 1e-12 && a.1 < b.1 - 1e-12)
    };
    let mut expected: HashMap<Vec<Cell>, (f64, f64)> = HashMap::new();
    for length in (1..=board.area()).rev() {
        let bodies: Vec<Vec<Cell>> = bodies(board)
            .into_iter()
            .filter(|body| body.len() == length)
            .collect();
        let mut sums: HashMap<&Vec<Cell>, (f64, f64)> =
            bodies.iter().map(|body| (body, (0.0, 0.0))).collect();
        for food in board.cells() {
            let clear: Vec<&Vec<Cell>> =
                bodies.iter().filter(|body| !body.contains(&food)).collect();
            let mut values: HashMap<&Vec<Cell>, (f64, f64)> =
                clear.iter().map(|&body| (body, (0.0, 0.0))).collect();
            loop {
                let mut changed = false;
                for &body in &clear {
                    for (event, cells) in steps(rules, body, food) {
                        let (win, steps) = if event == Event::Moved {
                            values[&cells]
                        } else {
                            expected[&cells]
                        };
                        if win > 0.0 && better((win, steps + win), values[body]) {
                            *values.get_mut(body).unwrap() = (win, steps + win);
                            changed = true;
                        }
                    }
                }
                if !changed {
                    break;
                }
            }
            for &body in &clear {
                let sum = sums.get_mut(body).unwrap();
                *sum = (sum.0 + values[body].0, sum.1 + values[body].1);
            }
        }
        let free = (board.area() - length) as f64;
        let mean = |sum: (f64, f64)| {
            if free == 0.0 {
                (1.0, 0.0)
            } else {
                (sum.0 / free, sum.1 / free)
            }
        };
        let means: Vec<_> = sums
            .iter()
            .map(|(&body, &sum)| (body.clone(), mean(sum)))
            .collect();
        expected.extend(means);
    }
    expected
}

/// Optimal play takes as many steps on average as in the table, and every step has the cost in the
/// table.
#[test]
fn optimal_play_has_the_tables_mean() {
    let rules = Rules::new(board(4, 4));
    let table = solve(4, 4);
    let exact = rules
        .board()
        .cells()
        .map(|cell| table.expected(&[cell]))
        .sum::<f64>()
        / 16.0;
    let optimal = Optimal::default();
    let games = 3000;
    let mut steps = Vec::new();
    for seed in 0..games {
        let mut game = Game::new(rules, seed);
        let mut policy = optimal.make(game.position(), 0).unwrap();
        let mut count = 0.0;
        while game.position().status() == Status::Ongoing {
            let direction = policy.act(game.position());
            if seed < 20 {
                let (value, _) = table.best(game.position()).unwrap().unwrap();
                let moves = table.moves(game.position()).unwrap();
                let least = moves
                    .iter()
                    .flatten()
                    .copied()
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    (value - least).abs() < 1e-9
                        && (moves[direction.index()].unwrap() - least).abs() < 1e-9
                );
            }
            game.step(direction);
            count += 1.0;
        }
        assert_eq!(game.position().status(), Status::Won);
        steps.push(count);
    }
    let mean = steps.iter().sum::<f64>() / games as f64;
    let variance = steps.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / games as f64;
    assert!(
        (mean - exact).abs() < 4.0 * (variance / games as f64).sqrt(),
        "{mean} {exact}"
    );
}

/// In positions of random play, each move's value is 1 + the value of what it leads to, and no less
/// than the position's.
#[test]
fn values_of_moves_are_consistent() {
    let table = solve(4, 3);
    let mut sure = 0;
    let mut unsure = 0;
    for seed in 0..200 {
        let mut game = Game::new(Rules::new(board(4, 3)), seed);
        let mut random = Random.make(game.position(), seed).unwrap();
        for _ in 0..60 {
            if game.position().status() != Status::Ongoing {
                break;
            }
            let best = table.best(game.position()).unwrap().map(|(value, _)| value);
            let moves = table.moves(game.position()).unwrap();
            let least = moves.into_iter().flatten().reduce(f64::min);
            match (best, least) {
                (Some(best), Some(least)) => {
                    assert!((best - least).abs() < 1e-9, "{:?}", game.position())
                }
                (best, least) => assert_eq!((best, least), (None, None), "{:?}", game.position()),
            }
            *if best.is_some() {
                &mut sure
            } else {
                &mut unsure
            } += 1;
            let direction = random.act(game.position());
            game.step(direction);
        }
    }
    assert!(sure > 500 && unsure > 100, "{sure} {unsure}");
}

#[test]
fn tables_are_written_and_read_and_damage_is_rejected() {
    let table = solve(3, 4);
    let mut bytes = Vec::new();
    write_table(&mut bytes, &table).unwrap();
    let again = read_table(&mut bytes.as_slice()).unwrap();
    assert!(again.values().eq(table.values()));
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(
        read_table(&mut damaged.as_slice()),
        Err(FileError::Damaged { length: 1 })
    ));
    for byte in (40..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[byte] ^= 16;
        assert!(read_table(&mut damaged.as_slice()).is_err(), "byte {byte}");
    }
    assert!(matches!(
        read_table(&mut &bytes[..bytes.len() - 5]),
        Err(FileError::Incomplete { length: 1 })
    ));
    assert!(matches!(
        read_table(&mut &b"something else"[..]),
        Err(FileError::Header { .. })
    ));
}

#[test]
fn boards_that_do_not_fit_are_rejected_with_numbers() {
    let size = check(board(4, 4), 1.0).unwrap();
    assert_eq!(
        (size.bodies, size.stored),
        (28_512, solve(4, 4).values().map(<[f64]>::len).sum())
    );
    assert_eq!(check(board(5, 5), 1.0).unwrap().bodies, 3_060_417);
    let error = check(board(8, 8), 0.5).unwrap_err().to_string();
    assert!(
        error.starts_with("8x8 has more than ") && error.ends_with("allow more with --memory"),
        "{error}"
    );
    assert!(matches!(
        check(board(4, 4).torus(), 1.0),
        Err(TableError::Board(_))
    ));
    assert!(matches!(check(board(9, 9), 1.0), Err(TableError::Board(_))));
}
