//! Runs of two snakes.

use super::Trains;
use crate::arguments::shell;
use crate::duel::{play, print_tournament};
use crate::error::{Error, Result};
use crate::format;
use crate::outcome::Outcome;
use crate::output::say;
use crate::resume::resume_command;
use hognose_agent::DuelScore;
use hognose_eval::stats;
use hognose_run::{DuelExperiment, DuelSummary, Manifest, Round, Run};

impl Trains for DuelExperiment {
    fn score_words(score: &DuelScore) -> String {
        format!("score {:.2}", score.score)
    }

    fn selection_words(&self, _round: Round, summary: &DuelSummary) -> String {
        let against: Vec<String> = summary
            .against
            .iter()
            .map(|(bot, score)| format!("{score:.3} against {bot}"))
            .collect();
        let (score, games, draws) = (summary.score, summary.games, 100.0 * summary.draws);
        format!(
            "score {score:.3} in {games} selection duels ({}), {draws:.1} % drawn",
            against.join(", ")
        )
    }

    fn final_games(run: &Run<DuelExperiment>) -> Result<Outcome> {
        let (mut tournament, bots) = run.final_tournament()?;
        let outcome = play(&mut tournament, &bots, run.threads, |_| Ok(()))?;
        if outcome == Outcome::Interrupted {
            say!("continue with: {}", resume_command(run.folder())?);
            return Ok(outcome);
        }
        print_tournament(&tournament);
        let evaluation = &run.experiment.evaluation;
        let (games, seed) = (evaluation.games.to_string(), evaluation.seed.to_string());
        // Rules without a name are in the experiment alone.
        let command = run.experiment.duel.name().map(|rules| {
            let mut words = vec!["hognose", "duel"];
            // A name may have a comma, which would end it in a list.
            words.extend(bots.iter().flat_map(|bot| ["--bot", bot.name()]));
            words.extend(["--games", &games, "--seed", &seed, "--rules", rules]);
            shell(words)
        });
        let command = command.transpose()?;
        if let Some(command) = &command {
            say!("\nagain: {command}");
        }
        run.note_results(DuelSummary::new(&tournament, bots.len() - 1), command)?;
        Ok(Outcome::Done)
    }

    fn compare(runs: &[Run<DuelExperiment>]) -> Result<()> {
        let header = ["training seed", "score", "draws", "wall", "CPU"];
        let mut table = format::table(&header);
        let mut scores = Vec::new();
        for run in runs {
            let manifest = Manifest::<DuelSummary>::read(run.folder());
            let Some((manifest, results)) =
                manifest.and_then(|manifest| Some((manifest.clone(), manifest.results?)))
            else {
                return Err(Error::new(format!(
                    "{}: the run has no results",
                    run.folder().display()
                )));
            };
            scores.push(results.score);
            let interval = results.score_interval.map_or(String::new(), |[low, high]| {
                format!(" [{low:.3}, {high:.3}]")
            });
            table.add_row([
                manifest.seed.to_string(),
                format!("{:.3}{interval}", results.score),
                format!("{:.1} %", 100.0 * results.draws),
                format!("{:.0} s", manifest.wall_seconds),
                format!("{:.0} s", manifest.cpu_seconds),
            ]);
        }
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
        Ok(())
    }
}
