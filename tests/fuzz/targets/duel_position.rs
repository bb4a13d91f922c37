//! Duels in the middle of a game: JSON, as in snapshots of environments. Steps are made and undone,
//! and a duel that is written again is unchanged.

#![no_main]

use hognose_game::Direction;
use hognose_game::duel::{Duel, Seat};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(mut duel) = serde_json::from_slice::<Duel>(text) else {
        return;
    };
    for step in 0..20 {
        let written = serde_json::to_string(&duel).unwrap();
        assert_eq!(serde_json::from_str::<Duel>(&written).unwrap(), duel);
        let moves = Seat::BOTH.map(|seat| {
            let legal: Vec<Direction> = duel.position().legal_moves(seat).iter().collect();
            legal
                .get(step % legal.len().max(1))
                .copied()
                .unwrap_or(Direction::Up)
        });
        let mut position = duel.position().clone();
        let is_over = position.outcome().is_some();
        position.step(moves);
        assert!(is_over || position.undo());
        assert_eq!(&position, duel.position());
        duel.step(moves);
    }
});
