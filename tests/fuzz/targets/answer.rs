//! Answers of programs that play: lines of JSON. What is none is told in a short text.

#![no_main]

use hognose_process::parse_answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    if let Err(error) = parse_answer(line) {
        assert!(error.to_string().len() < 2000);
    }
});
