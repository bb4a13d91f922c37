//! Duels as an environment: checks the contract, a slow and obvious loop over `Duel`, and the
//! observations as documented.

mod slow;

use hognose_env::{
    ActionKind, Buffers, ConfigError, DuelEnvConfig, DuelReward, DuelSnapshot, DuelVectorEnv,
    Encoder, EnvError, LearnerSeat, Observation, Reach, Signal, StepError, Termination, contract,
};
use hognose_game::duel::{Bot, Duel, DuelPosition, DuelRules, DuelView, HeadOn, MakeBot, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Forfeit, Sight, Turn, Unsupported};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

fn rules(board: &str) -> DuelRules {
    DuelRules::ai_snakes_2021()
        .on(board.parse::<Board>().unwrap())
        .unwrap()
}

/// Rules of all kinds.
fn kinds() -> [DuelRules; 4] {
    [
        DuelRules::ai_snakes_2020().with_step_limit(60).unwrap(),
        rules("7x8"),
        rules("8x6-torus")
            .with_foods(3)
            .unwrap()
            .with_values(1..=4)
            .unwrap(),
        rules("7x7")
            .with_head_on(HeadOn::Draw)
            .with_redraw_after(Some(3))
            .unwrap()
            .with_step_limit(25)
            .unwrap(),
    ]
}

/// The moves of bots in the order in which they were asked, each with its position.
type Asked = Arc<Mutex<Vec<(DuelPosition, Direction)>>>;

/// Plays random legal moves, from a generator with a state, and records them.
struct Wanderer {
    seat: Seat,
    draws: Generator,
    asked: Asked,
}

impl Bot for Wanderer {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let legal: Vec<Direction> = position.legal_moves(self.seat).iter().collect();
        let drawn = (!legal.is_empty())
            .then(|| legal[rng::below(&mut self.draws, legal.len() as u64) as usize]);
        let direction = drawn.unwrap_or(Direction::Up);
        self.asked
            .lock()
            .unwrap()
            .push((position.clone(), direction));
        direction
    }
}

/// Returns a maker of wanderers.
fn wanderers() -> Arc<dyn MakeBot> {
    wanderers_into(&Asked::default())
}

/// Returns a maker of wanderers that record their moves in one list.
fn wanderers_into(asked: &Asked) -> Arc<dyn MakeBot> {
    let asked = Arc::clone(asked);
    Arc::new(move |_: &DuelPosition, seat: Seat, seed: u64| {
        let draws = rng::keyed(seed, Purpose::new("test"), 0);
        Ok(Box::new(Wanderer {
            seat,
            draws,
            asked: Arc::clone(&asked),
        }) as Box<dyn Bot>)
    })
}

#[test]
fn duels_keep_the_contract() {
    for rules in kinds() {
        for (name, observation) in Observation::ALL {
            // Searches take long.
            let searches = matches!(observation, Observation::Egocentric | Observation::Features);
            if searches && rules.board().area() > 50 {
                continue;
            }
            let actions: &[ActionKind] = match observation {
                Observation::Planes => &[ActionKind::Absolute, ActionKind::Relative],
                _ => &[ActionKind::Relative],
            };
            for &action in actions {
                let config = DuelEnvConfig {
                    observation,
                    action,
                    reward: DuelReward {
                        food: 0.25,
                        shaping: 0.5,
                        ..DuelReward::default()
                    },
                    ..DuelEnvConfig::new(rules)
                };
                let make = |autoreset, n, seed, threads| {
                    let config = DuelEnvConfig {
                        autoreset,
                        ..config.clone()
                    };
                    DuelVectorEnv::new(config, n, seed)
                        .unwrap()
                        .with_threads(threads)
                        .unwrap()
                };
                let steps = if searches { 40 } else { 300 };
                contract::check(make, steps)
                    .unwrap_or_else(|broken| panic!("{rules} {name}: {broken}"));
            }
        }
    }
}

#[test]
fn duels_against_a_bot_keep_the_contract() {
    for learner in [
        LearnerSeat::First,
        LearnerSeat::Second,
        LearnerSeat::Alternate,
    ] {
        let config = DuelEnvConfig {
            observation: Observation::Planes,
            ..DuelEnvConfig::new(rules("7x8"))
        };
        let make = |autoreset, n, seed, threads| {
            let config = DuelEnvConfig {
                autoreset,
                ..config.clone()
            };
            let env = DuelVectorEnv::new(config, n, seed)
                .unwrap()
                .with_threads(threads)
                .unwrap();
            env.against(wanderers(), learner).unwrap()
        };
        contract::check(make, 300).unwrap();
    }
}

/// Returns a random action, half of the time one toward the food, so that snakes get long.
fn choose(env: &DuelVectorEnv, row: usize, draws: &mut Generator) -> u8 {
    let (duel, seat) = env.player(row);
    let position = env.duel(duel).position();
    let kind = env.config().action;
    let snake = position.snake(seat);
    let board = position.board();
    let legal: Vec<Direction> = position.legal_moves(seat).iter().collect();
    let distance = |&direction: &Direction| {
        let cell = board.neighbor(snake.head(), direction).unwrap();
        position
            .foods()
            .first()
            .map_or(0, |food| board.distance(cell, food.cell))
    };
    let direction = match rng::below(draws, 20) {
        0 => Direction::from_index(rng::below(draws, 4) as usize),
        1..=10 => legal
            .iter()
            .copied()
            .min_by_key(distance)
            .unwrap_or(Direction::Up),
        _ if legal.is_empty() => Direction::Up,
        _ => legal[rng::below(draws, legal.len() as u64) as usize],
    };
    kind.action(direction, snake.heading()).unwrap_or(0)
}

/// Returns the reward of a step, as documented.
fn slow_reward(
    reward: DuelReward,
    before: &DuelPosition,
    ate: bool,
    after: &DuelPosition,
    seat: Seat,
) -> f32 {
    let potential = |position: &DuelPosition| {
        let board = position.board();
        let head = position.snake(seat).head();
        let nearest = position
            .foods()
            .iter()
            .map(|food| board.distance(head, food.cell))
            .min();
        -reward.shaping * nearest.unwrap_or(0) as f32 / (board.width() + board.height()) as f32
    };
    let mut pay = if ate { reward.food } else { 0.0 };
    match after.outcome() {
        None => pay += reward.discount * potential(after),
        Some(outcome) if outcome.winner == Some(seat) => pay += reward.win,
        Some(outcome) if outcome.winner == Some(seat.other()) => pay += reward.loss,
        Some(_) => pay += reward.draw,
    }
    pay - potential(before)
}

/// Compares the environment with an obvious loop over one duel after another.
fn agrees_with_a_slow_loop(rules: DuelRules, action: ActionKind, bot: bool, seed: u64) {
    let reward = DuelReward {
        food: 0.25,
        shaping: 0.5,
        draw: -0.5,
        ..DuelReward::default()
    };
    let config = DuelEnvConfig {
        observation: Observation::Features,
        action,
        reward,
        ..DuelEnvConfig::new(rules)
    };
    let mut env = DuelVectorEnv::new(config, 2, seed).unwrap();
    let asked = Asked::default();
    if bot {
        env = env
            .against(wanderers_into(&asked), LearnerSeat::Alternate)
            .unwrap();
    }
    let rows = env.num_rows();
    let mut buffers = Buffers::<f32>::for_duels(&env);
    env.observe(&mut buffers.batch()).unwrap();
    let mut draws = rng::keyed(seed, Purpose::new("test"), 0);
    let mut seats = Vec::new();
    for _ in 0..200 {
        let mut slow: Vec<Duel> = (0..2).map(|duel| env.duel(duel).clone()).collect();
        let players: Vec<(usize, Seat)> = (0..rows).map(|row| env.player(row)).collect();
        let actions: Vec<u8> = (0..rows).map(|row| choose(&env, row, &mut draws)).collect();
        env.step(&actions, &mut buffers.batch()).unwrap();
        let answers = std::mem::take(&mut *asked.lock().unwrap());
        for (duel, slow) in slow.iter_mut().enumerate() {
            let before = slow.position().clone();
            let now = env.duel(duel);
            let mut moves = [None; 2];
            for (row, &(_, seat)) in players
                .iter()
                .enumerate()
                .filter(|(_, player)| player.0 == duel)
            {
                moves[seat.index()] =
                    Some(action.direction(actions[row], before.snake(seat).heading()));
            }
            if bot {
                // Each bot is asked once per step, in the order of the duels.
                let (position, direction) = &answers[duel];
                assert_eq!(*position, before);
                *moves.iter_mut().find(|known| known.is_none()).unwrap() = Some(*direction);
            }
            let event = slow.step(moves.map(Option::unwrap));
            let after = &*slow;
            if event.outcome.is_none() {
                assert_eq!(after, now);
            }
            for (row, &(_, seat)) in players
                .iter()
                .enumerate()
                .filter(|(_, player)| player.0 == duel)
            {
                let expected = slow_reward(
                    reward,
                    &before,
                    event.ate[seat.index()],
                    after.position(),
                    seat,
                );
                assert_eq!(buffers.rewards[row], expected);
                let signal = event.outcome.map_or(Signal::Running, |outcome| {
                    Signal::Terminated(match outcome.winner {
                        Some(winner) if winner == seat => Termination::Won,
                        Some(_) => Termination::Lost,
                        None => Termination::Drawn,
                    })
                });
                assert_eq!(buffers.signals[row], signal);
                if let Some(outcome) = event.outcome {
                    let episode = env.last_episode(row).unwrap();
                    assert_eq!(
                        (episode.seat, episode.outcome, episode.steps),
                        (seat, outcome, after.position().steps())
                    );
                    assert_eq!(
                        episode.lengths,
                        Seat::BOTH.map(|seat| after.position().length(seat))
                    );
                    assert_eq!(*now, Duel::new(rules, now.seed()));
                    let mut last = vec![0.0; env.space().len()];
                    let view = after.position().view(seat);
                    Encoder::for_duels(Observation::Features, rules.board()).encode(
                        view,
                        view.legal_moves(),
                        &mut last,
                    );
                    assert_eq!(
                        buffers.final_observations[row * last.len()..][..last.len()],
                        last
                    );
                    seats.push(seat);
                }
            }
        }
    }
    if bot && seats.len() > 10 {
        assert!(
            Seat::BOTH.iter().all(|seat| seats.contains(seat)),
            "the learner must have each seat in turn"
        );
    }
}

/// Returns the steps until a cell is free of a snake, computed slowly.
fn slow_countdown(view: DuelView<'_>, cell: Cell) -> usize {
    let from_tail = view.me().body().rev().position(|body| body == cell);
    from_tail.map_or(0, |from_tail| from_tail + 1 + view.growth())
}

/// Returns the least step in which each cell is entered after a first move, by repeated relaxation
/// in time order. Paths that have eaten meet an own body that has waited a step, and only enter
/// cells that no hungry path has entered by then.
fn slow_arrival(view: DuelView<'_>, first: Direction) -> Vec<Option<usize>> {
    let board = view.board();
    let mut arrival = [vec![None; board.area()], vec![None; board.area()]];
    if !view.legal_moves().contains(first) {
        return arrival[0].clone();
    }
    let foods: Vec<Cell> = view
        .position()
        .foods()
        .iter()
        .map(|food| food.cell)
        .collect();
    let first = board.neighbor(view.me().head(), first).unwrap();
    arrival[usize::from(foods.contains(&first))][first.index()] = Some(1);
    for step in 1..=2 * board.area() {
        for fed in [0, 1] {
            for cell in board
                .cells()
                .filter(|cell| arrival[fed][cell.index()] == Some(step))
                .collect::<Vec<_>>()
            {
                for (_, neighbor) in board.neighbors(cell) {
                    let own = slow_countdown(view, neighbor);
                    let other = slow_countdown(view.opponent(), neighbor);
                    let open = (own == 0 || own + fed <= step + 1) && other <= step + 1;
                    let layer = fed.max(usize::from(foods.contains(&neighbor)));
                    let known = arrival[layer][neighbor.index()].is_some();
                    let needless = fed == 1 && arrival[0][neighbor.index()].is_some();
                    if open && !known && !needless {
                        arrival[layer][neighbor.index()] = Some(step + 1);
                    }
                }
            }
        }
    }
    let [hungry, fed] = arrival;
    hungry
        .into_iter()
        .zip(fed)
        .map(|(hungry, fed)| [hungry, fed].into_iter().flatten().min())
        .collect()
}

/// Returns the first arrival of a player in each cell after its best move.
fn slow_reach(view: DuelView<'_>) -> Vec<Option<usize>> {
    let arrivals = Turn::ALL.map(|turn| slow_arrival(view, view.me().heading().turned(turn)));
    view.board()
        .cells()
        .map(|cell| {
            arrivals
                .iter()
                .filter_map(|arrival| arrival[cell.index()])
                .min()
        })
        .collect()
}

/// Returns the value of the food on a cell as a share of the highest possible value.
fn slow_food(view: DuelView<'_>, cell: Cell) -> f32 {
    let best = f32::from(*view.position().rules().values().end());
    view.position()
        .foods()
        .iter()
        .find(|food| food.cell == cell)
        .map_or(0.0, |food| f32::from(food.value) / best)
}

fn slow_clocks(position: &DuelPosition) -> [f32; 2] {
    let rules = position.rules();
    let redraw = rules.redraw_after().map_or(1.0, |steps| {
        f32::from(steps - position.hunger()) / f32::from(steps)
    });
    [
        redraw,
        (rules.step_limit() - position.steps()) as f32 / rules.step_limit() as f32,
    ]
}

/// Returns the 9 scalars that a duel adds.
fn slow_duel_scalars(view: DuelView<'_>) -> Vec<f32> {
    let board = view.board();
    let position = view.position();
    let area = board.area() as f32;
    let own = slow_reach(view);
    let other = slow_reach(view.opponent());
    let food = position
        .foods()
        .iter()
        .filter_map(|food| other[food.cell.index()])
        .min();
    let free: Vec<usize> = board
        .cells()
        .filter(|&cell| position.covered_by(cell).is_none())
        .map(|cell| cell.index())
        .collect();
    let before = |a: &[Option<usize>], b: &[Option<usize>]| {
        let first =
            |&&cell: &&usize| a[cell].is_some_and(|step| b[cell].is_none_or(|other| step < other));
        free.iter().filter(first).count() as f32 / free.len().max(1) as f32
    };
    let [redraw, steps] = slow_clocks(position);
    vec![
        (position.length(view.seat().other()) as f32 / area).min(1.0),
        f32::from(view.lead() > 0),
        f32::from(view.lead() < 0),
        redraw,
        steps,
        food.map_or(0.0, |steps| 1.0 / steps as f32),
        food.map_or(1.0, |steps| steps as f32 / area),
        before(&own, &other),
        before(&other, &own),
    ]
}

/// Returns the observation `planes` as documented.
fn slow_planes(view: DuelView<'_>) -> Vec<f32> {
    let board = view.board();
    let other = view.opponent();
    let clocks = slow_clocks(view.position());
    let countdown = |view, cell| (slow_countdown(view, cell) as f32 / board.area() as f32).min(1.0);
    let ahead = board.neighbor(view.me().head(), view.me().heading());
    let planes: [&dyn Fn(Cell) -> f32; 10] = [
        &|cell| countdown(view, cell),
        &|cell| f32::from(cell == view.me().head()),
        &|cell| f32::from(cell == view.me().tail()),
        &|cell| slow_food(view, cell),
        &|cell| f32::from(Some(cell) == ahead),
        &|cell| countdown(other, cell),
        &|cell| f32::from(cell == other.me().head()),
        &|cell| f32::from(cell == other.me().tail()),
        &|_| clocks[0],
        &|_| clocks[1],
    ];
    planes
        .iter()
        .flat_map(|plane| board.cells().map(plane))
        .collect()
}

/// Returns the observation `egocentric` as documented, one cell of the window at a time.
fn slow_egocentric(view: DuelView<'_>) -> Vec<f32> {
    let board = view.board();
    let position = view.position();
    let me = view.me();
    let side = board.longer_side() as i32;
    let area = board.area() as f32;
    let heading = me.heading();
    let step = |direction: Direction| [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let ahead = step(heading);
    let right = step(heading.turned(Turn::Right));
    let arrivals = Turn::ALL.map(|turn| slow_arrival(view, heading.turned(turn)));
    let own = slow_reach(view);
    let other = slow_reach(view.opponent());
    let mut planes = vec![Vec::new(); 9];
    for row in 0..2 * side - 1 {
        for column in 0..2 * side - 1 {
            let a = side - 1 - row;
            let r = column - (side - 1);
            let mut x = board.column(me.head()) as i32 + a * ahead.0 + r * right.0;
            let mut y = board.row(me.head()) as i32 + a * ahead.1 + r * right.1;
            if board.is_torus() {
                (x, y) = (
                    x.rem_euclid(board.width() as i32),
                    y.rem_euclid(board.height() as i32),
                );
            }
            let inside = x >= 0 && y >= 0 && x < board.width() as i32 && y < board.height() as i32;
            let mut values = [0.0; 9];
            values[0] = 1.0;
            if inside {
                let cell = board.cell(x as usize, y as usize);
                let [mine, others] = [view, view.opponent()].map(|view| slow_countdown(view, cell));
                let mine_at = own[cell.index()];
                let other_at = other[cell.index()];
                values = [
                    0.0,
                    (mine as f32 / area).min(1.0),
                    f32::from(mine.max(others) > board.distance(me.head(), cell)),
                    slow_food(view, cell),
                    f32::from(mine_at.is_some()),
                    mine_at.map_or(0.0, |step| step as f32 / area),
                    (others as f32 / area).min(1.0),
                    f32::from(other_at.is_some()),
                    other_at.map_or(0.0, |step| step as f32 / area),
                ];
            }
            planes
                .iter_mut()
                .zip(values)
                .for_each(|(plane, value)| plane.push(value));
        }
    }
    let mut out = planes.concat();
    out.push((position.length(view.seat()) as f32 / area).min(1.0));
    out.extend(Turn::ALL.map(|turn| f32::from(view.legal_moves().contains(heading.turned(turn)))));
    let distance = |food: &Cell| board.distance(me.head(), *food);
    let nearest = position
        .foods()
        .iter()
        .map(|food| food.cell)
        .min_by_key(|food| distance(food));
    let (dx, dy) = nearest.map_or((0, 0), |food| board.offset(me.head(), food));
    let along = |axis: (i32, i32)| dx * axis.0 + dy * axis.1;
    let sides = [along(ahead), along(right), -along(ahead), -along(right)];
    out.extend(sides.map(|distance| distance.max(0) as f32 / side as f32));
    let free: Vec<Cell> = board
        .cells()
        .filter(|&cell| position.covered_by(cell).is_none())
        .collect();
    for arrival in &arrivals {
        let share = free
            .iter()
            .filter(|cell| arrival[cell.index()].is_some())
            .count() as f32;
        let food = position
            .foods()
            .iter()
            .filter_map(|food| arrival[food.cell.index()])
            .min();
        out.push(share / free.len().max(1) as f32);
        out.push(food.map_or(0.0, |steps| 1.0 / steps as f32));
        out.push(food.map_or(1.0, |steps| steps as f32 / area));
        out.push(f32::from(arrival[me.tail().index()].is_some()));
    }
    out.extend(slow_duel_scalars(view));
    out
}

/// Returns the observation `centered` as documented, one entry of the window at a time.
fn slow_centered(view: DuelView<'_>) -> Vec<f32> {
    let board = view.board();
    let position = view.position();
    let me = view.me();
    let head = me.head();
    let heading = me.heading();
    let soft = |number: usize, half: f32| number as f32 / (number as f32 + half);
    let step = |direction: Direction| [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let ahead = step(heading);
    let right = step(heading.turned(Turn::Right));
    let along = |cell: Cell, axis: (i32, i32)| {
        let (x, y) = board.offset(head, cell);
        x * axis.0 + y * axis.1
    };
    let place = |offset: i32| offset.abs().min(11) * offset.signum();
    let own = slow_reach(view);
    let other = slow_reach(view.opponent());
    let first = |cells: &[Cell], reach: &[Option<usize>]| {
        cells.iter().filter_map(|cell| reach[cell.index()]).min()
    };
    let mut planes = vec![Vec::new(); 9];
    for row in (-11..=11).rev() {
        for column in -11..=11 {
            let here = |cell: &Cell| {
                (place(along(*cell, ahead)), place(along(*cell, right))) == (row, column)
            };
            let cells: Vec<Cell> = board.cells().filter(here).collect();
            let countdown = |view: DuelView<'_>| {
                cells
                    .iter()
                    .map(|&cell| slow_countdown(view, cell))
                    .max()
                    .unwrap_or(0)
            };
            let blocked = |&cell: &Cell| {
                let late = slow_countdown(view, cell).max(slow_countdown(view.opponent(), cell));
                late > board.distance(head, cell)
            };
            let values = [
                f32::from(cells.is_empty() && !board.is_torus()),
                soft(countdown(view).min(board.area()), 16.0),
                f32::from(cells.iter().any(blocked)),
                cells
                    .iter()
                    .map(|&cell| slow_food(view, cell))
                    .fold(0.0, f32::max),
                f32::from(first(&cells, &own).is_some()),
                soft(first(&cells, &own).unwrap_or(0), 16.0),
                soft(countdown(view.opponent()).min(board.area()), 16.0),
                f32::from(first(&cells, &other).is_some()),
                soft(first(&cells, &other).unwrap_or(0), 16.0),
            ];
            planes
                .iter_mut()
                .zip(values)
                .for_each(|(plane, value)| plane.push(value));
        }
    }
    // The scalars of `egocentric` have the same positions, counted from the end.
    let egocentric = slow_egocentric(view);
    let (seen, duel) = egocentric[egocentric.len() - 29..].split_at(20);
    let mut scalars = seen.to_vec();
    let mut duel = duel.to_vec();
    let foods = || position.foods().iter().map(|food| food.cell);
    let nearest = foods().min_by_key(|&food| board.distance(head, food));
    for (scalar, axis, sign) in [(4, ahead, 1), (5, right, 1), (6, ahead, -1), (7, right, -1)] {
        scalars[scalar] = soft(
            nearest.map_or(0, |food| sign * along(food, axis)).max(0) as usize,
            8.0,
        );
    }
    for (turn, arrival) in Turn::ALL
        .map(|turn| slow_arrival(view, heading.turned(turn)))
        .iter()
        .enumerate()
    {
        let food = foods().filter_map(|food| arrival[food.index()]).min();
        scalars[8 + 4 * turn + 2] = food.map_or(1.0, |steps| soft(steps, 16.0));
    }
    duel[6] = foods()
        .filter_map(|food| other[food.index()])
        .min()
        .map_or(1.0, |steps| soft(steps, 16.0));
    let odd = |number: usize| number % 2 == 1;
    let on_frequent = odd(board.area()) && !odd(board.column(head) + board.row(head));
    let food_is_odd = nearest.is_some_and(|food| odd(board.distance(head, food)));
    let length = position.length(view.seat());
    scalars.extend([odd(board.area()), on_frequent, odd(length), food_is_odd].map(f32::from));
    let is_covered = |cell| position.covered_by(cell).is_some();
    duel.extend(slow::free_cells(board, is_covered, head, me.tail()));
    [planes.concat(), scalars, duel].concat()
}

fn encoded(observation: Observation, view: DuelView<'_>) -> Vec<f32> {
    let mut encoder = Encoder::for_duels(observation, view.board());
    let mut out = vec![f32::NAN; encoder.space().len()];
    encoder.encode(view, view.legal_moves(), &mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn duels_agree_with_a_slow_loop(kind in 0usize..4, absolute: bool, bot: bool, seed: u64) {
        let action = if absolute {
            ActionKind::Absolute
        } else {
            ActionKind::Relative
        };
        agrees_with_a_slow_loop(kinds()[kind], action, bot, seed);
    }
}

proptest! {
    #[test]
    fn observations_are_as_documented(
        kind in 0usize..4,
        seed: u64,
        steps in 0usize..150,
    ) {
        let rules = kinds()[kind];
        let config = DuelEnvConfig {
            action: ActionKind::Absolute,
            ..DuelEnvConfig::new(rules)
        };
        let mut env = DuelVectorEnv::new(config, 1, seed).unwrap();
        let mut buffers = Buffers::<u8>::for_duels(&env);
        let mut draws = rng::keyed(seed, Purpose::new("test"), 0);
        for _ in 0..steps {
            let actions = [0, 1].map(|row| choose(&env, row, &mut draws));
            let batch = buffers.batch();
            let mut unseen = hognose_env::Batch {
                observations: &mut [],
                final_observations: &mut [],
                ..batch
            };
            env.step(&actions, &mut unseen).unwrap();
        }
        for seat in Seat::BOTH {
            let view = env.duel(0).position().view(seat);
            let egocentric = encoded(Observation::Egocentric, view);
            let window = encoded(Observation::Window, view);
            let expected = slow_egocentric(view);
            prop_assert_eq!(&egocentric, &expected);
            prop_assert_eq!(encoded(Observation::Centered, view), slow_centered(view));
            prop_assert_eq!(encoded(Observation::Planes, view), slow_planes(view));
            let [_, side, _] = Observation::Window.duel_space(rules.board()).planes;
            let (planes, scalars) = expected.split_at(9 * side * side);
            let plane = |number: usize| &planes[number * side * side..][..side * side];
            let parts = [
                plane(0),
                plane(1),
                plane(2),
                plane(3),
                plane(6),
                &scalars[..8],
                &scalars[20..25],
            ];
            prop_assert_eq!(window, parts.concat());
            let features = encoded(Observation::Features, view);
            prop_assert_eq!(&features[12..], &scalars[8..]);
            prop_assert_eq!(features[11], scalars[0]);
        }
    }
}

/// A snake that would be first at a food if alone must go around the opponent's body.
#[test]
fn reach_avoids_the_opponents_body() {
    let position = DuelPosition::start(DuelRules::ai_snakes_2020());
    let board = position.board();
    let mut reach = Reach::new(board);
    reach.search(position.view(Seat::First));
    // The opponent's body is in column 11, rows 5 to 7. Its tail is 10 steps away, and has left by
    // then.
    assert_eq!(reach.earliest(board.cell(11, 5)), Some(10));
    let view = position.view(Seat::First);
    assert_eq!(Sight::steps_until_free(&view, board.cell(11, 5)), 1);
    assert_eq!(
        Sight::legal_moves(&view),
        [Direction::Up, Direction::Right, Direction::Left]
            .into_iter()
            .collect::<Directions>()
    );
}

/// Forfeits in the third position.
struct GivesUp(u32);

impl Bot for GivesUp {
    fn act(&mut self, _: &DuelPosition) -> Direction {
        unreachable!("runners of duels call `try_act`")
    }

    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        self.0 += 1;
        if self.0 == 3 {
            Err(Forfeit("had enough".into()))
        } else {
            Ok(position.snake(Seat::Second).heading())
        }
    }
}

#[test]
fn an_opponent_that_forfeits_moves_no_duel() {
    let maker = |_: &DuelPosition, _: Seat, _: u64| Ok(Box::new(GivesUp(0)) as Box<dyn Bot>);
    let env = DuelVectorEnv::new(DuelEnvConfig::new(DuelRules::ai_snakes_2020()), 2, 0).unwrap();
    let mut env = env.against(Arc::new(maker), LearnerSeat::First).unwrap();
    let mut buffers = Buffers::<u8>::for_duels(&env);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    env.restart(1);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    for _ in 0..2 {
        let error = env.step(&[1, 1], &mut buffers.batch()).unwrap_err();
        assert_eq!(
            error,
            StepError::Opponent {
                duel: 0,
                reason: Forfeit("had enough".into()).to_string()
            }
        );
        assert_eq!([0, 1].map(|duel| env.duel(duel).position().steps()), [2, 1]);
    }
    env.restart(0);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    assert_eq!([0, 1].map(|duel| env.duel(duel).position().steps()), [1, 2]);
}

/// Plays some steps of learners who go straight on or turn left.
fn walk(env: &mut DuelVectorEnv, steps: usize) {
    let mut buffers = Buffers::<u8>::for_duels(env);
    for step in 0..steps {
        env.step(
            &vec![u8::from(step % 5 > 0); env.num_rows()],
            &mut buffers.batch(),
        )
        .unwrap();
    }
}

#[test]
fn a_duel_goes_on_from_the_text_of_a_snapshot() {
    let make = |learner| {
        let env = DuelVectorEnv::new(DuelEnvConfig::new(rules("9x9")), 2, 5).unwrap();
        env.against(wanderers(), learner).unwrap()
    };
    let mut env = make(LearnerSeat::Alternate);
    walk(&mut env, 6);
    let kept = env.snapshot(0).unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    let read: DuelSnapshot = serde_json::from_str(&text).unwrap();
    assert_eq!((read.duel(), &read), (env.duel(0), &kept));
    let mut other = make(LearnerSeat::Alternate);
    other.restore(1, &read).unwrap();
    walk(&mut env, 300);
    walk(&mut other, 300);
    assert_eq!(other.snapshot(1), env.snapshot(0));
    let next = text.replacen("\"version\":1", "\"version\":2", 1);
    let error = serde_json::from_str::<DuelSnapshot>(&next)
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("expected a snapshot of version 1, got version 2"),
        "{error}"
    );
}

/// Steps all duels with random actions. Returns the rewards and signals, by duel.
fn wander(env: &mut DuelVectorEnv, step: u64) -> Vec<Vec<(f32, Signal)>> {
    let mut draws = rng::keyed(step, Purpose::new("actions"), 0);
    let actions: Vec<u8> = (0..env.num_rows())
        .map(|_| rng::below(&mut draws, 3) as u8)
        .collect();
    let mut buffers = Buffers::<u8>::for_duels(env);
    env.step(&actions, &mut buffers.batch()).unwrap();
    let rows: Vec<_> = std::iter::zip(buffers.rewards, buffers.signals).collect();
    rows.chunks(env.num_rows() / env.num_duels())
        .map(<[_]>::to_vec)
        .collect()
}

#[test]
fn each_duel_takes_up_a_configuration_with_its_next_episode() {
    let (duels, seed) = (6, 5);
    let before = DuelEnvConfig::new(rules("9x9"));
    let few_steps = rules("9x9").with_step_limit(9).unwrap();
    let after = DuelEnvConfig {
        reward: DuelReward {
            shaping: 1.0,
            ..DuelReward::default()
        },
        ..DuelEnvConfig::new(few_steps.with_foods(4).unwrap())
    };
    let others = |position: &DuelPosition, seat, seed: u64| wanderers().make(position, seat, !seed);
    let bots: [Option<(Arc<dyn MakeBot>, LearnerSeat)>; 2] = [
        Some((wanderers(), LearnerSeat::First)),
        Some((Arc::new(others), LearnerSeat::Alternate)),
    ];
    for [first, then] in [[None, None], bots] {
        let make = |config: &DuelEnvConfig, bot: &Option<(Arc<dyn MakeBot>, LearnerSeat)>| {
            let env = DuelVectorEnv::new(config.clone(), duels, seed).unwrap();
            match bot.clone() {
                Some((maker, learner)) => env.against(maker, learner).unwrap(),
                None => env,
            }
        };
        let mut env = make(&before, &first);
        let mut unchanged = make(&before, &first);
        let mut afresh = make(&after, &then);
        let mut episodes = vec![0; duels];
        for step in 0..2 {
            let seen = wander(&mut env, step);
            assert_eq!(seen, wander(&mut unchanged, step));
            for (episodes, rows) in episodes.iter_mut().zip(seen) {
                *episodes += u64::from(rows[0].1.ended());
            }
        }
        env.configure(after.clone(), then).unwrap();
        assert_eq!(env.config(), &after);
        for step in 2..100 {
            let earlier: Vec<bool> = (0..duels)
                .map(|duel| !env.has_current_config(duel))
                .collect();
            let seen = wander(&mut env, step);
            let (old, new) = (wander(&mut unchanged, step), wander(&mut afresh, step));
            for duel in 0..duels {
                let expected = if earlier[duel] { &old } else { &new };
                assert_eq!(seen[duel], expected[duel]);
                if !env.has_current_config(duel) {
                    assert_eq!(env.snapshot(duel), Err(EnvError::EarlierConfig));
                } else if earlier[duel] {
                    afresh.reseed_one(duel, DuelVectorEnv::seed_of(seed, duel));
                    (0..=episodes[duel]).for_each(|_| afresh.restart(duel));
                    assert_eq!(env.duel(duel), afresh.duel(duel));
                } else {
                    assert_eq!(env.snapshot(duel).unwrap().duel(), afresh.duel(duel));
                }
            }
        }
        assert!((0..duels).all(|duel| env.has_current_config(duel)));
    }
}

/// The number of an episode wraps around.
#[test]
fn the_episode_number_wraps_around() {
    let mut env = DuelVectorEnv::new(DuelEnvConfig::new(rules("9x9")), 1, 5).unwrap();
    let first = env.snapshot(0).unwrap();
    let mut text = serde_json::to_value(&first).unwrap();
    text["episode"] = u64::MAX.into();
    env.restore(0, &serde_json::from_value(text).unwrap())
        .unwrap();
    env.restart(0);
    assert_eq!(env.snapshot(0), Ok(first));
}

#[test]
fn a_restore_that_fails_changes_nothing() {
    let make = |rules: DuelRules| DuelVectorEnv::new(DuelEnvConfig::new(rules), 1, 5).unwrap();
    let against = |maker, learner| make(rules("9x9")).against(maker, learner).unwrap();
    let mut env = against(wanderers(), LearnerSeat::First);
    walk(&mut env, 6);
    let kept = env.snapshot(0).unwrap();
    let goes_up = |_: &DuelPosition, _: Seat, _: u64| Ok(Box::new(GivesUp(9)) as Box<dyn Bot>);
    let between = make(rules("9x9")).snapshot(0).unwrap();
    let refuse = |mut env: DuelVectorEnv, snapshot: &DuelSnapshot| {
        walk(&mut env, 2);
        let before = env.snapshot(0).unwrap();
        let error = env.restore(0, snapshot).unwrap_err().to_string();
        assert_eq!(env.snapshot(0).unwrap(), before);
        error
    };
    let by_8x8 = rules("8x8");
    let by_9x9 = rules("9x9");
    let expected =
        format!("expected a snapshot of a duel under {by_8x8}, got one of a duel under {by_9x9}");
    assert_eq!(refuse(make(by_8x8), &between), expected);
    let expected =
        "expected a snapshot of a duel between learners, got one of a duel against an opponent";
    assert_eq!(refuse(make(rules("9x9")), &kept), expected);
    let expected =
        "expected a snapshot of a duel against an opponent, got one of a duel between learners";
    assert_eq!(
        refuse(against(wanderers(), LearnerSeat::First), &between),
        expected
    );
    let expected = "expected a snapshot of a duel in which the learner has the second seat, got \
                    one of a duel in which the learner has the first seat";
    assert_eq!(
        refuse(against(wanderers(), LearnerSeat::Second), &kept),
        expected
    );
    let expected = "expected a snapshot of a duel against this opponent, got one of a duel in \
                    which the opponent made other moves";
    assert_eq!(
        refuse(against(Arc::new(goes_up), LearnerSeat::First), &kept),
        expected
    );
    // A position that the moves don't lead to.
    let mut text = serde_json::to_value(&kept).unwrap();
    text["duel"]["spawned"] = 77.into();
    let elsewhere = serde_json::from_value(text).unwrap();
    let expected =
        "expected a snapshot of the duel that the moves lead to, got one of another duel";
    assert_eq!(
        refuse(against(wanderers(), LearnerSeat::First), &elsewhere),
        expected
    );
}

/// Makes wanderers, and can't promise that they repeat their moves.
struct Unsure;

impl MakeBot for Unsure {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        wanderers().make(position, seat, seed)
    }

    fn repeats(&self) -> bool {
        false
    }
}

#[test]
fn duels_against_bots_that_do_not_repeat_have_no_snapshots() {
    let make = || DuelVectorEnv::new(DuelEnvConfig::new(rules("9x9")), 1, 5).unwrap();
    let mut env = make()
        .against(Arc::new(Unsure), LearnerSeat::First)
        .unwrap();
    assert_eq!(env.snapshot(0), Err(EnvError::OpponentState));
    let kept = make()
        .against(wanderers(), LearnerSeat::First)
        .unwrap()
        .snapshot(0)
        .unwrap();
    assert_eq!(env.restore(0, &kept), Err(EnvError::OpponentState));
}

#[test]
fn invalid_arguments_are_rejected() {
    let config = DuelEnvConfig::new(DuelRules::ai_snakes_2020());
    assert_eq!(
        DuelVectorEnv::new(config.clone(), 0, 0).unwrap_err(),
        EnvError::NoEnvs
    );
    assert_eq!(
        DuelVectorEnv::new(config.clone(), 1, 0)
            .unwrap()
            .with_threads(0)
            .unwrap_err(),
        EnvError::ThreadCount { most: 256, got: 0 }
    );
    let error = DuelVectorEnv::new(config.clone(), 1, 0)
        .unwrap()
        .with_threads(257)
        .unwrap_err();
    assert_eq!(error.to_string(), "threads must be from 1 to 256, got 257");
    let reward = DuelReward {
        draw: f32::NAN,
        ..DuelReward::default()
    };
    let error = DuelVectorEnv::new(
        DuelEnvConfig {
            reward,
            ..config.clone()
        },
        1,
        0,
    )
    .unwrap_err();
    assert!(matches!(
        error,
        EnvError::Config(ConfigError::Reward { name: "draw", .. })
    ));
    let refuses =
        |_: &DuelPosition, _: Seat, _: u64| Err::<Box<dyn Bot>, _>(Unsupported("not today".into()));
    let error = DuelVectorEnv::new(config, 1, 0)
        .unwrap()
        .against(Arc::new(refuses), LearnerSeat::First)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the opponent can't play from the start of the duel: not today"
    );
}

#[test]
fn a_configuration_that_does_not_fit_changes_nothing() {
    let config = DuelEnvConfig::new(rules("9x9"));
    let env = DuelVectorEnv::new(config.clone(), 1, 0).unwrap();
    let mut env = env.against(wanderers(), LearnerSeat::First).unwrap();
    let kept = env.snapshot(0).unwrap();
    let bot = || Some((wanderers(), LearnerSeat::First));
    let refuses =
        |_: &DuelPosition, _: Seat, _: u64| Err::<Box<dyn Bot>, _>(Unsupported("not today".into()));
    let reward = DuelReward {
        win: f32::INFINITY,
        ..DuelReward::default()
    };
    let refused = [
        (DuelEnvConfig::new(rules("9x8")), bot()),
        (
            DuelEnvConfig {
                observation: Observation::Planes,
                ..config.clone()
            },
            bot(),
        ),
        (
            DuelEnvConfig {
                reward,
                ..config.clone()
            },
            bot(),
        ),
        (config.clone(), None),
        (
            config.clone(),
            Some((Arc::new(refuses) as Arc<dyn MakeBot>, LearnerSeat::First)),
        ),
    ];
    let errors = refused.map(|(config, bot)| env.configure(config, bot).unwrap_err().to_string());
    assert_eq!(
        errors,
        [
            "environments can't change their board between episodes: expected 9x9, got 9x8",
            "environments can't change their observation between episodes: expected Egocentric, got \
             Planes",
            "reward.win must be finite, got inf",
            "environments can't change their number of learners between episodes: expected 1, got 2",
            "the opponent can't play from the start of the duel: not today",
        ]
    );
    assert_eq!((env.config(), env.snapshot(0)), (&config, Ok(kept)));
}

#[test]
fn a_configuration_is_read_from_text() {
    let config = DuelEnvConfig {
        observation: Observation::Planes,
        ..DuelEnvConfig::new(kinds()[2])
    };
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(
        serde_json::from_str::<DuelEnvConfig>(&text).unwrap(),
        config
    );
}
