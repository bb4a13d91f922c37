//! `hognose train`

use super::train_results::{compare, play_final_games, selection_words};
use crate::arguments::{all_cores, shell};
use crate::embedded::{self, EXPERIMENTS};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::resume::resume_command;
use crate::version::VERSION;
use crate::{interrupt, progress};
use hognose_agent::{LearningRate, Score, TrainError};
use hognose_run::files::usual_folder;
use hognose_run::{
    EXPERIMENT, Experiment, Observer, Progress, Rates, Round, Run, RunError, Selection, Stop,
    newest_checkpoint,
};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train an agent, then compare it with others
///
/// The run's folder contains the experiment with every key (experiment.toml), TensorBoard event
/// files, checkpoints, the best weights so far (policy.safetensors), and the manifest
/// (manifest.json). Ctrl-C saves a checkpoint, from which --resume continues exactly.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Built-in experiment, such as quickstart, or a file like those in the folder experiments
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    experiment: Option<String>,
    /// Resume the run in this folder with its own experiment
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seed", "seeds", "out"])]
    resume: Option<PathBuf>,
    /// Change a key of the experiment, such as train.batch_size=256; repeatable
    ///
    /// With --resume, the keys that may change are train.total_steps, the intervals of reports,
    /// train.schedule_steps, train.learning_rate and train.max_gradient_norm.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Random seed of weights, training games, exploration and sampling
    #[arg(long)]
    seed: Option<u64>,
    /// Train this many seeds, one run after another, and compare them
    ///
    /// Runs that were interrupted are resumed, and finished runs are skipped.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    seeds: Option<u16>,
    /// Start from the weights of this policy file or run folder (one snake only)
    #[arg(long, value_name = "PATH", conflicts_with = "resume")]
    init: Option<PathBuf>,
    /// Folder of the run [default: runs/EXPERIMENT-seedN]; with --seeds, parent of the folders
    /// seedN
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Device for tensors: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Number of threads; results do not depend on it [default: 2, or 1 on one core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// The interval at which a run without a terminal prints its progress.
const PLAIN_PROGRESS: Duration = Duration::from_secs(15);

/// Trains one snake or two, depending on the experiment.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let several = arguments.seeds.is_some();
    let runs = arguments.runs()?;
    let (finished, open): (Vec<&Run>, Vec<&Run>) =
        runs.iter().partition(|run| several && run.is_finished());
    // Refuse everything that can be refused before anything is written: seeds make no difference,
    // but checkpoints may. The first run checks itself.
    for run in open.iter().skip(1).filter(|run| run.is_resumed()) {
        run.check()?;
    }
    interrupt::listen()?;
    output::work_on();
    for run in finished {
        say!("{} is finished", run.folder().display());
    }
    for run in open {
        let mut lines = TrainingLines::new(run)?;
        let trained = run.train(&mut lines);
        lines.bar.finish_and_clear();
        let outcome = match trained {
            Err(RunError::Train(error @ TrainError::Diverged { .. })) => {
                output::complain(format_args!("{error}; {}", after_divergence(run)?));
                Outcome::Failed
            }
            Err(error) => return Err(error.into()),
            Ok(Stop::Interrupted) => {
                say!(
                    "interrupted at step {}; continue with: {}",
                    lines.step,
                    resume_command(run.folder())?
                );
                Outcome::Interrupted
            }
            Ok(Stop::Finished) => play_final_games(run)?,
        };
        if !matches!(outcome, Outcome::Done) {
            if several {
                say!("run the same command again to continue with all seeds");
            }
            return Ok(outcome);
        }
    }
    if several {
        compare(&runs)?;
    }
    Ok(Outcome::Done)
}

impl Arguments {
    /// Returns all requested runs.
    fn runs(&self) -> Result<Vec<Run>> {
        if let Some(folder) = &self.resume {
            let run = Run::resume(folder, &self.settings).map_err(advised)?;
            let path = folder.join(EXPERIMENT);
            return Ok(vec![self.complete(run, &path.display().to_string())?]);
        }
        let Some(name) = &self.experiment else {
            return Err(Error::new("expected an experiment"));
        };
        let text = embedded::read_or_embedded(name, EXPERIMENTS)?;
        let experiment = Experiment::parse(&text).map_err(|error| advised(error).context(name))?;
        let mut experiment = experiment.with_all(&self.settings).map_err(advised)?;
        if let Some(init) = &self.init {
            experiment = experiment.with_init(init.clone()).map_err(advised)?;
        }
        let first = self.seed.unwrap_or(experiment.seed());
        let seeds = u64::from(self.seeds.unwrap_or(1));
        if first.checked_add(seeds).is_none() {
            return Err(Error::new(format!(
                "--seed must leave room for {seeds} seeds, got {first}"
            )));
        }
        let mut runs = Vec::new();
        for seed in first..first + seeds {
            let experiment = experiment.clone().with_seed(seed);
            let run = match (&self.out, self.seeds) {
                (None, Some(_)) => Run::begin_or_resume(experiment, &usual_folder(name, seed)),
                (Some(out), Some(_)) => {
                    Run::begin_or_resume(experiment, &out.join(format!("seed{seed}")))
                }
                (None, None) => Run::begin(experiment, &usual_folder(name, seed)),
                (Some(out), None) => Run::begin(experiment, out),
            };
            runs.push(self.complete(run.map_err(advised)?, name)?);
        }
        check_alike(&runs)?;
        Ok(runs)
    }

    /// Completes a run with its command, catalog and threads.
    fn complete(&self, mut run: Run, experiment: &str) -> Result<Run> {
        let seed = run.experiment.seed().to_string();
        let init = self.init.as_ref().map(|init| init.display().to_string());
        let mut words = vec!["hognose", "train", experiment, "--seed", &seed];
        words.extend(init.iter().flat_map(|init| ["--init", init]));
        words.extend(self.settings.iter().flat_map(|setting| ["--set", setting]));
        if self.device != "cpu" {
            words.extend(["--device", &self.device]);
        }
        run.command = shell(words)?;
        run.version = VERSION.to_owned();
        run.catalog = embedded::catalog().on(&self.device);
        run.threads = self.threads.map_or(all_cores().min(2), usize::from);
        Ok(run)
    }
}

/// Returns an error with advice for the user.
fn advised(error: RunError) -> Error {
    let command = |folder: &Path| resume_command(folder).unwrap_or_default();
    let text = match &error {
        RunError::Taken(folder) => format!(
            "{error}: continue it with `{}`, or choose another --out",
            command(folder)
        ),
        RunError::Changed { folder, key, .. } if key != "init" => {
            format!("{error}; `{} --set` can change it", command(folder))
        }
        RunError::Setting { .. } => format!("--set {error}"),
        _ => error.to_string(),
    };
    Error::new(text)
}

/// Checks that the schedules of all runs are equal: a run keeps those that it began with, even if
/// the experiment became longer, and a mean over runs that were trained differently is meaningless.
fn check_alike(runs: &[Run]) -> Result<()> {
    let steps = |run: &Run| run.experiment.schedule_steps();
    let begun = runs
        .iter()
        .find(|run| run.is_resumed() || run.is_finished())
        .unwrap_or(&runs[0]);
    match runs.iter().find(|run| steps(run) != steps(begun)) {
        None => Ok(()),
        Some(other) => Err(Error::new(format!(
            "expected runs with equal schedules, got train.schedule_steps {} in {} and {} in \
             {}; use `--set train.schedule_steps={}` to train runs that have not begun like the \
             former",
            steps(begun),
            begun.folder().display(),
            steps(other),
            other.folder().display(),
            steps(begun)
        ))),
    }
}

/// Returns advice on how to continue after training diverged.
fn after_divergence(run: &Run) -> Result<String> {
    let LearningRate { start, end } = run.experiment.learning_rate();
    let lower = format!(
        "--set train.learning_rate.start={:.0e} --set train.learning_rate.end={:.0e}",
        start / 10.0,
        end / 10.0
    );
    let Ok(checkpoint) = newest_checkpoint(run.folder()) else {
        return Ok(format!(
            "no checkpoint was written yet: start again with a lower learning rate, such as \
             `{lower}`"
        ));
    };
    let command = resume_command(run.folder())?;
    Ok(format!(
        "{} is intact: resume from it with a lower learning rate, such as `{command} \
         {lower}`",
        checkpoint.display()
    ))
}

/// The status before the first gradient step.
const FILLING: &str = "filling the replay buffer";

/// A progress bar, and the lines above it.
struct TrainingLines<'a> {
    run: &'a Run,
    bar: ProgressBar,
    last_plain: Instant,
    step: u64,
}

impl TrainingLines<'_> {
    fn new(run: &Run) -> Result<TrainingLines<'_>> {
        let target = ProgressDrawTarget::stderr_with_hz(4);
        let bar = ProgressBar::with_draw_target(Some(run.experiment.total_steps()), target);
        let bar = bar.with_style(progress::style()?).with_message(FILLING);
        Ok(TrainingLines {
            run,
            bar,
            last_plain: Instant::now(),
            step: 0,
        })
    }

    fn print(&self, text: &str) {
        if self.bar.is_hidden() {
            say!("{text}");
        } else {
            self.bar.println(text);
        }
    }
}

impl Observer for TrainingLines<'_> {
    fn started(&mut self, progress: &Progress) {
        self.step = progress.step;
        let total = self.run.experiment.total_steps();
        let title = self.run.experiment.title();
        let threads = self.run.threads;
        let doing = if self.run.is_resumed() {
            "resuming"
        } else {
            "training"
        };
        let folder = self.run.folder().display();
        say!(
            "{doing} {folder} on {title}: {total} environment steps, {threads} threads; \
             curves: tensorboard --logdir {folder}"
        );
        // The bar appears below this line.
        self.bar.set_position(progress.step);
        self.bar.reset_eta();
    }

    fn progress(&mut self, progress: &Progress, rates: Rates) {
        let loss = match progress.loss {
            None => FILLING.to_owned(),
            Some(loss) => format!("loss {loss:.4}"),
        };
        let score = match progress.score {
            None => String::new(),
            Some(Score::Games { win_rate, .. }) => format!(", wins {:.0} %", 100.0 * win_rate),
            Some(Score::Duels { score, .. }) => format!(", score {score:.2}"),
        };
        let text = format!(
            "{loss}{score}, {:.0} steps/s, {:.0} gradient steps/s",
            rates.steps, rates.gradient_steps
        );
        let total = self.run.experiment.total_steps();
        let step = progress.step;
        self.step = step;
        if self.bar.is_hidden() && self.last_plain.elapsed() >= PLAIN_PROGRESS {
            self.last_plain = Instant::now();
            say!("step {step} of {total}: {text}");
        }
        self.bar
            .set_message(format!("{text}, step {step} of {total}"));
        self.bar.set_position(step);
    }

    fn selected(&mut self, step: u64, round: Round, selection: &Selection) {
        let again = match round {
            Round::First => "",
            Round::Last => " again",
        };
        let words = selection_words(&selection.games);
        self.print(&format!("step {step:>9}{again}: {words}"));
    }

    fn warned(&mut self, warning: &str) {
        self.print(&format!("warning: {warning}"));
    }

    fn goes_on(&self) -> bool {
        !interrupt::asked()
    }
}
