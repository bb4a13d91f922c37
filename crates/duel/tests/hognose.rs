//! Tests of the public behavior of `hognose` and `nega`.

use hognose_game::Board;
use hognose_game::duel::{Bot, Duel, DuelRules, MakeBot, Seat};
use hognose_policies::Catalog;

fn play(names: [&str; 2], rules: DuelRules, seed: u64) -> Duel {
    let mut duel = Duel::new(rules, seed);
    let mut bots: Vec<Box<dyn Bot>> = Vec::new();
    for (seat, name) in Seat::BOTH.into_iter().zip(names) {
        bots.push(
            Catalog::default()
                .bot(name)
                .unwrap()
                .make(duel.position(), seat, 1)
                .unwrap(),
        );
    }
    while duel.position().outcome().is_none() {
        let moves = [bots[0].act(duel.position()), bots[1].act(duel.position())];
        duel.step(moves);
    }
    duel
}

#[test]
fn games_are_reproducible_by_depth_and_nodes() {
    for rules in [DuelRules::ai_snakes_2021(), DuelRules::ai_snakes_2020()] {
        for names in [["hognose:2", "nega:2"], ["nega:50n", "hognose:50n"]] {
            assert_eq!(play(names, rules, 3), play(names, rules, 3));
        }
    }
}

#[test]
fn they_win_against_greedy_and_search() {
    for name in ["hognose:2", "nega:2"] {
        let mut wins = 0;
        for other in ["greedy", "search"] {
            for seed in 0..3 {
                let outcome = play([name, other], DuelRules::ai_snakes_2021(), seed)
                    .position()
                    .outcome()
                    .unwrap();
                wins += u32::from(outcome.winner == Some(Seat::First));
            }
        }
        assert!(wins >= 5, "{name} won {wins} of 6 games");
    }
}

#[test]
fn other_rules_are_supported() {
    let board = Board::new(7, 6).unwrap().torus();
    let rules = DuelRules::ai_snakes_2020()
        .on(board)
        .unwrap()
        .with_foods(3)
        .unwrap()
        .with_values(1..=3)
        .unwrap();
    for seed in 0..3 {
        play(["hognose:3", "nega:3"], rules, seed);
    }
    let large = DuelRules::ai_snakes_2021()
        .on(Board::new(17, 8).unwrap())
        .unwrap();
    play(["nega:2", "greedy"], large, 0);
    let position = Duel::new(large, 0).position().clone();
    let refused = Catalog::default()
        .bot("hognose")
        .unwrap()
        .make(&position, Seat::First, 0)
        .err()
        .unwrap();
    assert_eq!(
        refused.to_string(),
        "hognose plays on boards of at most 16x16 cells, got 17x8"
    );
}
