//! Games of the user, and a coach that evaluates moves.

use crate::answer::{Answer, json, text};
use crate::choices::{parse_rules, parse_seed};
use crate::history::History;
use crate::view::{facts, picture};
use crate::watch::reporter;
use crate::worth::{Judge, Scale, Worth, best, judge_of};
use hognose_env::Reach;
use hognose_eval::{LimitedGame, Limits};
use hognose_game::{Direction, Game, MakePolicy, Origin, Overlay, Record, Rules, Status, Turns};
use hognose_solvers::Certified;
use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// A game that the user plays or opened.
#[wasm_bindgen]
pub struct Play {
    origin: Origin,
    history: History,
    turns: Turns,
    reach: Reach,
}

#[wasm_bindgen]
impl Play {
    /// Creates the game that `hognose play` plays with the same rules and seed.
    ///
    /// # Errors
    /// Fails if the rules or the seed are invalid.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str, seed: &str) -> Answer<Play> {
        let rules = parse_rules(rules)?;
        Ok(Play::from(
            Origin::Seed(rules),
            Game::new(rules, parse_seed(seed)?),
        ))
    }

    /// Creates a game with its first moves, as letters: u, r, d, l.
    ///
    /// # Errors
    /// Fails if the moves are invalid or continue after the end of the game.
    pub fn with_moves(rules: &str, seed: &str, moves: &str) -> Answer<Play> {
        let mut play = Play::new(rules, seed)?;
        let moves: Option<Vec<Direction>> = moves.chars().map(Direction::from_letter).collect();
        play.make(&moves.ok_or("expected moves as the letters u, r, d, l")?)?;
        Ok(play)
    }

    /// Opens the game of a record, at its end.
    ///
    /// # Errors
    /// Fails if the text is not a record, or the game does not replay.
    pub fn open(record: &str) -> Answer<Play> {
        let record: Record = record.parse().map_err(text)?;
        record.replay().map_err(text)?;
        let mut play = Play::from(record.origin().clone(), record.start());
        play.make(record.moves())?;
        Ok(play)
    }

    /// Queues a direction: 0 to 3 for up, right, down, left.
    pub fn press(&mut self, direction: usize) {
        let position = self.history.position();
        self.turns.press(
            Direction::from_index(direction % 4),
            position.heading(),
            position.len() == 1,
        );
    }

    /// Returns whether the first direction was pressed.
    pub fn began(&self) -> bool {
        self.turns.began()
    }

    /// Plays the first queued direction, or straight ahead. Removes moves after the shown step.
    pub fn step(&mut self) {
        self.history.cut();
        if self.history.game().end().is_none() {
            let direction = self.turns.next(self.history.position().heading());
            self.history.push(direction, Overlay::default());
        }
    }

    /// Plays a move at once: 0 to 3 for up, right, down, left. Ignores a reversal, unless the snake
    /// has one cell. Returns whether the move was played.
    pub fn go(&mut self, direction: usize) -> bool {
        let position = self.history.position();
        let direction = Direction::from_index(direction % 4);
        let back = position.len() > 1 && direction == position.heading().opposite();
        let made = !back && self.history.game().end().is_none();
        if made {
            self.history.cut();
            self.history.push(direction, Overlay::default());
        }
        made
    }

    /// Shows a step, or the last one if there are fewer, and returns it. Clears queued directions.
    pub fn look_at(&mut self, step: usize) -> usize {
        self.turns = Turns::new(usize::MAX);
        self.history.look_at(step);
        self.history.step()
    }

    /// Returns the picture of the game, optionally with the reachable cells marked.
    pub fn picture(&mut self, reach: bool) -> Vec<f32> {
        picture(
            self.history.position(),
            &Overlay::default(),
            reach.then_some(&mut self.reach),
        )
    }

    /// Returns facts about the game at the shown step, as JSON.
    pub fn facts(&self) -> String {
        facts(&self.history)
    }

    /// Returns the moves so far as letters.
    pub fn moves(&self) -> String {
        self.history
            .moves()
            .iter()
            .map(|direction| direction.letter())
            .collect()
    }

    /// Returns the record of the game so far.
    ///
    /// # Errors
    /// Never fails: the game itself made the moves.
    pub fn record(&self) -> Answer<String> {
        let seed = self.history.game().seed();
        let moves = self.history.moves().to_vec();
        Record::new(self.origin.clone(), seed, moves)
            .map(text)
            .map_err(text)
    }

    /// Returns the board as text.
    pub fn board(&self) -> String {
        self.history.position().board().to_string()
    }

    /// Returns the seed as text.
    pub fn seed(&self) -> String {
        self.history.game().seed().to_string()
    }

    /// Returns the rules as JSON, empty for the default ones, so that board, rules, seed and moves
    /// define the game. `None` if it begins at a given position.
    pub fn rules(&self) -> Option<String> {
        match self.origin {
            Origin::Seed(rules) if rules == Rules::new(rules.board()) => Some(String::new()),
            Origin::Seed(rules) => Some(json(&rules)),
            Origin::Position(_) => None,
        }
    }
}

impl Play {
    fn from(origin: Origin, game: Game) -> Play {
        let reach = Reach::new(game.position().board());
        let history = History::new(LimitedGame::new(game, Limits::NONE), Overlay::default());
        Play {
            origin,
            history,
            turns: Turns::new(usize::MAX),
            reach,
        }
    }

    fn make(&mut self, moves: &[Direction]) -> Answer<()> {
        for (made, &direction) in moves.iter().enumerate() {
            if self.history.game().end().is_some() {
                return Err(format!(
                    "the game ended after {made} moves, but there are {}",
                    moves.len()
                ));
            }
            self.history.push(direction, Overlay::default());
        }
        Ok(())
    }
}

/// An evaluator of moves. It may be slow, so it lives in its own worker, and receives games as
/// records.
#[wasm_bindgen]
pub struct Coach {
    judge: Judge,
}

/// The loss of a move.
#[derive(Serialize)]
struct Given {
    /// The expected steps that a best move would have saved; `null` if the value of the move or of
    /// all moves is unknown.
    steps: Option<f64>,
    /// Whether a win was certain only before the move.
    sure_win: bool,
    /// The best moves, as their numbers.
    best: Vec<usize>,
}

/// The losses of the moves of a game.
#[derive(Default, Serialize)]
struct Review {
    scale: Option<Scale>,
    moves: Vec<Given>,
    /// The steps lost by all moves with a known value.
    steps: f64,
    /// The steps in which `certified` wins the same game; `null` if it refuses the start or the
    /// board is large.
    solver_steps: Option<usize>,
}

/// The largest area on which `certified` plays beside the user: it takes a second on 20x20.
const LARGEST_AREA: usize = 400;

/// Moves whose values differ by less are equally good.
const EQUAL: f64 = 1e-9;

#[wasm_bindgen]
impl Coach {
    /// Creates a coach for the game of a record. A small board is solved first, while `progress`
    /// receives the completed share, from 0 to 1.
    ///
    /// # Errors
    /// Fails if the text is not a record.
    #[wasm_bindgen(constructor)]
    pub fn new(record: &str, progress: &Function) -> Answer<Coach> {
        let record: Record = record.parse().map_err(text)?;
        Ok(Coach {
            judge: judge_of(record.start().position(), &mut reporter(progress)),
        })
    }

    /// Returns the value of each move after `step` steps of a game, as JSON; `null` at its end.
    ///
    /// # Errors
    /// Fails if the text is not a record.
    pub fn worth(&self, record: &str, step: usize) -> Answer<String> {
        let record: Record = record.parse().map_err(text)?;
        let mut game = record.start();
        for &direction in record.moves().iter().take(step) {
            game.step(direction);
        }
        Ok(json(&self.judge.worth(game.position())))
    }

    /// Returns the losses of the moves of a game, as JSON. `progress` receives the completed share,
    /// from 0 to 1.
    ///
    /// # Errors
    /// Fails if the text is not a record.
    pub fn review(&self, record: &str, progress: &Function) -> Answer<String> {
        let mut report = reporter(progress);
        let record: Record = record.parse().map_err(text)?;
        let mut game = record.start();
        let mut review = Review {
            solver_steps: solver_steps(record.start()),
            ..Review::default()
        };
        for (made, &direction) in record.moves().iter().enumerate() {
            let Some(worth) = self.judge.worth(game.position()) else {
                break;
            };
            review.add(&worth, direction);
            game.step(direction);
            if made % 16 == 0 {
                report(made as f64 / record.moves().len() as f64);
            }
        }
        Ok(json(&review))
    }
}

/// Returns the steps in which `certified` wins a game.
fn solver_steps(mut game: Game) -> Option<usize> {
    if game.position().board().area() > LARGEST_AREA {
        return None;
    }
    let mut policy = Certified::default().make(game.position(), 0).ok()?;
    let mut steps = 0;
    while game.position().status() == Status::Ongoing {
        game.step(policy.act(game.position()));
        steps += 1;
    }
    Some(steps)
}

impl Review {
    /// Adds a move, given the values of all moves at its position.
    fn add(&mut self, worth: &Worth, direction: Direction) {
        let index = direction.index();
        let best = best(worth);
        let steps = best.and_then(|best| Some(worth.steps[index]? - best));
        let is_best = |worth: Option<f64>| {
            best.is_some_and(|best| worth.is_some_and(|steps| steps - best < EQUAL))
        };
        let sure_win = worth.sure.contains(&true) && !worth.sure[index];
        self.scale = Some(worth.scale);
        self.steps += steps.unwrap_or(0.0);
        self.moves.push(Given {
            steps,
            sure_win,
            best: (0..4)
                .filter(|&other| is_best(worth.steps[other]))
                .collect(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables;

    #[test]
    fn games_are_played_saved_and_opened() {
        let mut play = Play::new("4x4", "3").unwrap();
        assert!(!play.began());
        let heading = play.history.position().heading().index();
        play.press(heading);
        assert!(play.began());
        [1, 2, 3]
            .into_iter()
            .for_each(|turns| play.press(heading + turns));
        play.step();
        let moves = play.moves();
        assert_eq!(moves.len(), 1);
        let opened = Play::open(&play.record().unwrap()).unwrap();
        assert_eq!(
            (opened.moves(), opened.facts()),
            (moves.clone(), play.facts())
        );
        let linked = Play::with_moves("4x4", "3", &moves).unwrap();
        assert_eq!(
            (linked.facts(), linked.rules().as_deref()),
            (play.facts(), Some(""))
        );
        while play.history.game().end().is_none() {
            play.step();
        }
        let all = play.moves();
        assert!(
            Play::with_moves("4x4", "3", &format!("{all}u"))
                .err()
                .unwrap()
                .contains("the game ended after")
        );
        assert!(Play::with_moves("4x4", "3", "x").is_err() && Play::open("hello").is_err());
        assert!(!play.go(heading));
        // A move from an earlier step continues a different game.
        play.look_at(0);
        play.press((heading + 1) % 4);
        play.step();
        assert_eq!(play.moves().len(), 1);
        play.look_at(0);
        assert!(
            play.go((heading + 2) % 4),
            "a snake of one cell can reverse"
        );
        assert_eq!((play.moves().len(), play.history.step()), (1, 1));
    }

    /// An address with the rules of a record leads to the record's game.
    #[test]
    fn a_record_has_its_rules() {
        let mut play = Play::new(
            r#"{"board":"6x6","start":{"length":3,"margin":1},"tail_entry":false}"#,
            "3",
        )
        .unwrap();
        play.step();
        let opened = Play::open(&play.record().unwrap()).unwrap();
        let linked =
            Play::with_moves(&opened.rules().unwrap(), &opened.seed(), &opened.moves()).unwrap();
        assert_eq!(linked.record(), play.record());
    }

    /// Optimal play loses nothing, and other play loses steps without giving away a certain win.
    #[test]
    fn only_moves_that_are_not_best_give_something_away() {
        let board = parse_rules("3x4").unwrap().board();
        let table = tables::solved(board, &mut |_| ()).unwrap();
        let judge = Judge::by(Some(table));
        let reviewed = |policy: &str| {
            let mut watch = crate::Watch::of(policy, "3x4", "1", 0, &mut |_| ()).unwrap();
            watch.look_at(usize::MAX, usize::MAX).unwrap();
            let record: Record = watch.record().unwrap().parse().unwrap();
            let mut game = record.start();
            let mut review = Review::default();
            for &direction in record.moves() {
                review.add(&judge.worth(game.position()).unwrap(), direction);
                game.step(direction);
            }
            assert!(judge.worth(game.position()).is_none());
            review
        };
        assert_eq!(
            solver_steps(Game::new(Rules::new("20x21".parse().unwrap()), 0)),
            None
        );
        assert!(solver_steps(Game::new(Rules::new(board), 1)).is_some_and(|steps| steps >= 11));
        let optimal = reviewed("optimal");
        assert!(
            optimal.steps.abs() < 1e-9 && optimal.moves.iter().all(|given| !given.sure_win),
            "{}",
            optimal.steps
        );
        let follower = reviewed("hamiltonian");
        assert!(
            follower.steps > 1.0 && follower.moves.iter().all(|given| !given.sure_win),
            "{}",
            follower.steps
        );
        assert_eq!(follower.scale, Some(Scale::Exact));
    }
}
