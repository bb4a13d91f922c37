//! The output of `hognose train` for selection games, final games, and several seeds.

use crate::arguments::{rules_words, shell};
use crate::commands::duel::{play, print_tournament};
use crate::error::{Error, Result};
use crate::format;
use crate::outcome::Outcome;
use crate::output::say;
use crate::report::{Report, Unplayable};
use crate::resume::resume_command;
use hognose_eval::tournament::Tournament;
use hognose_eval::{Evaluation, Summary, stats};
use hognose_policies::{NamedBot, NamedPolicy};
use hognose_run::{DuelSummary, FinalGames, Manifest, Results, Run, SelectionGames};

/// Describes the results of selection games in a line.
pub(crate) fn selection_words(games: &SelectionGames) -> String {
    match games {
        SelectionGames::Boards(boards) => words_on_boards(boards),
        SelectionGames::Duels(summary) => words_on_duels(summary),
    }
}

fn words_on_boards(boards: &[Summary]) -> String {
    let games = boards[0].games();
    if let [only] = boards {
        let steps = match only.mean_steps_won {
            None => String::new(),
            Some(steps) => format!(", {steps:.1} steps when won"),
        };
        return format!(
            "wins {:5.1} % of {games} selection games, mean length {:.1}{steps}",
            100.0 * only.win_rate,
            only.mean_length
        );
    }
    let wins = boards.iter().map(|board| 100.0 * board.win_rate);
    let worst = boards
        .iter()
        .min_by(|a, b| a.win_rate.total_cmp(&b.win_rate))
        .expect("there are boards");
    format!(
        "wins {:5.1} % of {games} selection games on each of {} boards, least on {}: {:.1} %",
        wins.sum::<f64>() / boards.len() as f64,
        boards.len(),
        worst.name,
        100.0 * worst.win_rate
    )
}

fn words_on_duels(summary: &DuelSummary) -> String {
    let against: Vec<String> = summary
        .against
        .iter()
        .map(|(bot, score)| format!("{score:.3} against {bot}"))
        .collect();
    format!(
        "score {:.3} in {} selection duels ({}), {:.1} % drawn",
        summary.score,
        summary.games,
        against.join(", "),
        100.0 * summary.draws
    )
}

/// Plays the final games with the best weights, and records the results.
pub(crate) fn play_final_games(run: &Run) -> Result<Outcome> {
    let outcome = match run.final_games()? {
        FinalGames::Evaluation(games, policies) => evaluate(run, &games, &policies)?,
        FinalGames::Tournament(tournament, bots) => compete(run, tournament, &bots)?,
    };
    if outcome == Outcome::Interrupted {
        say!("continue with: {}", resume_command(run.folder())?);
    }
    Ok(outcome)
}

fn evaluate(run: &Run, games: &Evaluation, policies: &[NamedPolicy]) -> Result<Outcome> {
    let mut report = Report::new(games);
    let played = report.play(games, policies, Unplayable::LeaveOut);
    report.print();
    if let Outcome::Interrupted = played? {
        return Ok(Outcome::Interrupted);
    }
    let count = games.games.to_string();
    let seed = games.seed.to_string();
    let rules = rules_words(games.rules);
    let mut words = vec!["hognose", "evaluate"];
    words.extend(rules.iter().map(String::as_str));
    // A name may contain a comma, which would split it in a list.
    words.extend(report.names().flat_map(|name| ["--policy", name]));
    words.extend(["--games", &count, "--seed", &seed]);
    if run.catalog.device() != "cpu" {
        words.extend(["--device", run.catalog.device()]);
    }
    let command = shell(words)?;
    say!("again: {command}");
    let results = report.of(&run.agent_name()).cloned();
    let results = results.map(|summary| Results::Games(Box::new(summary)));
    run.note_results(results, Some(command))?;
    Ok(Outcome::Done)
}

fn compete(run: &Run, mut tournament: Tournament, bots: &[NamedBot]) -> Result<Outcome> {
    if play(&mut tournament, bots, run.threads, |_| Ok(()))? == Outcome::Interrupted {
        return Ok(Outcome::Interrupted);
    }
    print_tournament(&tournament);
    let schedule = tournament.schedule();
    let games = schedule.games().to_string();
    let seed = schedule.seed().to_string();
    // Rules without a name exist only in the experiment.
    let command = schedule.rules().name().map(|rules| {
        let mut words = vec!["hognose", "duel"];
        // A name may contain a comma, which would split it in a list.
        words.extend(bots.iter().flat_map(|bot| ["--bot", bot.name()]));
        words.extend(["--games", &games, "--seed", &seed, "--rules", rules]);
        shell(words)
    });
    let command = command.transpose()?;
    if let Some(command) = &command {
        say!("\nagain: {command}");
    }
    let results = DuelSummary::new(&tournament, bots.len() - 1).map(Results::Duels);
    run.note_results(results, command)?;
    Ok(Outcome::Done)
}

/// Prints a comparison of the runs of several seeds.
pub(crate) fn compare(runs: &[Run]) -> Result<()> {
    let mut games = Vec::new();
    let mut duels = Vec::new();
    for run in runs {
        let manifest = Manifest::read(run.folder());
        match manifest.and_then(|its| its.results.clone().map(|results| (its, results))) {
            Some((manifest, Results::Games(summary))) => games.push((manifest, *summary)),
            Some((manifest, Results::Duels(summary))) => duels.push((manifest, summary)),
            None => {
                let folder = run.folder().display();
                return Err(Error::new(format!("{folder}: the run has no results")));
            }
        }
    }
    if duels.is_empty() {
        compare_games(&games);
    } else {
        compare_duels(&duels);
    }
    Ok(())
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.0} s")
}

fn compare_games(runs: &[(Manifest, Summary)]) {
    let header = ["training seed", "wins", "steps when won", "wall", "CPU"];
    let mut table = format::table(&header);
    for (manifest, results) in runs {
        table.add_row([
            manifest.seed.to_string(),
            format::percent(results.win_rate, results.win_rate_interval),
            format::mean_or_dash(results.mean_steps_won, results.mean_steps_won_interval, 1),
            seconds(manifest.wall_seconds),
            seconds(manifest.cpu_seconds),
        ]);
    }
    let wins: Vec<f64> = runs.iter().map(|(_, results)| results.win_rate).collect();
    let steps: Vec<f64> = runs
        .iter()
        .filter_map(|(_, results)| results.mean_steps_won)
        .collect();
    let mean = stats::mean(&wins).expect("at least one run");
    let of_all = match stats::grouped_interval(&wins, runs[0].1.games()) {
        Some(interval) => format::percent(mean, interval),
        None => format!("{:.1} %", 100.0 * mean),
    };
    table.add_row([
        format!("mean of {}", runs.len()),
        of_all,
        format::mean_or_dash(stats::mean(&steps), stats::mean_interval(&steps), 1),
        String::new(),
        String::new(),
    ]);
    let worst = runs
        .iter()
        .min_by(|(_, one), (_, other)| one.win_rate.total_cmp(&other.win_rate))
        .expect("at least one run");
    say!("\n{table}");
    say!(
        "[95 % intervals: of a run by Wilson and Student's t over its games; of the mean over \
         seeds: for wins by Wilson"
    );
    say!("with Student's t and the design effect of the seeds, for steps by Student's t]");
    say!(
        "worst: seed {}, {:.1} % wins",
        worst.0.seed,
        100.0 * worst.1.win_rate
    );
}

fn compare_duels(runs: &[(Manifest, DuelSummary)]) {
    let header = ["training seed", "score", "draws", "wall", "CPU"];
    let mut table = format::table(&header);
    for (manifest, results) in runs {
        let interval = match results.score_interval {
            None => String::new(),
            Some([low, high]) => format!(" [{low:.3}, {high:.3}]"),
        };
        table.add_row([
            manifest.seed.to_string(),
            format!("{:.3}{interval}", results.score),
            format!("{:.1} %", 100.0 * results.draws),
            seconds(manifest.wall_seconds),
            seconds(manifest.cpu_seconds),
        ]);
    }
    let scores: Vec<f64> = runs.iter().map(|(_, results)| results.score).collect();
    table.add_row([
        format!("mean of {}", runs.len()),
        format::mean_or_dash(stats::mean(&scores), stats::mean_interval(&scores), 3),
        String::new(),
        String::new(),
        String::new(),
    ]);
    say!("\n{table}");
    say!(
        "[scores over all duels of the final tournament; 95 % intervals: of a run by bootstrap \
         over seeds of games, of"
    );
    say!("the mean over training seeds by Student's t]");
}
