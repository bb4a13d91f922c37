//! Evaluations do not depend on threads or on how policies are batched, and report what happened.

use hognose_eval::{
    End, EvalError, Evaluation, Interval, Limits, PolicyGame, RefusedGames, SELECTION, Summary,
    evaluate, regret,
};
use hognose_game::{
    Allowed, BatchPolicy, Board, Choice, Direction, Forfeit, LegalMoves, MakePolicy, Player,
    Policy, Position, Rules, Unsupported,
};
use hognose_solvers::{Greedy, Hamiltonian, Random, SafeMoves};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Plays the first legal move in single games, or the first allowed move in batches.
struct First;

impl MakePolicy for First {
    fn make(&self, _position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(First))
    }
}

impl Policy for First {
    fn act(&mut self, position: &Position) -> Direction {
        position
            .legal_moves()
            .iter()
            .next()
            .unwrap_or(position.heading())
    }
}

impl BatchPolicy for First {
    fn check(&self, _position: &Position) -> Result<(), Unsupported> {
        Ok(())
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        for ((position, allowed), choice) in positions.iter().zip(allowed).zip(choices) {
            let direction = allowed.moves.iter().next().unwrap_or(position.heading());
            *choice = Choice {
                direction,
                forbidden: direction != First.act(position),
            };
        }
    }
}

fn config(games: usize, threads: usize) -> Evaluation {
    let rules = Rules::new(Board::new(6, 6).unwrap());
    Evaluation {
        threads,
        ..Evaluation::new(rules, 3, games)
    }
}

fn time_limit(steps: u32) -> Limits {
    Limits {
        time_limit: Some(steps),
        ..config(1, 1).limits
    }
}

fn play(make: impl Fn() -> Player, config: &Evaluation) -> hognose_eval::Played {
    evaluate(make, config, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn results_depend_on_neither_threads_nor_batches() {
    let single = || Player::Single(Arc::new(First));
    let batch = || Player::Batch(Box::new(First), LegalMoves::maker());
    let reference = play(single, &config(200, 1)).episodes;
    assert_eq!(play(single, &config(200, 3)).episodes, reference);
    assert_eq!(play(batch, &config(200, 1)).episodes, reference);
    assert_eq!(play(batch, &config(200, 2)).episodes, reference);
    assert_eq!(play(single, &config(50, 2)).episodes, reference[..50]);
    let safe = || Player::Batch(Box::new(First), SafeMoves::maker());
    let summary = Summary::new(
        "safe",
        config(20, 1).rules.board(),
        &play(safe, &config(20, 1)),
    );
    assert!(summary.wins == 20 && summary.forbidden > 0.0, "{summary:?}");
    let random =
        |threads| play(|| Player::Single(Arc::new(Random)), &config(100, threads)).episodes;
    assert_eq!(random(1), random(2));
    let selection = Evaluation {
        purpose: SELECTION,
        ..config(200, 1)
    };
    let seeds =
        |episodes: &[hognose_eval::Episode]| episodes.iter().map(|e| e.seed).collect::<Vec<_>>();
    let others = seeds(&play(single, &selection).episodes);
    assert!(seeds(&reference).iter().all(|seed| !others.contains(seed)));
}

#[test]
fn summaries_count_what_happened() {
    let config = config(300, 2);
    let hamiltonian = play(|| Player::Single(Arc::new(Hamiltonian::default())), &config);
    let greedy = play(|| Player::Single(Arc::new(Greedy)), &config);
    let board = config.rules.board();
    let summary = Summary::new("hamiltonian", board, &hamiltonian);
    assert_eq!(
        (summary.wins, summary.mean_length, summary.coverage),
        (300, 36.0, 1.0)
    );
    // (A-1)(A+2)/4 = 332.5.
    let interval = summary.mean_steps_won_interval.unwrap();
    assert!((summary.mean_steps_won.unwrap() - 332.5).abs() < 3.0 * (interval.high - interval.low));
    let other = Summary::new("greedy", board, &greedy).paired_with(
        "hamiltonian",
        &hamiltonian.episodes,
        &greedy.episodes,
    );
    // The costs of foods by length give the same number: both exclude the steps after the last
    // food.
    let foods: u64 = greedy.costs.iter().map(|cost| cost.foods).sum();
    let steps: u64 = greedy.costs.iter().map(|cost| cost.steps).sum();
    assert_eq!(other.steps_per_food, Some(steps as f64 / foods as f64));
    assert!(steps < greedy.episodes.iter().map(|episode| episode.steps).sum());
    assert_eq!(
        greedy
            .episodes
            .iter()
            .map(|episode| episode.steps - episode.hunger)
            .sum::<u64>(),
        steps
    );
    let ends = other.ends;
    assert_eq!(ends.won + ends.wall + ends.body + ends.limit, 300);
    let paired = other.paired.unwrap();
    assert_eq!(paired.both_won, ends.won);
    assert!((paired.length - (other.mean_length - 36.0)).abs() < 1e-9);
    assert!(
        greedy
            .episodes
            .iter()
            .any(|episode| episode.end != End::Won)
    );
}

#[test]
fn what_cannot_be_played_is_refused() {
    let hamiltonian = || Player::Single(Arc::new(Hamiltonian::default()));
    let run = |config: &Evaluation| {
        evaluate(hamiltonian, config, |_| ControlFlow::Continue(())).unwrap_err()
    };
    assert_eq!(run(&config(0, 1)), EvalError::Zero("games"));
    assert_eq!(run(&config(1, 0)), EvalError::Zero("threads"));
    let starving = Limits {
        starvation: Some(0),
        ..Limits::NONE
    };
    let error = run(&Evaluation {
        limits: starving,
        ..config(1, 1)
    });
    assert_eq!(
        error.to_string(),
        "the number of steps until starvation must be at least 1, got 0"
    );
    let odd = Evaluation {
        rules: Rules::new(Board::new(5, 5).unwrap()),
        ..config(10, 2)
    };
    assert!(matches!(run(&odd), EvalError::Unsupported(_)));
    let left_out = play(
        hamiltonian,
        &Evaluation {
            refused: RefusedGames::LeaveOut,
            ..odd
        },
    );
    let short = play(
        hamiltonian,
        &Evaluation {
            limits: time_limit(50),
            ..config(10, 1)
        },
    );
    assert!(
        short
            .episodes
            .iter()
            .all(|episode| episode.steps == 50 && episode.end == End::Limit)
    );
    assert_eq!(
        (left_out.episodes.len(), left_out.refused),
        (0, (0..10).collect())
    );
    let broken = evaluate(hamiltonian, &config(1000, 2), |_| ControlFlow::Break(()));
    assert_eq!(broken.unwrap_err(), EvalError::Interrupted);
}

/// Made-up values: the first legal move takes 5 steps, the others 6, and up keeps no win certain.
#[test]
fn regret_counts_what_moves_give_away() {
    let worth = |position: &Position| {
        let mut values = [None; 4];
        let sure = position
            .legal_moves()
            .iter()
            .filter(|&direction| direction != Direction::Up);
        sure.enumerate().for_each(|(nth, direction)| {
            values[direction.index()] = Some(if nth == 0 { 5.0 } else { 6.0 })
        });
        Ok(values)
    };
    let short = Evaluation {
        limits: time_limit(20),
        ..config(30, 1)
    };
    let played = play(|| Player::Single(Arc::new(Random)), &short);
    let steps: u64 = played.episodes.iter().map(|episode| episode.steps).sum();
    let regret = {
        let own = |position: &Position| Some(position.len() as f64);
        regret(Arc::new(Random), &short, worth, own, |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    assert_eq!(regret.games, 30);
    // Games with later indices are different: the second half of 60 is not the first.
    let later = |first, games| {
        let own = |_: &Position| None;
        let config = Evaluation {
            first,
            games,
            ..short.clone()
        };
        hognose_eval::regret(Arc::new(Random), &config, worth, own, |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    };
    let all = later(0, 60);
    let halves = [later(0, 30), later(30, 30)];
    assert_eq!(
        all.positions,
        halves.iter().map(|half| half.positions).sum::<usize>()
    );
    assert_eq!(
        all.given_away,
        halves.iter().map(|half| half.given_away).sum::<usize>()
    );
    assert_ne!(halves[0], halves[1]);
    let Interval { low, high } = regret.optimal_moves_interval.unwrap();
    assert!(
        low < regret.optimal_moves && regret.optimal_moves < high,
        "{regret:?}"
    );
    // Every best move takes 5 steps, so there is nothing to correlate with.
    assert_eq!(regret.value_correlation, None);
    assert!(
        regret.positions as u64 <= steps && regret.positions > 300,
        "{regret:?} {steps}"
    );
    let kept = regret.positions - regret.given_away;
    let best = (regret.optimal_moves * regret.positions as f64).round() as usize;
    assert!(
        (regret.steps_per_game * 30.0 - (kept - best) as f64).abs() < 1e-6,
        "{regret:?}"
    );
    assert!(regret.given_away > 50 && best > 100, "{regret:?}");
    let by_length: f64 = regret.steps_by_length.iter().sum();
    assert!((by_length - regret.steps_per_game).abs() < 1e-9);
}

/// Plays like [`First`], but forfeits every game that begins in an even column at its third move.
struct GivesUp {
    moves: Option<u32>,
}

impl Policy for GivesUp {
    fn act(&mut self, position: &Position) -> Direction {
        First.act(position)
    }

    fn try_act(&mut self, position: &Position) -> Result<Direction, Forfeit> {
        if let Some(moves) = &mut self.moves {
            *moves += 1;
            if *moves == 3 {
                return Err(Forfeit(format!("the head is at {:?}", position.head())));
            }
        }
        Ok(self.act(position))
    }
}

#[test]
fn forfeits_are_counted_apart() {
    let gives_up = |position: &Position, _seed: u64| {
        let even = position.board().column(position.head()).is_multiple_of(2);
        Ok(Box::new(GivesUp {
            moves: even.then_some(0),
        }) as Box<dyn Policy>)
    };
    let player = || Player::Single(Arc::new(gives_up));
    let played = play(player, &config(100, 1));
    let forfeited = |episode: &&hognose_eval::Episode| episode.end == End::Forfeit;
    let count = played.episodes.iter().filter(forfeited).count();
    assert!(
        count > 20
            && played
                .episodes
                .iter()
                .filter(forfeited)
                .all(|episode| episode.steps == 2)
    );
    let summary = Summary::new("gives up", config(1, 1).rules.board(), &played);
    let ends = summary.ends;
    assert_eq!(
        (ends.forfeit, ends.won + ends.wall + ends.body + ends.limit),
        (count, 100 - count)
    );
    // The reason is that of the first game, however many threads play.
    assert!(
        summary
            .forfeit
            .as_ref()
            .is_some_and(|reason| reason.starts_with("the head is at "))
    );
    let again = play(player, &config(100, 3));
    assert_eq!(
        (again.episodes, again.forfeit),
        (played.episodes, summary.forfeit)
    );
    assert!(
        play(|| Player::Single(Arc::new(First)), &config(5, 1))
            .forfeit
            .is_none()
    );
}

#[test]
fn a_game_played_move_by_move_equals_the_game_of_the_evaluation() {
    let usual = config(20, 1);
    let starts = (0..3)
        .map(|index| usual.game(index).position().clone())
        .collect();
    for games in [
        usual.clone(),
        Evaluation {
            starts,
            ..usual.clone()
        },
        Evaluation {
            limits: time_limit(5),
            ..usual
        },
    ] {
        let episodes = play(|| Player::Single(Arc::new(Random)), &games).episodes;
        for (index, episode) in episodes.iter().enumerate() {
            let mut game = PolicyGame::new(&Random, &games, index).unwrap();
            while !game.is_over() {
                game.step();
            }
            assert_eq!(
                (game.steps() as u64, game.position().len()),
                (episode.steps, episode.length)
            );
            let replayed = game.record().replay().unwrap();
            assert_eq!(
                (replayed.seed(), replayed.position()),
                (episode.seed, game.position())
            );
        }
    }
    let gives_up =
        |_: &Position, _seed: u64| Ok(Box::new(GivesUp { moves: Some(0) }) as Box<dyn Policy>);
    let mut game = PolicyGame::new(&gives_up, &config(1, 1), 0).unwrap();
    while !game.is_over() {
        game.step();
    }
    assert!(game.forfeit().is_some() && game.record().moves().len() == 2);
}
