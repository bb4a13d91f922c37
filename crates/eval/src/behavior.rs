//! The behavior checksum: one number over fixed games.

use crate::{Evaluation, LimitedGame, Limits};
use hognose_game::{
    Board, Direction, Forfeit, Game, MakePolicy, Origin, Record, Rules, Start, rng,
};
use std::fmt::{self, Display};
use std::sync::Arc;

/// The checksum over the records of fixed games, and the number of games and steps.
///
/// Its display is the output of `hognose bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behavior {
    checksum: u64,
    games: usize,
    steps: usize,
}

/// Games of each policy with each kind of rules.
const GAMES: u64 = 5;

impl Behavior {
    /// Plays fixed games with every kind of rules and with each policy, given with its name. Games
    /// that a policy refuses are left out.
    ///
    /// # Errors
    /// Fails if a policy forfeits a game.
    pub fn of(policies: &[(&str, Arc<dyn MakePolicy>)]) -> Result<Behavior, Forfeit> {
        let mut behavior = Behavior {
            checksum: rng::FNV_START,
            games: 0,
            steps: 0,
        };
        for rules in variants() {
            for (name, maker) in policies {
                for seed in 0..GAMES {
                    behavior.add(name, &**maker, rules, seed)?;
                }
            }
        }
        Ok(behavior)
    }

    /// Plays a game, unless the policy refuses it.
    fn add(
        &mut self,
        name: &str,
        maker: &dyn MakePolicy,
        rules: Rules,
        seed: u64,
    ) -> Result<(), Forfeit> {
        let area = rules.board().area() as u32;
        let limits = Limits {
            time_limit: Some(area * area),
            ..Limits::NONE
        };
        let mut game = LimitedGame::new(Game::new(rules, seed), limits);
        let Ok(mut policy) = maker.make(game.position(), Evaluation::policy_seed(seed)) else {
            return Ok(());
        };
        let mut moves: Vec<Direction> = Vec::new();
        while game.end().is_none() {
            moves.push(game.play(&mut *policy)?);
        }
        self.games += 1;
        self.steps += moves.len();
        let record =
            Record::new(Origin::Seed(rules), seed, moves).expect("a game ends with its last move");
        self.checksum = rng::fnv1a(self.checksum, format!("{name} {record}").as_bytes());
        Ok(())
    }
}

impl Display for Behavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:016x} over {} games, {} steps",
            self.checksum, self.games, self.steps
        )
    }
}

/// Returns rules of every kind.
fn variants() -> Vec<Rules> {
    let on = |text: &str| Rules::new(text.parse::<Board>().expect("a board"));
    let fixed = Start::Fixed {
        column: 3,
        row: 2,
        heading: Direction::Right,
        length: 3,
    };
    let with_start = |rules: Rules, start: Start| rules.with_start(start).expect("the start fits");
    vec![
        on("2x2"),
        on("6x6"),
        on("7x7"),
        on("10x8"),
        on("8x6-torus"),
        on("5x5-torus"),
        on("6x6").with_tail_entry(false),
        on("8x8").with_foods(3).expect("three foods fit"),
        with_start(on("8x6"), fixed),
        with_start(
            on("9x6"),
            Start::Random {
                length: 2,
                margin: 1,
            },
        ),
    ]
}
