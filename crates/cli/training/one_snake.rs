//! Runs of one snake.

use super::Trains;
use crate::arguments::{rules_words, shell};
use crate::error::{Error, Result};
use crate::format;
use crate::outcome::Outcome;
use crate::output::say;
use crate::report::{Report, Unplayable};
use crate::resume::resume_command;
use hognose_agent::Score;
use hognose_eval::{Summary, stats};
use hognose_run::{Experiment, FinalEvaluation, Manifest, Round, Run};

impl Trains for Experiment {
    fn score_words(score: &Score) -> String {
        format!("wins {:.0} %", 100.0 * score.win_rate)
    }

    fn selection_words(&self, round: Round, boards: &Vec<Summary>) -> String {
        let games = round.games(self.train.evaluation_games).len();
        let [
            Summary {
                win_rate,
                mean_length,
                mean_steps_won,
                ..
            },
        ] = &boards[..]
        else {
            let wins = |summary: &Summary| 100.0 * summary.win_rate;
            let mean = boards.iter().map(wins).sum::<f64>() / boards.len() as f64;
            let worst = boards
                .iter()
                .min_by(|a, b| a.win_rate.total_cmp(&b.win_rate))
                .expect("there are boards");
            let (number, name, least) = (boards.len(), &worst.name, wins(worst));
            return format!(
                "wins {mean:5.1} % of {games} selection games on each of {number} boards, least on \
                 {name}: {least:.1} %"
            );
        };
        let steps = mean_steps_won.map_or(String::new(), |steps| {
            format!(", {steps:.1} steps when won")
        });
        let wins = 100.0 * win_rate;
        format!("wins {wins:5.1} % of {games} selection games, mean length {mean_length:.1}{steps}")
    }

    fn final_games(run: &Run<Experiment>) -> Result<Outcome> {
        let (config, policies) = run.final_games()?;
        let mut report = Report::new(&config);
        let played = report.play(&config, &policies, Unplayable::LeaveOut);
        report.print();
        if let Outcome::Interrupted = played? {
            say!("continue with: {}", resume_command(run.folder())?);
            return Ok(Outcome::Interrupted);
        }
        let FinalEvaluation { games, seed, .. } = run.experiment.evaluation;
        let (games, seed) = (games.to_string(), seed.to_string());
        let rules = rules_words(run.experiment.env.rules);
        let mut words = vec!["hognose", "evaluate"];
        words.extend(rules.iter().map(String::as_str));
        // A name may have a comma, which would end it in a list.
        words.extend(report.names().flat_map(|name| ["--policy", name]));
        words.extend(["--games", &games, "--seed", &seed]);
        if run.players.device != "cpu" {
            words.extend(["--device", &run.players.device]);
        }
        let command = shell(words)?;
        say!("again: {command}");
        run.note_results(report.of(&run.agent_name()).cloned(), Some(command))?;
        Ok(Outcome::Done)
    }

    fn compare(runs: &[Run<Experiment>]) -> Result<()> {
        let header = ["training seed", "wins", "steps when won", "wall", "CPU"];
        let mut table = format::table(&header);
        let mut wins = Vec::new();
        let mut steps = Vec::new();
        let games = runs[0].experiment.evaluation.games;
        for run in runs {
            let manifest = Manifest::<Summary>::read(run.folder());
            let Some((manifest, results)) =
                manifest.and_then(|manifest| Some((manifest.clone(), manifest.results?)))
            else {
                return Err(Error::new(format!(
                    "{}: the run has no results",
                    run.folder().display()
                )));
            };
            wins.push(results.win_rate);
            steps.extend(results.mean_steps_won);
            let seconds = |seconds: f64| format!("{seconds:.0} s");
            table.add_row([
                manifest.seed.to_string(),
                format::percent(results.win_rate, results.win_rate_interval),
                format::mean_or_dash(results.mean_steps_won, results.mean_steps_won_interval, 1),
                seconds(manifest.wall_seconds),
                seconds(manifest.cpu_seconds),
            ]);
        }
        let mean = stats::mean(&wins).expect("at least one run");
        table.add_row([
            format!("mean of {}", runs.len()),
            match stats::grouped_interval(&wins, games) {
                Some(interval) => format::percent(mean, interval),
                None => format!("{:.1} %", 100.0 * mean),
            },
            format::mean_or_dash(stats::mean(&steps), stats::mean_interval(&steps), 1),
            String::new(),
            String::new(),
        ]);
        let worst = (0..wins.len())
            .min_by(|&a, &b| wins[a].total_cmp(&wins[b]))
            .expect("at least one run");
        say!("\n{table}");
        say!(
            "[95 % intervals: of a run by Wilson and Student's t over its games; of the mean over \
             seeds: of wins by Wilson"
        );
        say!("with Student's t and the design effect of the seeds, of steps by Student's t]");
        say!(
            "worst: seed {}, {:.1} % wins",
            runs[worst].experiment.seed,
            100.0 * wins[worst]
        );
        Ok(())
    }
}
