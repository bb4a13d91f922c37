//! Prints the expected results of a browser as JSON: the behavior checksum, and records of games.
//!
//! The tests of the page compare them with the browser's results. Each argument is a game, such as
//! `certified,10x10,SEED,GAME`.

use hognose_web::{Watch, behavior};

fn main() -> Result<(), String> {
    let records = std::env::args().skip(1).map(|game| {
        let [policy, board, seed, number] = game.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("expected POLICY,BOARD,SEED,GAME, got {game:?}"));
        };
        let number = number
            .parse()
            .map_err(|_| format!("expected the number of a game, got {number:?}"))?;
        let mut watch = Watch::of(policy, board, seed, number, &mut |_| ())?;
        watch.look_at(usize::MAX, usize::MAX)?;
        watch.record()
    });
    let records = records.collect::<Result<Vec<_>, String>>()?;
    println!(
        "{}",
        serde_json::json!({ "behavior": behavior()?, "records": records })
    );
    Ok(())
}
