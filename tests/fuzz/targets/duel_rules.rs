//! Rules of duels: JSON, like the TOML of rule files. A duel with the rules is played, and they are
//! unchanged when written again.

#![no_main]

use hognose_game::Direction;
use hognose_game::duel::{Duel, DuelRules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(rules) = serde_json::from_slice::<DuelRules>(text) else {
        return;
    };
    let written = serde_json::to_string(&rules).unwrap();
    assert_eq!(serde_json::from_str::<DuelRules>(&written).unwrap(), rules);
    assert_eq!(rules.half_turned().half_turned(), rules);
    let mut duel = Duel::new(rules, 1);
    let mut image = Duel::with_turned_foods(rules.half_turned(), 1);
    for step in 0..40 {
        assert_eq!(image.position().half_turned(), *duel.position());
        let moves = [step, step / 3].map(|turn| Direction::from_index(turn % 4));
        duel.step(moves);
        image.step(moves.map(Direction::opposite));
    }
});
