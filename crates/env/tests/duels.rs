//! Duels as an environment: the contract, a slow and obvious loop over `Duel`, and observations as they are documented.

use hognose_env::{
    ActionKind, Buffers, ConfigError, DuelEnvConfig, DuelReward, DuelVectorEnv, Encoder, EnvError, LearnerSeat,
    Observation, Reach, Signal, StepError, Termination, contract,
};
use hognose_game::duel::{Duel, DuelPosition, DuelRules, DuelView, Duelist, HeadOn, MakeDuelist, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, Directions, Forfeit, Sight, Turn, Unsupported};
use proptest::prelude::*;
use std::sync::Arc;

/// Rules on a small board.
fn rules(board: &str) -> DuelRules {
    DuelRules::ai_snakes_2021().on(board.parse::<Board>().unwrap()).unwrap()
}

/// Rules of every kind.
fn kinds() -> [DuelRules; 4] {
    [
        DuelRules::ai_snakes_2020().with_step_limit(60).unwrap(),
        rules("7x8"),
        rules("8x6-torus").with_foods(3).unwrap().with_values(1..=4).unwrap(),
        rules("7x7").with_head_on(HeadOn::Draw).with_redraw_after(Some(3)).unwrap().with_step_limit(25).unwrap(),
    ]
}

/// Plays random legal moves, from a generator that has a state.
struct Wanderer {
    seat: Seat,
    draws: Generator,
}

impl Duelist for Wanderer {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let legal: Vec<Direction> = position.legal_moves(self.seat).iter().collect();
        if legal.is_empty() { Direction::Up } else { legal[rng::below(&mut self.draws, legal.len() as u64) as usize] }
    }
}

/// What makes wanderers.
fn wanderers() -> Arc<dyn MakeDuelist> {
    Arc::new(|_: &DuelPosition, seat: Seat, seed: u64| {
        Ok(Box::new(Wanderer { seat, draws: rng::keyed(seed, Purpose::new("test"), 0) }) as Box<dyn Duelist>)
    })
}

#[test]
fn duels_keep_the_contract() {
    for rules in kinds() {
        for (name, observation) in Observation::ALL {
            // Searching takes its time.
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
                    reward: DuelReward { food: 0.25, shaping: 0.5, ..DuelReward::default() },
                    ..DuelEnvConfig::new(rules)
                };
                let make = |autoreset, n, seed, threads| {
                    let config = DuelEnvConfig { autoreset, ..config.clone() };
                    DuelVectorEnv::new(config, n, seed).unwrap().with_threads(threads).unwrap()
                };
                let steps = if searches { 40 } else { 300 };
                contract::duels::check(make, steps).unwrap_or_else(|broken| panic!("{rules} {name}: {broken}"));
            }
        }
    }
}

#[test]
fn duels_against_a_bot_keep_the_contract() {
    for learner in [LearnerSeat::First, LearnerSeat::Second, LearnerSeat::Alternate] {
        let config = DuelEnvConfig { observation: Observation::Planes, ..DuelEnvConfig::new(rules("7x8")) };
        let make = |autoreset, n, seed, threads| {
            let config = DuelEnvConfig { autoreset, ..config.clone() };
            let env = DuelVectorEnv::new(config, n, seed).unwrap().with_threads(threads).unwrap();
            env.against(wanderers(), learner).unwrap()
        };
        contract::duels::check(make, 300).unwrap();
    }
}

/// A random action, half of the time one that leads to the food, so that snakes get long.
fn choose(env: &DuelVectorEnv, row: usize, draws: &mut Generator) -> u8 {
    let (duel, seat) = env.player(row);
    let (position, kind) = (env.duel(duel).position(), env.config().action);
    let (snake, board) = (position.snake(seat), position.board());
    let legal: Vec<Direction> = position.legal_moves(seat).iter().collect();
    let distance = |&direction: &Direction| {
        let cell = board.neighbor(snake.head(), direction).unwrap();
        position.foods().first().map_or(0, |food| board.distance(cell, food.cell))
    };
    let direction = match rng::below(draws, 20) {
        0 => Direction::from_index(rng::below(draws, 4) as usize),
        1..=10 => legal.iter().copied().min_by_key(distance).unwrap_or(Direction::Up),
        _ if legal.is_empty() => Direction::Up,
        _ => legal[rng::below(draws, legal.len() as u64) as usize],
    };
    kind.action(direction, snake.heading()).unwrap_or(0)
}

/// What a step pays, as the documentation tells it.
fn slow_reward(reward: DuelReward, before: &DuelPosition, ate: bool, after: &DuelPosition, seat: Seat) -> f32 {
    let potential = |position: &DuelPosition| {
        let (board, head) = (position.board(), position.snake(seat).head());
        let nearest = position.foods().iter().map(|food| board.distance(head, food.cell)).min();
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

/// The environment, and an obvious loop over one duel after another.
fn agrees_with_a_slow_loop(rules: DuelRules, action: ActionKind, bot: bool, seed: u64) {
    let reward = DuelReward { food: 0.25, shaping: 0.5, draw: -0.5, ..DuelReward::default() };
    let config = DuelEnvConfig { observation: Observation::Features, action, reward, ..DuelEnvConfig::new(rules) };
    let mut env = DuelVectorEnv::new(config, 2, seed).unwrap();
    if bot {
        env = env.against(wanderers(), LearnerSeat::Alternate).unwrap();
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
        for (duel, slow) in slow.iter_mut().enumerate() {
            let before = slow.position().clone();
            let now = env.duel(duel);
            let ended = buffers.signals[duel * rows / 2].ended();
            let mut moves = [None; 2];
            for (row, &(_, seat)) in players.iter().enumerate().filter(|(_, player)| player.0 == duel) {
                moves[seat.index()] = Some(action.direction(actions[row], before.snake(seat).heading()));
            }
            // What the bot has moved shows only where the duel goes on.
            let all = Direction::ALL.map(Some);
            let guesses = |seat: usize| moves[seat].map_or(all.to_vec(), |known| vec![Some(known)]);
            let tried =
                guesses(0).into_iter().flat_map(|first| guesses(1).into_iter().map(move |second| [first, second]));
            let stepped = tried.map(|moves| {
                let mut duel = slow.clone();
                let event = duel.step(moves.map(Option::unwrap));
                (duel, event)
            });
            let found = stepped.into_iter().find(|(after, event)| {
                let known = players.iter().position(|player| player.0 == duel).unwrap();
                let outcome = env.last_episode(known).map(|episode| episode.outcome);
                if ended { event.outcome.is_some() && event.outcome == outcome } else { after == now }
            });
            let (after, event) = found.expect("the duel has stepped by these moves");
            for (row, &(_, seat)) in players.iter().enumerate().filter(|(_, player)| player.0 == duel) {
                let expected = slow_reward(reward, &before, event.ate[seat.index()], after.position(), seat);
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
                    assert_eq!(episode.lengths, Seat::BOTH.map(|seat| after.position().length(seat)));
                    assert_eq!(*now, Duel::new(rules, now.seed()));
                    let mut last = vec![0.0; env.space().len()];
                    let view = after.position().view(seat);
                    Encoder::for_duels(Observation::Features, rules.board()).encode(
                        view,
                        view.legal_moves(),
                        &mut last,
                    );
                    assert_eq!(buffers.final_observations[row * last.len()..][..last.len()], last);
                    seats.push(seat);
                }
            }
        }
    }
    if bot && seats.len() > 10 {
        assert!(Seat::BOTH.iter().all(|seat| seats.contains(seat)), "the learner has each seat in turn");
    }
}

/// The steps after which a cell is free of a snake, the hard way.
fn slow_countdown(view: DuelView<'_>, cell: Cell) -> usize {
    let from_tail = view.me().body().rev().position(|body| body == cell);
    from_tail.map_or(0, |from_tail| from_tail + 1 + view.growth())
}

/// The least step in which a cell is entered after a first move, by repeated relaxation in time order; ways that have
/// eaten meet an own body that has waited a step, and go only where no hungry way has led by then.
fn slow_arrival(view: DuelView<'_>, first: Direction) -> Vec<Option<usize>> {
    let board = view.board();
    let mut arrival = [vec![None; board.area()], vec![None; board.area()]];
    if !view.legal_moves().contains(first) {
        return arrival[0].clone();
    }
    let foods: Vec<Cell> = view.position().foods().iter().map(|food| food.cell).collect();
    let first = board.neighbor(view.me().head(), first).unwrap();
    arrival[usize::from(foods.contains(&first))][first.index()] = Some(1);
    for step in 1..=2 * board.area() {
        for fed in [0, 1] {
            for cell in board.cells().filter(|cell| arrival[fed][cell.index()] == Some(step)).collect::<Vec<_>>() {
                for (_, neighbor) in board.neighbors(cell) {
                    let (own, other) = (slow_countdown(view, neighbor), slow_countdown(view.opponent(), neighbor));
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
    hungry.into_iter().zip(fed).map(|(hungry, fed)| [hungry, fed].into_iter().flatten().min()).collect()
}

/// By cell, the first arrival of a player after its best move.
fn slow_reach(view: DuelView<'_>) -> Vec<Option<usize>> {
    let arrivals = Turn::ALL.map(|turn| slow_arrival(view, view.me().heading().turned(turn)));
    view.board().cells().map(|cell| arrivals.iter().filter_map(|arrival| arrival[cell.index()]).min()).collect()
}

/// By food, what it is worth as a share of the best.
fn slow_food(view: DuelView<'_>, cell: Cell) -> f32 {
    let best = f32::from(*view.position().rules().values().end());
    view.position().foods().iter().find(|food| food.cell == cell).map_or(0.0, |food| f32::from(food.value) / best)
}

/// Both clocks.
fn slow_clocks(position: &DuelPosition) -> [f32; 2] {
    let rules = position.rules();
    let redraw = rules.redraw_after().map_or(1.0, |steps| f32::from(steps - position.hunger()) / f32::from(steps));
    [redraw, (rules.step_limit() - position.steps()) as f32 / rules.step_limit() as f32]
}

/// The 9 scalars that a duel has more.
fn slow_duel_scalars(view: DuelView<'_>) -> Vec<f32> {
    let (board, position) = (view.board(), view.position());
    let area = board.area() as f32;
    let (own, other) = (slow_reach(view), slow_reach(view.opponent()));
    let food = position.foods().iter().filter_map(|food| other[food.cell.index()]).min();
    let free: Vec<usize> =
        board.cells().filter(|&cell| position.covered_by(cell).is_none()).map(|cell| cell.index()).collect();
    let before = |a: &[Option<usize>], b: &[Option<usize>]| {
        let first = |&&cell: &&usize| a[cell].is_some_and(|step| b[cell].is_none_or(|other| step < other));
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

/// The observation `planes` as its documentation tells it.
fn slow_planes(view: DuelView<'_>) -> Vec<f32> {
    let (board, other) = (view.board(), view.opponent());
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
    planes.iter().flat_map(|plane| board.cells().map(plane)).collect()
}

/// The observation `egocentric` as its documentation tells it, one window cell at a time.
fn slow_egocentric(view: DuelView<'_>) -> Vec<f32> {
    let (board, position, me) = (view.board(), view.position(), view.me());
    let (side, area, heading) = (board.longer_side() as i32, board.area() as f32, me.heading());
    let step = |direction: Direction| [(0, -1), (1, 0), (0, 1), (-1, 0)][direction.index()];
    let (ahead, right) = (step(heading), step(heading.turned(Turn::Right)));
    let arrivals = Turn::ALL.map(|turn| slow_arrival(view, heading.turned(turn)));
    let (own, other) = (slow_reach(view), slow_reach(view.opponent()));
    let mut planes = vec![Vec::new(); 9];
    for row in 0..2 * side - 1 {
        for column in 0..2 * side - 1 {
            let (a, r) = (side - 1 - row, column - (side - 1));
            let mut x = board.column(me.head()) as i32 + a * ahead.0 + r * right.0;
            let mut y = board.row(me.head()) as i32 + a * ahead.1 + r * right.1;
            if board.is_torus() {
                (x, y) = (x.rem_euclid(board.width() as i32), y.rem_euclid(board.height() as i32));
            }
            let inside = x >= 0 && y >= 0 && x < board.width() as i32 && y < board.height() as i32;
            let mut values = [0.0; 9];
            values[0] = 1.0;
            if inside {
                let cell = board.cell(x as usize, y as usize);
                let [mine, others] = [view, view.opponent()].map(|view| slow_countdown(view, cell));
                let (mine_at, other_at) = (own[cell.index()], other[cell.index()]);
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
            planes.iter_mut().zip(values).for_each(|(plane, value)| plane.push(value));
        }
    }
    let mut out = planes.concat();
    out.push((position.length(view.seat()) as f32 / area).min(1.0));
    out.extend(Turn::ALL.map(|turn| f32::from(view.legal_moves().contains(heading.turned(turn)))));
    let distance = |food: &Cell| board.distance(me.head(), *food);
    let nearest = position.foods().iter().map(|food| food.cell).min_by_key(|food| distance(food));
    let (dx, dy) = nearest.map_or((0, 0), |food| board.offset(me.head(), food));
    let along = |axis: (i32, i32)| dx * axis.0 + dy * axis.1;
    let sides = [along(ahead), along(right), -along(ahead), -along(right)];
    out.extend(sides.map(|distance| distance.max(0) as f32 / side as f32));
    let free: Vec<Cell> = board.cells().filter(|&cell| position.covered_by(cell).is_none()).collect();
    for arrival in &arrivals {
        let share = free.iter().filter(|cell| arrival[cell.index()].is_some()).count() as f32;
        let food = position.foods().iter().filter_map(|food| arrival[food.cell.index()]).min();
        out.push(share / free.len().max(1) as f32);
        out.push(food.map_or(0.0, |steps| 1.0 / steps as f32));
        out.push(food.map_or(1.0, |steps| steps as f32 / area));
        out.push(f32::from(arrival[me.tail().index()].is_some()));
    }
    out.extend(slow_duel_scalars(view));
    out
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
        let action = if absolute { ActionKind::Absolute } else { ActionKind::Relative };
        agrees_with_a_slow_loop(kinds()[kind], action, bot, seed);
    }
}

proptest! {
    #[test]
    fn observations_are_what_their_documentation_says(kind in 0usize..4, seed: u64, steps in 0usize..150) {
        let rules = kinds()[kind];
        let config = DuelEnvConfig { action: ActionKind::Absolute, ..DuelEnvConfig::new(rules) };
        let mut env = DuelVectorEnv::new(config, 1, seed).unwrap();
        let mut buffers = Buffers::<u8>::for_duels(&env);
        let mut draws = rng::keyed(seed, Purpose::new("test"), 0);
        for _ in 0..steps {
            let actions = [0, 1].map(|row| choose(&env, row, &mut draws));
            let batch = buffers.batch();
            let mut unseen = hognose_env::Batch { observations: &mut [], final_observations: &mut [], ..batch };
            env.step(&actions, &mut unseen).unwrap();
        }
        for seat in Seat::BOTH {
            let view = env.duel(0).position().view(seat);
            let (egocentric, window) = (encoded(Observation::Egocentric, view), encoded(Observation::Window, view));
            let expected = slow_egocentric(view);
            prop_assert_eq!(&egocentric, &expected);
            prop_assert_eq!(encoded(Observation::Planes, view), slow_planes(view));
            let [_, side, _] = Observation::Window.duel_space(rules.board()).planes;
            let (planes, scalars) = expected.split_at(9 * side * side);
            let plane = |number: usize| &planes[number * side * side..][..side * side];
            let parts = [plane(0), plane(1), plane(2), plane(3), plane(6), &scalars[..8], &scalars[20..25]];
            prop_assert_eq!(window, parts.concat());
            let features = encoded(Observation::Features, view);
            prop_assert_eq!(&features[12..], &scalars[8..]);
            prop_assert_eq!(features[11], scalars[0]);
        }
    }
}

/// A snake that would win the race to a food alone must go around the other's body.
#[test]
fn reach_meets_the_body_of_the_other() {
    let position = DuelPosition::start(DuelRules::ai_snakes_2020());
    let board = position.board();
    let mut reach = Reach::new(board);
    reach.search(position.view(Seat::First));
    // The other's body lies in column 11, rows 5 to 7. Its tail is 10 steps away, and has left by then.
    assert_eq!(reach.earliest(board.cell(11, 5)), Some(10));
    let view = position.view(Seat::First);
    assert_eq!(Sight::steps_until_free(&view, board.cell(11, 5)), 1);
    assert_eq!(
        Sight::legal_moves(&view),
        [Direction::Up, Direction::Right, Direction::Left].into_iter().collect::<Directions>()
    );
}

/// Gives up in the third position.
struct GivesUp(u32);

impl Duelist for GivesUp {
    fn act(&mut self, _: &DuelPosition) -> Direction {
        unreachable!("this bot may fail, and is asked so")
    }

    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        self.0 += 1;
        if self.0 == 3 { Err(Forfeit("had enough".into())) } else { Ok(position.snake(Seat::Second).heading()) }
    }
}

#[test]
fn an_opponent_that_gives_up_is_told_of_and_moves_no_duel() {
    let maker = |_: &DuelPosition, _: Seat, _: u64| Ok(Box::new(GivesUp(0)) as Box<dyn Duelist>);
    let env = DuelVectorEnv::new(DuelEnvConfig::new(DuelRules::ai_snakes_2020()), 2, 0).unwrap();
    let mut env = env.against(Arc::new(maker), LearnerSeat::First).unwrap();
    let mut buffers = Buffers::<u8>::for_duels(&env);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    env.restart(1);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    for _ in 0..2 {
        let error = env.step(&[1, 1], &mut buffers.batch()).unwrap_err();
        assert_eq!(error, StepError::Opponent { duel: 0, reason: Forfeit("had enough".into()).to_string() });
        assert_eq!([0, 1].map(|duel| env.duel(duel).position().steps()), [2, 1]);
    }
    env.restart(0);
    env.step(&[1, 1], &mut buffers.batch()).unwrap();
    assert_eq!([0, 1].map(|duel| env.duel(duel).position().steps()), [1, 2]);
}

#[test]
fn what_cannot_be_is_refused() {
    let config = DuelEnvConfig::new(DuelRules::ai_snakes_2020());
    assert_eq!(DuelVectorEnv::new(config.clone(), 0, 0).unwrap_err(), EnvError::NoEnvs);
    assert_eq!(DuelVectorEnv::new(config.clone(), 1, 0).unwrap().with_threads(0).unwrap_err(), EnvError::NoThreads);
    let reward = DuelReward { draw: f32::NAN, ..DuelReward::default() };
    let error = DuelVectorEnv::new(DuelEnvConfig { reward, ..config.clone() }, 1, 0).unwrap_err();
    assert!(matches!(error, EnvError::Config(ConfigError::Reward { name: "draw", .. })));
    let refuses = |_: &DuelPosition, _: Seat, _: u64| Err::<Box<dyn Duelist>, _>(Unsupported("not today".into()));
    let error = DuelVectorEnv::new(config, 1, 0).unwrap().against(Arc::new(refuses), LearnerSeat::First).unwrap_err();
    assert_eq!(error.to_string(), "the opponent refuses the start of the duel: not today");
}

#[test]
fn a_configuration_is_read_from_text() {
    let config = DuelEnvConfig { observation: Observation::Planes, ..DuelEnvConfig::new(kinds()[2]) };
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<DuelEnvConfig>(&text).unwrap(), config);
}
