//! `hognose leaderboard`

mod document;

use crate::arguments::{ProgramArguments, ThreadArguments, trimmed};
use crate::embedded::{AGENTS, agent_names};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, say};
use crate::version::{COMMIT, NUMBER};
use crate::{files, interrupt, progress};
use document::Document;
use hognose_eval::{EndedBy, EvalError, Evaluation, Leaderboard};
use hognose_game::{Board, Rules};
use hognose_policies::{Catalog, NamedPolicy, SOLVERS};
use itertools::Itertools;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder of agents in a clone of the repository.
const CHECKPOINTS: &str = "checkpoints";

/// Rank policies on several boards
///
/// Each board starts with 100 games per policy and doubles them until half of each 95 % interval of
/// mean steps is less than 1 % of the mean, or until the time is up. Ctrl-C stops and reports the
/// games that all policies have played.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Comma-separated policies; steps are relative to the first [default: all solvers,
    /// certified:10, and the agents]
    ///
    /// The agents are those built into the binary and those in the folder `checkpoints`, if it
    /// exists.
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    policies: Vec<String>,
    /// Additional policy; repeatable
    #[arg(long, value_name = "POLICY")]
    add: Vec<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Comma-separated boards
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<Board>)]
    #[arg(default_value = "5x5,6x6,7x7,8x8,10x10,20x11,16x16,20x20")]
    boards: Vec<Board>,
    /// Games per policy on each board, however wide the intervals [default: as many as needed]
    #[arg(long)]
    games: Option<usize>,
    /// Time limit for all games, in minutes
    #[arg(long, default_value = "10", value_parser = minutes)]
    minutes: Duration,
    /// Random seed of the games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Write the leaderboard to a Markdown file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the leaderboard to a JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Device for networks: cpu, or wgpu, vulkan, cuda if built with that feature
    #[arg(long, default_value = "cpu")]
    device: String,
}

/// Parses a number of minutes.
fn minutes(text: &str) -> std::result::Result<Duration, String> {
    let minutes = text
        .parse()
        .ok()
        .and_then(|minutes: f64| Duration::try_from_secs_f64(60.0 * minutes).ok());
    minutes
        .filter(|time| !time.is_zero() && Instant::now().checked_add(*time).is_some())
        .ok_or_else(|| format!("expected a number of minutes greater than 0, got {text:?}"))
}

/// A leaderboard as it is written, with the version of the program.
#[derive(Serialize)]
struct Written<'a> {
    version: &'static str,
    commit: &'static str,
    #[serde(flatten)]
    leaderboard: &'a Leaderboard,
}

/// Plays the policies, prints the leaderboard and writes the files. After an interruption or an
/// error, the finished rounds are still reported.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let catalog = arguments.programs.catalog().on(&arguments.device);
    let mut policies = match arguments.policies.is_empty() {
        true => default_policies(&catalog, &arguments.boards)?,
        false => catalog.policies(&arguments.policies)?,
    };
    policies.extend(catalog.policies(&arguments.add)?);
    let policies: Vec<_> = policies
        .into_iter()
        .unique_by(|policy| policy.name().to_owned())
        .collect();
    let boards: Vec<Rules> = arguments
        .boards
        .iter()
        .copied()
        .map(Rules::new)
        .unique()
        .collect();
    files::check_outputs(&[
        ("--markdown", arguments.markdown.as_ref()),
        ("--json", arguments.json.as_ref()),
    ])?;
    interrupt::listen()?;
    if arguments.markdown.is_some() || arguments.json.is_some() {
        output::work_on();
    }
    let mut leaderboard = Leaderboard::new(
        arguments.seed,
        policies.iter().map(NamedPolicy::name),
        &boards,
    );
    let until = Instant::now() + arguments.minutes;
    let mut refused = String::new();
    let played = leaderboard.play(arguments.games, |policy, games| {
        let policy = &policies[policy];
        let games = Evaluation {
            threads: arguments.threads.count(),
            ..games.clone()
        };
        let minutes = until
            .saturating_duration_since(Instant::now())
            .as_secs()
            .div_ceil(60);
        let of = format!(
            "{} on {} (at most {minutes} min for all)",
            policy.name(),
            games.rules.board()
        );
        let bar = progress::bar(games.games, of).map_err(Stopped::Failed)?;
        match progress::play_while(policy, &games, &bar, || Instant::now() < until) {
            Ok(played) => Ok(Some(played)),
            Err(EvalError::Unsupported(reason)) => {
                refused = format!("{}: {reason}", policy.name());
                Ok(None)
            }
            Err(EvalError::Interrupted) if interrupt::asked() => Err(Stopped::Interrupted),
            Err(EvalError::Interrupted) => Err(Stopped::OutOfTime),
            Err(error) => Err(Stopped::Failed(error.into())),
        }
    });
    let outcome = match played {
        Ok(()) => Ok(Outcome::Done),
        Err(Stopped::Interrupted) => {
            leaderboard.end(EndedBy::Interruption);
            Ok(Outcome::Interrupted)
        }
        Err(Stopped::OutOfTime) => {
            leaderboard.end(EndedBy::Time);
            Ok(Outcome::Done)
        }
        Err(Stopped::Failed(error)) => {
            leaderboard.end(EndedBy::Interruption);
            Err(error)
        }
    };
    if leaderboard.policies.is_empty() {
        return match outcome? {
            Outcome::Done if leaderboard.boards.iter().any(|board| board.games > 0) => {
                Err(Error::new(format!(
                    "expected a policy that plays one of the boards, got none; {refused}"
                )))
            }
            Outcome::Done => Err(Error::new(
                "the time was up before all policies had played their first games on a board: \
                 expected more --minutes, fewer --policies or fewer --games",
            )),
            interrupted => Ok(interrupted),
        };
    }
    let document = Document {
        leaderboard: &leaderboard,
        games: arguments.games,
        time: arguments.minutes,
    }
    .to_string();
    output::print(format_args!("{document}"));
    if let Some(path) = &arguments.markdown {
        files::write(path, &document)?;
    }
    if let Some(path) = &arguments.json {
        let written = Written {
            version: NUMBER,
            commit: COMMIT,
            leaderboard: &leaderboard,
        };
        files::write(path, serde_json::to_string_pretty(&written)? + "\n")?;
    }
    outcome
}

/// Returns the default policies: every solver, and the agents for these boards. The solver that the
/// others are compared with comes first.
fn default_policies(catalog: &Catalog, boards: &[Board]) -> Result<Vec<NamedPolicy>> {
    let names = ["certified", "certified:10"]
        .into_iter()
        .chain(SOLVERS.iter().map(|known| known.name));
    let mut policies = names
        .map(|name| catalog.policy(name))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let mut agents = agent_names();
    if Path::new(CHECKPOINTS).is_dir() {
        let folders = files::list(Path::new(CHECKPOINTS))?;
        let plays_duels = |path: &PathBuf| hognose_duel::ValueFile::read(path).is_ok();
        let is_agent =
            |path: &&PathBuf| path.join("policy.safetensors").is_file() && !plays_duels(path);
        let embedded = |path: &&PathBuf| AGENTS.iter().any(|agent| path.ends_with(agent.name));
        let others = folders
            .iter()
            .filter(is_agent)
            .filter(|path| !embedded(path));
        agents.extend(others.map(|path| format!("dqn:{}", path.display())));
    } else {
        say!("There is no folder {CHECKPOINTS} here, so only the built-in agents play.\n");
    }
    for agent in catalog.policies(&agents)? {
        if agent
            .boards()
            .is_some_and(|plays| boards.iter().any(|&board| plays.contains(board)))
        {
            policies.push(agent);
        }
    }
    Ok(policies)
}

/// Why the games end early.
enum Stopped {
    Interrupted,
    OutOfTime,
    Failed(Error),
}
