//! Tests the exact solver of duels on small boards against slow definitions.

use hognose_duel::{Choice, ExactError, Matrix, NashConv, Positions, Solver, nash_conv};
use hognose_game::duel::{
    Bot, Duel, DuelBody, DuelPosition, DuelRules, Food, HeadOn, MakeBot, Mixture, Seat,
};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Unsupported};
use hognose_policies::Catalog;
use proptest::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

const GIB: f64 = 1.0;

fn rules(board: &str, redraw: Option<u16>, steps: u32) -> DuelRules {
    let rules = DuelRules::ai_snakes_2021()
        .on(board.parse().unwrap())
        .unwrap();
    rules
        .with_redraw_after(redraw)
        .unwrap()
        .with_step_limit(steps)
        .unwrap()
}

fn solved(positions: &Positions, choice: Choice) -> Solver<'_> {
    let mut solver = Solver::new(positions, choice);
    (0..positions.rules().step_limit()).for_each(|_| {
        solver.step(1);
    });
    solver
}

fn exploited(positions: &Positions, bot: &dyn MakeBot) -> Result<NashConv, ExactError> {
    Ok(nash_conv(positions, bot, 1, || ControlFlow::Continue(()))?.expect("it was never stopped"))
}

fn bot(name: &str) -> impl MakeBot {
    Catalog::default().bot(name).unwrap()
}

/// Returns the moves that are not obviously wrong.
fn choices(position: &DuelPosition, seat: Seat) -> Vec<Direction> {
    let legal: Vec<Direction> = position.legal_moves(seat).iter().collect();
    let back = position.snake(seat).heading().opposite();
    if legal.is_empty() {
        Direction::ALL
            .into_iter()
            .filter(|&direction| direction != back)
            .collect()
    } else {
        legal
    }
}

/// Returns the positions in which a duel may continue after a step, one for each food that may be
/// drawn.
fn drawn(position: &DuelPosition) -> Vec<DuelPosition> {
    let free: Vec<_> = position
        .board()
        .cells()
        .filter(|&cell| position.is_free(cell))
        .collect();
    if !position.foods().is_empty() || free.is_empty() {
        return vec![position.clone()];
    }
    let body = |seat| DuelBody {
        cells: position.snake(seat).body().collect(),
        growth: 0,
    };
    let laid = |cell| {
        let bodies = Seat::BOTH.map(body);
        let food = Food { cell, value: 1 };
        DuelPosition::new(
            *position.rules(),
            bodies,
            [food],
            position.steps(),
            position.hunger(),
        )
        .unwrap()
    };
    free.into_iter().map(laid).collect()
}

/// Returns the value of joint moves for the first seat, given the values of positions.
fn worth(
    position: &DuelPosition,
    moves: [Direction; 2],
    value: &mut dyn FnMut(&DuelPosition) -> f64,
) -> f64 {
    let mut next = position.clone();
    if let Some(outcome) = next.step(moves).outcome {
        return outcome
            .winner
            .map_or(0.0, |winner| if winner == Seat::First { 1.0 } else { -1.0 });
    }
    let all = drawn(&next);
    all.iter().map(value).sum::<f64>() / all.len() as f64
}

/// The definition of the value.
fn value(position: &DuelPosition) -> f64 {
    let moves = Seat::BOTH.map(|seat| choices(position, seat));
    let payoff =
        |row: usize, column: usize| worth(position, [moves[0][row], moves[1][column]], &mut value);
    Matrix::new(moves[0].len(), moves[1].len(), payoff)
        .solve()
        .value
}

/// The definition of the best response to a bot, with any moves.
fn response(position: &DuelPosition, me: Seat, bot: &mut dyn Bot) -> f64 {
    let mixture = bot.mixture(position).unwrap();
    let mut best = f64::NEG_INFINITY;
    for mine in Direction::ALL {
        let mut mean = 0.0;
        for others in Direction::ALL
            .into_iter()
            .filter(|&others| mixture.weight(others) > 0)
        {
            let sign = if me == Seat::First { 1.0 } else { -1.0 };
            let mut value = |next: &DuelPosition| sign * response(next, me, bot);
            let worth = sign * worth(position, me.joint(mine, others), &mut value);
            mean += worth * mixture.weight(others) as f64 / mixture.sum() as f64;
        }
        best = best.max(mean);
    }
    best
}

/// The number of positions with a food matches published counts. The others have no cell left for a
/// food.
#[test]
fn positions_are_counted() {
    for (board, all, with_food) in [("3x3", 4960, 4384), ("3x4", 147_888, 144_544)] {
        let positions = Positions::new(rules(board, None, 9), GIB).unwrap();
        assert_eq!(positions.len(), all);
        let has_food = |&state: &u32| !positions.position(state, 0).foods().is_empty();
        assert_eq!((0..all as u32).filter(has_food).count(), with_food);
    }
    let hungry = Positions::new(rules("3x3", Some(11), 9), GIB).unwrap();
    assert_eq!((hungry.len(), hungry.states()), (4960, 11 * 4960));
}

#[test]
fn states_and_positions_round_trip() {
    for redraw in [None, Some(3)] {
        let positions = Positions::new(rules("3x3", redraw, 9), GIB).unwrap();
        for state in 0..positions.states() as u32 {
            assert_eq!(positions.state(&positions.position(state, 4)), Some(state));
        }
    }
}

/// For any reply, no excluded move is better than every considered one.
#[test]
fn excluded_moves_are_never_better() {
    let end = |position: &DuelPosition, moves, me| {
        let winner = position.clone().step(moves).outcome?.winner;
        Some(winner.map_or(0, |winner| if winner == me { 1 } else { -1 }))
    };
    for head_on in [HeadOn::LongerWins, HeadOn::Draw] {
        let positions = Positions::new(rules("3x3", None, 9).with_head_on(head_on), GIB).unwrap();
        for position in (0..positions.states() as u32).map(|state| positions.position(state, 0)) {
            for me in Seat::BOTH {
                let choices = choices(&position, me);
                for mine in Direction::ALL
                    .into_iter()
                    .filter(|mine| !choices.contains(mine))
                {
                    // An ongoing game may end in a loss, so only a loss is no better than it.
                    let is_no_better = |choice: &Direction| {
                        Direction::ALL.into_iter().all(|others| {
                            let [left_out, looked_at] = [mine, *choice]
                                .map(|mine| end(&position, me.joint(mine, others), me));
                            left_out == Some(-1) || left_out.is_some() && left_out <= looked_at
                        })
                    };
                    assert!(choices.iter().any(is_no_better), "{me} {mine} {position:?}");
                }
            }
        }
    }
}

#[test]
fn values_of_images_are_equal_or_opposite() {
    for (board, redraw) in [("3x3", Some(3)), ("3x4", None)] {
        let positions = Positions::new(rules(board, redraw, 9), GIB).unwrap();
        let solver = solved(&positions, Choice::AtOnce);
        let value = |position: &DuelPosition| solver.value(positions.state(position).unwrap());
        for state in (0..positions.states() as u32).step_by(7) {
            let position = positions.position(state, 0);
            let close = |other: f64| (solver.value(state) - other).abs() < 1e-12;
            assert!(close(value(&position.mirrored())) && close(value(&position.half_turned())));
            assert!(close(-value(&position.with_seats_swapped())));
        }
        assert!(solver.start().unwrap().abs() < 1e-12);
    }
}

#[test]
fn results_are_pinned_and_do_not_depend_on_threads() {
    let positions = Positions::new(rules("3x4", None, 9), GIB).unwrap();
    let [mut one, mut three] = [(); 2].map(|()| Solver::new(&positions, Choice::AtOnce));
    let layers: Vec<_> = (0..8).map(|_| one.step(1)).collect();
    assert_eq!(layers, (0..8).map(|_| three.step(3)).collect::<Vec<_>>());
    assert_eq!(
        layers.iter().map(|layer| layer.mixed).collect::<Vec<u64>>(),
        MIXED
    );
}
const MIXED: [u64; 8] = [0, 264, 992, 2408, 2712, 2896, 2120, 2456];

/// A player that must reveal its moves gets no more than the value.
#[test]
fn revealing_moves_gets_less() {
    let positions = Positions::new(rules("3x4", None, 12), GIB).unwrap();
    let at_once = solved(&positions, Choice::AtOnce);
    let [first, second] = Seat::BOTH.map(|seat| solved(&positions, Choice::Told(seat)));
    for state in 0..positions.states() as u32 {
        let value = at_once.value(state);
        assert!(first.value(state) <= value + 1e-9 && value <= second.value(state) + 1e-9);
    }
    assert!(first.start().unwrap() < -0.1);
    assert!((first.start().unwrap() + second.start().unwrap()).abs() < 1e-12);
}

/// Bots whose moves depend only on the position.
const BOTS: [&str; 6] = [
    "random",
    "sample",
    "greedy",
    "one-ply",
    "nega:2",
    "adder-straight:1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn values_match_the_definition(
        board in prop_oneof![Just("2x4"), Just("3x3"), Just("3x3-torus")],
        redraw in prop_oneof![Just(None), Just(Some(2))],
        draws: bool,
        state: u32,
    ) {
        const STEPS: u32 = 3;
        let head_on = if draws {
            HeadOn::Draw
        } else {
            HeadOn::LongerWins
        };
        let positions =
            Positions::new(rules(board, redraw, STEPS).with_head_on(head_on), GIB).unwrap();
        let mut solver = Solver::new(&positions, Choice::AtOnce);
        let state = state % positions.states() as u32;
        for left in 1..=STEPS {
            solver.step(1);
            let position = positions.position(state, STEPS - left);
            prop_assert!(
                (solver.value(state) - value(&position)).abs() < 1e-12,
                "{:?}",
                position
            );
        }
    }

    #[test]
    fn best_responses_match_the_definition(
        name in prop::sample::select(&BOTS[..]),
        torus: bool,
        redraw in prop_oneof![Just(None), Just(Some(2))],
        steps in 1u32..5,
    ) {
        let rules = rules(if torus { "3x3-torus" } else { "3x3" }, redraw, steps);
        let positions = Positions::new(rules, GIB).unwrap();
        let bot = bot(name);
        let found = exploited(&positions, &bot).unwrap();
        for me in Seat::BOTH {
            let starts = drawn(&DuelPosition::start(rules));
            let mut best = 0.0;
            for start in &starts {
                let mut bot = bot.make(start, me.other(), 0).unwrap();
                best += response(start, me, &mut *bot) / starts.len() as f64;
            }
            prop_assert!(
                (found.best[me.index()] - best).abs() < 1e-12,
                "{} {}: {:?}, not {}",
                name,
                me,
                found,
                best
            );
        }
    }
}

/// A bot that plays optimally, by [`Solver::mixtures`].
struct Optimal {
    positions: Arc<Positions>,
    /// By step and state.
    mixtures: Arc<Vec<Vec<[Mixture; 2]>>>,
    seat: Seat,
}

impl Bot for Optimal {
    fn act(&mut self, _: &DuelPosition) -> Direction {
        unreachable!("only its mixtures are used")
    }

    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        let state = self.positions.state(position).unwrap();
        Some(self.mixtures[position.steps() as usize][state as usize][self.seat.index()])
    }
}

#[test]
fn optimal_play_can_not_be_exploited() {
    for (board, redraw, steps) in [("3x3", Some(4), 20), ("3x4", None, 12)] {
        let positions = Arc::new(Positions::new(rules(board, redraw, steps), GIB).unwrap());
        let mut solver = Solver::new(&positions, Choice::AtOnce);
        let mut mixtures = Vec::new();
        for _ in 0..steps {
            mixtures.push(
                (0..positions.states() as u32)
                    .map(|state| solver.mixtures(state))
                    .collect(),
            );
            solver.step(1);
        }
        mixtures.reverse();
        let mixtures = Arc::new(mixtures);
        let maker = {
            let positions = Arc::clone(&positions);
            move |_: &DuelPosition, seat, _: u64| {
                let positions = Arc::clone(&positions);
                let mixtures = Arc::clone(&mixtures);
                Ok::<_, Unsupported>(Box::new(Optimal {
                    positions,
                    mixtures,
                    seat,
                }) as Box<dyn Bot>)
            }
        };
        let found = exploited(&positions, &maker).unwrap();
        assert!(found.best.iter().all(|best| best.abs() < 1e-9), "{found:?}");
    }
}

/// The exploitability of a bot that never mixes is at least the loss of the best such player.
#[test]
fn bots_are_exploited() {
    let positions = Positions::new(rules("3x4", None, 20), GIB).unwrap();
    let sum = |name| exploited(&positions, &bot(name)).unwrap().sum();
    assert!(sum("random") > 1.8);
    let told = solved(&positions, Choice::Told(Seat::First))
        .start()
        .unwrap();
    for name in ["sample", "greedy", "adder-straight:2", "nega:2"] {
        assert!(
            sum(name) >= -2.0 * told - 1e-9,
            "{name} {} {told}",
            sum(name)
        );
    }
    let found = exploited(&positions, &bot("random")).unwrap();
    assert_eq!(
        found,
        nash_conv(&positions, &bot("random"), 3, || ControlFlow::Continue(()))
            .unwrap()
            .unwrap()
    );
    let mut calls = 0;
    let broken_off = nash_conv(&positions, &bot("random"), 1, || {
        calls += 1;
        if calls == 50 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(broken_off.unwrap().is_none());
}

#[test]
fn bots_that_remember_are_refused() {
    let positions = Positions::new(rules("3x3", None, 9), GIB).unwrap();
    for name in [
        "adder:2",
        "hognose:2",
        "adder-straight:1ms",
        "nega:1ms",
        "hognose-forgets:1ms",
    ] {
        let refused = exploited(&positions, &bot(name)).unwrap_err();
        assert!(
            matches!(refused, ExactError::Remembers),
            "{name}: {refused}"
        );
    }
}

#[test]
fn what_is_too_much_is_refused() {
    let error = |rules| Positions::new(rules, GIB).err().unwrap().to_string();
    assert_eq!(
        error(rules("4x5", None, 9)),
        "expected a board of at most 16 cells, got 20"
    );
    assert_eq!(
        error(rules("3x4", None, 9).with_foods(2).unwrap()),
        "expected one food on the board at a time, got 2"
    );
    assert_eq!(
        error(rules("3x4", None, 9).with_values(1..=2).unwrap()),
        "expected foods that are worth 1 cell, got 1..=2"
    );
    let error = Positions::new(rules("3x4", Some(11), 9), 0.01)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("expected at most 0.01 GiB of memory, but 1626768 states need"),
        "{error}"
    );
}

/// A bot plays by its mixtures, and returns the same mixture for a position whether it has seen
/// other positions before or not.
#[test]
fn bots_play_by_their_mixtures() {
    let bots = [
        "random",
        "sample",
        "search",
        "greedy",
        "one-ply",
        "adder-straight:3",
        "nega:3",
        "hognose-forgets:3",
    ];
    for rules in [
        rules("3x4", Some(5), 40),
        rules("4x4", None, 40),
        DuelRules::ai_snakes_2021(),
    ] {
        for name in bots {
            let bot = bot(name);
            let start = Duel::new(rules, 0).position().clone();
            let mut asked = Seat::BOTH.map(|seat| bot.make(&start, seat, 9).unwrap());
            for seed in 0..4 {
                let mut duel = Duel::new(rules, seed);
                let mut playing =
                    Seat::BOTH.map(|seat| bot.make(duel.position(), seat, seed).unwrap());
                let mut wanders = rng::keyed(seed, Purpose::new("test"), 0);
                while duel.position().outcome().is_none() && duel.position().steps() < 30 {
                    let moves = Seat::BOTH.map(|seat| {
                        let played = playing[seat.index()].act(duel.position());
                        let mixture = asked[seat.index()].mixture(duel.position()).unwrap();
                        assert!(
                            mixture.weight(played) > 0,
                            "{name} {played} {mixture:?} {:?}",
                            duel.position()
                        );
                        let mut new = bot.make(duel.position(), seat, 5).unwrap();
                        assert_eq!(new.mixture(duel.position()), Some(mixture), "{name}");
                        // Random moves lead to positions that the bot alone would not reach.
                        let legal = duel.position().legal_moves(seat);
                        let nth = rng::below(&mut wanders, 2 * legal.len().max(1) as u64) as usize;
                        legal.iter().nth(nth).unwrap_or(played)
                    });
                    duel.step(moves);
                }
            }
        }
    }
}

/// The frequencies of drawn moves match the mixture.
#[test]
fn moves_are_drawn_with_the_probabilities_of_mixtures() {
    const DRAWS: u32 = 2000;
    for name in ["random", "one-ply", "hognose-forgets:2"] {
        let bot = bot(name);
        let rules = rules("5x5", None, 40);
        let mut mixed = 0;
        for seed in 0..40 {
            let mut duel = Duel::new(rules, seed);
            let mut wanders = rng::keyed(seed, Purpose::new("test"), 0);
            while duel.position().outcome().is_none() && mixed < 3 {
                let position = duel.position().clone();
                let mixture = bot
                    .make(&position, Seat::First, 0)
                    .unwrap()
                    .mixture(&position)
                    .unwrap();
                if Direction::ALL
                    .into_iter()
                    .filter(|&direction| mixture.weight(direction) > 0)
                    .count()
                    > 1
                {
                    mixed += 1;
                    let mut counts: HashMap<Direction, u32> = HashMap::new();
                    for seed in 0..DRAWS {
                        let played = bot
                            .make(&position, Seat::First, seed.into())
                            .unwrap()
                            .act(&position);
                        *counts.entry(played).or_default() += 1;
                    }
                    for direction in Direction::ALL {
                        let share = mixture.weight(direction) as f64 / mixture.sum() as f64;
                        let count = f64::from(counts.get(&direction).copied().unwrap_or(0));
                        // Five standard deviations of at most 23.
                        assert!(
                            (count - share * f64::from(DRAWS)).abs() < 115.0,
                            "{name} {mixture:?} {counts:?}"
                        );
                    }
                }
                let moves = Seat::BOTH.map(|seat| {
                    let choices = choices(&position, seat);
                    choices[rng::below(&mut wanders, choices.len() as u64) as usize]
                });
                duel.step(moves);
            }
        }
        assert_eq!(mixed, 3, "{name}");
    }
}
