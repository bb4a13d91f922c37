//! Answers of programs that play: lines of JSON. Invalid answers lead to a short error.

#![no_main]

use hognose_process::parse_answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    if let Err(error) = parse_answer(line) {
        assert!(error.to_string().len() < 2000);
    }
});
