//! Boards that episodes draw, and what settings that are meant for one board are on another.

use crate::{ConfigError, EnvConfig};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, BoardRange, Rules, Seed};

const BOARD: Purpose = Purpose::new("board");

/// The most boards that episodes may draw from.
const MOST_BOARDS: usize = 1024;

impl EnvConfig {
    /// The rules on every board that episodes are played on: those that are listed in
    /// [`boards`](Self::boards) and not held out. Where no boards are listed, these are the
    /// [`rules`](Self::rules) alone.
    ///
    /// # Errors
    /// When the lists do not go together, or the rules do not fit on one of the boards.
    pub fn rules_on_boards(&self) -> Result<Vec<Rules>, ConfigError> {
        Ok(without_repeats(self.drawn()?))
    }

    /// The rules of the boards that episodes draw from. Those of a board stand there as often as it
    /// is listed.
    ///
    /// # Errors
    /// When the lists do not go together, or the rules do not fit on one of the boards.
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

    /// The boards that are held out, each once, in both orientations.
    pub fn held_out_boards(&self) -> impl Iterator<Item = Board> {
        without_repeats(
            self.held_out
                .iter()
                .flat_map(|&board| [board, turned(board)]),
        )
        .into_iter()
    }

    fn holds_out(&self, board: Board) -> bool {
        self.held_out
            .iter()
            .any(|&held_out| held_out == board || turned(held_out) == board)
    }

    /// The boards with sides from the shortest to the longest of those listed, whether episodes
    /// draw them or not: what is learned from such episodes is meant for them. Where no boards are
    /// listed, it is the board of the rules.
    pub fn range(&self) -> BoardRange {
        let listed = self
            .boards
            .iter()
            .flat_map(|range| [range.least(), range.most()]);
        BoardRange::around(listed).unwrap_or(self.rules.board().into())
    }
}

/// The board that an episode draws from those of [`EnvConfig::drawn`], or what stands for it.
/// `seed` is that of its game.
///
/// # Panics
/// When there are none.
pub fn draw_board<T>(boards: &[T], seed: Seed) -> &T {
    if let [only] = boards {
        return only;
    }
    &boards[rng::below(&mut rng::keyed(seed, BOARD, 0), boards.len() as u64) as usize]
}

/// The entries, but for those that have come before.
pub(crate) fn without_repeats<T: PartialEq>(entries: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for entry in entries {
        if !kept.contains(&entry) {
            kept.push(entry);
        }
    }
    kept
}

/// A board with its sides exchanged.
fn turned(board: Board) -> Board {
    let turned =
        Board::new(board.height() as u8, board.width() as u8).expect("they are sides of a board");
    if board.is_torus() {
        turned.torus()
    } else {
        turned
    }
}

/// What a number of steps that is meant for one board is on another: in proportion to the area,
/// rounded up.
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

/// What a discount that is meant for one board is on another: the steps that it looks ahead, 1 / (1
/// - discount), are in proportion to the area; it is at least 0.
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
