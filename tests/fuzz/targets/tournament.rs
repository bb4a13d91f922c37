//! Tournament files: JSON. Tournaments that are read are ranked, and are unchanged when written
//! again.

#![no_main]

use hognose_eval::tournament::Tournament;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(tournament) = serde_json::from_slice::<Tournament>(text) else {
        return;
    };
    let written = serde_json::to_string(&tournament).unwrap();
    let read: Tournament = serde_json::from_str(&written).unwrap();
    assert_eq!(
        (read.schedule(), read.duels()),
        (tournament.schedule(), tournament.duels())
    );
    // Ratings of many bots take long.
    if tournament.schedule().bots().len() < 6 {
        assert_eq!(read.ranking(), tournament.ranking());
    }
});
