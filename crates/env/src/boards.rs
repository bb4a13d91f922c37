//! Boards that episodes draw, and settings scaled from one board to another.

use crate::snapshot::Terms;
use crate::{ConfigError, EnvConfig};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, BoardRange, Rules, Seed};
use itertools::Itertools;

const BOARD: Purpose = Purpose::new("board");

/// The maximum number of boards that episodes may draw from.
const MOST_BOARDS: usize = 1024;

impl EnvConfig {
    /// Returns the rules on every board that episodes use, each once: the listed
    /// [`boards`](Self::boards) that are not held out. If no boards are listed, only the
    /// [`rules`](Self::rules).
    ///
    /// # Errors
    /// Fails if the lists contradict each other, or the rules don't fit on a board.
    pub fn rules_on_boards(&self) -> Result<Vec<Rules>, ConfigError> {
        Ok(self.drawn()?.into_iter().unique().collect())
    }

    /// Returns the rules on the boards that episodes draw from, each as often as its board is
    /// listed.
    ///
    /// # Errors
    /// Fails if the lists contradict each other, or the rules don't fit on a board.
    pub fn drawn(&self) -> Result<Vec<Rules>, ConfigError> {
        if self.boards.is_empty() {
            let alone = self.held_out.is_empty();
            return if alone {
                Ok(vec![self.rules])
            } else {
                Err(ConfigError::HeldOutAlone)
            };
        }
        let boards = self
            .boards
            .iter()
            .flat_map(|range| range.boards())
            .filter(|&board| !self.holds_out(board));
        let boards: Vec<Board> = boards.take(MOST_BOARDS + 1).collect();
        if boards.is_empty() || boards.len() > MOST_BOARDS {
            return Err(ConfigError::Boards {
                most: MOST_BOARDS,
                got: boards.len(),
            });
        }
        let torus = self.rules.board().is_torus();
        if let Some(&board) = boards
            .iter()
            .chain(&self.held_out)
            .find(|board| board.is_torus() != torus)
        {
            return Err(ConfigError::Torus {
                expected: self.rules.board(),
                got: board,
            });
        }
        let space = self.observation.space(boards[0]);
        if let Some(&board) = boards
            .iter()
            .chain(&self.held_out)
            .find(|&&board| self.observation.space(board) != space)
        {
            return Err(ConfigError::Shape {
                observation: self.observation.name(),
                first: boards[0],
                other: board,
            });
        }
        let range = self.range();
        if let Some(&got) = self.held_out.iter().find(|&&board| !range.contains(board)) {
            return Err(ConfigError::HeldOut {
                expected: range,
                got,
            });
        }
        self.held_out_boards()
            .try_for_each(|board| self.rules.on(board).map(drop))?;
        boards
            .into_iter()
            .map(|board| Ok(self.rules.on(board)?))
            .collect()
    }

    /// Returns the limits of episodes on a board, and their reward.
    pub(crate) fn terms(&self, board: Board) -> Terms {
        let scaled =
            |limit: Option<u32>| limit.map(|steps| steps_on(steps, self.rules.board(), board));
        Terms {
            time_limit: scaled(self.time_limit),
            starvation: scaled(self.starvation),
            reward: self.reward,
        }
    }

    /// Returns the held-out boards, each once, in both orientations.
    pub fn held_out_boards(&self) -> impl Iterator<Item = Board> {
        self.held_out
            .iter()
            .flat_map(|board| [*board, board.turned()])
            .unique()
    }

    fn holds_out(&self, board: Board) -> bool {
        self.held_out
            .iter()
            .any(|held_out| [*held_out, held_out.turned()].contains(&board))
    }

    /// Returns the range from the shortest to the longest side of the listed boards, whether or not
    /// episodes draw them: agents that learn on these boards are meant for this range. If no boards
    /// are listed, it is the board of the rules.
    pub fn range(&self) -> BoardRange {
        let listed = self
            .boards
            .iter()
            .flat_map(|range| [range.least(), range.most()]);
        BoardRange::around(listed).unwrap_or(self.rules.board().into())
    }
}

/// Returns the entry for the board that an episode draws, given its game's seed; `boards`
/// corresponds to [`EnvConfig::drawn`].
///
/// # Panics
/// Panics if `boards` is empty.
pub fn draw_board<T>(boards: &[T], seed: Seed) -> &T {
    if let [only] = boards {
        return only;
    }
    &boards[rng::below(&mut rng::keyed(seed, BOARD, 0), boards.len() as u64) as usize]
}

/// Scales a number of steps from one board to another, in proportion to the area, rounded up.
///
/// ```
/// use hognose_env::steps_on;
///
/// assert_eq!(steps_on(200, "10x10".parse()?, "5x5".parse()?), 50);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn steps_on(steps: u32, meant_for: Board, board: Board) -> u32 {
    let steps = (u64::from(steps) * board.area() as u64).div_ceil(meant_for.area() as u64);
    steps.try_into().unwrap_or(u32::MAX)
}

/// Scales a discount from one board to another: its horizon, 1 / (1 - discount), is proportional to
/// the area. The result is at least 0.
///
/// ```
/// use hognose_env::discount_on;
///
/// assert_eq!(discount_on(0.875, "8x8".parse()?, "16x16".parse()?), 1.0 - 0.125 / 4.0);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn discount_on(discount: f32, meant_for: Board, board: Board) -> f32 {
    if board.area() == meant_for.area() {
        return discount;
    }
    (1.0 - (1.0 - discount) * (meant_for.area() as f32 / board.area() as f32)).max(0.0)
}
