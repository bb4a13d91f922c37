//! Tables of tournaments for the terminal.

use crate::format::{self, number_or_dash, thousands, with_interval};
use crate::output::say;
use hognose_eval::tournament::{PairResult, Ranked, Ranking, Speed, Tally, Tournament, own_name};

/// Prints the results of a tournament: the ranking, the matrix of pairs, statistics of games, and
/// why games ended.
pub(super) fn print(tournament: &Tournament, ranking: &Ranking) {
    let schedule = tournament.schedule();
    let games = schedule.games();
    let seed = schedule.seed();
    say!(
        "{}; {games} games per pair, seed {seed}, every seed with both seat assignments",
        schedule.rules()
    );
    say!(
        "[score: a draw counts half; winning ratio: wins / (wins + losses); rating: Bradley-Terry \
         on the Elo scale,"
    );
    say!(
        "{} is 0; 95 % intervals by bootstrap over 10 seeds or more; us/move: microseconds of \
         CPU time per move, for programs of wall time: mean and longest]\n",
        ranking.anchor
    );
    say!("{}\n", places(tournament, ranking));
    say!(
        "wins of the row against the column:\n{}\n",
        matrix(ranking, |pair, seat| pair.wins[seat].to_string())
    );
    say!(
        "scores of the row against the column:\n{}\n",
        matrix(ranking, score)
    );
    say!(
        "means per game, and positions per second of CPU time:\n{}\n",
        games_of(tournament, ranking)
    );
    say!(
        "why games ended: won-lost-drawn. A win is counted under the reason why the other \
         snake lost:\n{}",
        ends(ranking)
    );
    if let Some(score) = ranking.seats.score {
        let [first, second] = ranking.seats.wins;
        let score = with_interval(score, ranking.seats.score_interval, 3);
        say!(
            "\nthe first seat scored {score}: {first} won, {second} lost, {} drawn",
            ranking.seats.draws
        );
    }
    if ranking.bots.iter().any(|row| row.depends_on_clock) {
        say!("*: depends on the clock, so games may differ on another machine");
    }
    for Ranked {
        bot,
        ends,
        forfeit,
        illegal,
        ..
    } in &ranking.bots
    {
        if *illegal > 0 {
            say!("{bot}: illegal moves although a legal one was there: {illegal}");
        }
        if let Some(reason) = forfeit {
            say!(
                "{bot}: forfeited {} games; the first: {reason}",
                ends.forfeit.losses + ends.forfeit.draws
            );
        }
    }
}

fn places(tournament: &Tournament, ranking: &Ranking) -> comfy_table::Table {
    let heads = [
        "bot",
        "place",
        "rating",
        "score",
        "games",
        "wins",
        "losses",
        "draws",
        "winning ratio",
        "us/move",
    ];
    let mut table = format::table(&heads);
    for row in &ranking.bots {
        table.add_row([
            name(row),
            row.place.to_string(),
            with_interval(row.rating, row.rating_interval, 0),
            format::mean_or_dash(row.score, row.score_interval, 3),
            row.games.to_string(),
            row.wins.to_string(),
            row.losses.to_string(),
            row.draws.to_string(),
            number_or_dash(row.winning_ratio, 3),
            time(tournament, row),
        ]);
    }
    table
}

/// Returns the microseconds per move: CPU time, or for a program, which has its own CPU time, the
/// mean and the longest wall time.
fn time(tournament: &Tournament, row: &Ranked) -> String {
    let speed = speed(tournament, row);
    let (_, bot) = own_name(&tournament.schedule().bots()[row.number]);
    if !bot.starts_with("exec:") {
        return number_or_dash(speed.micros_per_decision(), 1);
    }
    let longest = thousands(speed.slowest.as_secs_f64() * 1e6);
    speed
        .wall_micros_per_decision()
        .map_or("-".to_owned(), |mean| {
            format!("{}, {longest}", thousands(mean))
        })
}

/// Returns the name, with a star if the moves depend on the clock.
fn name(row: &Ranked) -> String {
    format!(
        "{}{}",
        row.bot,
        if row.depends_on_clock { " *" } else { "" }
    )
}

/// Returns a table of each bot's results against every other bot. `cell` formats a pair, given the
/// row's index in it.
fn matrix(ranking: &Ranking, cell: impl Fn(&PairResult, usize) -> String) -> comfy_table::Table {
    // Names may be long, so columns have the numbers of the rows.
    let heads = ["bot".to_owned()]
        .into_iter()
        .chain((1..=ranking.bots.len()).map(|number| number.to_string()));
    let mut table = format::table(&heads.collect::<Vec<_>>());
    for (index, row) in ranking.bots.iter().enumerate() {
        let cells = ranking.bots.iter().map(|column| {
            let met = ranking.pair(row.number, column.number);
            met.map_or_else(String::new, |(pair, seat)| cell(pair, seat))
        });
        table.add_row(
            [format!("{} {}", index + 1, row.bot)]
                .into_iter()
                .chain(cells),
        );
    }
    table
}

/// Returns the score of one bot of a pair.
fn score(pair: &PairResult, side: usize) -> String {
    let (score, interval) = pair.score_of(side);
    with_interval(score, interval, 2)
}

fn games_of(tournament: &Tournament, ranking: &Ranking) -> comfy_table::Table {
    let mut table = format::table(&[
        "bot",
        "steps",
        "foods",
        "final length",
        "positions/step",
        "positions/s",
    ]);
    for row in &ranking.bots {
        table.add_row([
            name(row),
            number_or_dash(row.mean_steps, 1),
            number_or_dash(row.mean_foods, 2),
            number_or_dash(row.mean_length, 2),
            number_or_dash(row.nodes_per_step.filter(|nodes| *nodes > 0.0), 1),
            speed(tournament, row)
                .nodes_per_second()
                .map_or("-".to_owned(), thousands),
        ]);
    }
    table
}

/// Returns the speed of a bot in the games of this session.
fn speed(tournament: &Tournament, row: &Ranked) -> Speed {
    tournament
        .speeds()
        .get(row.number)
        .copied()
        .unwrap_or_default()
}

fn ends(ranking: &Ranking) -> comfy_table::Table {
    let ways = ranking
        .bots
        .first()
        .map(|row| row.ends.all().map(|(way, _)| way))
        .unwrap_or_default();
    let mut table = format::table(&["bot"].into_iter().chain(ways).collect::<Vec<_>>());
    for row in &ranking.bots {
        let tallies = row.ends.all().map(
            |(
                _,
                Tally {
                    wins,
                    losses,
                    draws,
                },
            )| format!("{wins}-{losses}-{draws}"),
        );
        table.add_row([name(row)].into_iter().chain(tallies));
    }
    table
}
