//! `hognose evaluate` and `hognose policies`

use crate::error::{Error, Result};
use crate::rules::RulesArguments;
use crate::version::{COMMIT, NUMBER};
use crate::{Outcome, files, interrupt, output, plots, say};
use comfy_table::{CellAlignment, presets};
use hognose_eval::plot::{self, Curve, Sample, Spot, Words};
use hognose_eval::{End, EvalError, Evaluation, Interval, Played, Regret, Summary};
use hognose_game::{Board, Position, Rules};
use hognose_policies::{LEARNED, Named, SOLVERS};
use hognose_tablebase::Table;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Play policies on identical games and compare them
///
/// Shares have Wilson intervals, means Student's t intervals, all
/// at 95 %. Differences are paired, game by game, with the first policy; they are not corrected for the number of policies.
/// Ctrl-C ends with what was played so far.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rules: RulesArguments,
    /// Policies, separated by commas; `hognose policies` lists them
    #[arg(long, value_delimiter = ',', required = true)]
    policies: Vec<String>,
    /// Games of each policy
    #[arg(long, default_value_t = 1000)]
    games: usize,
    /// Seed that the games are derived from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Cut a game off after this many steps without food [default: 4 x area]
    #[arg(long, value_name = "STEPS")]
    limit: Option<u32>,
    /// Cut a game off after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = u64::MAX, hide_default_value = true)]
    max_steps: u64,
    /// Threads; results do not depend on them [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every game as a CSV row
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw steps, lengths and costs as SVG and PNG into this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Ask an exact table what each policy's moves give away (boards of up to 25 cells, or with --table)
    #[arg(long)]
    regret: bool,
    /// Table for --regret
    #[arg(long, value_name = "FILE", requires = "regret")]
    table: Option<PathBuf>,
    /// Games of each policy for --regret, at most --games
    #[arg(long, value_name = "N", default_value_t = 100, requires = "regret")]
    regret_games: usize,
    /// Where networks live: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let rules = arguments.rules.rules()?;
    let policies = Named::all(&arguments.policies, &arguments.device)?;
    for path in [&arguments.json, &arguments.csv].into_iter().flatten() {
        files::check_writable(path)?;
    }
    if let Some(folder) = &arguments.plot {
        files::create_folder(folder)?;
    }
    interrupt::listen()?;
    let threads = arguments.threads.unwrap_or_else(all_cores);
    let config = Evaluation {
        limit: arguments.limit.unwrap_or(Evaluation::default_limit(rules)),
        max_steps: arguments.max_steps,
        threads,
        ..Evaluation::new(rules, arguments.seed, arguments.games)
    };
    let table = match arguments.regret {
        true => Some(crate::tablebase::table(arguments.table.as_deref(), rules.board())?),
        false => None,
    };
    if arguments.json.is_some() || arguments.csv.is_some() || arguments.plot.is_some() {
        output::work_on();
    }
    let mut report = Report::new(&config);
    let played = report.play(&config, &policies, Refusal::Fail);
    if report.policies.is_empty() {
        return played;
    }
    report.print();
    report.write(arguments)?;
    let mut outcome = played?;
    if let (Some(table), Outcome::Done) = (&table, &outcome) {
        let config = Evaluation { games: arguments.regret_games.min(config.games), ..config };
        let asked = report.ask(table, &config, &policies);
        if !report.regrets.is_empty() {
            report.print_regrets();
            report.write(arguments)?;
        }
        outcome = asked?;
    }
    if let Some(folder) = &arguments.plot {
        say!("\nthe pictures are in {}", folder.display());
    }
    Ok(outcome)
}

pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What happens if a policy refuses the games.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Fail,
    LeaveOut,
}

/// The results of several policies on the same games.
#[derive(Serialize)]
pub(crate) struct Report {
    version: &'static str,
    commit: &'static str,
    board: Board,
    rules: Rules,
    seed: u64,
    games: usize,
    limit: u32,
    /// `None` if there is no such limit.
    max_steps: Option<u64>,
    policies: Vec<Summary>,
    /// By policy: the seconds that setting up its games took, all threads together.
    setup_seconds: Vec<f64>,
    /// Policies that were not played to the end, if the work was broken off.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    /// By policy, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regrets: Vec<Regret>,
    #[serde(skip)]
    played: Vec<Played>,
}

impl Report {
    /// A report of these games, before any is played.
    pub(crate) fn new(config: &Evaluation) -> Report {
        let Evaluation { rules, seed, games, limit, max_steps, .. } = *config;
        Report {
            version: NUMBER,
            commit: COMMIT,
            board: rules.board(),
            rules,
            seed,
            games,
            limit,
            max_steps: (max_steps < u64::MAX).then_some(max_steps),
            policies: Vec::new(),
            setup_seconds: Vec::new(),
            missing: Vec::new(),
            regrets: Vec::new(),
            played: Vec::new(),
        }
    }

    /// Plays every policy on the same games. If it is broken off or fails, the report has the policies before.
    pub(crate) fn play(&mut self, config: &Evaluation, policies: &[Named], refusal: Refusal) -> Result<Outcome> {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games of {msg}, {eta} left")?;
        for (index, policy) in policies.iter().enumerate() {
            let bar = ProgressBar::new(config.games as u64).with_message(policy.name().to_owned());
            bar.set_style(style.clone());
            let played = hognose_eval::evaluate(
                || policy.player(),
                config,
                |progress| {
                    bar.set_position(progress.finished as u64);
                    interrupt::go_on()
                },
            );
            bar.finish_and_clear();
            let outcome = match played {
                Ok(played) => {
                    self.add(policy.name(), played);
                    continue;
                }
                Err(error @ EvalError::Unsupported(_)) if refusal == Refusal::LeaveOut => {
                    say!("left out {}: {error}", policy.name());
                    continue;
                }
                Err(EvalError::Interrupted) => Ok(Outcome::Interrupted),
                Err(error @ EvalError::Unsupported(_)) => Err(Error::from(error).context(policy.name())),
                Err(error) => Err(error.into()),
            };
            self.missing = policies[index..].iter().map(|policy| policy.name().to_owned()).collect();
            return outcome;
        }
        Ok(Outcome::Done)
    }

    fn add(&mut self, name: &str, played: Played) {
        let mut summary = Summary::new(name, self.board, &played);
        if let (Some(reference), Some(its)) = (self.policies.first(), self.played.first()) {
            summary = summary.paired_with(&reference.name, &its.episodes, &played.episodes);
        }
        self.policies.push(summary);
        self.setup_seconds.push(played.setup.as_secs_f64());
        self.played.push(played);
    }

    /// Plays again and asks what every move was worth. If it is broken off or fails, the report has the games before.
    fn ask(&mut self, table: &Table, config: &Evaluation, policies: &[Named]) -> Result<Outcome> {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games of {msg} asked, {eta} left")?;
        for policy in policies {
            let bar = ProgressBar::new(config.games as u64).with_message(policy.name().to_owned());
            bar.set_style(style.clone());
            let played = |games: usize| {
                bar.set_position(games as u64);
                interrupt::go_on()
            };
            let worth = |position: &Position| table.moves(position);
            let regret = {
                let own_value = |position: &Position| policy.value(position);
                hognose_eval::regret(&*policy.single_player(), config, worth, own_value, played)
            };
            bar.finish_and_clear();
            self.regrets.push(regret.map_err(|error| Error::from(error).context(policy.name()))?);
            if interrupt::asked() {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Done)
    }

    /// Prints what the policies give away, in all and by the third of the game.
    fn print_regrets(&self) {
        let header = [
            "policy",
            "best moves",
            "sure wins given away",
            "steps given away a game",
            "a move",
            "short",
            "middle",
            "long",
            "values",
        ];
        let mut table = table(&header);
        for (summary, regret) in self.policies.iter().zip(&self.regrets) {
            let third = self.board.area().div_ceil(3);
            let mut parts =
                regret.steps_by_length.chunks(third).map(|lengths| format!("{:.2}", lengths.iter().sum::<f64>()));
            let mut part = || parts.next().unwrap_or_default();
            table.add_row([
                summary.name.clone(),
                match regret.optimal_moves_interval {
                    Some(interval) => percent(regret.optimal_moves, interval),
                    None => format!("{:.1} %", 100.0 * regret.optimal_moves),
                },
                format!("{} in {} games", regret.given_away, regret.games),
                with_interval(regret.steps_per_game, regret.steps_per_game_interval, 2),
                format!("{:.4}", regret.steps_per_move),
                part(),
                part(),
                part(),
                optional(regret.value_correlation, 3),
            ]);
        }
        say!("\n{table}");
        say!("against exact play, in positions with a sure win; by the thirds of the board that the snake covers;");
        say!("95 % intervals: of best moves by bootstrap over the games, of steps by Student's t over the games;");
        say!("values: rank correlation of the policy's own values with exact ones among equal lengths (Spearman)");
        let missing: Vec<&str> = self.names().skip(self.regrets.len()).collect();
        if !missing.is_empty() {
            say!("not asked: {}", missing.join(", "));
        }
    }

    /// What a policy's games came to, if it was played.
    pub(crate) fn of(&self, name: &str) -> Option<&Summary> {
        self.policies.iter().find(|summary| summary.name == name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.iter().map(|summary| summary.name.as_str())
    }

    /// Prints two tables: how well the policies play, and how games end.
    pub(crate) fn print(&self) {
        let Report { rules, seed, games, limit, policies, .. } = self;
        if policies.is_empty() {
            return;
        }
        say!("{rules}, {games} games of seed {seed} each; cut off after {limit} steps without food");
        say!(
            "[95 % intervals: of shares by Wilson, of means by Student's t; differences are paired, and not corrected"
        );
        say!("for the number of policies]\n");
        let mut table = table(&["policy", "wins", "mean length", "covered", "steps when won", "sd", "steps/food"]);
        for summary in policies {
            let steps = mean_or_dash(summary.mean_steps_won, summary.mean_steps_won_interval, 1);
            table.add_row([
                summary.name.clone(),
                percent(summary.win_rate, summary.win_rate_interval),
                with_interval(summary.mean_length, summary.mean_length_interval, 2),
                format!("{:.1} %", 100.0 * summary.coverage),
                steps,
                optional(summary.sd_steps_won, 1),
                optional(summary.steps_per_food, 2),
            ]);
        }
        say!("{table}\n");
        let reference = policies.first().map_or(String::new(), |first| first.name.clone());
        let length = format!("length - {reference}'s");
        let steps = format!("steps - {reference}'s, both won");
        let mut table = self::table(&["policy", "won", "wall", "body", "limit", &length, &steps, "decisions/s"]);
        for summary in policies {
            let (length, steps) = match &summary.paired {
                None => ("-".to_owned(), "-".to_owned()),
                Some(paired) => (
                    with_interval(paired.length, paired.length_interval, 2),
                    mean_or_dash(paired.steps_won, paired.steps_won_interval, 1),
                ),
            };
            let ends = summary.ends;
            let ends = [ends.won, ends.wall, ends.body, ends.limit].map(|count| count.to_string());
            let row = [vec![summary.name.clone()], ends.to_vec(), vec![length, steps]].concat();
            table.add_row(row.into_iter().chain([thousands(summary.decisions_per_second)]));
        }
        say!("{table}");
        for summary in policies.iter().filter(|summary| summary.forbidden > 0.0) {
            say!("{}: {:.2} % of its choices were forbidden", summary.name, 100.0 * summary.forbidden);
        }
        for (summary, seconds) in self.policies.iter().zip(&self.setup_seconds).filter(|(_, seconds)| **seconds >= 0.1)
        {
            say!("{}: setting up its games took {seconds:.1} s more (all threads together)", summary.name);
        }
        if !self.missing.is_empty() {
            say!("not played: {}", self.missing.join(", "));
        }
    }

    /// Writes the files that were asked for.
    fn write(&self, arguments: &Arguments) -> Result<()> {
        if let Some(path) = &arguments.json {
            files::write(path, serde_json::to_string_pretty(self)? + "\n")?;
        }
        if let Some(path) = &arguments.csv {
            files::write(path, self.csv()?)?;
        }
        if let Some(folder) = &arguments.plot {
            self.draw(folder)?;
        }
        Ok(())
    }

    /// Writes the pictures: steps to win as histogram and distribution, and against time, lengths at the end, and what a food costs
    /// at each length.
    fn draw(&self, folder: &Path) -> Result<()> {
        let samples = |values: &dyn Fn(&Played) -> Vec<f64>| {
            let samples = self
                .names()
                .zip(&self.played)
                .map(|(name, played)| Sample { name: name.to_owned(), values: values(played) });
            samples.filter(|sample| !sample.values.is_empty()).collect::<Vec<Sample>>()
        };
        let won = |played: &Played| {
            let won = played.episodes.iter().filter(|episode| episode.end == End::Won);
            won.map(|episode| episode.steps as f64).collect()
        };
        let caption = format!("{}, {} games of seed {} each", self.rules, self.games, self.seed);
        let words = |title: &str, x: &str, y: &str| Words {
            title: title.into(),
            caption: caption.clone(),
            x: x.into(),
            y: y.into(),
        };
        let steps = samples(&won);
        if !steps.is_empty() {
            let words_of = |y: &str| words("Steps to win", "steps of a game won", y);
            plots::write(folder, "steps-to-win", &plot::histogram(&words_of("games per bin"), &steps, true)?)?;
            plots::write(
                folder,
                "steps-to-win-distribution",
                &plot::distribution(&words_of("share of games won"), &steps)?,
            )?;
        }
        let lengths = samples(&|played| played.episodes.iter().map(|episode| episode.length as f64).collect());
        let title = words("Lengths at the end", "length at the end (cells)", "games per bin");
        plots::write(folder, "lengths", &plot::histogram(&title, &lengths, false)?)?;
        let curves: Vec<Curve> = self
            .names()
            .zip(&self.played)
            .map(|(name, played)| {
                let costs = played.costs.iter().enumerate();
                let points = costs.filter_map(|(length, cost)| Some((length as f64, cost.mean_and_sd()?.0)));
                Curve { name: name.to_owned(), points: points.collect(), dots: false }
            })
            .collect();
        if !self.regrets.is_empty() {
            let curves: Vec<Curve> = self
                .names()
                .zip(&self.regrets)
                .map(|(name, regret)| Curve {
                    name: format!("{name}: n = {}", regret.games),
                    points: regret
                        .steps_by_length
                        .iter()
                        .enumerate()
                        .skip(1)
                        .map(|(l, steps)| (l as f64, *steps))
                        .collect(),
                    dots: false,
                })
                .collect();
            let words = words("Where steps are given away", "length (cells)", "expected steps given away a game");
            plots::write(folder, "regret-by-length", &plot::curves(&words, &curves)?)?;
        }
        let spots = self.policies.iter().filter_map(|summary| {
            let all = summary.ends.won == self.games;
            let share = 100.0 * summary.ends.won as f64 / self.games as f64;
            let name = if all { summary.name.clone() } else { format!("{} ({share:.0} % won)", summary.name) };
            let y = summary.mean_steps_won?;
            Some(Spot { name, x: 1e6 / summary.decisions_per_second, y, counts: all })
        });
        let spots: Vec<Spot> = spots.collect();
        if !spots.is_empty() {
            let words =
                words("Steps against time", "microseconds per decision, one core", "mean steps of the games won");
            plots::write(folder, "frontier", &plot::frontier(&words, &spots)?)?;
        }
        let words = words("What a food costs", "length before eating (cells)", "mean steps per food");
        plots::write(folder, "cost-by-length", &plot::curves(&words, &curves)?)
    }

    fn csv(&self) -> Result<String> {
        let mut text = String::from("policy,game,seed,steps,length,foods,end\n");
        for (summary, played) in self.policies.iter().zip(&self.played) {
            let name = match summary.name.contains([',', '"', '\n']) {
                true => format!("\"{}\"", summary.name.replace('"', "\"\"")),
                false => summary.name.clone(),
            };
            for (game, episode) in played.episodes.iter().enumerate() {
                let end = format!("{:?}", episode.end).to_lowercase();
                let (seed, steps, length, foods) = (episode.seed, episode.steps, episode.length, episode.foods);
                writeln!(text, "{name},{game},{seed},{steps},{length},{foods},{end}")?;
            }
        }
        Ok(text)
    }
}

/// An empty table whose columns but the first are right-aligned.
pub(crate) fn table(header: &[&str]) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn with_interval(mean: f64, interval: Option<Interval>, digits: usize) -> String {
    match interval {
        // Equal values tell nothing of how far others may lie.
        Some(Interval { low, high }) if low < high => format!("{mean:.digits$} [{low:.digits$}, {high:.digits$}]"),
        _ => format!("{mean:.digits$}"),
    }
}

/// A mean with its interval, or a dash for none.
pub(crate) fn mean_or_dash(mean: Option<f64>, interval: Option<Interval>, digits: usize) -> String {
    mean.map_or("-".to_owned(), |mean| with_interval(mean, interval, digits))
}

pub(crate) fn percent(share: f64, Interval { low, high }: Interval) -> String {
    format!("{:.1} % [{:.1}, {:.1}]", 100.0 * share, 100.0 * low, 100.0 * high)
}

fn optional(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
}

fn thousands(value: f64) -> String {
    match value {
        1e6.. => format!("{:.1} M", value / 1e6),
        1e3.. => format!("{:.1} k", value / 1e3),
        _ => format!("{value:.0}"),
    }
}

/// List the policies
#[derive(clap::Args)]
pub(crate) struct ListArguments {}

pub(crate) fn list(_arguments: &ListArguments) -> Result<Outcome> {
    for known in SOLVERS {
        let wins = known.wins.map_or("no guarantee".to_owned(), |wins| format!("wins every game: {wins}"));
        say!("{:24} {}\n{:24} {wins}", known.name, known.description, "");
    }
    for (name, description) in LEARNED {
        say!("{name:24} {description}");
    }
    say!(
        "\nFewest steps: optimal on small boards, elsewhere certified, the fewer the higher its effort. Most decisions per second:"
    );
    say!(
        "hamiltonian. Between them, from fast to good: shortcut, cell-tree, killer, certified:10. All of these never lose."
    );
    say!("\nGuarantees hold by the default rules unless stated; \"tail entry\": where the tail's cell may be entered.");
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    /// A report of the agent first and a solver after it, as when the agent is not the last one that plays.
    #[test]
    fn results_are_found_by_name() {
        let config = Evaluation::new(Rules::new("4x4".parse().unwrap()), 0, 5);
        let mut report = Report::new(&config);
        for name in ["random", "hamiltonian"] {
            let policy = Named::new(name, "cpu").unwrap();
            let played = hognose_eval::evaluate(|| policy.player(), &config, |_| ControlFlow::Continue(())).unwrap();
            report.add(name, played);
        }
        assert_eq!(report.of("random").unwrap().wins, 0);
        assert_eq!(report.of("hamiltonian").unwrap().wins, 5);
        assert!(report.of("dqn:left-out").is_none());
    }
}
