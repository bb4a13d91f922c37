//! Prints the seconds that work takes on this machine, as JSON: `speed WORK ...`.
//! `tests/speed.mjs` alternates it with the same work in a browser.
//!
//! Work has the form `POLICY,BOARD,GAMES`; `optimal` with 0 games only solves its board.

use hognose_web::Race;
use std::time::Instant;

fn main() -> Result<(), String> {
    let seconds = std::env::args().skip(1).map(|work| {
        let [policy, board, games] = work.split(',').collect::<Vec<_>>()[..] else {
            return Err(format!("expected POLICY,BOARD,GAMES, got {work:?}"));
        };
        let games = games
            .parse()
            .map_err(|_| format!("expected a number of games, got {games:?}"))?;
        let started = Instant::now();
        Race::of(vec![policy.to_owned()], board, "0", &mut |_| ())?.advance(usize::MAX, games)?;
        Ok(started.elapsed().as_secs_f64())
    });
    println!(
        "{}",
        serde_json::json!(seconds.collect::<Result<Vec<f64>, String>>()?)
    );
    Ok(())
}
