//! `hognose train`

use crate::error::{Error, Result};
use crate::evaluate::{self, Report};
use crate::experiment::Experiment;
use crate::tensorboard::EventFile;
use crate::{Outcome, files, interrupt, say};
use hognose_agent::{
    Agent, AgentSpec, Metric, Network, Progress, Recorder, Score, Stop, Trainer, Watcher, newest_checkpoint,
};
use hognose_eval::{Evaluation, SELECTION, Summary};
use hognose_game::Rules;
use hognose_policies::{GUIDES, Named};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train an agent, then play it against the solvers
///
/// The run's folder gets the experiment with every key (experiment.toml), TensorBoard event files, checkpoints, and the
/// best weights so far (policy.safetensors). Ctrl-C saves a checkpoint; the run goes on from there exactly.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Experiment file
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    experiment: Option<PathBuf>,
    /// Go on with the run in this folder, by the folder's own experiment
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seed", "out"])]
    resume: Option<PathBuf>,
    /// Change a key of the experiment, such as train.batch_size=256; may be repeated. With --resume: train.total_steps
    /// and the intervals of reports
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Seed of weights, training games, exploration and sampling
    #[arg(long)]
    seed: Option<u64>,
    /// Folder of the run [default: runs/EXPERIMENT-seedN]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where tensors live: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Threads; results do not depend on them [default: 2, or 1 on one core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

const EXPERIMENT: &str = "experiment.toml";
/// How often the progress line of a run without a terminal is printed.
const PLAIN_PROGRESS: Duration = Duration::from_secs(15);

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let (experiment, run, checkpoint) = match (&arguments.experiment, &arguments.resume) {
        (Some(path), _) => {
            let mut experiment = Experiment::read(path, &arguments.settings)?;
            experiment.seed = arguments.seed.unwrap_or(experiment.seed);
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let default = || Path::new("runs").join(format!("{stem}-seed{}", experiment.seed));
            let run = arguments.out.clone().unwrap_or_else(default);
            if newest_checkpoint(&run).is_ok() {
                let run = run.display();
                return Err(Error::new(format!(
                    "{run} holds a run already: go on with `hognose train --resume {run}`, or choose another --out"
                )));
            }
            (experiment, run, None)
        }
        (None, Some(run)) => {
            let checkpoint = newest_checkpoint(run)?;
            (Experiment::read(&run.join(EXPERIMENT), &arguments.settings)?, run.clone(), Some(checkpoint))
        }
        (None, None) => return Err(Error::new("expected an experiment file or --resume DIR")),
    };

    // All that can be refused is refused before anything is written.
    let Experiment { seed, env, network, train, evaluation } = experiment.clone();
    let rules = env.rules;
    if evaluation.games == 0 {
        return Err(Error::new("evaluation.games must be at least 1, got 0"));
    }
    Named::all(&evaluation.policies, &arguments.device)?;
    let device = hognose_agent::device(&arguments.device)?;
    let threads = arguments.threads.map_or(evaluate::all_cores().min(2), usize::from);
    let space = env.observation.space(rules.board());
    let outputs = AgentSpec::new(&env, &train).outputs();
    let built = network.build(space, outputs, seed, &device).map_err(Error::new)?;
    let description = serde_json::to_value(&network)?;
    let trainer = Trainer::new(train.clone(), env, GUIDES, built, description, seed, &device)?;
    let mut trainer = trainer.with_threads(threads)?;
    if let Some(checkpoint) = &checkpoint {
        trainer.restore(checkpoint)?;
    }

    interrupt::listen()?;
    files::create_folder(&run)?;
    let text = experiment.text()?;
    files::write(&run.join(EXPERIMENT), &text)?;
    let resumed_at = checkpoint.is_some().then(|| trainer.step());
    let mut events = EventFile::create(&run, resumed_at)?;
    events.text(trainer.step(), "hyperparameters", &format!("```toml\n{text}```"));
    let selection = Evaluation { purpose: SELECTION, threads, ..Evaluation::new(rules, seed, train.evaluation_games) };
    let mut screen = Screen::new(events, selection, train.total_steps, trainer.step())?;
    say!(
        "{} {} on {}: {} environment steps, {} threads; curves: tensorboard --logdir {}",
        if checkpoint.is_some() { "resuming" } else { "training" },
        run.display(),
        rules.board(),
        train.total_steps,
        threads,
        run.display()
    );
    let stop = hognose_agent::train(&mut trainer, &mut screen, &run)?;
    screen.finish();
    if stop == Stop::Interrupted {
        say!("interrupted at step {}; go on with: hognose train --resume {}", trainer.step(), run.display());
        return Ok(Outcome::Interrupted);
    }
    final_table(&run, rules, &experiment, &arguments.device, threads)
}

/// Plays the best weights against the solvers on games that neither training nor selection saw.
fn final_table(run: &Path, rules: Rules, experiment: &Experiment, device: &str, threads: usize) -> Result<Outcome> {
    let evaluation = &experiment.evaluation;
    let agent = format!("dqn:{}", run.display());
    let policies = Named::all(evaluation.policies.iter().chain([&agent]), device)?;
    let config = Evaluation { threads, ..Evaluation::new(rules, evaluation.seed, evaluation.games) };
    let report = Report::play(&config, &policies, evaluate::Refusal::LeaveOut)?;
    let Some(report) = report else { return Ok(Outcome::Interrupted) };
    report.print();
    let names: Vec<&str> = report.names().collect();
    say!(
        "again: hognose evaluate --board {} --policies {} --games {} --seed {}",
        rules.board(),
        names.join(","),
        evaluation.games,
        evaluation.seed
    );
    Ok(Outcome::Done)
}

/// Progress bar, event file and selection games.
struct Screen {
    bar: ProgressBar,
    events: EventFile,
    selection: Evaluation,
    last_plain: Instant,
}

impl Screen {
    fn new(events: EventFile, selection: Evaluation, total: u64, step: u64) -> Result<Screen> {
        let template = "{bar:30} {percent:>3}% {human_pos}/{human_len} steps, {msg}, {eta} left";
        let style = ProgressStyle::with_template(template)?;
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(4)).with_style(style);
        bar.set_position(step);
        bar.reset_eta();
        Ok(Screen { bar, events, selection, last_plain: Instant::now() })
    }

    fn finish(&mut self) {
        self.events.sync();
        self.warn_of_failure();
        self.bar.finish_and_clear();
    }

    fn tell(&self, text: &str) {
        if self.bar.is_hidden() {
            say!("{text}");
        } else {
            self.bar.println(text);
        }
    }

    fn warn_of_failure(&mut self) {
        if let Some(error) = self.events.take_failure() {
            self.tell(&format!("warning: the curves are incomplete: {error}"));
        }
    }
}

impl Recorder for Screen {
    fn record(&mut self, step: u64, metric: Metric, value: f64) {
        self.events.scalar(step, metric.name(), value);
    }

    fn record_q_values(&mut self, step: u64, values: &[f32]) {
        self.events.histogram(step, "train/q_values", values);
        self.events.flush();
        self.warn_of_failure();
    }
}

impl Watcher<Network> for Screen {
    fn evaluate(&mut self, agent: &Agent<Network>) -> Option<Score> {
        let player = || hognose_policies::player(agent);
        let played = hognose_eval::evaluate(player, &self.selection, |_| interrupt::go_on()).ok()?;
        let summary = Summary::new("selection", self.selection.rules.board(), &played);
        let Summary { win_rate, mean_length, mean_steps_won, .. } = summary;
        let steps = mean_steps_won.map_or(String::new(), |steps| format!(", {steps:.1} steps when won"));
        self.tell(&format!(
            "step {:>9}: wins {:5.1} % of {} selection games, mean length {mean_length:.1}{steps}",
            self.bar.position(),
            100.0 * win_rate,
            self.selection.games
        ));
        Some(Score { win_rate, mean_length, mean_steps_won })
    }

    fn progress(&mut self, progress: Progress) {
        let Progress { step, total, steps_per_second, gradient_steps_per_second, loss, score } = progress;
        let loss = loss.map_or("filling the replay buffer".to_owned(), |loss| format!("loss {loss:.4}"));
        let wins = score.map_or(String::new(), |score| format!(", wins {:.0} %", 100.0 * score.win_rate));
        let text =
            format!("{steps_per_second:.0} steps/s, {gradient_steps_per_second:.0} gradient steps/s, {loss}{wins}");
        self.bar.set_position(step);
        if self.bar.is_hidden() && self.last_plain.elapsed() >= PLAIN_PROGRESS {
            self.last_plain = Instant::now();
            say!("step {step} of {total}: {text}");
        }
        self.bar.set_message(text);
    }

    fn saved(&mut self, _step: u64) {
        self.events.sync();
        self.warn_of_failure();
    }

    fn interrupted(&self) -> bool {
        interrupt::asked()
    }
}
