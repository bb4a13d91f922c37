//! Records of games: text. Records that are read are replayed, and are unchanged when written
//! again.

#![no_main]

use hognose_game::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(record) = text.parse::<Record>() else {
        return;
    };
    // The moves may lead to a different end than the record states.
    let _ = record.replay();
    assert_eq!(record.to_string().parse().as_ref(), Ok(&record));
});
