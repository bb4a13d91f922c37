//! `hognose verify`: checks that policies win where they claim to.

use crate::arguments::{PolicyArguments, ThreadArguments, boards_of, rules_words, shell, trimmed};
use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::{interrupt, progress};
use hognose_eval::{End, EvalError, Evaluation, RefusedGames};
use hognose_game::{Board, BoardRange, Position, Rules, Start};
use hognose_policies::{NamedPolicy, SOLVERS};
use hognose_solvers::{Enumerated, certificates_win};
use indicatif::ProgressBar;
use std::str::FromStr;

/// Check that policies win every game where they claim to, from starts of every length
///
/// Without --policies, all solvers that claim to win play.
///
/// Every start of a length is played if there are no more starts than games; otherwise starts are
/// sampled. Foods are always sampled. Games that a policy refuses, because of the board or because
/// the start lies on none of its cycles, are counted separately.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    policies: PolicyArguments,
    /// Comma-separated boards or ranges of boards, such as 2x2..12x12
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = trimmed::<BoardRange>,
        default_value = "2x2..12x12"
    )]
    boards: Vec<BoardRange>,
    /// Initial length, or a range of lengths
    #[arg(long, default_value = "1..5")]
    start_lengths: Lengths,
    /// Start with all bodies of these lengths, including bent ones, each at least once
    #[arg(long)]
    bent: bool,
    /// Games per policy, board and length; rounded up so that all starts are played equally often
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// Random seed of the games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArguments,
    /// Enumerate the certificates on these boards instead of playing games
    ///
    /// This verifies what `certified` and safe moves rely on: from every body in order along any
    /// cycle, with food on any cell, following the cycle eats the food and keeps the body in order.
    #[arg(long, value_delimiter = ',', value_parser = trimmed::<BoardRange>)]
    #[arg(conflicts_with_all = [
        "policies", "policy", "boards", "start_lengths", "bent", "games", "seed", "threads"
    ])]
    certificates: Vec<BoardRange>,
}

/// A range of lengths, both ends included.
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
            _ => Err(format!(
                "expected a length or lengths from 1 to 255, such as 1..5, got {text}"
            )),
        }
    }
}

/// The results of a policy's games.
#[derive(Default)]
struct Tally {
    won: usize,
    games: usize,
    refused: usize,
    forfeits: usize,
    /// The reason of the first forfeit.
    forfeit: Option<String>,
    boards: usize,
    /// The number of these boards on which every start was played.
    enumerated: usize,
    /// For each board and length, the first game that was lost or cut off: the command that shows
    /// it, and its end.
    losses: Vec<(String, End)>,
}

/// Returns the rules of games that begin with bodies of this length, and all their starts, or none
/// if they are to be sampled; `None` if no such body fits on the board.
fn starts(arguments: &Arguments, board: Board, length: u8) -> Option<(Rules, Vec<Position>)> {
    if arguments.bent {
        let rules = Rules::new(board);
        let bodies = rules.bodies(length.into());
        return (!bodies.is_empty()).then_some((rules, bodies));
    }
    let rules = Rules::new(board)
        .with_start(Start::Random { length, margin: 0 })
        .ok()?;
    let all = rules.start_count() <= arguments.games;
    Some((
        rules,
        if all {
            rules.starts().collect()
        } else {
            Vec::new()
        },
    ))
}

/// Plays the policies on all boards, and prints a line for each policy. Fails if one lost where it
/// claims to win.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    if arguments.games == 0 {
        return Err(Error::new("the number of games must be at least 1, got 0"));
    }
    let mut names = arguments.policies.names();
    if names.is_empty() {
        let claiming = SOLVERS.iter().filter(|known| known.wins.is_some());
        names = claiming.map(|known| known.name.to_owned()).collect();
    }
    if !arguments.certificates.is_empty() {
        return enumerate(&boards_of(&arguments.certificates));
    }
    let policies = arguments.policies.catalog().policies(&names)?;
    let boards = boards_of(&arguments.boards);
    let threads = arguments.threads.count();
    interrupt::listen()?;
    let bar = ProgressBar::new((policies.len() * boards.len()) as u64);
    let mut broken = false;
    let mut any = false;
    for policy in &policies {
        let mut tally = Tally::default();
        let mut interrupted = false;
        'boards: for &board in &boards {
            let games_before = tally.games;
            let mut enumerated = true;
            for length in arguments.start_lengths.first..=arguments.start_lengths.last {
                let Some((rules, starts)) = starts(arguments, board, length) else {
                    continue;
                };
                enumerated &= !starts.is_empty();
                // Play every start equally often.
                let games = starts
                    .len()
                    .max(1)
                    .saturating_mul(arguments.games.div_ceil(starts.len().max(1)));
                let config = Evaluation {
                    threads,
                    starts,
                    refused: RefusedGames::LeaveOut,
                    ..Evaluation::new(rules, arguments.seed, games)
                };
                let played = match progress::play(policy, &config, &ProgressBar::hidden()) {
                    Err(EvalError::Interrupted) => {
                        interrupted = true;
                        break 'boards;
                    }
                    played => played?,
                };
                let episodes = &played.episodes;
                tally.games += episodes.len();
                tally.refused += played.refused.len();
                let ended = |by: End| episodes.iter().filter(|episode| episode.end == by).count();
                tally.won += ended(End::Won);
                tally.forfeits += ended(End::Forfeit);
                tally.forfeit = tally.forfeit.take().or(played.forfeit);
                if let Some(lost) = episodes.iter().find(|episode| episode.end != End::Won) {
                    let game = (0..games).find(|&game| config.game_seed(game) == lost.seed);
                    tally.losses.push((
                        how_to_see(policy, &config, game.expect("every seed has its game"))?,
                        lost.end,
                    ));
                }
            }
            let played = tally.games > games_before;
            tally.boards += usize::from(played);
            tally.enumerated += usize::from(played && enumerated);
            bar.inc(1);
        }
        let (
            name,
            Tally {
                won,
                games,
                refused,
                boards: played,
                enumerated,
                losses,
                ..
            },
        ) = (policy.name(), &tally);
        let all = boards.len();
        bar.suspend(|| {
            say!(
                "{name}: won {won} of {games} games on {played} of {all} boards, from every start \
                 on {enumerated}; refused {refused} games"
            );
            if let Some(reason) = &tally.forfeit {
                say!("  forfeited {} games; the first: {reason}", tally.forfeits);
            }
            if policy.claims_to_win() {
                for (how, end) in losses {
                    say!("  BROKEN CLAIM: a game ended by {end:?}; see it with");
                    say!("  {how}");
                }
            }
        });
        any |= tally.games > 0;
        broken |= policy.claims_to_win() && !losses.is_empty();
        if interrupted {
            bar.finish_and_clear();
            say!("interrupted: the last line covers only part of the games");
            return Ok(if broken {
                Outcome::Failed
            } else {
                Outcome::Interrupted
            });
        }
    }
    bar.finish_and_clear();
    if !any {
        return Err(Error::new(
            "expected a start that a policy plays, got none: nothing was verified",
        ));
    }
    Ok(if broken {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

/// Returns the command that shows a game or, if no command can start it since its body is bent, the
/// game's seed and its start.
fn how_to_see(policy: &NamedPolicy, config: &Evaluation, game: usize) -> Result<String> {
    let name = policy.name();
    let board = config.rules.board();
    let start = config.game(game);
    let position = start.position();
    let column = board.column(position.head()) as u8;
    let row = board.row(position.head()) as u8;
    let straight = Start::Fixed {
        column,
        row,
        heading: position.heading(),
        length: position.len() as u8,
    };
    match config.rules.with_start(straight) {
        Ok(rules) if rules.starts().all(|start| start.body().eq(position.body())) => {
            let seed = config.seed.to_string();
            let game = game.to_string();
            let rules = rules_words(rules);
            let mut words = vec!["hognose", "watch", "--policy", name];
            words.extend(rules.iter().map(String::as_str));
            shell(words.into_iter().chain(["--seed", &seed, "--game", &game]))
        }
        _ => Ok(format!(
            "game of seed {} by {name} on {board} from\n{position}",
            start.seed()
        )),
    }
}

/// Verifies for every certificate of some boards that following it wins.
fn enumerate(boards: &[Board]) -> Result<Outcome> {
    for board in boards {
        let most = if board.is_torus() { 20 } else { 36 };
        if board.area() > most {
            let message = format!(
                "{board} has too many cycles: expected boards of at most 36 cells, on a torus 20"
            );
            return Err(Error::new(message));
        }
    }
    interrupt::listen()?;
    let mut outcome = Outcome::Done;
    for &board in boards {
        let bar = ProgressBar::no_length();
        let enumerated = certificates_win(board, |finished, of| {
            bar.set_length(of as u64);
            bar.set_position(finished as u64);
            interrupt::go_on()
        });
        bar.finish_and_clear();
        match enumerated {
            Ok(Some(Enumerated {
                certificates,
                bodies,
                walks,
            })) => say!(
                "{board}: following wins: {certificates} certificates (one of each set \
                 of images), {bodies} bodies in order, {walks} walks to food"
            ),
            Ok(None) => return Ok(Outcome::Interrupted),
            Err(walk) => {
                say!("BROKEN CLAIM on {walk}");
                outcome = Outcome::Failed;
            }
        }
    }
    Ok(outcome)
}
