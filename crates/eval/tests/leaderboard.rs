//! Leaderboards play as many games as precise numbers need, and rank policies.

use hognose_eval::{EndedBy, EvalError, Evaluation, Leaderboard, Played, Summary, evaluate};
use hognose_game::{MakePolicy, Player, Rules};
use hognose_solvers::{Greedy, Hamiltonian, Random, Shortcut};
use std::ops::ControlFlow;
use std::sync::Arc;

const POLICIES: [&str; 4] = ["hamiltonian", "random", "greedy", "shortcut"];

fn player(policy: usize) -> Player {
    let makers: [Arc<dyn MakePolicy>; 4] = [
        Arc::new(Hamiltonian::default()),
        Arc::new(Random),
        Arc::new(Greedy),
        Arc::new(Shortcut::default()),
    ];
    Player::Single(makers[policy].clone())
}

fn rules(board: &str) -> Rules {
    Rules::new(board.parse().unwrap())
}

/// Plays the games of a policy; `None` if it refuses them.
fn games_of(policy: usize, config: &Evaluation) -> Result<Option<Played>, EvalError> {
    match evaluate(|| player(policy), config, |_| ControlFlow::Continue(())) {
        Ok(played) => Ok(Some(played)),
        Err(EvalError::Unsupported(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[test]
fn games_double_until_the_intervals_are_narrow() {
    let mut leaderboard = Leaderboard::new(3, POLICIES, &[rules("4x4")]);
    let mut rounds = Vec::new();
    let played = leaderboard.play(None, |policy, config| {
        if policy == 0 {
            rounds.push((config.first, config.games));
        }
        games_of(policy, config)
    });
    assert_eq!(played, Ok(()));
    let standings = &leaderboard.boards[0];
    assert_eq!(rounds[..3], [(0, 100), (100, 100), (200, 200)]);
    let (first, more) = rounds[rounds.len() - 1];
    assert_eq!(
        (standings.games, standings.ended_by),
        (first + more, Some(EndedBy::Precision))
    );

    // The slow and obvious definition: all games at once, with this number and with half of it.
    let widest = |games: usize| {
        let summaries = (0..POLICIES.len()).map(|policy| {
            let config = Evaluation::new(rules("4x4"), 3, games);
            Summary::new(
                POLICIES[policy],
                config.rules.board(),
                &games_of(policy, &config).unwrap().unwrap(),
            )
        });
        let widths = summaries
            .filter(|summary| summary.win_rate >= 0.5)
            .map(|summary| {
                let interval = summary.mean_steps_won_interval.unwrap();
                (interval.high - interval.low) / 2.0 / summary.mean_steps_won.unwrap()
            });
        widths.reduce(f64::max)
    };
    assert_eq!(standings.widest, widest(standings.games));
    assert!(standings.widest < Some(0.01) && widest(standings.games / 2) >= Some(0.01));
}

/// A policy that wins few games does not rank above one that wins more, however short its wins are.
#[test]
fn wins_come_before_steps() {
    let mut leaderboard = Leaderboard::new(0, POLICIES, &[rules("5x5"), rules("6x6")]);
    leaderboard.play(Some(200), games_of).unwrap();
    let names = |board: usize| {
        leaderboard.boards[board]
            .rows
            .iter()
            .map(|row| row.policy.as_str())
            .collect::<Vec<_>>()
    };
    // No cycle covers 5x5, so two policies refuse it.
    assert_eq!(names(0), ["greedy", "random"]);
    assert_eq!(names(1), ["shortcut", "hamiltonian", "greedy", "random"]);
    let row = |name: &str| leaderboard.boards[1].of(name).unwrap();
    assert!(
        row("greedy").mean_steps_won < row("hamiltonian").mean_steps_won
            && row("greedy").place == 3
    );
    assert_eq!(
        (row("random").wins, row("random").mean_steps_won),
        (0, None)
    );
    assert!(
        leaderboard
            .boards
            .iter()
            .all(|board| (board.games, board.ended_by) == (200, Some(EndedBy::Games)))
    );

    let overall: Vec<&str> = leaderboard
        .policies
        .iter()
        .map(|overall| overall.policy.as_str())
        .collect();
    assert_eq!(overall, ["shortcut", "hamiltonian", "greedy", "random"]);
    let of = |name: &str| {
        leaderboard
            .policies
            .iter()
            .find(|overall| overall.policy == name)
            .unwrap()
    };
    let ratio =
        row("shortcut").mean_steps_won.unwrap() / row("hamiltonian").mean_steps_won.unwrap();
    assert!(
        (of("shortcut").relative_steps.unwrap() - ratio).abs() < 1e-12
            && of("shortcut").boards == 1
    );
    assert!((of("hamiltonian").relative_steps.unwrap() - 1.0).abs() < 1e-12);
    // The first policy does not play 5x5, so only 6x6 counts for relative steps.
    let ratio = row("greedy").mean_steps_won.unwrap() / row("hamiltonian").mean_steps_won.unwrap();
    assert!(
        (of("greedy").relative_steps.unwrap() - ratio).abs() < 1e-12 && of("greedy").boards == 2
    );
    assert_eq!(of("random").relative_steps, None);
}

/// Equal policies share a place, and the place after it is skipped.
#[test]
fn equal_policies_share_a_place() {
    let mut leaderboard = Leaderboard::new(0, ["a", "b", "c"], &[rules("4x4")]);
    leaderboard
        .play(Some(10), |policy, config| {
            games_of(if policy == 2 { 1 } else { 0 }, config)
        })
        .unwrap();
    let places: Vec<(&str, usize)> = leaderboard.boards[0]
        .rows
        .iter()
        .map(|row| (row.policy.as_str(), row.place))
        .collect();
    assert_eq!(places, [("a", 1), ("b", 1), ("c", 3)]);
}

/// An interrupted leaderboard keeps the finished rounds, in which all policies played the same
/// games.
#[test]
fn an_interrupted_leaderboard_keeps_whole_rounds() {
    let boards = [rules("4x4"), rules("4x5")];
    let mut broken = Leaderboard::new(0, POLICIES, &boards);
    let played = broken.play(None, |policy, config| {
        match (policy, config.first, config.rules == boards[1]) {
            (2, 200, true) => Err(EvalError::Interrupted),
            _ => games_of(policy, config),
        }
    });
    assert_eq!(played, Err(EvalError::Interrupted));
    broken.end(EndedBy::Time);
    assert_eq!(broken.boards[1].games, 200);
    assert_eq!(broken.boards[1].ended_by, Some(EndedBy::Time));
    let mut whole = Leaderboard::new(0, POLICIES, &boards[1..]);
    whole.play(Some(200), games_of).unwrap();
    assert_eq!(broken.boards[1].rows, whole.boards[0].rows);
}

#[test]
fn at_least_one_game_is_needed() {
    let mut leaderboard = Leaderboard::new(0, POLICIES, &[rules("4x4")]);
    assert_eq!(
        leaderboard.play(Some(0), games_of),
        Err(EvalError::Zero("games"))
    );
}
