//! Steps and restarts allocate nothing.

use hognose_game::{Direction, Game, Rules, Status};

#[test]
fn a_game_allocates_only_when_it_is_made() {
    for rules in [
        Rules::new("6x6".parse().unwrap()),
        Rules::new("9x5-torus".parse().unwrap())
            .with_foods(4)
            .unwrap(),
    ] {
        let mut game = Game::new(rules, 0);
        let counted = allocation_counter::measure(|| {
            for step in 0..5000 {
                if game.position().status() != Status::Ongoing {
                    game.restart(step);
                }
                let first = game.position().legal_moves().iter().next();
                game.step(first.unwrap_or(Direction::Up));
            }
        });
        assert_eq!(counted.count_total, 0);
    }
}
