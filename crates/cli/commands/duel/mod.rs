//! `hognose duel`

mod ask;
mod pictures;
mod tables;

use crate::arguments::{ProgramArguments, ThreadArguments, shell, trimmed};
use crate::duel_rules::DuelRulesArguments;
use crate::embedded;
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::{self, plain, say};
use crate::version::{COMMIT, NUMBER, VERSION};
use crate::{files, interrupt, progress};
use ask::AskArguments;
use hognose_eval::tournament::{
    PlayedDuel, Ranking, Schedule, Tournament, TournamentError, own_name,
};
use hognose_game::duel::Seat;
use hognose_policies::{BOTS, NamedBot};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The bots that play if none are named.
const DEFAULT_BOTS: [&str; 4] = ["adder:4", "nega:4", "one-ply", "greedy"];
/// Games per pair by default: for named bots, and for the default bots.
const DEFAULT_GAMES: [usize; 2] = [200, 40];
/// The interval at which the games played so far are written.
const KEEP: Duration = Duration::from_secs(60);

/// Play duels between bots and rank the bots
///
/// Every pair of bots plays the same seeds, each with both seat assignments and, if the rules place
/// the snakes at half-turns of each other, with the foods as drawn and rotated by 180 degrees.
/// Intervals are 95 % bootstrap intervals over at least 10 seeds. Ctrl-C stops and reports the
/// finished games. --json saves them every minute and at the end, and --resume continues.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Comma-separated bots; see `hognose policies` [default: adder:4,nega:4,one-ply,greedy]
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    bots: Vec<String>,
    /// Additional bot, whose name may contain commas; repeatable
    ///
    /// For example, --bot "exec:python3 bot.py a,b". NAME=BOT gives a bot a name for tables: letters,
    /// digits, - and _, as in --bot "hare=exec:python3 bot.py".
    #[arg(long)]
    bot: Vec<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Games per pair of bots, an even number [default: 200; 40 for the default bots]
    #[arg(long)]
    games: Option<usize>,
    /// Random seed of games and bots [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Resume the tournament in this file, written by --json, and update the file
    ///
    /// --games may be larger than before.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write the ranking and every game to a new JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every game to a CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw ratings and scores as SVG and PNG files in this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    rules: DuelRulesArguments,
    #[command(flatten)]
    ask: AskArguments,
}

/// A tournament as it is written, with the version of the program.
#[derive(Serialize)]
struct Written<'a> {
    version: &'static str,
    commit: &'static str,
    /// `None` while games are being played.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'a Ranking>,
    #[serde(flatten)]
    tournament: &'a Tournament,
}

/// A tournament as it is read.
#[derive(Deserialize)]
struct Read {
    /// `None` in files written by Python.
    version: Option<String>,
    commit: Option<String>,
    #[serde(flatten)]
    tournament: Tournament,
}

/// Plays the tournament, prints the results and writes the files. After an interruption, the
/// finished games are reported.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let AskArguments {
        ask: Some(bot),
        position: Some(file),
        ..
    } = &arguments.ask
    {
        return ask::ask(arguments, bot, file);
    }
    let mut tournament = match &arguments.resume {
        Some(path) => arguments.resumed(path)?,
        None => arguments.begun()?,
    };
    let bots = arguments.look_up(tournament.schedule().bots())?;
    let json = arguments.json.as_ref().or(arguments.resume.as_ref());
    arguments.check_new()?;
    let option = if arguments.json.is_some() {
        "--json"
    } else {
        "--resume"
    };
    files::check_outputs(&[(option, json), ("--csv", arguments.csv.as_ref())])?;
    if let Some(folder) = &arguments.plot {
        files::create_picture_folder(folder)?;
    }
    interrupt::listen()?;
    if json.is_some() || arguments.csv.is_some() || arguments.plot.is_some() {
        output::work_on();
    }
    let schedule = tournament.schedule().clone();
    let outcome = play(
        &mut tournament,
        &bots,
        arguments.threads.count(),
        |played| {
            let Some(path) = json else { return Ok(()) };
            let mut played = played.to_vec();
            played.sort_unstable_by_key(|duel| duel.index);
            write(
                path,
                &Tournament::from_duels(schedule.clone(), played)?,
                None,
            )
        },
    )?;
    let ranking = tournament.ranking();
    if ranking.games > 0 {
        tables::print(&tournament, &ranking);
    }
    if let Some(path) = json {
        write(path, &tournament, Some(&ranking))?;
    }
    if let Some(path) = &arguments.csv {
        files::write(path, csv(&tournament)?)?;
    }
    if let Some(folder) = arguments.plot.as_ref().filter(|_| ranking.games > 0) {
        pictures::draw(folder, &tournament, &ranking)?;
        say!("\nthe pictures are in {}", folder.display());
    }
    if outcome == Outcome::Interrupted {
        let played = ranking.games;
        let games = tournament.schedule().len();
        match json {
            Some(path) => {
                say!(
                    "\ninterrupted after {played} of {games} games; continue with: {}",
                    arguments.again(path)?
                )
            }
            None => {
                say!("\ninterrupted after {played} of {games} games; --json keeps them next time")
            }
        }
    }
    Ok(outcome)
}

/// Writes a tournament as JSON.
fn write(path: &Path, tournament: &Tournament, ranking: Option<&Ranking>) -> Result<()> {
    let written = Written {
        version: NUMBER,
        commit: COMMIT,
        ranking,
        tournament,
    };
    files::write(path, serde_json::to_string_pretty(&written)? + "\n")
}

impl Arguments {
    /// Returns the bots that were named, in order.
    fn named(&self) -> Vec<String> {
        self.bots.iter().chain(&self.bot).cloned().collect()
    }

    /// Refuses to overwrite a tournament that is not being resumed.
    fn check_new(&self) -> Result<()> {
        let is_resumed = |path: &PathBuf| {
            self.resume
                .as_ref()
                .is_some_and(|from| files::whole(from) == files::whole(path))
        };
        let Some(path) = self.json.as_ref().filter(|path| !is_resumed(path)) else {
            return Ok(());
        };
        if std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0) {
            let path = path.display();
            return Err(Error::new(format!(
                "{path} already exists; continue it with --resume {path}, or remove it"
            )));
        }
        Ok(())
    }

    /// Creates a new tournament.
    fn begun(&self) -> Result<Tournament> {
        let (bots, games) = match self.named() {
            named if named.is_empty() => {
                (DEFAULT_BOTS.map(str::to_owned).to_vec(), DEFAULT_GAMES[1])
            }
            named => (named, DEFAULT_GAMES[0]),
        };
        let games = self.games.unwrap_or(games);
        let seed = self.seed.unwrap_or(0);
        Ok(Tournament::new(Schedule::new(
            self.rules.rules()?,
            bots,
            games,
            seed,
        )?))
    }

    /// Reads the tournament in a file, and checks that it matches the options.
    fn resumed(&self, path: &Path) -> Result<Tournament> {
        let named = |error: Error| error.context(path.display());
        let Read {
            version,
            commit,
            tournament,
        } = serde_json::from_str(&files::read(path)?).map_err(|error| {
            named(Error::new(format!(
                "expected a file that `hognose duel --json` wrote: {error}"
            )))
        })?;
        let differs = |what: &str, has: String, asked: String| {
            named(Error::new(format!(
                "expected {what} of the tournament, {has:?}, or none, got {asked:?}"
            )))
        };
        let schedule = tournament.schedule();
        let asked = self.named();
        if !asked.is_empty() && asked != schedule.bots() {
            return Err(differs(
                "the bots",
                schedule.bots().join(","),
                asked.join(","),
            ));
        }
        if let Some(seed) = self.seed.filter(|seed| *seed != schedule.seed()) {
            return Err(differs(
                "the seed",
                schedule.seed().to_string(),
                seed.to_string(),
            ));
        }
        if self.rules.are_given() && self.rules.rules()? != *schedule.rules() {
            return Err(differs(
                "the rules",
                schedule.rules().to_string(),
                self.rules.rules()?.to_string(),
            ));
        }
        if let (Some(version), Some(commit)) = (version, commit)
            && (version.as_str(), commit.as_str()) != (NUMBER, COMMIT)
        {
            say!(
                "{} comes from hognose {version} ({commit}), this is {VERSION}: bots may differ\n",
                path.display()
            );
        }
        match self.games {
            Some(games) => tournament
                .with_games(games)
                .map_err(|error| named(error.into())),
            None => Ok(tournament),
        }
    }

    /// Looks up bots. Names that come only from a file start no programs.
    fn look_up(&self, names: &[String]) -> Result<Vec<NamedBot>> {
        let catalog = if self.named().is_empty() {
            embedded::catalog()
        } else {
            self.programs.catalog()
        };
        names
            .iter()
            .map(|name| match own_name(name) {
                (Some(own), _) if BOTS.iter().any(|known| known.name == own) => Err(Error::new(
                    format!("expected a name that no bot has, got {own:?}"),
                )),
                (_, bot) => Ok(catalog.bot(bot)?),
            })
            .collect()
    }

    /// Returns the command that resumes the tournament in a file.
    fn again(&self, path: &Path) -> Result<String> {
        let path = path.display().to_string();
        let bots = self.bots.join(",");
        let mut words = vec!["hognose", "duel", "--resume", &path];
        if !bots.is_empty() {
            words.extend(["--bots", &bots]);
        }
        words.extend(self.bot.iter().flat_map(|bot| ["--bot", bot]));
        let programs = self.programs.words();
        words.extend(programs.iter().map(String::as_str));
        let files = [("--csv", &self.csv), ("--plot", &self.plot)];
        let files = files
            .map(|(option, path)| (option, path.as_ref().map(|path| path.display().to_string())));
        words.extend(
            files
                .iter()
                .flat_map(|(option, path)| Some([*option, path.as_ref()?]))
                .flatten(),
        );
        shell(words)
    }
}

/// Plays the missing games, and shows progress and the first forfeit of each bot. `keep` saves the
/// games played so far at intervals.
pub(crate) fn play(
    tournament: &mut Tournament,
    bots: &[NamedBot],
    threads: usize,
    keep: impl Fn(&[PlayedDuel]) -> Result<()>,
) -> Result<Outcome> {
    let makers: Vec<_> = bots.iter().map(NamedBot::maker).collect();
    let schedule = tournament.schedule().clone();
    let bar = progress::bar(schedule.len(), format!("{} bots", bots.len()))?;
    bar.set_position(tournament.duels().len() as u64);
    bar.reset_eta();
    let mut reported = vec![false; bots.len()];
    let mut kept = Instant::now();
    let played = tournament.play(&makers, threads, |progress| {
        if let Some(PlayedDuel {
            index, forfeits, ..
        }) = progress.ended
        {
            for (bot, forfeit) in schedule.game(*index).bots.into_iter().zip(forfeits) {
                if let Some(reason) = forfeit
                    .as_ref()
                    .filter(|_| !std::mem::replace(&mut reported[bot], true))
                {
                    bar.println(plain(&format!(
                        "{}: a game was forfeited: {reason}",
                        schedule.label(bot)
                    )));
                }
            }
        }
        if progress.ended.is_some() && kept.elapsed() > KEEP {
            kept = Instant::now();
            // There may be room again at the end.
            if let Err(error) = keep(progress.played) {
                bar.println(plain(&error.to_string()));
            }
        }
        progress::tick(&bar, progress.played.len())
    });
    bar.finish_and_clear();
    match played {
        Ok(()) => Ok(Outcome::Done),
        Err(TournamentError::Interrupted) => Ok(Outcome::Interrupted),
        Err(error) => Err(error.into()),
    }
}

/// Prints the results of a tournament.
pub(crate) fn print_tournament(tournament: &Tournament) {
    tables::print(tournament, &tournament.ranking());
}

/// Returns every game as a row of CSV.
fn csv(tournament: &Tournament) -> Result<Vec<u8>> {
    let schedule = tournament.schedule();
    let mut rows = csv::Writer::from_writer(Vec::new());
    let heads = [
        "game",
        "round",
        "seed",
        "turned_foods",
        "first",
        "second",
        "result",
        "steps",
    ];
    let of_seats = [
        "bot_seed", "cause", "length", "foods", "nodes", "forfeit", "illegal",
    ];
    let of_seats = of_seats
        .into_iter()
        .flat_map(|head| Seat::BOTH.map(|seat| format!("{seat}_{head}")));
    rows.write_record(heads.into_iter().map(str::to_owned).chain(of_seats))?;
    for duel in tournament.duels() {
        let PlayedDuel {
            index,
            winner,
            causes,
            forfeits,
            steps,
            lengths,
            foods,
            nodes,
            illegal,
        } = duel;
        let game = schedule.game(*index);
        let result = winner.map_or("draw".to_owned(), |seat| seat.to_string());
        let bots = game.bots.map(|bot| schedule.label(bot));
        rows.serialize((
            (
                index,
                game.round,
                game.seed,
                game.turned_foods,
                bots,
                result,
                steps,
            ),
            (
                game.bot_seeds,
                causes,
                lengths,
                foods,
                nodes,
                forfeits,
                illegal,
            ),
        ))?;
    }
    Ok(rows.into_inner()?)
}
