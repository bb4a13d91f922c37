//! Observations: what the agent sees of a game. Every value is a ratio in [0, 1]; as `u8` it is 255 times the ratio,
//! rounded up, so that nothing small becomes 0.
//!
//! Each observation has a file of its own, with a type that implements [`Observe`], and an entry in the registry below.

mod egocentric;
mod features;
mod planes;
mod reached;
mod window;

use crate::Element;
use hognose_game::{Board, Cell, Directions, Event, Sight};
use serde::{Deserialize, Serialize};

/// An observation of one board: its shape, and how it is written.
trait Observe: Clone {
    /// How many environments are worth a thread of their own: waking one takes some 10 microseconds.
    const GRAIN: usize = 8;

    /// Whether [`update`](Self::update) is there; else each step is written anew.
    const UPDATES: bool = false;

    /// The shape on a board.
    fn space(board: Board) -> Space;

    /// What writes it, with the tables and the memory that it needs on a board.
    fn new(board: Board) -> Self;

    /// Writes it; `out` has as many values as the space.
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]);

    /// Turns what was written before a step into what is to be written after it.
    #[inline]
    fn update<T: Element>(&self, _change: &Change, _game: impl Sight, _out: &mut [T]) {}
}

/// A step of a game, as far as an observation that is kept up to date must know it.
pub(crate) struct Change {
    /// The number of the cell that lay straight ahead before the step; `OUTSIDE` outside the board.
    ahead: u16,
    /// What the step did.
    pub(crate) event: Event,
}

/// Greater than the number of every cell.
const OUTSIDE: u16 = u16::MAX;

impl Change {
    /// The change that a step will make, before it is taken.
    #[inline]
    pub(crate) fn before(game: impl Sight) -> Change {
        Change { ahead: number(game.ahead()), event: Event::Moved }
    }
}

/// The number of a cell; `OUTSIDE` outside the board.
#[inline]
fn number(cell: Option<Cell>) -> u16 {
    cell.map_or(OUTSIDE, |cell| cell.0)
}

macro_rules! observations {
    ($($(#[$about:meta])* $name:literal: $variant:ident = $writer:ty;)*) => {
        /// An observation, by name.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Observation {
            $($(#[$about])* #[serde(rename = $name)] $variant,)*
        }

        impl Observation {
            /// All observations with their names.
            pub const ALL: [(&'static str, Observation); [$($name),*].len()] = [$(($name, Observation::$variant)),*];

            /// The shape of this observation on a board.
            pub fn space(self, board: Board) -> Space {
                match self {
                    $(Observation::$variant => <$writer>::space(board),)*
                }
            }

            /// Whether it can be kept up to date, instead of being written anew in each step.
            pub(crate) fn updates(self) -> bool {
                match self {
                    $(Observation::$variant => <$writer>::UPDATES,)*
                }
            }

            /// How many environments are worth a thread of their own.
            pub(crate) fn grain(self) -> usize {
                match self {
                    $(Observation::$variant => <$writer>::GRAIN,)*
                }
            }
        }

        #[derive(Clone, Debug)]
        enum Writer {
            $($variant($writer),)*
        }

        impl Writer {
            fn new(observation: Observation, board: Board) -> Writer {
                match observation {
                    $(Observation::$variant => Writer::$variant(Observe::new(board)),)*
                }
            }

            #[inline]
            fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
                match self {
                    $(Writer::$variant(writer) => writer.write(game, allowed, out),)*
                }
            }

            #[inline(always)]
            fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
                match self {
                    $(Writer::$variant(writer) => writer.update(change, game, out),)*
                }
            }
        }
    };
}

observations! {
    /// The board as it lies, 5 planes of height x width: steps until the body has left the cell / area (tail 1 / area,
    /// head length / area); head; tail; food; the cell straight ahead.
    "planes": Planes = planes::Planes;
    /// The board around the head, rotated so that the snake faces up; S = longer side. 6 planes of (2S-1) x (2S-1):
    /// wall; steps until the body has left the cell / area; blocked on arrival (the body is still there after as many
    /// steps as the cell is away from the head); food; reached; arrival step / area ([`Reach`](crate::Reach), best
    /// move). Then 20 scalars: length / area; allowed left, straight, right; columns and rows to the nearest food
    /// ahead, to the right, behind, to the left / S; for each of left, straight, right: share of the free cells
    /// reached, 1 / steps to food (0 if not reached), steps to food / area (1 if not reached), tail reached.
    #[default]
    "egocentric": Egocentric = egocentric::Egocentric;
    /// What `egocentric` sees without searching: its first 4 planes and first 8 scalars.
    "window": Window = window::Window;
    /// 24 scalars: forbidden left, straight, right; heading up, right, down, left; nearest food up, right, down, left;
    /// length / area; and the 12 numbers of `egocentric` about what is reached.
    "features": Features = features::Features;
}

/// The shape of an observation: planes first, row by row, then scalars. As `f32` every value is in [0, 1], as `u8` in
/// 0..=255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Planes, height, width.
    pub planes: [usize; 3],
    /// How many scalars follow the planes.
    pub scalars: usize,
}

impl Space {
    /// The number of values.
    #[expect(clippy::len_without_is_empty, reason = "no observation is empty")]
    pub fn len(self) -> usize {
        self.planes.iter().product::<usize>() + self.scalars
    }
}

/// Writes the observation of games on one board.
///
/// ```
/// use hognose_env::{Encoder, Observation};
/// use hognose_game::{Board, Game, Rules};
///
/// let board = Board::new(6, 6)?;
/// let game = Game::new(Rules::new(board), 0);
/// let mut encoder = Encoder::new(Observation::Planes, board);
/// let mut planes = vec![0.0f32; encoder.space().len()];
/// encoder.encode(game.position(), game.position().legal_moves(), &mut planes);
/// assert_eq!(planes.len(), 5 * 6 * 6);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    board: Board,
    space: Space,
    writer: Writer,
}

impl Encoder {
    /// The encoder of an observation on a board.
    pub fn new(observation: Observation, board: Board) -> Encoder {
        Encoder { board, space: observation.space(board), writer: Writer::new(observation, board) }
    }

    /// The observation's shape.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Writes the observation of a game and its allowed moves; `out` has [`Space::len`] values.
    ///
    /// # Panics
    /// When the game is of another board, or `out` of another length.
    #[inline]
    pub fn encode<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        assert_eq!(game.board(), self.board, "the game is of another board");
        assert_eq!(out.len(), self.space.len(), "the buffer is of another length");
        self.writer.write(game, allowed, out);
    }

    /// Turns the observation of the game before a step into that of the game after it.
    #[inline(always)]
    pub(crate) fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
        self.writer.update(change, game, out);
    }
}
