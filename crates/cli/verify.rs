//! `hognose verify`: whether policies win where they claim to.

use crate::error::{Error, Result};
use crate::{Outcome, evaluate, interrupt, say};
use hognose_eval::{End, EvalError, Evaluation, Refused};
use hognose_game::{Board, Rules, Start};
use hognose_policies::{Named, SOLVERS};
use indicatif::ProgressBar;
use std::str::FromStr;

/// Play every policy on every board from starts of every length, and fail if one loses where it claims to win
///
/// Games that a policy refuses, because of the board or because the start lies on no cycle of its own, are counted apart.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Policies, separated by commas [default: all that claim to win]
    #[arg(long, value_delimiter = ',')]
    policies: Vec<String>,
    /// Boards, separated by commas: each a board, or all boards from one to another, such as 2x2..12x12
    #[arg(long, value_delimiter = ',', default_value = "2x2..12x12")]
    boards: Vec<Boards>,
    /// Lengths at the start: one, or all from one to another
    #[arg(long, default_value = "1..5")]
    start_lengths: Lengths,
    /// Games of each policy on each board from each length
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Seed that the games are derived from
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads [default: all cores]
    #[arg(long)]
    threads: Option<usize>,
}

/// Boards with sides between two boards' sides, both included.
#[derive(Clone, Debug)]
struct Boards {
    first: Board,
    last: Board,
}

impl FromStr for Boards {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Boards, String> {
        let parse = |text: &str| text.parse::<Board>().map_err(|error| error.to_string());
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let (first, last) = (parse(first)?, parse(last)?);
        if first.is_torus() != last.is_torus() || first.width() > last.width() || first.height() > last.height() {
            return Err(format!("expected boards from a smaller to a larger one, both torus or neither, got {text}"));
        }
        Ok(Boards { first, last })
    }
}

impl Boards {
    fn all(&self) -> Result<Vec<Board>> {
        let mut boards = Vec::new();
        for width in self.first.width()..=self.last.width() {
            for height in self.first.height()..=self.last.height() {
                let board = Board::new(u8::try_from(width)?, u8::try_from(height)?)?;
                boards.push(if self.first.is_torus() { board.torus() } else { board });
            }
        }
        Ok(boards)
    }
}

/// Lengths from one to another, both included.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    first: u8,
    last: u8,
}

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Lengths, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Lengths { first, last }),
            _ => Err(format!("expected a length or lengths from 1 up, such as 1..5, got {text}")),
        }
    }
}

/// What a policy's games come to.
#[derive(Default)]
struct Tally {
    won: usize,
    games: usize,
    refused: usize,
    boards: usize,
    /// The first game lost or cut off on each board from each length: rules, number, end.
    losses: Vec<(Rules, usize, End)>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.games == 0 {
        return Err(Error::new("the number of games must be at least 1, got 0"));
    }
    let claiming = || SOLVERS.iter().filter(|known| known.wins.is_some()).map(|known| known.name.to_owned()).collect();
    let names: Vec<String> = if arguments.policies.is_empty() { claiming() } else { arguments.policies.clone() };
    let policies = Named::all(&names, "cpu")?;
    let mut boards = Vec::new();
    for range in &arguments.boards {
        boards.extend(range.all()?);
    }
    let threads = arguments.threads.unwrap_or_else(evaluate::all_cores);
    interrupt::listen()?;
    let bar = ProgressBar::new((policies.len() * boards.len()) as u64);
    let mut broken = false;
    for policy in &policies {
        let mut tally = Tally::default();
        for &board in &boards {
            let games_before = tally.games;
            for length in arguments.start_lengths.first..=arguments.start_lengths.last {
                // Not every length fits on every board.
                let Ok(rules) = Rules::new(board).with_start(Start::Random { length, margin: 0 }) else { continue };
                let config = Evaluation {
                    threads,
                    refused: Refused::LeaveOut,
                    ..Evaluation::new(rules, arguments.seed, arguments.games)
                };
                let played = match hognose_eval::evaluate(|| policy.player(), &config, |_| interrupt::go_on()) {
                    Err(EvalError::Interrupted) => return Ok(Outcome::Interrupted),
                    played => played?,
                };
                let episodes = &played.episodes;
                tally.games += episodes.len();
                tally.refused += played.refused;
                tally.won += episodes.iter().filter(|episode| episode.end == End::Won).count();
                if let Some(lost) = episodes.iter().find(|episode| episode.end != End::Won) {
                    let game = (0..arguments.games).find(|&game| config.game_seed(game) == lost.seed);
                    tally.losses.push((rules, game.expect("every seed has its game"), lost.end));
                }
            }
            tally.boards += usize::from(tally.games > games_before);
            bar.inc(1);
        }
        let (name, Tally { won, games, refused, boards: played, losses }) = (policy.name(), &tally);
        let all = boards.len();
        bar.suspend(|| {
            say!("{name}: won {won} of {games} games on {played} of {all} boards; refused {refused} games");
            if policy.claims_to_win() {
                for (rules, game, end) in losses {
                    let (board, length, seed) = (rules.board(), rules.start_length(), arguments.seed);
                    say!("  BROKEN CLAIM on {board}: game {game} ended by {end:?}; see it with");
                    say!("  hognose watch --policy {name} --board {board} --start-length {length} --seed {seed} --game {game}");
                }
            }
        });
        broken |= policy.claims_to_win() && !losses.is_empty();
    }
    bar.finish_and_clear();
    Ok(if broken { Outcome::Failed } else { Outcome::Done })
}
