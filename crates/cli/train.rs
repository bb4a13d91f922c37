//! `hognose train`

use crate::arguments::{all_cores, rules_words, shell};
use crate::embedded::{self, AGENTS, EXPERIMENTS};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::report::{Report, Unplayable};
use crate::version::VERSION;
use crate::{format, interrupt, progress};
use hognose_agent::{LearningRate, TrainError, newest_checkpoint};
use hognose_eval::{Summary, stats};
use hognose_run::{EXPERIMENT, Experiment, FinalEvaluation, Manifest, Observer, Progress, Rates, Run, RunError, Stop};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train an agent, then play it against the solvers
///
/// The run's folder gets the experiment with every key (experiment.toml), TensorBoard event files, checkpoints, the
/// best weights so far (policy.safetensors), and how it came about (manifest.json). Ctrl-C saves a checkpoint; the run
/// continues from there exactly.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// An experiment that the binary knows, such as quickstart, or a file like those in the folder experiments
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    experiment: Option<String>,
    /// Continue the run in this folder, by the folder's own experiment
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seed", "seeds", "out"])]
    resume: Option<PathBuf>,
    /// Change a key of the experiment, such as train.batch_size=256; may be repeated. With --resume: train.total_steps,
    /// the intervals of reports, and train.schedule_steps, train.learning_rate and train.max_gradient_norm
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Seed of weights, training games, exploration and sampling
    #[arg(long)]
    seed: Option<u64>,
    /// Train with this many seeds, one run after another, and compare them; runs that have begun continue, and finished
    /// ones stay as they are
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    seeds: Option<u16>,
    /// Start from the weights of this policy file, or of a folder that holds policy.safetensors
    #[arg(long, value_name = "PATH", conflicts_with = "resume")]
    init: Option<PathBuf>,
    /// Folder of the run [default: runs/EXPERIMENT-seedN]; with --seeds, of the folders seedN
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where tensors live: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Threads; results do not depend on them [default: 2, or 1 on one core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// How often the progress line of a run without a terminal is printed.
const PLAIN_PROGRESS: Duration = Duration::from_secs(15);

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let several = arguments.seeds.is_some();
    let runs = runs(arguments)?;
    let (finished, open): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| several && run.is_finished());
    // All that can be refused is refused before anything is written: seeds make no difference, but checkpoints may. The
    // first run refuses by itself.
    for run in open.iter().skip(1).filter(|run| run.is_resumed()) {
        run.trainer()?;
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
                say!("interrupted at step {}; continue with: {}", lines.step, resume_command(run.folder())?);
                Outcome::Interrupted
            }
            Ok(Stop::Finished) => final_table(run)?,
        };
        if !matches!(outcome, Outcome::Done) {
            return Ok(outcome);
        }
    }
    if several {
        compare(&runs)?;
    }
    Ok(Outcome::Done)
}

/// The command that goes on with the run in a folder.
fn resume_command(folder: &Path) -> Result<String> {
    shell(["hognose", "train", "--resume", &folder.display().to_string()])
}

/// An error with what the user can do about it.
fn told(error: RunError) -> Error {
    let command = |folder: &Path| resume_command(folder).unwrap_or_default();
    let text = match &error {
        RunError::Taken(folder) => format!("{error}: continue it with `{}`, or choose another --out", command(folder)),
        RunError::Changed { folder, key, .. } if key != "init" => {
            format!("{error}; `{} --set` can change it", command(folder))
        }
        RunError::Setting { .. } => format!("--set {error}"),
        _ => error.to_string(),
    };
    Error::new(text)
}

/// Every run that the arguments ask for.
fn runs(arguments: &Arguments) -> Result<Vec<Run>> {
    let complete = |mut run: Run, source: &str| -> Result<Run> {
        let seed = run.experiment.seed.to_string();
        let init = arguments.init.as_ref().map(|init| init.display().to_string());
        let mut words = vec!["hognose", "train", source, "--seed", &seed];
        words.extend(init.iter().flat_map(|init| ["--init", init]));
        words.extend(arguments.settings.iter().flat_map(|setting| ["--set", setting]));
        if arguments.device != "cpu" {
            words.extend(["--device", &arguments.device]);
        }
        run.command = shell(words)?;
        run.version = VERSION.to_owned();
        run.device = arguments.device.clone();
        run.agents = AGENTS;
        run.threads = arguments.threads.map_or(all_cores().min(2), usize::from);
        Ok(run)
    };
    if let Some(folder) = &arguments.resume {
        let run = Run::resume(folder, &arguments.settings).map_err(told)?;
        return Ok(vec![complete(run, &folder.join(EXPERIMENT).display().to_string())?]);
    }
    let name = arguments.experiment.as_ref().ok_or_else(|| Error::new("expected an experiment"))?;
    let text = embedded::read(name, EXPERIMENTS)?;
    let experiment = Experiment::parse(&text).map_err(|error| told(error).context(name))?;
    let mut experiment = experiment.with_all(&arguments.settings).map_err(told)?;
    experiment.init = arguments.init.clone().or(experiment.init);
    let first = arguments.seed.unwrap_or(experiment.seed);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let run_of_seed = |seed: u64| {
        let experiment = Experiment { seed, ..experiment.clone() };
        let run = match (&arguments.out, arguments.seeds) {
            (None, Some(_)) => Run::begin_or_resume(experiment, &default_folder(&stem, seed)),
            (Some(out), Some(_)) => Run::begin_or_resume(experiment, &out.join(format!("seed{seed}"))),
            (None, None) => Run::begin(experiment, &default_folder(&stem, seed)),
            (Some(out), None) => Run::begin(experiment, out),
        };
        complete(run.map_err(told)?, name)
    };
    let seeds = u64::from(arguments.seeds.unwrap_or(1));
    if first.checked_add(seeds).is_none() {
        return Err(Error::new(format!("--seed must leave room for {seeds} seeds, got {first}")));
    }
    (first..first + seeds).map(run_of_seed).collect()
}

fn default_folder(stem: &str, seed: u64) -> PathBuf {
    Path::new("runs").join(format!("{stem}-seed{seed}"))
}

/// How to go on where training diverged.
fn after_divergence(run: &Run) -> Result<String> {
    let LearningRate { start, end } = run.experiment.train.learning_rate;
    let lower = format!(
        "--set train.learning_rate.start={:.0e} --set train.learning_rate.end={:.0e}",
        start / 10.0,
        end / 10.0
    );
    let Ok(checkpoint) = newest_checkpoint(run.folder()) else {
        return Ok(format!("no checkpoint was written yet: begin again with a lower learning rate, such as `{lower}`"));
    };
    let command = resume_command(run.folder())?;
    Ok(format!(
        "{} stands as it was: continue from it with a lower learning rate, such as `{command} {lower}`",
        checkpoint.display()
    ))
}

/// Plays the best weights against the solvers on games that neither training nor selection saw.
fn final_table(run: &Run) -> Result<Outcome> {
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
    if run.device != "cpu" {
        words.extend(["--device", &run.device]);
    }
    let command = shell(words)?;
    say!("again: {command}");
    run.note_results(report.of(&run.agent_name()).cloned(), command)?;
    Ok(Outcome::Done)
}

/// Prints the runs of several seeds side by side.
fn compare(runs: &[Run]) -> Result<()> {
    let header = ["training seed", "wins", "steps when won", "wall", "CPU"];
    let mut table = format::table(&header);
    let mut wins = Vec::new();
    let mut steps = Vec::new();
    let games = runs[0].experiment.evaluation.games;
    for run in runs {
        let manifest = Manifest::read(run.folder());
        let Some((manifest, results)) = manifest.and_then(|manifest| Some((manifest.clone(), manifest.results?)))
        else {
            return Err(Error::new(format!("{}: the run has no results", run.folder().display())));
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
    let worst = (0..wins.len()).min_by(|&a, &b| wins[a].total_cmp(&wins[b])).expect("at least one run");
    say!("\n{table}");
    say!(
        "[95 % intervals: of a run by Wilson and Student's t over its games; of the mean over seeds: of wins by Wilson"
    );
    say!("with Student's t and the design effect of the seeds, of steps by Student's t]");
    say!("worst: seed {}, {:.1} % wins", runs[worst].experiment.seed, 100.0 * wins[worst]);
    Ok(())
}

/// What is done before the first gradient step.
const FILLING: &str = "filling the replay buffer";

/// Progress bar, and lines above it.
struct TrainingLines<'a> {
    run: &'a Run,
    bar: ProgressBar,
    last_plain: Instant,
    step: u64,
}

impl TrainingLines<'_> {
    fn new(run: &Run) -> Result<TrainingLines<'_>> {
        let target = ProgressDrawTarget::stderr_with_hz(4);
        let bar = ProgressBar::with_draw_target(Some(run.experiment.train.total_steps), target);
        let bar = bar.with_style(progress::style()?).with_message(FILLING);
        Ok(TrainingLines { run, bar, last_plain: Instant::now(), step: 0 })
    }

    fn tell(&self, text: &str) {
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
        let (total, board, threads) = (progress.total, self.run.experiment.env.rules.board(), self.run.threads);
        let doing = if self.run.is_resumed() { "resuming" } else { "training" };
        let folder = self.run.folder().display();
        say!(
            "{doing} {folder} on {board}: {total} environment steps, {threads} threads; \
             curves: tensorboard --logdir {folder}"
        );
        // The bar appears below this line.
        self.bar.set_position(progress.step);
        self.bar.reset_eta();
    }

    fn progress(&mut self, progress: &Progress, rates: Rates) {
        let Progress { step, total, loss, score, .. } = *progress;
        let loss = loss.map_or(FILLING.to_owned(), |loss| format!("loss {loss:.4}"));
        let wins = score.map_or(String::new(), |score| format!(", wins {:.0} %", 100.0 * score.win_rate));
        let Rates { steps, gradient_steps } = rates;
        let text = format!("{loss}{wins}, {steps:.0} steps/s, {gradient_steps:.0} gradient steps/s");
        self.step = step;
        if self.bar.is_hidden() && self.last_plain.elapsed() >= PLAIN_PROGRESS {
            self.last_plain = Instant::now();
            say!("step {step} of {total}: {text}");
        }
        self.bar.set_message(format!("{text}, step {step} of {total}"));
        self.bar.set_position(step);
    }

    fn selected(&mut self, step: u64, summary: &Summary) {
        let Summary { win_rate, mean_length, mean_steps_won, .. } = summary;
        let games = self.run.experiment.train.evaluation_games;
        let steps = mean_steps_won.map_or(String::new(), |steps| format!(", {steps:.1} steps when won"));
        let wins = 100.0 * win_rate;
        self.tell(&format!(
            "step {step:>9}: wins {wins:5.1} % of {games} selection games, mean length {mean_length:.1}{steps}"
        ));
    }

    fn warned(&mut self, warning: &str) {
        self.tell(&format!("warning: {warning}"));
    }

    fn goes_on(&self) -> bool {
        !interrupt::asked()
    }
}
