//! Fuzzes all parsers of the page with damaged texts, which must not panic: `fuzz INPUTS`.

use hognose_game::rng::{self, Generator, Purpose};
use hognose_web::{Duel, Play, Watch};

const FUZZ: Purpose = Purpose::new("fuzz");

fn main() {
    let argument = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "100_000".to_owned());
    let inputs: u64 = argument
        .replace('_', "")
        .parse()
        .expect("expected a number of inputs");
    let record = Play::with_moves("6x5", "3", "urd")
        .and_then(|play| play.record())
        .expect("a record");
    let start = r#"{"column":0,"row":5,"heading":"right","length":1}"#;
    let rules = format!(r#"{{"board":"8x8","start":{start},"tail_entry":false,"foods":2}}"#);
    let mut taken = 0u64;
    for input in 0..inputs {
        let mut draws = rng::keyed(0, FUZZ, input);
        taken += u64::from(match input % 5 {
            0 => Play::open(&damaged(&record, &mut draws)).is_ok(),
            1 => Play::with_moves("5x4", "9", &damaged("urdlurdl", &mut draws)).is_ok(),
            2 => Play::new(&damaged(&rules, &mut draws), &damaged("12345", &mut draws)).is_ok(),
            3 => {
                let bot = ["you", "nega:3", "greedy", "selfplay:2", "hognose:9ms"]
                    [rng::below(&mut draws, 5) as usize];
                let first = damaged(bot, &mut draws);
                let second = damaged("hognose:2", &mut draws);
                let rules = damaged("ai-snakes-2021", &mut draws);
                let seed = damaged("7", &mut draws);
                Duel::new(&rules, &first, &second, &seed, input as u32)
                    .is_ok_and(|duel| !duel.facts().is_empty())
            }
            _ => {
                let policy = damaged("certified:100", &mut draws);
                Watch::of(
                    &policy,
                    &damaged("4x4-torus", &mut draws),
                    "0",
                    0,
                    &mut |_| (),
                )
                .is_ok()
            }
        });
    }
    println!("{inputs} inputs, {taken} of them accepted");
    assert!(
        taken > 0 && taken < inputs,
        "some inputs must be accepted, and some rejected"
    );
}

/// Returns a text with some letters changed, removed, or inserted.
fn damaged(text: &str, draws: &mut Generator) -> String {
    let mut below = |n: usize| rng::below(draws, n as u64) as usize;
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..below(4) {
        let place = below(letters.len() + 1);
        let letter = [
            '0',
            '9',
            'x',
            '-',
            ' ',
            '\n',
            ':',
            '"',
            '{',
            'u',
            '\u{0}',
            '\u{1f40d}',
        ][below(12)];
        match below(3) {
            0 => letters.insert(place, letter),
            1 if place < letters.len() => letters[place] = letter,
            _ if place < letters.len() => drop(letters.remove(place)),
            _ => letters.truncate(below(letters.len() + 1)),
        }
    }
    letters.into_iter().collect()
}
