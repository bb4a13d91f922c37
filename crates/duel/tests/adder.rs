//! Tests of AdderBoaCobra: alpha-beta against minimax, the 41 scenarios, and circling in games.

use hognose_duel::{Adder, AdderStyle, Budget, Circles, Scenario, Waiting};
use hognose_game::duel::{
    Duel, DuelBody, DuelCause, DuelPosition, DuelRules, Food, HeadOn, MakeBot, Outcome, Seat,
};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions};
use hognose_policies::Catalog;
use proptest::prelude::*;
use std::collections::BTreeSet;

const WANDER: Purpose = Purpose::new("wander");

fn any_of(moves: Directions, draws: &mut Generator) -> Option<Direction> {
    let nth = rng::below(draws, moves.len().max(1) as u64) as usize;
    moves.iter().nth(nth)
}

/// Returns the duel after this many random legal moves, or earlier if it ends or a seat has no
/// legal move.
fn wandered(rules: DuelRules, seed: u64, steps: u32) -> Duel {
    let mut duel = Duel::new(rules, seed);
    let mut draws = rng::keyed(seed, WANDER, 0);
    for _ in 0..steps {
        let mut last = duel.clone();
        let moves = Seat::BOTH.map(|seat| any_of(duel.position().legal_moves(seat), &mut draws));
        let [Some(first), Some(second)] = moves else {
            break;
        };
        last.step([first, second]);
        if last.position().outcome().is_some() {
            break;
        }
        duel = last;
    }
    duel
}

fn rules() -> impl Strategy<Value = DuelRules> {
    let torus = |width, height| {
        let board = Board::new(width, height).unwrap().torus();
        DuelRules::ai_snakes_2021().on(board).unwrap()
    };
    prop_oneof![
        Just(DuelRules::ai_snakes_2020()),
        Just(DuelRules::ai_snakes_2021()),
        Just(DuelRules::ai_snakes_2020().with_head_on(HeadOn::Draw)),
        Just(
            DuelRules::ai_snakes_2020()
                .with_foods(30)
                .unwrap()
                .with_values(1..=3)
                .unwrap()
        ),
        Just(torus(6, 7)),
        Just(torus(7, 6).with_foods(9).unwrap()),
        Just(
            DuelRules::ai_snakes_2020()
                .on(Board::new(6, 6).unwrap())
                .unwrap()
                .with_step_limit(40)
                .unwrap()
        ),
    ]
}

fn styles() -> impl Strategy<Value = AdderStyle> {
    (0..3_usize, any::<bool>(), any::<bool>(), 0..3_usize).prop_map(
        |(circles, reaches, eats_first, draw)| AdderStyle {
            circles: [Circles::Never, Circles::OneFood, Circles::NearestFood][circles],
            waiting: if reaches {
                Waiting::Reach
            } else {
                Waiting::Center
            },
            draw: [0, AdderStyle::DRAW_OF_THE_REPORT, AdderStyle::DRAW_AS_LOSS][draw],
            eats_first,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn alpha_beta_finds_the_value_and_the_move_of_minimax(
        rules in rules(),
        style in styles(),
        seed: u64,
        steps in 0..60_u32,
        depth in 1..=3_u32,
    ) {
        let duel = wandered(rules, seed, steps);
        let adder = Adder::new(Budget::Depth(depth), style);
        for seat in Seat::BOTH {
            let fast = adder.alpha_beta(duel.position(), seat, depth);
            let slow = adder.minimax(duel.position(), seat, depth);
            prop_assert_eq!((fast.value, fast.best), (slow.value, slow.best));
            prop_assert!(fast.nodes <= slow.nodes, "{} > {}", fast.nodes, slow.nodes);
            prop_assert_eq!(
                fast.line.first().map(|moves| moves[seat.index()]),
                slow.line.first().and(slow.best)
            );
            let mut after = duel.position().clone();
            for &moves in &fast.line {
                prop_assert!(after.outcome().is_none());
                after.step(moves);
            }
        }
    }

    #[test]
    fn every_budget_gives_a_legal_move_where_there_is_one(
        rules in rules(),
        style in styles(),
        seed: u64,
        steps in 0..200_u32,
        budget in 0..4_usize,
    ) {
        let budget = ["1n", "100n", "2", "5us"][budget].parse().unwrap();
        let mut duel = wandered(rules, seed, steps);
        let mut bots = Seat::BOTH.map(|seat| {
            Adder::new(budget, style)
                .make(duel.position(), seat, 0)
                .unwrap()
        });
        for _ in 0..30 {
            if duel.position().outcome().is_some() {
                break;
            }
            let moves = Seat::BOTH.map(|seat| {
                let direction = bots[seat.index()].act(duel.position());
                let legal = duel.position().legal_moves(seat);
                assert!(
                    legal.is_empty() || legal.contains(direction),
                    "{direction} is not legal"
                );
                direction
            });
            duel.step(moves);
        }
    }
}

#[test]
fn boards_of_all_sizes_are_played_to_the_end() {
    for (width, height) in [(3, 7), (5, 5), (4, 9), (9, 6), (14, 14), (40, 5)] {
        let board = Board::new(width, height).unwrap();
        for board in [board, board.torus()] {
            let Ok(rules) = DuelRules::ai_snakes_2020().on(board) else {
                continue;
            };
            for foods in [1, 3] {
                let rules = rules.with_foods(foods).unwrap();
                for opponent in ["adder-fault:2", "greedy"] {
                    play(rules, 5, ["adder:2", opponent]);
                }
            }
        }
    }
}

fn play(rules: DuelRules, seed: u64, names: [&str; 2]) -> Duel {
    let mut duel = Duel::new(rules, seed);
    let mut bots = Seat::BOTH.map(|seat| {
        let bot = Catalog::default().bot(names[seat.index()]).unwrap();
        bot.make(duel.position(), seat, seed).unwrap()
    });
    while duel.position().outcome().is_none() {
        let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
        duel.step(moves);
    }
    duel
}

/// Returns every scenario of the competition's board with a food that it serves: 41, with those
/// that serve several foods once for each.
fn scenarios() -> Vec<(Cell, Scenario)> {
    let board = DuelRules::ai_snakes_2020().board();
    let foods = (0..14).flat_map(|at| [(at, 0), (at, 13), (0, at), (13, at), (6, at)]);
    let foods: BTreeSet<Cell> = foods.map(|(column, row)| board.cell(column, row)).collect();
    foods
        .into_iter()
        .flat_map(|food| {
            Scenario::around(board, food)
                .into_iter()
                .map(move |found| (food, found))
        })
        .collect()
}

/// Returns a snake on a cycle of 14 cells, in the half of the board that is farthest from a cell.
fn far_away(board: Board, from: Cell, length: usize) -> Vec<Cell> {
    let column = board.column(from);
    let row = board.row(from);
    let left = if column < 7 { 11 } else { 1 };
    let top = if row < 7 { 7 } else { 0 };
    let down = (0..7).map(|at| board.cell(left, top + at));
    let up = (0..7).rev().map(|at| board.cell(left + 1, top + at));
    down.chain(up).take(length).collect()
}

fn complete_ring(food: Cell, scenario: &Scenario, turn: usize, reverse: bool) -> DuelPosition {
    let rules = DuelRules::ai_snakes_2020();
    let mut cells = scenario.ring.clone();
    cells.rotate_left(turn % scenario.ring.len());
    if reverse {
        cells.reverse();
    }
    let lead = if scenario.is_open { 2 } else { 1 };
    let other = far_away(rules.board(), food, cells.len() - lead);
    let bodies = [
        DuelBody { cells, growth: 0 },
        DuelBody {
            cells: other,
            growth: 0,
        },
    ];
    DuelPosition::new(
        rules,
        bodies,
        [Food {
            cell: food,
            value: 1,
        }],
        0,
        0,
    )
    .unwrap()
}

fn body(position: &DuelPosition, seat: Seat) -> BTreeSet<Cell> {
    position.snake(seat).body().collect()
}

/// Returns the next move on the cycle of [`far_away`].
fn cycles(position: &DuelPosition, seat: Seat) -> Direction {
    let snake = position.snake(seat);
    let heading = snake.heading();
    let legal = position.legal_moves(seat);
    let board = position.board();
    let in_cycle = |direction: &Direction| {
        let next = board.neighbor(snake.head(), *direction).unwrap();
        [1, 2, 11, 12].contains(&board.column(next))
            && (board.row(next) < 7) == (board.row(snake.head()) < 7)
    };
    let turns = [Direction::Left, Direction::Right].into_iter().chain([
        heading,
        Direction::Up,
        Direction::Down,
    ]);
    let mut options = turns
        .filter(|&direction| legal.contains(direction))
        .filter(in_cycle);
    // Straight through the columns, sideways at their ends.
    let ahead = board
        .neighbor(snake.head(), heading)
        .filter(|&cell| (board.row(cell) < 7) == (board.row(snake.head()) < 7));
    match ahead {
        Some(_) if matches!(heading, Direction::Up | Direction::Down) => heading,
        _ => options.next().unwrap(),
    }
}

#[test]
fn a_complete_ring_stays_until_the_step_limit_and_wins() {
    let mut kinds = BTreeSet::new();
    for (index, (food, scenario)) in scenarios().into_iter().enumerate() {
        let start = complete_ring(food, &scenario, index, index % 2 == 0);
        let ring = body(&start, Seat::First);
        let mut bot = Catalog::default()
            .bot("adder:2")
            .unwrap()
            .make(&start, Seat::First, 0)
            .unwrap();
        let mut duel = Duel::from_position(start, 1);
        while duel.position().outcome().is_none() {
            let moves = [
                bot.act(duel.position()),
                cycles(duel.position(), Seat::Second),
            ];
            duel.step(moves);
            assert_eq!(
                body(duel.position(), Seat::First),
                ring,
                "food {food:?}, {scenario:?}"
            );
        }
        let won = Outcome {
            winner: Some(Seat::First),
            causes: [Some(DuelCause::StepLimit); 2],
        };
        assert_eq!(
            duel.position().outcome(),
            Some(won),
            "food {food:?}, {scenario:?}"
        );
        kinds.insert((scenario.is_open, scenario.ring.len()));
    }
    assert_eq!(
        kinds,
        BTreeSet::from([
            (true, 6),
            (true, 8),
            (false, 8),
            (false, 10),
            (false, 12),
            (false, 14)
        ])
    );
}

/// Against several opponents: nobody gets the food of a closed ring, and a snake that takes it from
/// an open ring dies.
#[test]
fn nobody_gets_food_out_of_a_ring_and_lives() {
    for (index, (food, scenario)) in scenarios().into_iter().enumerate() {
        for opponent in ["greedy", "random", "search"] {
            let start = complete_ring(food, &scenario, index, index % 2 == 1);
            let ring = body(&start, Seat::First);
            let mut bots =
                [("adder:2", Seat::First), (opponent, Seat::Second)].map(|(name, seat)| {
                    Catalog::default()
                        .bot(name)
                        .unwrap()
                        .make(&start, seat, 3)
                        .unwrap()
                });
            let mut duel = Duel::from_position(start, 1);
            while duel.position().outcome().is_none() {
                let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
                duel.step(moves);
                assert_eq!(
                    body(duel.position(), Seat::First),
                    ring,
                    "food {food:?}, {scenario:?}"
                );
                assert!(scenario.is_open || duel.position().is_food(food));
            }
            assert_eq!(
                duel.position().outcome().unwrap().winner,
                Some(Seat::First),
                "food {food:?}, {scenario:?}"
            );
        }
    }
}

/// The bot lays each kind of ring if the opponent stays away, also with a body longer than the
/// ring.
#[test]
fn rings_are_laid_from_afar() {
    let rules = DuelRules::ai_snakes_2020();
    let board = rules.board();
    let kinds = [
        ((6, 6), 8, 1),
        ((0, 1), 6, 2),
        ((0, 0), 8, 1),
        ((0, 1), 10, 1),
        ((0, 2), 12, 1),
        ((0, 6), 8, 2),
        ((0, 6), 14, 1),
    ];
    for ((column, row), least, lead) in kinds {
        for length in (least..=14).step_by(2) {
            let food = board.cell(column, row);
            let other = far_away(board, food, length - lead);
            let cells = (0..length).map(|at| board.cell(8, 13 - at)).collect();
            let bodies = [
                DuelBody { cells, growth: 0 },
                DuelBody {
                    cells: other,
                    growth: 0,
                },
            ];
            let start = DuelPosition::new(
                rules,
                bodies,
                [Food {
                    cell: food,
                    value: 1,
                }],
                0,
                0,
            )
            .unwrap();
            let mut bot = Catalog::default()
                .bot("adder:4")
                .unwrap()
                .make(&start, Seat::First, 0)
                .unwrap();
            let mut duel = Duel::from_position(start, 1);
            for _ in 0..200 {
                let moves = [
                    bot.act(duel.position()),
                    cycles(duel.position(), Seat::Second),
                ];
                duel.step(moves);
            }
            let is_laid = duel.position().is_food(food) && circles(duel.position(), Seat::First);
            assert!(is_laid, "food {food:?}, ring {least}, length {length}");
        }
    }
}

/// Returns whether a snake's head is next to its tail.
fn circles(position: &DuelPosition, seat: Seat) -> bool {
    let snake = position.snake(seat);
    position.board().distance(snake.head(), snake.tail()) == 1
}

#[test]
fn games_are_won_by_circling() {
    let mut won = 0;
    for seed in 0..12 {
        let duel = play(DuelRules::ai_snakes_2020(), seed, ["adder:2", "sample"]);
        let outcome = duel.position().outcome().unwrap();
        let by_step_limit =
            outcome.winner == Some(Seat::First) && outcome.causes[0] == Some(DuelCause::StepLimit);
        won += u32::from(by_step_limit && circles(duel.position(), Seat::First));
    }
    assert!(won >= 4, "{won} of 12 games");
}

#[test]
fn styles_decide_whether_one_food_or_one_of_several_is_circled() {
    let (food, scenario) = scenarios()
        .into_iter()
        .find(|(_, scenario)| scenario.ring.len() == 14)
        .unwrap();
    let start = complete_ring(food, &scenario, 0, false);
    let thought = |name: &str| {
        let mut bot = Catalog::default()
            .bot(name)
            .unwrap()
            .make(&start, Seat::First, 0)
            .unwrap();
        bot.act(&start);
        bot.thought()
    };
    assert_eq!(thought("adder:2").nodes, 0);
    let searched = thought("adder-straight:2");
    assert!(searched.nodes > 0 && searched.line.len() <= 2 && !searched.line.is_empty());
    // One more food, in a cell that no snake enters.
    let rules = start.rules().with_foods(2).unwrap();
    let bodies = Seat::BOTH.map(|seat| DuelBody {
        cells: start.snake(seat).body().collect(),
        growth: 0,
    });
    let free = rules
        .board()
        .cells()
        .find(|&cell| start.is_free(cell) && rules.board().distance(cell, food) > 6);
    let foods = [food, free.unwrap()].map(|cell| Food { cell, value: 1 });
    let start = DuelPosition::new(rules, bodies, foods, 0, 0).unwrap();
    let nodes = |name: &str| {
        let mut bot = Catalog::default()
            .bot(name)
            .unwrap()
            .make(&start, Seat::First, 0)
            .unwrap();
        bot.act(&start);
        bot.thought().nodes
    };
    assert!(nodes("adder:2") > 0 && nodes("adder-circles:2") == 0);
}

/// With one food, both bots are the same.
#[test]
fn one_food_is_circled_alike() {
    for rules in [DuelRules::ai_snakes_2020(), DuelRules::ai_snakes_2021()] {
        for seed in 0..4 {
            let [usual, other] =
                ["adder:2", "adder-circles:2"].map(|bot| play(rules, seed, [bot, "sample"]));
            assert_eq!(usual, other);
        }
    }
}

/// The original tries up, down, right, left, and keeps the first of equally good moves.
#[test]
fn down_comes_before_right() {
    let rules = DuelRules::ai_snakes_2020();
    let board = rules.board();
    let body = |cells: [(usize, usize); 3]| DuelBody {
        cells: cells.map(|(column, row)| board.cell(column, row)).into(),
        growth: 0,
    };
    let bodies = [
        body([(9, 7), (8, 7), (7, 7)]),
        body([(1, 10), (1, 11), (1, 12)]),
    ];
    let food = Food {
        cell: board.cell(11, 9),
        value: 1,
    };
    let position = DuelPosition::new(rules, bodies, [food], 0, 0).unwrap();
    let adder = Adder::new(Budget::Depth(1), AdderStyle::default());
    let found = adder.alpha_beta(&position, Seat::First, 1);
    assert_eq!(found.best, Some(Direction::Down));
}

/// Both heads are next to the food. The value of entering it depends on the lengths and on the
/// bot's style.
#[test]
fn values_of_head_ons_over_the_food_depend_on_the_style() {
    let rules = DuelRules::ai_snakes_2020();
    let board = rules.board();
    let value = |lengths: [usize; 2], style: AdderStyle| {
        let left = (0..lengths[0]).map(|at| board.cell(5 - at, 0)).collect();
        let right = (0..lengths[1]).map(|at| board.cell(7 + at, 0)).collect();
        let bodies = [left, right].map(|cells| DuelBody { cells, growth: 0 });
        let food = Food {
            cell: board.cell(6, 0),
            value: 1,
        };
        let position = DuelPosition::new(rules, bodies, [food], 0, 0).unwrap();
        let found = Adder::new(Budget::Depth(1), style).alpha_beta(&position, Seat::First, 1);
        (found.best.unwrap(), found.value)
    };
    let usual = AdderStyle::default();
    // Turning aside lets the other eat: -500 - 1, plus a share of the free cells. Entering draws:
    // -5 for the distance.
    assert_eq!(value([4, 4], usual), (Direction::Right, -5));
    let (aside, _) = value([3, 4], usual);
    assert_eq!(aside, Direction::Down);
    let faulty = AdderStyle {
        eats_first: true,
        ..usual
    };
    assert_eq!(value([4, 4], faulty), (Direction::Right, 800 + 1));
    assert_eq!(value([3, 4], faulty), (Direction::Right, 800 + 1 - 5));
    let careful = AdderStyle {
        draw: AdderStyle::DRAW_AS_LOSS,
        ..usual
    };
    assert_eq!(value([4, 4], careful).0, Direction::Down);
}
