//! `hognose verify`: whether policies win where they claim to.

use crate::error::{Error, Result};
use crate::{Outcome, evaluate, interrupt, say};
use hognose_eval::{EVALUATION, End, EvalError, Evaluation};
use hognose_game::{Board, Rules};
use hognose_policies::{Named, SOLVERS};
use indicatif::ProgressBar;
use std::str::FromStr;

/// Play every policy on every board and fail if one loses where it claims to win
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Policies, separated by commas [default: all that claim to win]
    #[arg(long, value_delimiter = ',')]
    policies: Vec<String>,
    /// A board, or all boards from one to another, such as 2x2..12x12
    #[arg(long, default_value = "2x2..12x12")]
    boards: Boards,
    /// Games of each policy on each board
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

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.games == 0 {
        return Err(Error::new("the number of games must be at least 1, got 0"));
    }
    let claiming = || SOLVERS.iter().filter(|known| known.claims_to_win).map(|known| known.name.to_owned()).collect();
    let names: Vec<String> = if arguments.policies.is_empty() { claiming() } else { arguments.policies.clone() };
    let policies = Named::all(&names, "cpu")?;
    let boards = arguments.boards.all()?;
    let threads = arguments.threads.unwrap_or_else(evaluate::all_cores);
    interrupt::listen()?;
    let bar = ProgressBar::new((policies.len() * boards.len()) as u64);
    let mut broken = false;
    for policy in &policies {
        let (mut played_boards, mut refused, mut games, mut won, mut losses) = (0, 0, 0, 0, Vec::new());
        for &board in &boards {
            let rules = Rules::new(board);
            let limit = Evaluation::default_limit(rules);
            let (seed, games_each) = (arguments.seed, arguments.games);
            let config = Evaluation { rules, seed, purpose: EVALUATION, games: games_each, limit, threads };
            match hognose_eval::evaluate(|| policy.player(), &config, |_| interrupt::go_on()) {
                Ok(played) => {
                    let episodes = &played.episodes;
                    played_boards += 1;
                    games += episodes.len();
                    won += episodes.iter().filter(|episode| episode.end == End::Won).count();
                    if let Some(game) = episodes.iter().position(|episode| episode.end != End::Won) {
                        losses.push((board, game, episodes[game].end));
                    }
                }
                Err(EvalError::Unsupported(_)) => refused += 1,
                Err(EvalError::Interrupted) => return Ok(Outcome::Interrupted),
                Err(error) => return Err(error.into()),
            }
            bar.inc(1);
        }
        let name = policy.name();
        bar.suspend(|| {
            say!("{name}: won {won} of {games} games on {played_boards} boards; refused {refused} boards");
            if policy.claims_to_win() {
                for (board, game, end) in &losses {
                    let seed = arguments.seed;
                    say!("  BROKEN CLAIM on {board}: game {game} ended by {end:?}; see it with");
                    say!("  hognose watch --policy {name} --board {board} --seed {seed} --game {game}");
                }
            }
        });
        broken |= policy.claims_to_win() && !losses.is_empty();
    }
    bar.finish_and_clear();
    Ok(if broken { Outcome::Failed } else { Outcome::Done })
}
