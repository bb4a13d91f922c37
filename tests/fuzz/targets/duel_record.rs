//! Records of duels: text. What is read is replayed, and written it is the same.

#![no_main]

use hognose_game::duel::DuelRecord;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(record) = text.parse::<DuelRecord>() else {
        return;
    };
    // The moves may lead elsewhere than the record says.
    let _ = record.replay();
    assert_eq!(record.to_string().parse().as_ref(), Ok(&record));
});
