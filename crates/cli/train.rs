//! `hognose train`

use crate::error::{Error, Result};
use crate::evaluate::{self, Report};
use crate::experiment::{EXPERIMENT, Experiment, FinalEvaluation};
use crate::manifest::{Clock, Manifest, VERSION};
use crate::tensorboard::EventFile;
use crate::{Outcome, files, interrupt, output, rules, say, shell};
use hognose_agent::{
    Agent, AgentSpec, LearningRate, Metric, Network, Progress, Recorder, Score, Stop, TrainError, Trainer, Watcher,
    newest_checkpoint,
};
use hognose_eval::{EvalError, Evaluation, SELECTION, Summary, stats};
use hognose_game::Unsupported;
use hognose_policies::{Named, guides};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train an agent, then play it against the solvers
///
/// The run's folder gets the experiment with every key (experiment.toml), TensorBoard event files, checkpoints, the best
/// weights so far (policy.safetensors), and how it came about (manifest.json). Ctrl-C saves a checkpoint; the run goes on
/// from there exactly.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Experiment file
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    experiment: Option<PathBuf>,
    /// Go on with the run in this folder, by the folder's own experiment
    #[arg(long, value_name = "DIR", conflicts_with_all = ["seed", "seeds", "out"])]
    resume: Option<PathBuf>,
    /// Change a key of the experiment, such as train.batch_size=256; may be repeated. With --resume: train.total_steps, the
    /// intervals of reports, and train.schedule_steps, train.learning_rate and train.max_gradient_norm
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Seed of weights, training games, exploration and sampling
    #[arg(long)]
    seed: Option<u64>,
    /// Train with so many seeds, one run after another, and compare them; what is begun or finished already is gone on with
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    seeds: Option<u16>,
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
    let runs = Run::all(arguments)?;
    let (finished, open): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| several && run.is_finished());
    // All that can be refused is refused before anything is written: seeds make no difference, but checkpoints may.
    let mut first = open.first().map(|run| run.trainer()).transpose()?;
    for run in open.iter().skip(1).filter(|run| run.checkpoint.is_some()) {
        run.trainer()?;
    }
    interrupt::listen()?;
    output::work_on();
    for run in finished {
        say!("{} is finished", run.folder.display());
    }
    for run in open {
        let trainer = first.take().map_or_else(|| run.trainer(), Ok)?;
        match run.train(trainer)? {
            Outcome::Done => {}
            other => return Ok(other),
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

/// Fails if an experiment differs from that of a begun run in a key that `--resume` may change, but nobody asked to.
fn expect_unchanged(experiment: &Experiment, folder: &Path) -> Result<()> {
    let (own, begun) = (&experiment.train, &Experiment::of_run(folder, &[])?.train);
    let keys = [
        ("learning_rate.start", own.learning_rate.start, begun.learning_rate.start),
        ("learning_rate.end", own.learning_rate.end, begun.learning_rate.end),
        ("max_gradient_norm", own.max_gradient_norm.into(), begun.max_gradient_norm.into()),
        ("schedule_steps", own.schedule_steps.unwrap_or(begun.schedule()) as f64, begun.schedule() as f64),
    ];
    match keys.into_iter().find(|(_, own, begun)| own != begun) {
        None => Ok(()),
        Some((key, own, begun)) => {
            let (folder, command) = (folder.display(), resume_command(folder)?);
            Err(Error::new(format!(
                "{folder}: train.{key} is {begun}, expected {own}; `{command} --set` can change it"
            )))
        }
    }
}

/// A run to begin or to go on with.
struct Run {
    experiment: Experiment,
    folder: PathBuf,
    /// Where to go on from.
    checkpoint: Option<PathBuf>,
    /// The command that begins it.
    command: String,
    device: String,
    threads: usize,
}

impl Run {
    /// Every run that the arguments ask for.
    fn all(arguments: &Arguments) -> Result<Vec<Run>> {
        let threads = arguments.threads.map_or(evaluate::all_cores().min(2), usize::from);
        let device = &arguments.device;
        let run = |experiment: Experiment, source: &Path, folder: PathBuf, checkpoint| {
            let seed = experiment.seed.to_string();
            let mut words = vec!["hognose", "train", source.to_str().unwrap_or("EXPERIMENT"), "--seed", &seed];
            words.extend(arguments.settings.iter().flat_map(|setting| ["--set", setting]));
            if device != "cpu" {
                words.extend(["--device", device]);
            }
            let command = shell(words)?;
            Ok(Run { experiment, folder, checkpoint, command, device: device.clone(), threads })
        };
        if let Some(folder) = &arguments.resume {
            let checkpoint = newest_checkpoint(folder)?;
            let source = folder.join(EXPERIMENT);
            let experiment = Experiment::of_run(folder, &arguments.settings)?;
            return Ok(vec![run(experiment, &source, folder.clone(), Some(checkpoint))?]);
        }
        let path = arguments.experiment.as_ref().ok_or_else(|| Error::new("expected an experiment file"))?;
        let experiment = Experiment::read(path, &arguments.settings)?;
        let first = arguments.seed.unwrap_or(experiment.seed);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let run_of_seed = |seed: u64| {
            let folder = match &arguments.out {
                None => Path::new("runs").join(format!("{stem}-seed{seed}")),
                Some(out) if arguments.seeds.is_some() => out.join(format!("seed{seed}")),
                Some(out) => out.clone(),
            };
            let checkpoint = newest_checkpoint(&folder).ok();
            if checkpoint.is_some() && arguments.seeds.is_none() {
                return Err(Error::new(format!(
                    "{} holds a run already: go on with `{}`, or choose another --out",
                    folder.display(),
                    resume_command(&folder)?
                )));
            }
            if checkpoint.is_some() {
                expect_unchanged(&experiment, &folder)?;
            }
            run(Experiment { seed, ..experiment.clone() }, path, folder, checkpoint)
        };
        let seeds = u64::from(arguments.seeds.unwrap_or(1));
        if first.checked_add(seeds).is_none() {
            return Err(Error::new(format!("--seed must leave room for {seeds} seeds, got {first}")));
        }
        (first..first + seeds).map(run_of_seed).collect()
    }

    /// Its trainer, before the first step or at the checkpoint.
    fn trainer(&self) -> Result<Trainer<Network>> {
        let Experiment { seed, env, network, train, evaluation } = self.experiment.clone();
        if evaluation.games == 0 {
            return Err(Error::new("evaluation.games must be at least 1, got 0"));
        }
        Named::all(&evaluation.policies, &self.device)?;
        let device = hognose_agent::device(&self.device)?;
        let spec = AgentSpec::new(&env, &train);
        let built = network.build(spec.inputs(), spec.outputs(), seed, &device).map_err(Error::new)?;
        let description = serde_json::to_value(&network)?;
        let mut trainer = Trainer::new(train, env, &guides(), built, description, seed, &device)?;
        if let Some(checkpoint) = &self.checkpoint {
            trainer.restore(checkpoint)?;
        }
        Ok(trainer.with_threads(self.threads)?)
    }

    /// Whether all steps of this very experiment are taken and its table is played.
    fn is_finished(&self) -> bool {
        let Ok(experiment) = Experiment::of_run(&self.folder, &[]) else { return false };
        let played = Manifest::read(&self.folder).is_some_and(|manifest| manifest.results.is_some());
        let mut own = self.experiment.clone();
        own.train.schedule_steps = own.train.schedule_steps.or(experiment.train.schedule_steps);
        played && experiment == own
    }

    /// Trains to the end and plays the final table.
    fn train(&self, mut trainer: Trainer<Network>) -> Result<Outcome> {
        let Run { folder, checkpoint, threads, .. } = self;
        let mut experiment = self.experiment.clone();
        experiment.train.schedule_steps = Some(trainer.config().schedule());
        let (rules, total_steps) = (experiment.env.rules, experiment.train.total_steps);
        files::create_folder(folder)?;
        let text = experiment.text()?;
        files::write(&folder.join(EXPERIMENT), &text)?;
        let manifest = self.manifest();
        manifest.write(folder)?;
        let resumed_at = checkpoint.is_some().then(|| trainer.step());
        let mut events = EventFile::create(folder, resumed_at)?;
        events.text(trainer.step(), "hyperparameters", &format!("```toml\n{text}```"));
        events.session_start(trainer.step(), &experiment.group()?, &experiment.hyperparameters()?);
        let selection = Evaluation {
            purpose: SELECTION,
            threads: *threads,
            ..Evaluation::new(rules, experiment.seed, experiment.train.evaluation_games)
        };
        let mut screen = Screen::new(
            events,
            selection,
            total_steps,
            [trainer.step(), trainer.gradient_steps()],
            folder.clone(),
            manifest,
        )?;
        say!(
            "{} {} on {}: {total_steps} environment steps, {threads} threads; curves: tensorboard --logdir {}",
            if checkpoint.is_some() { "resuming" } else { "training" },
            folder.display(),
            rules.board(),
            folder.display()
        );
        let stop = match hognose_agent::train(&mut trainer, &mut screen, folder) {
            Err(error @ TrainError::Diverged { .. }) => {
                screen.finish();
                output::complain(format_args!("{error}; {}", self.after_divergence()?));
                return Ok(Outcome::Failed);
            }
            stop => stop?,
        };
        if stop == Stop::Interrupted {
            screen.finish();
            say!("interrupted at step {}; go on with: {}", trainer.step(), resume_command(folder)?);
            return Ok(Outcome::Interrupted);
        }
        screen.events.session_end(trainer.step());
        screen.finish();
        self.final_table(screen.manifest)
    }

    /// How to go on where training diverged.
    fn after_divergence(&self) -> Result<String> {
        let LearningRate { start, end } = self.experiment.train.learning_rate;
        let lower = format!(
            "--set train.learning_rate.start={:.0e} --set train.learning_rate.end={:.0e}",
            start / 10.0,
            end / 10.0
        );
        let Ok(checkpoint) = newest_checkpoint(&self.folder) else {
            return Ok(format!(
                "no checkpoint was written yet: begin again with a lower learning rate, such as `{lower}`"
            ));
        };
        let command = resume_command(&self.folder)?;
        Ok(format!(
            "{} stands as it was: go on from it with a lower learning rate, such as `{command} {lower}`",
            checkpoint.display()
        ))
    }

    /// What is known of the run before it goes on.
    fn manifest(&self) -> Manifest {
        let new = Manifest {
            command: self.command.clone(),
            version: VERSION.to_owned(),
            board: self.experiment.env.rules.board(),
            seed: self.experiment.seed,
            device: self.device.clone(),
            threads: self.threads,
            environment_steps: 0,
            gradient_steps: 0,
            wall_seconds: 0.0,
            cpu_seconds: 0.0,
            evaluation: None,
            results: None,
        };
        match Manifest::read(&self.folder).filter(|_| self.checkpoint.is_some()) {
            None => new,
            Some(Manifest { command, environment_steps, gradient_steps, wall_seconds, cpu_seconds, .. }) => {
                Manifest { command, environment_steps, gradient_steps, wall_seconds, cpu_seconds, ..new }
            }
        }
    }

    /// Plays the best weights against the solvers on games that neither training nor selection saw.
    fn final_table(&self, mut manifest: Manifest) -> Result<Outcome> {
        let Experiment { env, evaluation, .. } = &self.experiment;
        let agent = format!("dqn:{}", self.folder.display());
        let policies = Named::all(evaluation.policies.iter().chain([&agent]), &self.device)?;
        let config =
            Evaluation { threads: self.threads, ..Evaluation::new(env.rules, evaluation.seed, evaluation.games) };
        let mut report = Report::new(&config);
        let played = report.play(&config, &policies, evaluate::Refusal::LeaveOut);
        report.print();
        if let Outcome::Interrupted = played? {
            say!("go on with: {}", resume_command(&self.folder)?);
            return Ok(Outcome::Interrupted);
        }
        let FinalEvaluation { games, seed, .. } = evaluation;
        let (names, games, seed) = (report.names().collect::<Vec<_>>().join(","), games.to_string(), seed.to_string());
        let rules = rules::words(env.rules);
        let mut words = vec!["hognose", "evaluate"];
        words.extend(rules.iter().map(String::as_str));
        words.extend(["--policies", &names, "--games", &games, "--seed", &seed]);
        if self.device != "cpu" {
            words.extend(["--device", &self.device]);
        }
        let command = shell(words)?;
        say!("again: {command}");
        manifest.results = report.of(&agent).cloned();
        manifest.evaluation = Some(command);
        manifest.write(&self.folder)?;
        Ok(Outcome::Done)
    }
}

/// Prints the runs of several seeds side by side.
fn compare(runs: &[Run]) -> Result<()> {
    let header = ["training seed", "wins", "steps when won", "wall", "CPU"];
    let mut table = evaluate::table(&header);
    let mut wins = Vec::new();
    let mut steps = Vec::new();
    let games = runs[0].experiment.evaluation.games;
    for run in runs {
        let manifest = Manifest::read(&run.folder);
        let Some((manifest, results)) = manifest.and_then(|manifest| Some((manifest.clone(), manifest.results?)))
        else {
            return Err(Error::new(format!("{}: the run has no results", run.folder.display())));
        };
        wins.push(results.win_rate);
        steps.extend(results.mean_steps_won);
        let seconds = |seconds: f64| format!("{seconds:.0} s");
        table.add_row([
            manifest.seed.to_string(),
            evaluate::percent(results.win_rate, results.win_rate_interval),
            evaluate::mean_or_dash(results.mean_steps_won, results.mean_steps_won_interval, 1),
            seconds(manifest.wall_seconds),
            seconds(manifest.cpu_seconds),
        ]);
    }
    let mean = stats::mean(&wins).expect("at least one run");
    table.add_row([
        format!("mean of {}", runs.len()),
        match stats::grouped_interval(&wins, games) {
            Some(interval) => evaluate::percent(mean, interval),
            None => format!("{:.1} %", 100.0 * mean),
        },
        evaluate::mean_or_dash(stats::mean(&steps), stats::mean_interval(&steps), 1),
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

/// Progress bar, event file and selection games.
struct Screen {
    bar: ProgressBar,
    events: EventFile,
    selection: Evaluation,
    last_plain: Instant,
    folder: PathBuf,
    manifest: Manifest,
    clock: Clock,
    /// When rates were told last, and the environment steps and gradient steps then.
    looked: (Instant, [u64; 2]),
    /// Environment steps and gradient steps each second, lately.
    rates: [f64; 2],
}

impl Screen {
    fn new(
        events: EventFile,
        selection: Evaluation,
        total: u64,
        [step, gradient_steps]: [u64; 2],
        folder: PathBuf,
        manifest: Manifest,
    ) -> Result<Screen> {
        let template = "{bar:30} {percent:>3}% {human_pos}/{human_len} steps, {msg}, {eta} left";
        let style = ProgressStyle::with_template(template)?;
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(4)).with_style(style);
        bar.set_position(step);
        bar.reset_eta();
        let (last_plain, clock) = (Instant::now(), Clock::start());
        let looked = (Instant::now(), [step, gradient_steps]);
        Ok(Screen { bar, events, selection, last_plain, folder, manifest, clock, looked, rates: [0.0; 2] })
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
    fn point(&mut self, step: u64, gradient_steps: u64) {
        let (looked, before) = std::mem::replace(&mut self.looked, (Instant::now(), [step, gradient_steps]));
        let seconds = looked.elapsed().as_secs_f64().max(1e-9);
        self.rates = [step - before[0], gradient_steps - before[1]].map(|steps| steps as f64 / seconds);
        self.record(step, Metric::StepsPerSecond, self.rates[0]);
        self.record(step, Metric::GradientStepsPerSecond, self.rates[1]);
    }

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
    fn evaluate(&mut self, agent: &Agent<Network>) -> std::result::Result<Option<Score>, Unsupported> {
        let player = || hognose_policies::player(agent);
        let played = match hognose_eval::evaluate(player, &self.selection, |_| interrupt::go_on()) {
            Ok(played) => played,
            Err(EvalError::Interrupted) => return Ok(None),
            Err(EvalError::Unsupported(refusal)) => return Err(refusal),
            Err(error @ EvalError::Zero(_)) => return Err(Unsupported(error.to_string())),
        };
        let summary = Summary::new("selection", self.selection.rules.board(), &played);
        let Summary { win_rate, mean_length, mean_steps_won, .. } = summary;
        let steps = mean_steps_won.map_or(String::new(), |steps| format!(", {steps:.1} steps when won"));
        self.tell(&format!(
            "step {:>9}: wins {:5.1} % of {} selection games, mean length {mean_length:.1}{steps}",
            self.bar.position(),
            100.0 * win_rate,
            self.selection.games
        ));
        Ok(Some(Score { win_rate, mean_length, mean_steps_won }))
    }

    fn progress(&mut self, progress: Progress) {
        let Progress { step, total, loss, score, .. } = progress;
        let [steps_per_second, gradient_steps_per_second] = self.rates;
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

    fn saved(&mut self, step: u64, gradient_steps: u64) {
        self.events.sync();
        self.warn_of_failure();
        (self.manifest.environment_steps, self.manifest.gradient_steps) = (step, gradient_steps);
        self.clock.add_to(&mut self.manifest);
        if let Err(error) = self.manifest.write(&self.folder) {
            self.tell(&format!("warning: the manifest is out of date: {error}"));
        }
    }

    fn interrupted(&self) -> bool {
        interrupt::asked()
    }
}
