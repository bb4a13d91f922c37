//! `hognose bench`: the behavior checksum.

use crate::embedded::catalog;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::output::say;
use hognose_eval::{Evaluation, LimitedGame, Limits};
use hognose_game::rng;
use hognose_game::{Board, Direction, Game, Origin, Record, Rules, Start};
use hognose_policies::SOLVERS;

/// Print the behavior checksum: one number over fixed games of every solver by every kind of rules
///
/// It changes if and only if the rules, the random streams, a solver or the text of records change; a commit that
/// changes it says so. It measures no speed: `cargo bench` does.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Games of each solver by each kind of rules.
const GAMES: u64 = 5;

/// Plays the games and prints the checksum over their records.
pub(crate) fn run(_arguments: &Arguments) -> Result<Outcome> {
    let mut checksum = rng::FNV_START;
    let (mut games, mut steps) = (0, 0);
    for rules in variants()? {
        let area = rules.board().area() as u32;
        let limits = Limits { starvation: None, time_limit: Some(area * area) };
        for known in SOLVERS {
            let maker = catalog().policy(known.name)?.single_player();
            for seed in 0..GAMES {
                let mut game = LimitedGame::new(Game::new(rules, seed), limits);
                let Ok(mut policy) = maker.make(game.position(), Evaluation::policy_seed(seed)) else { continue };
                let mut moves: Vec<Direction> = Vec::new();
                while game.end().is_none() {
                    moves.push(game.play(&mut *policy)?);
                }
                games += 1;
                steps += moves.len();
                let record = Record::new(Origin::Seed(rules), seed, moves)?;
                checksum = rng::fnv1a(checksum, format!("{} {record}", known.name).as_bytes());
            }
        }
    }
    say!("{checksum:016x} over {games} games, {steps} steps");
    Ok(Outcome::Done)
}

/// One of every kind of rules.
fn variants() -> Result<Vec<Rules>> {
    let on = |text: &str| text.parse::<Board>().map(Rules::new);
    let fixed = Start::Fixed { column: 3, row: 2, heading: Direction::Right, length: 3 };
    Ok(vec![
        on("2x2")?,
        on("6x6")?,
        on("7x7")?,
        on("10x8")?,
        on("8x6-torus")?,
        on("5x5-torus")?,
        on("6x6")?.with_tail_entry(false),
        on("8x8")?.with_foods(3)?,
        on("8x6")?.with_start(fixed)?,
        on("9x6")?.with_start(Start::Random { length: 2, margin: 1 })?,
    ])
}
