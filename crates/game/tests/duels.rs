//! A slow, obvious definition of duels, compared with the fast one on random games.

use hognose_game::duel::{
    Duel, DuelCause, DuelPosition, DuelRecord, DuelRules, DuelStart, Food, HeadOn, Outcome, Seat,
    perft,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Sight};
use proptest::prelude::*;

type Point = (i32, i32);

/// A snake as a list of its cells.
#[derive(Clone)]
struct SlowSnake {
    body: Vec<Point>,
    growth: usize,
}

/// A duel with coordinates and lists; foods are drawn as documented in [`Duel`].
#[derive(Clone)]
struct Slow {
    rules: DuelRules,
    snakes: [SlowSnake; 2],
    foods: Vec<(Point, u8)>,
    steps: u32,
    hunger: u16,
    outcome: Option<Outcome>,
    seed: u64,
    spawned: u64,
}

impl Slow {
    fn new(rules: DuelRules, seed: u64) -> Slow {
        let snakes = Seat::BOTH.map(|seat| {
            let start = rules.start(seat);
            let (dx, dy) = [(0, 1), (-1, 0), (0, -1), (1, 0)][start.heading.index()];
            let place = |behind: i32| {
                wrap(
                    rules.board(),
                    (
                        i32::from(start.column) + dx * behind,
                        i32::from(start.row) + dy * behind,
                    ),
                )
            };
            SlowSnake {
                body: (0..start.length.into())
                    .map(|behind| place(behind).unwrap())
                    .collect(),
                growth: 0,
            }
        });
        let mut slow = Slow {
            rules,
            snakes,
            foods: vec![],
            steps: 0,
            hunger: 0,
            outcome: None,
            seed,
            spawned: 0,
        };
        slow.spawn();
        slow
    }

    fn spawn(&mut self) {
        if self.outcome.is_some() {
            return;
        }
        let board = self.rules.board();
        let free = |slow: &Slow| {
            let taken: Vec<Point> = slow
                .snakes
                .iter()
                .flat_map(|snake| snake.body.clone())
                .collect();
            let foods: Vec<Point> = slow.foods.iter().map(|food| food.0).collect();
            board
                .cells()
                .map(|cell| point(board, cell))
                .filter(move |p| !taken.contains(p) && !foods.contains(p))
                .collect::<Vec<_>>()
        };
        while self.foods.len() < self.rules.foods() && !free(self).is_empty() {
            let mut draws = rng::keyed(self.seed, Purpose::new("food"), self.spawned);
            let cell = loop {
                let cell = point(
                    board,
                    Cell(rng::below(&mut draws, board.area() as u64) as u16),
                );
                if free(self).contains(&cell) {
                    break cell;
                }
            };
            let (lowest, highest) = self.rules.values().into_inner();
            let mut draws = rng::keyed(self.seed, Purpose::new("value"), self.spawned);
            let value = lowest + rng::below(&mut draws, u64::from(highest - lowest) + 1) as u8;
            self.foods.push((cell, value));
            self.spawned += 1;
        }
    }

    /// Applies the six rules in order.
    fn step(&mut self, moves: [Direction; 2]) {
        let board = self.rules.board();
        let before = self.snakes.clone();
        // 1. Targets and eating.
        let targets = [0, 1].map(|i| {
            let ((x, y), (dx, dy)) = (
                self.snakes[i].body[0],
                [(0, -1), (1, 0), (0, 1), (-1, 0)][moves[i].index()],
            );
            wrap(board, (x + dx, y + dy))
        });
        for (snake, target) in self.snakes.iter_mut().zip(targets) {
            let food = self.foods.iter().find(|food| Some(food.0) == target);
            snake.growth += food.map_or(0, |food| usize::from(food.1));
        }
        // 2. Tails leave.
        for snake in &mut self.snakes {
            if snake.growth == 0 {
                snake.body.pop();
            }
        }
        // 3. Walls and own bodies; only survivors move.
        let mut causes = [0, 1].map(|i| match targets[i] {
            None => Some(DuelCause::Wall),
            Some(cell) if self.snakes[i].body.contains(&cell) => Some(DuelCause::OwnBody),
            Some(_) => None,
        });
        let moved = causes.map(|cause| cause.is_none());
        for i in 0..2 {
            if moved[i] {
                self.snakes[i].body.insert(0, targets[i].unwrap());
            }
        }
        // 4. Heads that moved, against the other snake.
        for i in 0..2 {
            let other = &self.snakes[1 - i];
            if moved[i] && other.body.contains(&targets[i].unwrap()) {
                let swapped = targets == [Some(before[1].body[0]), Some(before[0].body[0])];
                let meet = moved[1 - i] && (targets[0] == targets[1] || swapped);
                causes[i] = Some(if meet {
                    DuelCause::HeadOn
                } else {
                    DuelCause::OtherBody
                });
            }
        }
        self.steps += 1;
        // 5. The winner.
        let lengths = [0, 1].map(|i| before[i].body.len() + self.snakes[i].growth);
        let longer = match lengths[0].cmp(&lengths[1]) {
            std::cmp::Ordering::Greater => Some(Seat::First),
            std::cmp::Ordering::Less => Some(Seat::Second),
            std::cmp::Ordering::Equal => None,
        };
        if causes != [None; 2] {
            let winner = match causes {
                [Some(DuelCause::HeadOn), Some(DuelCause::HeadOn)]
                    if self.rules.head_on() == HeadOn::Draw =>
                {
                    None
                }
                [Some(_), Some(_)] => longer,
                [Some(_), None] => Some(Seat::Second),
                _ => Some(Seat::First),
            };
            self.outcome = Some(Outcome { winner, causes });
            self.snakes = before;
            return;
        }
        // 6. Food and the step limit.
        for snake in &mut self.snakes {
            snake.growth = snake.growth.saturating_sub(1);
        }
        let eaten = |food: &(Point, u8)| targets.contains(&Some(food.0));
        self.hunger = if self.foods.iter().any(eaten) {
            0
        } else {
            self.hunger + 1
        };
        self.foods.retain(|food| !eaten(food));
        if self.rules.redraw_after() == Some(self.hunger) {
            self.hunger = 0;
            self.foods.clear();
        }
        if self.steps == self.rules.step_limit() {
            self.outcome = Some(Outcome {
                winner: longer,
                causes: [Some(DuelCause::StepLimit); 2],
            });
        }
    }

    fn legal_moves(&self, i: usize) -> Directions {
        let may_enter = |&direction: &Direction| {
            let ((x, y), (dx, dy)) = (
                self.snakes[i].body[0],
                [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()],
            );
            let Some(cell) = wrap(self.rules.board(), (x + dx, y + dy)) else {
                return false;
            };
            self.snakes.iter().all(|snake| {
                let blocking = snake.body.len() - usize::from(snake.growth == 0);
                !snake.body[..blocking].contains(&cell)
            })
        };
        Direction::ALL
            .into_iter()
            .filter(|_| self.outcome.is_none())
            .filter(may_enter)
            .collect()
    }

    fn assert_same(&self, duel: &Duel) {
        let position = duel.position();
        let board = self.rules.board();
        assert_eq!(position.outcome(), self.outcome);
        assert_eq!(
            (position.steps(), duel.spawned()),
            (self.steps, self.spawned)
        );
        if self.outcome.is_none() {
            assert_eq!(position.hunger(), self.hunger);
        }
        for (seat, snake) in Seat::BOTH.into_iter().zip(&self.snakes) {
            assert!(
                position
                    .snake(seat)
                    .body()
                    .map(|cell| point(board, cell))
                    .eq(snake.body.iter().copied())
            );
            assert_eq!(position.legal_moves(seat), self.legal_moves(seat.index()));
            if self.outcome.is_none() {
                assert_eq!(position.growth(seat), snake.growth);
            }
            assert_eq!(position.view(seat).me(), position.snake(seat));
            assert_eq!(position.view(seat).other(), position.snake(seat.other()));
        }
        let foods = position
            .foods()
            .iter()
            .map(|food| (point(board, food.cell), food.value));
        assert!(foods.eq(self.foods.iter().copied()));
        for cell in board.cells() {
            let whose = Seat::BOTH
                .into_iter()
                .find(|seat| self.snakes[seat.index()].body.contains(&point(board, cell)));
            assert_eq!(position.covered_by(cell), whose);
            let food = self.foods.iter().any(|food| food.0 == point(board, cell));
            assert_eq!(
                (position.is_food(cell), position.is_free(cell)),
                (food, !food && whose.is_none())
            );
            let until_free = whose.map_or(0, |seat| {
                let body = position.snake(seat).body().collect::<Vec<_>>();
                body.len() - body.iter().position(|&covered| covered == cell).unwrap()
                    + position.growth(seat)
            });
            assert_eq!(usize::from(position.steps_until_free(cell)), until_free);
        }
    }
}

fn point(board: Board, cell: Cell) -> Point {
    (board.column(cell) as i32, board.row(cell) as i32)
}

/// Returns a point on the board, wrapped around on a torus; `None` if it is outside.
fn wrap(board: Board, (x, y): Point) -> Option<Point> {
    let width = board.width() as i32;
    let height = board.height() as i32;
    if board.is_torus() {
        return Some((x.rem_euclid(width), y.rem_euclid(height)));
    }
    ((0..width).contains(&x) && (0..height).contains(&y)).then_some((x, y))
}

fn any_start(board: Board) -> impl Strategy<Value = DuelStart> {
    let width = board.width() as u8;
    let height = board.height() as u8;
    (0..width, 0..height, 0usize..4, 3u8..=4).prop_map(|(column, row, heading, length)| DuelStart {
        column,
        row,
        heading: Direction::from_index(heading),
        length,
    })
}

fn any_rules() -> impl Strategy<Value = DuelRules> {
    let board = (3u8..=7, 3u8..=7, any::<bool>()).prop_map(|(width, height, torus)| {
        let board = Board::new(width, height).unwrap();
        if torus { board.torus() } else { board }
    });
    let starts = board.prop_flat_map(|board| (Just(board), any_start(board), any_start(board)));
    let starts = starts.prop_filter_map("starts that fit", |(board, first, second)| {
        DuelRules::ai_snakes_2020()
            .with_board(board, [first, second])
            .ok()
    });
    let limits = (
        any::<bool>(),
        prop::option::of(1u16..=12),
        1u32..=150,
        1u16..=3,
        1u8..=2,
        0u8..=2,
    );
    (starts, limits).prop_map(
        |(rules, (draw, redraw_after, step_limit, foods, lowest, more))| {
            let rules = rules.with_head_on(if draw {
                HeadOn::Draw
            } else {
                HeadOn::LongerWins
            });
            let rules = rules
                .with_redraw_after(redraw_after)
                .unwrap()
                .with_step_limit(step_limit)
                .unwrap();
            let rules = rules.with_values(lowest..=lowest + more).unwrap();
            rules.with_foods(foods).unwrap_or(rules)
        },
    )
}

/// Draws mostly legal moves, so that games get long, and some arbitrary ones, so that they end in
/// every way.
fn any_moves(choices: &mut rng::Generator, position: &DuelPosition) -> [Direction; 2] {
    Seat::BOTH.map(|seat| {
        let legal: Vec<Direction> = position.legal_moves(seat).iter().collect();
        if legal.is_empty() || rng::below(choices, 50) == 0 {
            Direction::from_index(rng::below(choices, 4) as usize)
        } else {
            legal[rng::below(choices, legal.len() as u64) as usize]
        }
    })
}

proptest! {
    #[test]
    fn fast_rules_equal_slow_rules(rules in any_rules(), seed: u64) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 0);
        let mut duel = Duel::new(rules, seed);
        let mut slow = Slow::new(rules, seed);
        let start = duel.clone();
        let mut all_moves = Vec::new();
        slow.assert_same(&duel);
        while duel.position().outcome().is_none() {
            let moves = any_moves(&mut choices, duel.position());
            let before = duel.position().clone();
            all_moves.push(moves);
            let event = duel.step(moves);
            slow.step(moves);
            slow.spawn();
            slow.assert_same(&duel);
            prop_assert_eq!(event.outcome, slow.outcome);
            let collided = slow
                .outcome
                .is_some_and(|end| end.causes != [Some(DuelCause::StepLimit); 2]);
            prop_assert_eq!(
                event.ate.contains(&true) || event.redrawn,
                !collided && slow.hunger == 0
            );
            // Only the opponent's move in the same step can make a legal move fatal.
            for seat in Seat::BOTH {
                if let Some(DuelCause::Wall | DuelCause::OwnBody) =
                    event.outcome.and_then(|end| end.causes[seat.index()])
                {
                    prop_assert!(!before.legal_moves(seat).contains(moves[seat.index()]));
                }
            }
        }
        let ended = duel.clone();
        prop_assert_eq!(duel.step([Direction::Up; 2]).outcome, slow.outcome);
        prop_assert_eq!(&duel, &ended);
        let record = DuelRecord::new(start, all_moves).unwrap();
        prop_assert_eq!(record.replay().unwrap(), duel.clone());
        prop_assert_eq!(record.to_string().parse::<DuelRecord>().unwrap(), record);
        let json = serde_json::to_string(&duel).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Duel>(&json).unwrap(), &duel);
    }

    /// Compares a restarted duel with a new one, including what each seat sees.
    #[test]
    fn a_restarted_duel_is_a_new_one(rules in any_rules(), seeds: [u64; 3], steps in 0usize..60) {
        let mut choices = rng::keyed(seeds[0], Purpose::new("test"), 0);
        let mut duel = Duel::new(rules, seeds[1]);
        for _ in 0..steps {
            duel.step(any_moves(&mut choices, duel.position()));
        }
        duel.restart(seeds[2]);
        let mut new = Duel::new(rules, seeds[2]);
        for _ in 0..steps {
            prop_assert_eq!(&duel, &new);
            let ours = duel.position();
            let theirs = new.position();
            for cell in rules.board().cells() {
                prop_assert_eq!(ours.covered_by(cell), theirs.covered_by(cell));
                prop_assert_eq!(ours.is_food(cell), theirs.is_food(cell));
                prop_assert_eq!(ours.steps_until_free(cell), theirs.steps_until_free(cell));
            }
            for seat in Seat::BOTH {
                let sight = theirs.view(seat);
                prop_assert!(Sight::body(&sight).eq(theirs.snake(seat).body()));
                prop_assert!(Sight::foods(&sight).eq(theirs.foods().iter().map(|food| food.cell)));
                prop_assert_eq!(Sight::duel(&sight).map(|view| view.seat()), Some(seat));
                for (cell, direction) in rules
                    .board()
                    .cells()
                    .zip(Direction::ALL.into_iter().cycle())
                {
                    prop_assert_eq!(
                        Sight::neighbor(&sight, cell, direction),
                        rules.board().neighbor(cell, direction)
                    );
                }
            }
            let moves = any_moves(&mut choices, duel.position());
            prop_assert_eq!(duel.step(moves), new.step(moves));
        }
    }

    /// Undoes steps without new food one by one.
    #[test]
    fn undo_reverts_steps(rules in any_rules(), seed: u64, depth in 1usize..40) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 1);
        let mut duel = Duel::new(rules, seed);
        for _ in 0..rng::below(&mut choices, 20) {
            duel.step(any_moves(&mut choices, duel.position()));
        }
        let mut position = duel.position().clone();
        let mut before = Vec::new();
        while before.len() < depth && position.outcome().is_none() {
            before.push(position.clone());
            let moves = any_moves(&mut choices, &position);
            position.step(moves);
            let json = serde_json::to_string(&position).unwrap();
            prop_assert_eq!(
                &serde_json::from_str::<DuelPosition>(&json).unwrap(),
                &position
            );
        }
        while let Some(before) = before.pop() {
            prop_assert!(position.undo());
            prop_assert_eq!(&position, &before);
            let cells = rules.board().cells();
            cells.for_each(|cell| {
                assert_eq!(position.covered_by(cell), before.covered_by(cell));
                assert_eq!(
                    position.steps_until_free(cell),
                    before.steps_until_free(cell)
                );
                assert_eq!(position.is_food(cell), before.is_food(cell));
            });
        }
        prop_assert!(!position.undo());
    }

    /// Under rotated rules with the seats swapped, a duel with turned foods is the image of the
    /// original at every step.
    #[test]
    fn turned_foods_make_the_image_of_a_duel(rules in any_rules(), seed: u64) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 3);
        let mut duel = Duel::new(rules, seed);
        let start = Duel::with_turned_foods(rules.half_turned().with_seats_swapped(), seed);
        let mut image = start.clone();
        let mut all_moves = Vec::new();
        loop {
            prop_assert_eq!(
                &image.position().half_turned().with_seats_swapped(),
                duel.position()
            );
            if duel.position().outcome().is_some() {
                break;
            }
            let [first, second] = any_moves(&mut choices, duel.position());
            all_moves.push([second.opposite(), first.opposite()]);
            let event = duel.step([first, second]);
            let its = image.step(all_moves[all_moves.len() - 1]);
            prop_assert_eq!(
                (event.ate, event.redrawn),
                ([its.ate[1], its.ate[0]], its.redrawn)
            );
        }
        let record = DuelRecord::new(start.clone(), all_moves).unwrap();
        prop_assert_eq!(record.start(), start.clone());
        prop_assert_eq!(record.replay().unwrap(), image);
        prop_assert_eq!(record.to_string().parse::<DuelRecord>().unwrap(), record);
        let json = serde_json::to_string(&start).unwrap();
        prop_assert_eq!(serde_json::from_str::<Duel>(&json).unwrap(), start);
    }

    /// Stepping commutes with taking the image.
    #[test]
    fn rules_are_symmetric(rules in any_rules(), seed: u64) {
        let mut choices = rng::keyed(seed, Purpose::new("test"), 2);
        let mut duel = Duel::new(rules, seed);
        while duel.position().outcome().is_none() {
            let moves = any_moves(&mut choices, duel.position());
            let mut stepped = duel.position().clone();
            stepped.step(moves);
            let images = [
                (
                    duel.position().mirrored(),
                    moves.map(Direction::mirrored),
                    stepped.mirrored(),
                ),
                (
                    duel.position().half_turned(),
                    moves.map(Direction::opposite),
                    stepped.half_turned(),
                ),
                (
                    duel.position().with_seats_swapped(),
                    [moves[1], moves[0]],
                    stepped.with_seats_swapped(),
                ),
            ];
            for (mut image, moves, stepped) in images {
                image.step(moves);
                prop_assert_eq!(image, stepped);
            }
            duel.step(moves);
        }
    }
}

/// In both presets, each start is the half-turn of the other, so both seats have equal chances.
#[test]
fn presets_are_fair() {
    for name in DuelRules::NAMES {
        let rules = DuelRules::named(name).unwrap();
        let start = DuelPosition::start(rules);
        assert_eq!(start.half_turned().with_seats_swapped(), start);
        assert!(rules.starts_are_half_turns());
        let unfair = DuelStart {
            column: 4,
            ..rules.start(Seat::First)
        };
        assert!(
            !rules
                .with_board(rules.board(), [unfair, rules.start(Seat::Second)])
                .unwrap()
                .starts_are_half_turns()
        );
    }
}

/// A snapshot may contain any number of spawned foods; the count wraps around.
#[test]
fn the_food_count_wraps_around() {
    let rules = DuelRules::ai_snakes_2020()
        .with_redraw_after(Some(1))
        .unwrap();
    let json = serde_json::to_string(&Duel::new(rules, 3)).unwrap();
    let last = json.replace("\"spawned\":1", &format!("\"spawned\":{}", u64::MAX));
    let mut duel: Duel = serde_json::from_str(&last).unwrap();
    duel.step([Direction::Up, Direction::Down]);
    assert_eq!(duel.spawned(), 0);
}

/// Reads records and snapshots written before foods could be turned.
#[test]
fn records_of_the_first_version_are_read() {
    let duel = Duel::new(DuelRules::ai_snakes_2021(), 3);
    let record = DuelRecord::new(duel.clone(), vec![[Direction::Up, Direction::Down]; 2]).unwrap();
    let written = record.to_string();
    let old = written
        .replace("hognose-duel-record 2", "hognose-duel-record 1")
        .replace("turned_foods false\n", "");
    assert_eq!(
        (old.lines().count() + 1, old.parse()),
        (written.lines().count(), Ok(record))
    );
    assert!(!serde_json::to_string(&duel).unwrap().contains("turned"));
    let error = written
        .replace("record 2", "record 3")
        .parse::<DuelRecord>()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a duel record of version 1 or 2, got version 3"
    );
}

/// Bodies, foods and moves, with the expected end. In the rows of text, `0123...` is the first body
/// from head to tail, `abc...` the second, and `*` food.
#[test]
fn games_end_by_the_rules() {
    use Direction::{Down, Left, Right, Up};
    let wins = |winner, first, second| {
        Some(Outcome {
            winner,
            causes: [first, second],
        })
    };
    let head_on = Some(DuelCause::HeadOn);
    let first = Some(Seat::First);
    let second = Some(Seat::Second);
    type Case = (
        &'static str,
        &'static [&'static str],
        [Direction; 2],
        Option<Outcome>,
    );
    let cases: [Case; 12] = [
        (
            "a wall",
            &["012..", ".....", "..cba"],
            [Up, Left],
            wins(None, Some(DuelCause::Wall), Some(DuelCause::OwnBody)),
        ),
        (
            "one dies",
            &["012..", ".....", "..cba"],
            [Left, Up],
            wins(second, Some(DuelCause::Wall), None),
        ),
        (
            "equal heads",
            &["210.a", "....b", "....c"],
            [Right, Left],
            wins(None, head_on, head_on),
        ),
        (
            "the longer head",
            &["210.a", "3...b", "....c"],
            [Right, Left],
            wins(first, head_on, head_on),
        ),
        (
            "both eat",
            &["210*a", "3...b", "....c"],
            [Right, Left],
            wins(first, head_on, head_on),
        ),
        (
            "heads swap cells",
            &["210ab", "....c", "....d"],
            [Right, Left],
            wins(second, head_on, head_on),
        ),
        (
            "the other's body",
            &["210..", "..abc", "....."],
            [Down, Left],
            wins(second, Some(DuelCause::OtherBody), None),
        ),
        (
            "a tail that leaves",
            &["210cb", "....a", "....."],
            [Right, Down],
            None,
        ),
        (
            "a tail that stays",
            &["210cb", "....a", "....*"],
            [Right, Down],
            wins(second, Some(DuelCause::OtherBody), None),
        ),
        (
            "its own tail",
            &["01...", "32...", "..abc"],
            [Down, Left],
            None,
        ),
        (
            "the tail of a dying snake",
            &["210cb", "....a", "....."],
            [Right, Right],
            wins(first, None, Some(DuelCause::Wall)),
        ),
        (
            "straight back",
            &["210..", ".....", "..abc"],
            [Left, Up],
            wins(second, Some(DuelCause::OwnBody), None),
        ),
    ];
    for (what, rows, moves, expected) in cases {
        let position = drawn(rows);
        let mut stepped = position.clone();
        let event = stepped.step(moves);
        assert_eq!(event.outcome, expected, "{what}\n{position}");
    }
    let mut draws = drawn_by(
        &["210.a", "3...b", "....c"],
        DuelRules::ai_snakes_2020().with_head_on(HeadOn::Draw),
    );
    assert_eq!(
        draws.step([Right, Left]).outcome,
        wins(None, head_on, head_on)
    );
}

fn drawn(rows: &[&str]) -> DuelPosition {
    drawn_by(rows, DuelRules::ai_snakes_2020())
}

/// Returns the position in a picture, under these rules on its board.
fn drawn_by(rows: &[&str], rules: DuelRules) -> DuelPosition {
    let board = Board::new(rows[0].len() as u8, rows.len() as u8).unwrap();
    let cells = |first: u8| -> Vec<Cell> {
        let find = |symbol: u8| {
            let place = rows
                .iter()
                .flat_map(|row| row.bytes())
                .position(|byte| byte == symbol)?;
            Some(Cell(place as u16))
        };
        (first..first + 9).map_while(find).collect()
    };
    let foods = cells(b'*')
        .into_iter()
        .take(1)
        .map(|cell| Food { cell, value: 1 });
    let start = |column| DuelStart {
        column,
        row: 0,
        heading: Direction::Up,
        length: 3,
    };
    let rules = rules.with_board(board, [start(0), start(1)]).unwrap();
    let bodies = [b'0', b'a'].map(|first| hognose_game::duel::DuelBody {
        cells: cells(first),
        growth: 0,
    });
    DuelPosition::new(rules, bodies, foods, 0, 0).unwrap()
}

/// Returns the number of sequences of legal joint moves under the slow rules, without new food.
fn slow_perft(slow: &Slow, depth: u32) -> u64 {
    if depth == 0 || slow.outcome.is_some() {
        return 1;
    }
    let mut count = 0;
    for first in slow.legal_moves(0).iter() {
        for second in slow.legal_moves(1).iter() {
            let mut next = slow.clone();
            next.step([first, second]);
            count += slow_perft(&next, depth - 1);
        }
    }
    count
}

/// The numbers are pinned, so that a change of the rules is noticed.
#[test]
fn perft_agrees_with_the_slow_rules() {
    let counts = |rules: DuelRules| -> Vec<u64> {
        let mut position = Duel::new(rules, 0).position().clone();
        let slow = Slow::new(rules, 0);
        let counts: Vec<u64> = (0..=5).map(|depth| perft(&mut position, depth)).collect();
        (0..=4).for_each(|depth| assert_eq!(slow_perft(&slow, depth), counts[depth as usize]));
        counts
    };
    let on = |board: &str| {
        DuelRules::ai_snakes_2021()
            .on(board.parse().unwrap())
            .unwrap()
    };
    assert_eq!(
        counts(DuelRules::ai_snakes_2021()),
        [1, 9, 81, 676, 5041, 36100]
    );
    assert_eq!(counts(on("5x5")), [1, 9, 46, 224, 863, 4107]);
    assert_eq!(
        counts(on("6x5-torus").with_foods(3).unwrap()),
        [1, 4, 36, 298, 2350, 18561]
    );
}
