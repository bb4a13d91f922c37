//! Tests reach against its definition, on positions of random games.

use hognose_duel::Reach;
use hognose_game::duel::{Duel, DuelPosition, DuelRules, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Directions};
use proptest::prelude::*;

/// Returns the step in which a snake can first enter each cell, checking every cell in every step.
fn steps_to_cells(position: &DuelPosition, seat: Seat) -> Vec<Option<u16>> {
    let board = position.board();
    let mut steps = vec![None; board.area()];
    steps[position.snake(seat).head().index()] = Some(0);
    for step in 1.. {
        let entered: Vec<_> = board
            .cells()
            .filter(|&cell| {
                steps[cell.index()].is_none() && position.steps_until_free(cell) <= step
            })
            .filter(|&cell| {
                board
                    .neighbors(cell)
                    .any(|(_, near)| steps[near.index()].is_some())
            })
            .collect();
        entered
            .iter()
            .for_each(|cell| steps[cell.index()] = Some(step));
        let reached = steps.iter().flatten().count() - 1;
        if (entered.is_empty() && reached < step.into()) || usize::from(step) > 2 * board.area() {
            break;
        }
    }
    steps
}

fn check(reach: &mut Reach, position: &DuelPosition) {
    reach.look(position);
    let steps = Seat::BOTH.map(|seat| steps_to_cells(position, seat));
    for seat in Seat::BOTH {
        let mine = &steps[seat.index()];
        let others = &steps[seat.other().index()];
        let reached = mine.iter().flatten().filter(|&&steps| steps > 0).count();
        let nearer = mine.iter().zip(others).filter(|(mine, others)| {
            mine.is_some_and(|mine| mine > 0 && others.is_none_or(|others| mine < others))
        });
        assert_eq!(
            usize::from(reach.reached(seat)),
            reached,
            "{seat} {position:?}"
        );
        assert_eq!(
            usize::from(reach.nearer(seat)),
            nearer.count(),
            "{seat} {position:?}"
        );
        let foods: Vec<_> = position
            .foods()
            .iter()
            .map(|food| mine[food.cell.index()])
            .collect();
        assert_eq!(reach.food_steps(seat), foods, "{seat} {position:?}");
    }
}

fn boards() -> impl Strategy<Value = Board> {
    let sides = prop_oneof![
        (5u8..=9, 5u8..=9),
        Just((16, 16)),
        Just((14, 14)),
        Just((17, 6)),
        Just((5, 18))
    ];
    (sides, any::<bool>()).prop_map(|((width, height), torus)| {
        let board = Board::new(width, height).unwrap();
        if torus { board.torus() } else { board }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn reach_agrees_with_its_definition(
        board in boards(),
        foods in 1u16..8,
        highest in 1u8..6,
        redraw in prop_oneof![Just(None), Just(Some(5))],
        seed in any::<u64>(),
    ) {
        let rules = DuelRules::ai_snakes_2021()
            .on(board)
            .unwrap()
            .with_redraw_after(redraw)
            .unwrap();
        let rules = rules
            .with_foods(foods)
            .unwrap()
            .with_values(1..=highest)
            .unwrap();
        let mut duel = Duel::new(rules, seed);
        let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
        let mut reach = Reach::new(Board::new(3, 3).unwrap());
        for _ in 0..200 {
            check(&mut reach, duel.position());
            let moves = Seat::BOTH.map(|seat| {
                // Prefer food, so that snakes become long.
                let position = duel.position();
                let legal = position.legal_moves(seat);
                let head = position.snake(seat).head();
                let eats: Directions = legal
                    .iter()
                    .filter(|&to| {
                        position
                            .board()
                            .neighbor(head, to)
                            .is_some_and(|cell| position.is_food(cell))
                    })
                    .collect();
                let choices = if eats.is_empty() { legal } else { eats };
                let nth = rng::below(&mut draws, choices.len().max(1) as u64) as usize;
                choices
                    .iter()
                    .nth(nth)
                    .unwrap_or(position.snake(seat).heading())
            });
            if duel.step(moves).outcome.is_some() {
                break;
            }
        }
    }
}
