//! Animated pictures of duels, compared with the positions.

use super::*;
use hognose_game::duel::{Duel, DuelCause, DuelPosition, DuelRules, Outcome, Seat};
use hognose_viewer::{DuelFilm, Legend};
use std::collections::BTreeMap;

/// The pictures of foods by their value.
type Numbers = BTreeMap<u8, String>;

/// Makes random legal moves, if there are any; sometimes it has a plan, and mostly follows it.
struct Dreamer {
    seat: Seat,
    draws: Generator,
    plan: Vec<Direction>,
}

impl Dreamer {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let Dreamer { seat, draws, plan } = self;
        let mut below = |n: usize| rng::below(draws, n as u64) as usize;
        let legal: Vec<Direction> = position.legal_moves(*seat).iter().collect();
        let planned = (!plan.is_empty())
            .then(|| plan.remove(0))
            .filter(|direction| legal.contains(direction));
        if let Some(direction) = planned.filter(|_| below(4) > 0) {
            return direction;
        }
        let direction = if legal.is_empty() {
            Direction::from_index(below(4))
        } else {
            legal[below(legal.len())]
        };
        *plan = (0..below(6))
            .map(|_| Direction::from_index(below(4)))
            .collect();
        direction
    }
}

/// Plays a duel and compares its picture with it at every step.
fn check(rules: DuelRules, seed: u64, numbers: &mut Numbers) -> Outcome {
    let mut duel = Duel::new(rules, seed);
    let dreamer = |seat: Seat| Dreamer {
        seat,
        draws: rng::keyed(seed, Purpose::new("dreamer"), seat.index() as u64),
        plan: Vec::new(),
    };
    let mut players = Seat::BOTH.map(dreamer);
    let mut seen = vec![(duel.position().clone(), [Vec::new(), Vec::new()])];
    let mut film = DuelFilm::new(duel.position(), &seen[0].1);
    while duel.position().outcome().is_none() {
        duel.step(players.each_mut().map(|player| player.act(duel.position())));
        let plans = players.each_ref().map(|player| player.plan.clone());
        film.add(duel.position(), &plans);
        seen.push((duel.position().clone(), plans));
    }
    let legend = Legend::new(["a & b", "<c>"].map(str::to_owned), duel.position());
    let svg = animation(film.with_legend(legend.clone()).as_film(), FPS);
    let document = Document::parse(&svg).unwrap();
    let picture = Picture {
        document: &document,
        board: rules.board(),
    };
    let moved = |step: usize| {
        seen[step].0.snake(Seat::First).head() != seen[step - 1].0.snake(Seat::First).head()
    };
    for seat in Seat::BOTH {
        let class = |layer: &str| format!("{layer} {seat}");
        let way = paths(&picture, &class("body"));
        let plans = paths(&picture, &class("plan"));
        for (step, (position, planned)) in seen.iter().enumerate() {
            let time = step as f64;
            let snake = position.snake(seat);
            let mut body: Vec<Cell> = snake.body().collect();
            body.reverse();
            assert_eq!(
                picture.dash(&class("body"), &way, time),
                body,
                "{seat}, step {step}"
            );
            assert_eq!(
                picture.dash(&class("head"), &way, time),
                [snake.head()],
                "{seat}, step {step}"
            );
            if step == 0 {
                continue;
            }
            // The plan is shown until the next step begins.
            let mut plan = vec![snake.head()];
            for &direction in planned[seat.index()].iter().filter(|_| moved(step)) {
                let Some(next) = rules.board().neighbor(*plan.last().unwrap(), direction) else {
                    break;
                };
                plan.push(next);
            }
            let shown = if plans.is_empty() {
                Vec::new()
            } else {
                picture.dash(&class("plan"), &plans, time - 1e-3)
            };
            match plan.len() {
                1 => assert!(
                    shown.is_empty() || shown == plan,
                    "{seat}, step {step}: {shown:?}"
                ),
                _ => assert_eq!(shown, plan, "{seat}, step {step}"),
            }
        }
    }
    check_legend(&picture, &legend, seen.len() - 1);
    for (step, (position, _)) in seen.iter().enumerate() {
        let time = step as f64 + 1e-3;
        let mut foods: Vec<Cell> = position.foods().iter().map(|food| food.cell).collect();
        foods.sort();
        assert_eq!(picture.foods(time), foods, "step {step}");
        let shown: Vec<&str> = picture
            .classed("value")
            .map(|value| path_at(value, time))
            .collect();
        for food in position.foods() {
            check_number(rules, food.value, picture.board, food.cell, &shown, numbers);
        }
    }
    duel.position().outcome().unwrap()
}

/// Names are shown from the start, and results once the duel has ended.
fn check_legend(picture: &Picture<'_, '_>, legend: &Legend, steps: usize) {
    let lines: Vec<Node<'_, '_>> = picture.classed("legend").collect();
    assert_eq!(lines.len(), 2);
    for ((line, name), result) in lines.into_iter().zip(&legend.names).zip(&legend.results) {
        assert_eq!(line.text(), Some(name.as_str()));
        let shown = line
            .children()
            .find(|child| child.has_tag_name("tspan"))
            .unwrap();
        assert_eq!(shown.text().map(str::trim), Some(result.as_str()));
        let animate = animation_of(shown, "visibility");
        let at = |time: f64| {
            let (texts, index, _) = texts_at(animate, time);
            texts[index]
        };
        assert_eq!(
            [at(0.0), at(steps as f64 - 1e-3), at(steps as f64 + 1e-3)],
            ["hidden", "hidden", "visible"]
        );
    }
}

/// Checks that the number on a food looks the same wherever foods of this value are, and covers
/// only that cell.
fn check_number(
    rules: DuelRules,
    value: u8,
    board: Board,
    cell: Cell,
    shown: &[&str],
    numbers: &mut Numbers,
) {
    let center = [board.column(cell) as f64, board.row(cell) as f64];
    let on_it = |path: &&&str| {
        let away = |at: [f64; 2]| (at[0] - center[0]).hypot(at[1] - center[1]);
        path.contains('L') && corners(path).iter().all(|&(_, at)| away(at) < 0.35)
    };
    let here: Vec<&&str> = shown.iter().filter(on_it).collect();
    if rules.values().start() == rules.values().end() {
        assert!(here.is_empty());
        return;
    }
    assert_eq!(here.len(), 1, "{shown:?}");
    let place = |(_, [x, y]): (f64, [f64; 2])| {
        format!("{:.2} {:.2}", x - center[0] + 9.0, y - center[1] + 9.0)
    };
    let look = corners(here[0])
        .into_iter()
        .map(place)
        .collect::<Vec<_>>()
        .join(", ");
    assert_eq!(*numbers.entry(value).or_insert(look.clone()), look);
}

#[test]
fn a_moving_picture_shows_every_position_of_a_duel() {
    let rules = DuelRules::ai_snakes_2021();
    let on = |board: &str| rules.on(board.parse().unwrap()).unwrap();
    let rich = on("8x7")
        .with_foods(3)
        .unwrap()
        .with_values(1..=12)
        .unwrap()
        .with_redraw_after(Some(4))
        .unwrap();
    let short = on("9x9-torus").with_step_limit(30).unwrap();
    let mut causes = Vec::new();
    let mut numbers = Numbers::new();
    for seed in 0..12 {
        for rules in [rules, on("6x6"), on("7x6-torus"), rich, short] {
            causes.extend(
                check(rules, seed, &mut numbers)
                    .causes
                    .into_iter()
                    .flatten(),
            );
        }
    }
    for cause in DuelCause::ALL {
        assert!(causes.contains(&cause), "{cause}");
    }
    // Different values look different.
    assert_eq!(numbers.len(), 12);
    let mut looks: Vec<&String> = numbers.values().collect();
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 12);
}
