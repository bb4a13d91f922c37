//! Tournaments are the same on any number of threads and however often they are interrupted;
//! forfeits are counted separately.

use hognose_eval::tournament::{Schedule, Tournament, TournamentError};
use hognose_game::duel::{Bot, DuelPosition, DuelRules, DuelStart, HeadOn, MakeBot, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, Forfeit, Unsupported};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The behavior of a bot.
#[derive(Clone, Copy)]
enum Kind {
    /// Plays a random legal move.
    Random,
    /// Moves toward the food if that is legal, otherwise plays a random legal move.
    Search,
    /// Moves toward the food if that is legal, otherwise plays the first legal move.
    Cautious,
    /// Turns toward the food if that is legal, otherwise goes straight, otherwise turns right. It
    /// thus plays the image of a position like the position itself.
    Symmetric,
    /// Forfeits after this many steps.
    GivesUp(u32),
    /// Thinks for a minute at this step.
    Thinks(u32),
}

struct TestBot {
    kind: Kind,
    seat: Seat,
    draws: Generator,
    ended: Option<Arc<AtomicU64>>,
}

impl Bot for TestBot {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let view = position.view(self.seat);
        let board = position.board();
        let legal: Vec<Direction> = view.legal_moves().iter().collect();
        let Some(nth) = legal.len().checked_sub(1) else {
            return Direction::Up;
        };
        let food = position.foods()[0].cell;
        let head = view.me().head();
        let legal = match self.kind {
            Kind::Symmetric => {
                let turns = Direction::ALL.map(|turn| {
                    Direction::from_index((view.me().heading().index() + turn.index()) % 4)
                });
                turns
                    .into_iter()
                    .filter(|turn| legal.contains(turn))
                    .collect()
            }
            _ => legal,
        };
        let nearer = legal.iter().find(|&&direction| {
            let next = board.neighbor(head, direction);
            next.is_some_and(|next| board.distance(next, food) < board.distance(head, food))
        });
        match (self.kind, nearer) {
            (Kind::Search | Kind::Cautious | Kind::Symmetric, Some(&direction)) => direction,
            (Kind::Cautious | Kind::Symmetric, None) => legal[0],
            _ => legal[rng::below(&mut self.draws, nth as u64 + 1) as usize],
        }
    }

    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        match self.kind {
            Kind::Thinks(step) if position.steps() == step => {
                std::thread::sleep(Duration::from_secs(60));
                Ok(Direction::Up)
            }
            Kind::GivesUp(steps) if position.steps() >= steps => Err(Forfeit("enough".to_owned())),
            _ => Ok(self.act(position)),
        }
    }

    fn end(&mut self, _: &DuelPosition) {
        if let Some(ended) = &self.ended {
            ended.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn bot(kind: Kind) -> Arc<dyn MakeBot> {
    counted(kind, None)
}

/// Returns a bot that counts the games whose end it was notified of.
fn counted(kind: Kind, ended: Option<Arc<AtomicU64>>) -> Arc<dyn MakeBot> {
    Arc::new(move |_: &DuelPosition, seat: Seat, seed: u64| {
        let draws = rng::keyed(seed, Purpose::new("test"), 0);
        Ok(Box::new(TestBot {
            kind,
            seat,
            draws,
            ended: ended.clone(),
        }) as Box<dyn Bot>)
    })
}

fn bots() -> [Arc<dyn MakeBot>; 3] {
    [bot(Kind::Random), bot(Kind::Search), bot(Kind::Random)]
}

fn tournament(names: &[&str], games: usize) -> Tournament {
    let names = names.iter().map(|name| (*name).to_owned());
    Tournament::new(Schedule::new(DuelRules::ai_snakes_2021(), names, games, 7).unwrap())
}

const NAMES: [&str; 3] = ["random", "search", "other"];

fn played(threads: usize) -> Tournament {
    let mut tournament = tournament(&NAMES, 20);
    tournament
        .play(&bots(), threads, |_| ControlFlow::Continue(()))
        .unwrap();
    tournament
}

#[test]
fn threads_change_nothing() {
    let one = played(1);
    assert!(one.is_finished() && one.duels().len() == 60);
    for threads in [2, 3, 100] {
        let other = played(threads);
        assert_eq!(
            (one.duels(), one.ranking()),
            (other.duels(), other.ranking())
        );
    }
    let ranking = one.ranking();
    assert_eq!(ranking.bots[0].bot, "search");
    let counts: usize = ranking
        .bots
        .iter()
        .map(|row| row.wins + row.losses + row.draws)
        .sum();
    assert_eq!(counts, 2 * 60);
    let decisions: u64 = one.speeds().iter().map(|speed| speed.decisions).sum();
    assert_eq!(
        decisions,
        2 * one
            .duels()
            .iter()
            .map(|duel| u64::from(duel.steps))
            .sum::<u64>()
    );
}

/// Returns games between two bots of the same kind, with these rules.
fn equal_bots(rules: DuelRules, kind: Kind) -> Tournament {
    let names = ["one", "other"].map(str::to_owned);
    let mut tournament = Tournament::new(Schedule::new(rules, names, 40, 7).unwrap());
    tournament
        .play(&[bot(kind), bot(kind)], 2, |_| ControlFlow::Continue(()))
        .unwrap();
    tournament
}

/// The second of two games is the image of the first: bots that play an image like its original
/// play one game twice, once from each seat.
#[test]
fn pairs_are_exact_images() {
    let tournament = equal_bots(DuelRules::ai_snakes_2021(), Kind::Symmetric);
    for pair in tournament.duels().chunks(2) {
        let game = &pair[0];
        let image = &pair[1];
        assert_eq!(
            (game.winner, game.steps),
            (image.winner.map(Seat::other), image.steps)
        );
        let exchanged = [1, 0];
        assert_eq!(game.causes, exchanged.map(|seat| image.causes[seat]));
        assert_eq!(game.lengths, exchanged.map(|seat| image.lengths[seat]));
        assert_eq!(game.foods, exchanged.map(|seat| image.foods[seat]));
    }
    let [first, second] = tournament.ranking().seats.wins;
    assert!(first == second && first > 5, "{first} {second}");
}

/// Equal bots share the points of each seed, since each meets what the other met.
#[test]
fn equal_bots_score_one_half() {
    let rules = DuelRules::ai_snakes_2020();
    let unfair = DuelStart {
        column: 4,
        ..rules.start(Seat::First)
    };
    let unfair = rules
        .with_board(rules.board(), [unfair, rules.start(Seat::Second)])
        .unwrap();
    for (rules, returns) in [(rules, [3, 2, 1, 0]), (unfair, [1, 0, 3, 2])] {
        let tournament = equal_bots(rules, Kind::Cautious);
        let pair = &tournament.ranking().pairs[0];
        assert!(pair.wins[0] == pair.wins[1] && pair.wins[0] > 5, "{pair:?}");
        for games in tournament.duels().chunks(4) {
            for (game, other) in games.iter().zip(returns.map(|other| &games[other])) {
                assert_eq!((game.winner, game.steps), (other.winner, other.steps));
            }
        }
    }
}

/// The rating, score and games of two bots do not depend on who else plays.
#[test]
fn a_pair_plays_the_same_games_in_every_tournament() {
    let mut pair = tournament(&NAMES[..2], 20);
    pair.play(&bots()[..2], 1, |_| ControlFlow::Continue(()))
        .unwrap();
    assert_eq!(pair.ranking().pairs[0], played(1).ranking().pairs[0]);
}

#[test]
fn an_interrupted_tournament_resumes_to_the_same_result() {
    let whole = played(1);
    let mut parts = tournament(&NAMES, 10);
    let mut rounds = 0;
    loop {
        let before = parts.duels().len();
        let result = parts.play(&bots(), 2, |progress| match progress.played.len() {
            finished if finished < before + 9 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        rounds += 1;
        if parts.is_finished() {
            break;
        }
        assert_eq!(result, Err(TournamentError::Interrupted));
        assert!(
            parts.duels().len() >= before + 9 && parts.duels().is_sorted_by_key(|duel| duel.index)
        );
        // As if it was written and read.
        parts = Tournament::from_duels(parts.schedule().clone(), parts.duels().to_vec()).unwrap();
    }
    assert!(rounds > 1);
    let mut longer = parts.with_games(20).unwrap();
    longer
        .play(&bots(), 2, |_| ControlFlow::Continue(()))
        .unwrap();
    assert_eq!(
        (longer.duels(), longer.ranking()),
        (whole.duels(), whole.ranking())
    );
    assert_eq!(
        longer.with_games(10).unwrap_err(),
        TournamentError::Shorter {
            expected: 20,
            got: 10
        }
    );
}

/// Finished games are kept, and nobody waits for a bot that thinks.
#[test]
fn thinking_is_interrupted_within_a_move() {
    let mut tournament = tournament(&["search", "thinker"], 4);
    let started = Instant::now();
    let result = tournament.play(&[bot(Kind::Search), bot(Kind::Thinks(3))], 2, |_| {
        if started.elapsed() < Duration::from_secs(1) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(
        (result, tournament.duels().len()),
        (Err(TournamentError::Interrupted), 0)
    );
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

/// Nor does anybody wait for a bot that thinks before its game.
#[test]
fn making_bots_is_interrupted() {
    let slow: Arc<dyn MakeBot> = Arc::new(|position: &DuelPosition, seat: Seat, seed: u64| {
        std::thread::sleep(Duration::from_secs(60));
        bot(Kind::Search).make(position, seat, seed)
    });
    let started = Instant::now();
    let result =
        tournament(&NAMES[..2], 4).play(&[bot(Kind::Search), slow], 2, |_| ControlFlow::Break(()));
    assert_eq!(result, Err(TournamentError::Interrupted));
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
}

#[test]
#[should_panic(expected = "a maker panics")]
fn panics_of_makers_are_passed_on() {
    let panics: Arc<dyn MakeBot> =
        Arc::new(|_: &DuelPosition, _: Seat, _: u64| panic!("a maker panics"));
    let _ = tournament(&["search", "panics"], 4).play(&[bot(Kind::Search), panics], 2, |_| {
        ControlFlow::Continue(())
    });
}

#[test]
#[should_panic(expected = "a bot panics")]
fn panics_of_bots_are_passed_on() {
    let panics: Arc<dyn MakeBot> = Arc::new(|position: &DuelPosition, seat: Seat, seed: u64| {
        let checked = position.foods().is_empty();
        if checked {
            bot(Kind::Search).make(position, seat, seed)
        } else {
            panic!("a bot panics")
        }
    });
    let _ = tournament(&["search", "panics"], 4).play(&[bot(Kind::Search), panics], 2, |_| {
        ControlFlow::Continue(())
    });
}

/// Tournament files are read, unless their games contradict themselves or the rules.
#[test]
fn written_tournaments_are_checked() {
    let fixed = DuelRules::ai_snakes_2021();
    let wild = fixed
        .with_values(1..=3)
        .unwrap()
        .with_step_limit(30)
        .unwrap()
        .with_head_on(HeadOn::Draw);
    for rules in [fixed, wild] {
        let mut tournament =
            Tournament::new(Schedule::new(rules, NAMES.map(str::to_owned), 100, 3).unwrap());
        let bots = [
            bot(Kind::Cautious),
            bot(Kind::Search),
            bot(Kind::GivesUp(25)),
        ];
        tournament
            .play(&bots, 2, |_| ControlFlow::Continue(()))
            .unwrap();
        let written = serde_json::to_value(&tournament).unwrap();
        let read: Tournament = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(
            (read.duels(), read.ranking().bots),
            (tournament.duels(), tournament.ranking().bots)
        );
        let wrong = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut changed = written.clone();
            change(&mut changed["duels"][7]);
            let error = serde_json::from_value::<Tournament>(changed)
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("game 7 contradicts itself or the rules: "),
                "{error}"
            );
        };
        wrong(&|duel| duel["steps"] = 901.into());
        wrong(&|duel| duel["lengths"] = serde_json::json!([3, 1000]));
        wrong(&|duel| duel["lengths"] = serde_json::json!([2, 3]));
        wrong(&|duel| duel["foods"] = serde_json::json!([1000, 0]));
        wrong(&|duel| duel["causes"] = serde_json::json!([null, null]));
        wrong(&|duel| duel["causes"] = serde_json::json!(["step-limit", "wall"]));
        wrong(&|duel| duel["forfeits"] = serde_json::json!(["reason", "reason"]));
    }
}

/// More games than any memory holds.
#[test]
fn long_tournaments_begin_at_once() {
    let mut long = tournament(&NAMES, usize::MAX / 18 * 2);
    let result = long.play(&bots(), 2, |progress| match progress.played.len() {
        0..20 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    assert_eq!(result, Err(TournamentError::Interrupted));
    let played: Vec<usize> = long.duels().iter().map(|duel| duel.index).collect();
    assert!(
        played.len() >= 20 && played[..10] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "{played:?}"
    );
}

#[test]
fn forfeits_lose_and_are_counted_apart() {
    let ended = Arc::new(AtomicU64::new(0));
    let bots = [
        counted(Kind::Search, Some(ended.clone())),
        bot(Kind::GivesUp(2)),
        bot(Kind::GivesUp(2)),
    ];
    let mut tournament = tournament(&["search", "weary", "tired"], 4);
    let mut forfeits = 0;
    tournament
        .play(&bots, 2, |progress| {
            forfeits += progress
                .ended
                .map_or(0, |duel| duel.forfeits.iter().flatten().count());
            ControlFlow::Continue(())
        })
        .unwrap();
    let ranking = tournament.ranking();
    assert_eq!(
        (
            ranking.bots[0].bot.as_str(),
            ranking.bots[0].wins,
            ranking.bots[0].ends.forfeit.wins
        ),
        ("search", 8, 8)
    );
    for row in &ranking.bots[1..] {
        let forfeit = row.ends.forfeit;
        assert_eq!(
            (row.losses, row.draws, forfeit.losses, forfeit.draws),
            (4, 4, 4, 4)
        );
        assert_eq!(
            (row.forfeit.as_deref(), row.mean_steps),
            (Some("enough"), Some(2.0))
        );
    }
    assert_eq!(
        (forfeits, ended.load(Ordering::Relaxed)),
        (4 * 2 + 4 * 2, 8)
    );
    assert!(ranking.bots.iter().all(|row| row.rating.is_finite()));
}

#[test]
fn refusals_come_before_any_game() {
    let refuses: Arc<dyn MakeBot> = Arc::new(|_: &DuelPosition, seat: Seat, _: u64| match seat {
        Seat::First => Ok(Box::new(TestBot {
            kind: Kind::Search,
            seat,
            draws: rng::keyed(0, Purpose::new("test"), 0),
            ended: None,
        }) as Box<dyn Bot>),
        Seat::Second => Err(Unsupported("the first seat alone".to_owned())),
    });
    let mut tournament = tournament(&NAMES[..2], 4);
    let mut play = |bots: &[Arc<dyn MakeBot>], threads| {
        let result = tournament.play(bots, threads, |_| ControlFlow::Continue(()));
        assert!(tournament.duels().is_empty());
        result.unwrap_err().to_string()
    };
    assert_eq!(
        play(&[bot(Kind::Random), refuses], 1),
        "search: the first seat alone"
    );
    assert_eq!(play(&[bot(Kind::Random)], 1), "expected 2 bots, got 1");
    assert_eq!(
        play(&[bot(Kind::Random), bot(Kind::Random)], 0),
        "the number of threads must be at least 1, got 0"
    );
}
