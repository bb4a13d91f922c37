//! `hognose duel`

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
use hognose_eval::tournament::{PlayedDuel, Ranking, Schedule, Tournament, TournamentError};
use hognose_game::duel::Seat;
use hognose_policies::NamedBot;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Who plays if nobody is named.
const DEFAULT_BOTS: [&str; 4] = ["adder:4", "nega:4", "one-ply", "greedy"];
/// The games of each pair if nobody says: of bots that were named, and of the default ones.
const DEFAULT_GAMES: [usize; 2] = [200, 40];
/// How often the games that were played are written while others are played.
const KEEP: Duration = Duration::from_secs(60);

/// Let bots play duels of two snakes, and rank them
///
/// Every pair of bots plays the same seeds, each of them four times: with both ways to take the
/// seats, and with the foods as drawn and turned by half a turn. Intervals are 95 % intervals by
/// bootstrap over 10 seeds or more. Ctrl-C ends with the games that were played. With --json they
/// are kept, each minute and at the end, and --resume goes on.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Bots, separated by commas; `hognose policies` lists them [default:
    /// adder:4,nega:4,one-ply,greedy]
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<String>)]
    bots: Vec<String>,
    /// One more bot, which may hold commas, such as "exec:python3 bot.py"; can be given several
    /// times
    #[arg(long)]
    bot: Vec<String>,
    #[command(flatten)]
    programs: ProgramArguments,
    /// Games of each pair of bots, an even number [default: 200; 40 of the default bots]
    #[arg(long)]
    games: Option<usize>,
    /// Seed that games and bots get theirs from [default: 0]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Go on with the tournament in this file, which --json has written, and write it again;
    /// --games may be more
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write the tournament as JSON: the ranking, and every game; the file must not be there yet
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every game as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write pictures of the ratings and the scores as SVG and PNG into this folder
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    rules: DuelRulesArguments,
}

/// A tournament as it is written, and which program it comes from.
#[derive(Serialize)]
struct Written<'a> {
    version: &'static str,
    commit: &'static str,
    /// `None` while games are played.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<&'a Ranking>,
    #[serde(flatten)]
    tournament: &'a Tournament,
}

/// A tournament as it is read.
#[derive(Deserialize)]
struct Read {
    /// `None` if Python has written it.
    version: Option<String>,
    commit: Option<String>,
    #[serde(flatten)]
    tournament: Tournament,
}

/// Plays the tournament, prints what it came to, and writes the files. What was played before an
/// interruption is reported, too.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
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
    /// The bots that were named, in their order.
    fn named(&self) -> Vec<String> {
        self.bots.iter().chain(&self.bot).cloned().collect()
    }

    /// Refuses to write over a tournament that is not gone on with.
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
                "{path} is there already; go on with it by --resume {path}, or remove it"
            )));
        }
        Ok(())
    }

    /// A new tournament.
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

    /// The tournament in a file, which has what is asked for.
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
                "expected {what} that the tournament has, {has:?}, or none, got {asked:?}"
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

    /// The bots of these names. Names that only a file has told start no programs.
    fn look_up(&self, names: &[String]) -> Result<Vec<NamedBot>> {
        let catalog = if self.named().is_empty() {
            embedded::catalog()
        } else {
            self.programs.catalog()
        };
        Ok(catalog.bots(names)?)
    }

    /// The command that goes on with the tournament in a file.
    fn again(&self, path: &Path) -> Result<String> {
        let path = path.display().to_string();
        let bots = self.bots.join(",");
        let mut words = vec!["hognose", "duel", "--resume", &path];
        if !bots.is_empty() {
            words.extend(["--bots", &bots]);
        }
        words.extend(self.bot.iter().flat_map(|bot| ["--bot", bot]));
        let limit = self
            .programs
            .given_limit()
            .map(|limit| limit.as_secs_f64().to_string());
        words.extend(limit.iter().flat_map(|limit| ["--move-limit", limit]));
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

/// Plays the games that are missing, and shows how far they are, and why bots forfeited for the
/// first time. `keep` writes the games that were played now and then.
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
    let mut told = vec![false; bots.len()];
    let mut kept = Instant::now();
    let played = tournament.play(&makers, threads, |progress| {
        if let Some(PlayedDuel {
            index, forfeits, ..
        }) = progress.ended
        {
            for (bot, forfeit) in schedule.game(*index).bots.into_iter().zip(forfeits) {
                if let Some(reason) = forfeit
                    .as_ref()
                    .filter(|_| !std::mem::replace(&mut told[bot], true))
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
            // The end may find room again.
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

/// Prints what a tournament came to.
pub(crate) fn print_tournament(tournament: &Tournament) {
    tables::print(tournament, &tournament.ranking());
}

/// Every game as a row of CSV.
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
    let of_seats = ["bot_seed", "cause", "length", "foods", "nodes", "forfeit"];
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
            (game.bot_seeds, causes, lengths, foods, nodes, forfeits),
        ))?;
    }
    Ok(rows.into_inner()?)
}
