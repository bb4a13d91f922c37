//! Plays two bots against each other: `matches BOT BOT RULES SEEDS [FIRST_SEED]`. Each seed is played twice, with seats
//! exchanged. It prints wins, losses, draws and the score of the first bot, and what
//! each spent for a move.

use cpu_time::ThreadTime;
use hognose_duel::Catalog;
use hognose_game::duel::{Duel, DuelCause, DuelRules, MakeDuelist, Seat};
use hognose_game::rng::{self, Purpose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, rules, seeds, rest @ ..] = &arguments[..] else {
        return Err("expected BOT BOT RULES SEEDS [FIRST_SEED]".into());
    };
    let bots = [Catalog::default().bot(a)?, Catalog::default().bot(b)?];
    let rules = DuelRules::named(rules)?;
    let seeds: u64 = seeds.parse()?;
    let first: u64 = rest.first().map_or(Ok(0), |first| first.parse())?;
    let (mut results, mut by_limit, mut steps) = ([0u32; 3], [0u32; 3], 0u64);
    let (mut seconds, mut nodes, mut decisions) = ([0.0; 2], [0u64; 2], 0u64);
    let mut pairs = Vec::new();
    for seed in first..first + seeds {
        let mut pair = 0.0;
        for swapped in [false, true] {
            let mut duel = Duel::new(rules, seed);
            let seats = if swapped { [Seat::Second, Seat::First] } else { Seat::BOTH };
            let mut players = Vec::new();
            for (index, bot) in bots.iter().enumerate() {
                let own = rng::derive(seed, Purpose::new("bot"), 2 * index as u64 + u64::from(swapped));
                players.push(bot.make(duel.position(), seats[index], own)?);
            }
            while duel.position().outcome().is_none() {
                let mut moves = [hognose_game::Direction::Up; 2];
                for (index, player) in players.iter_mut().enumerate() {
                    let start = ThreadTime::now();
                    moves[seats[index].index()] = player.act(duel.position());
                    seconds[index] += start.elapsed().as_secs_f64();
                    nodes[index] += player.thought().nodes;
                }
                decisions += 1;
                duel.step(moves);
            }
            let outcome = duel.position().outcome().expect("the game is over");
            let result = outcome.winner.map_or(2, |winner| usize::from(winner != seats[0]));
            results[result] += 1;
            by_limit[result] += u32::from(outcome.causes[0] == Some(DuelCause::StepLimit));
            pair += [1.0, 0.0, 0.5][result];
            steps += u64::from(duel.position().steps());
        }
        pairs.push(pair / 2.0);
    }
    let games = f64::from(results.iter().sum::<u32>());
    let score = pairs.iter().sum::<f64>() / pairs.len() as f64;
    let variance = pairs.iter().map(|pair| (pair - score).powi(2)).sum::<f64>() / pairs.len() as f64;
    let error = 1.96 * (variance / pairs.len() as f64).sqrt();
    println!(
        "{a} - {b}: {results:?} score {score:.3} +- {error:.3}; by step limit {by_limit:?}; {:.0} steps a game",
        steps as f64 / games
    );
    for index in [0, 1] {
        println!(
            "  {}: {:.1} us a move, {:.0} joint positions a move, {:.2} M a second",
            arguments[index],
            1e6 * seconds[index] / decisions as f64,
            nodes[index] as f64 / decisions as f64,
            nodes[index] as f64 / seconds[index] / 1e6
        );
    }
    Ok(())
}
