//! Observations: what an agent sees of a game. Every value is a ratio in [0, 1]; as `u8` it is 255
//! times the ratio, rounded up, so that small values don't become 0.
//!
//! Each observation has its own file, with a type that implements [`Observe`], and an entry in the
//! registry below.

mod centered;
mod duels;
mod egocentric;
mod features;
mod free;
mod planes;
mod reached;
mod window;

use crate::Element;
use hognose_game::{Board, Cell, Directions, Sight};
use serde::{Deserialize, Serialize};

/// The encoder of an observation for one board.
trait Observe: Clone {
    /// The number of environments that justifies another thread: waking one takes about 10
    /// microseconds.
    const GRAIN: usize = 8;

    /// Whether [`update`](Self::update) is implemented; if not, every step writes the whole
    /// observation.
    const UPDATES: bool = false;

    fn space(scene: Scene) -> Space;

    /// Creates the encoder, with its tables and memory.
    fn new(scene: Scene) -> Self;

    /// Writes the observation; `out` has as many values as the space.
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]);

    /// Updates the observation of the previous step to the current one.
    #[inline]
    fn update<T: Element>(&self, _change: &Change, _game: impl Sight, _out: &mut [T]) {}
}

/// The kind of game that is observed.
#[derive(Clone, Copy, Debug)]
struct Scene {
    board: Board,
    /// Whether there are two snakes.
    duel: bool,
}

/// A step that does not end the episode: what updates of an observation need to know about it.
pub(crate) struct Change {
    /// The number of the cell in front of the head before the step; `OUTSIDE` outside the board.
    ahead: u16,
    /// Whether foods were eaten or redrawn.
    pub(crate) foods: bool,
}

/// Greater than the number of every cell.
const OUTSIDE: u16 = u16::MAX;

impl Change {
    /// Returns the change that the next step will make.
    #[inline]
    pub(crate) fn before(game: impl Sight) -> Change {
        Change {
            ahead: number(game.ahead()),
            foods: false,
        }
    }
}

/// Splits off `N` planes with `size` values each.
#[inline(always)]
fn split<T, const N: usize>(mut out: &mut [T], size: usize) -> ([&mut [T]; N], &mut [T]) {
    let planes = std::array::from_fn(|_| {
        let (plane, rest) = std::mem::take(&mut out).split_at_mut(size);
        out = rest;
        plane
    });
    (planes, out)
}

/// Returns the number of a cell; `OUTSIDE` outside the board.
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
            pub const ALL: [(&'static str, Observation); [$($name),*].len()] =
                [$(($name, Observation::$variant)),*];

            /// Returns the shape of this observation for one snake on a board.
            pub fn space(self, board: Board) -> Space {
                self.space_of(Scene { board, duel: false })
            }

            /// Returns the shape of this observation for a duel on a board.
            pub fn duel_space(self, board: Board) -> Space {
                self.space_of(Scene { board, duel: true })
            }

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Observation::$variant => $name,)*
                }
            }

            fn space_of(self, scene: Scene) -> Space {
                match self {
                    $(Observation::$variant => <$writer>::space(scene),)*
                }
            }

            /// Returns whether the observation can be updated instead of being rewritten in each
            /// step.
            pub(crate) fn updates(self) -> bool {
                match self {
                    $(Observation::$variant => <$writer>::UPDATES,)*
                }
            }

            /// Returns the number of environments that justifies another thread.
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
            fn new(observation: Observation, scene: Scene) -> Writer {
                match observation {
                    $(Observation::$variant => Writer::$variant(Observe::new(scene)),)*
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
    /// The board as it is, 5 planes of height x width: steps until the body has left the cell /
    /// area (tail 1 / area, head length / area); head; tail; food; the cell in front of the head.
    ///
    /// A duel has 5 more planes: the opponent's body, head and tail; in every cell, the steps until
    /// food is redrawn / the steps after which it is redrawn (1 if it stays); in every cell, the
    /// steps left / step limit. In all observations of duels, steps and lengths include pending
    /// growth, ratios are at most 1, and food has its value / the highest possible value.
    "planes": Planes = planes::Planes;
    /// The board around the head, rotated so that the snake faces up; S = longer side. 6 planes of
    /// (2S-1) x (2S-1): wall; steps until the body has left the cell / area; blocked on arrival
    /// (the body is still there after as many steps as the cell is away from the head); food;
    /// reached; arrival step / area ([`Reach`](crate::Reach), best move). Then 20 scalars: length /
    /// area; allowed left, straight, right; columns and rows to the nearest food ahead, to the
    /// right, behind, to the left / S; for each of left, straight, right: share of the free cells
    /// reached, 1 / steps to food (0 if not reached), steps to food / area (1 if not reached), tail
    /// reached.
    ///
    /// In a duel, both moving bodies block the way. It has 3 more planes: steps until the
    /// opponent's body has left the cell / area; reached by the opponent; the opponent's arrival
    /// step / area. And 9 more scalars: the opponent's length / area; longer than the opponent;
    /// shorter than the opponent; steps until food is redrawn / the steps after which it is redrawn
    /// (1 if it stays); steps left / step limit; for the opponent's best move 1 / steps to food and
    /// steps to food / area; share of the free cells that the own snake reaches before the
    /// opponent, and share that the opponent reaches first.
    #[default]
    "egocentric": Egocentric = egocentric::Egocentric;
    /// The parts of `egocentric` that need no search: its first 4 planes and first 8 scalars.
    ///
    /// A duel adds the plane of the opponent's body and the first 5 of the 9 duel scalars of
    /// `egocentric`.
    "window": Window = window::Window;
    /// The contents of `egocentric` in one shape for every board, without the board's size. 6
    /// planes of 23 x 23 around the head, rotated so that the snake faces up. Columns and rows up
    /// to 10 away from the head have entries of their own; all farther ones share one. If cells
    /// share an entry, it has the greatest value in each plane, except for the arrival step, where
    /// it has the least. The planes: wall (no cell of the board is here); steps until the body has
    /// left the cell; blocked on arrival; food; reached; arrival step. Then the 20 scalars of
    /// `egocentric`, and 4 bits: the area is odd; the area is odd and the head is on the more
    /// frequent color of a checkerboard; the length is odd; the distance to the nearest food is
    /// odd. Numbers of steps are encoded as n / (n + 16), columns and rows as n / (n + 8). On a
    /// torus every cell appears once, the shorter way around.
    ///
    /// A duel adds 3 planes and 9 scalars, as in `egocentric`, with steps to food on this scale.
    ///
    /// The last 12 scalars describe how the cells that no body covers are connected: 6 for boards
    /// with an even number of cells and 6 for boards with an odd number, where they have another
    /// meaning; the unused 6 are 0. They are: regions (sets of connected free cells); free cells
    /// without a free neighbor; free cells with one free neighbor; free cells; the share of free
    /// cells in regions next to the head; whether the tail is next to such a region or to the head.
    /// Numbers of cells and regions are encoded as n / (n + 2).
    "centered": Centered = centered::Centered;
    /// 24 scalars: forbidden left, straight, right; heading up, right, down, left; nearest food up,
    /// right, down, left; length / area; and the 12 scalars of `egocentric` about what is reached.
    /// A duel adds the 9 duel scalars of `egocentric`.
    "features": Features = features::Features;
}

/// The shape of an observation: planes first, row by row, then scalars. As `f32` every value is in
/// [0, 1], as `u8` in 0..=255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Planes, height, width.
    pub planes: [usize; 3],
    /// The number of scalars after the planes.
    pub scalars: usize,
}

impl Space {
    /// Returns the number of values.
    #[expect(clippy::len_without_is_empty, reason = "no observation is empty")]
    pub fn len(self) -> usize {
        self.planes.iter().product::<usize>() + self.scalars
    }
}

/// Writes an observation of games on one board.
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
    scene: Scene,
    space: Space,
    writer: Writer,
}

impl Encoder {
    /// Creates an encoder for games of one snake on a board.
    pub fn new(observation: Observation, board: Board) -> Encoder {
        Encoder::of(observation, Scene { board, duel: false })
    }

    /// Creates an encoder for duels on a board, which encodes
    /// [`DuelView`](hognose_game::duel::DuelView)s.
    pub fn for_duels(observation: Observation, board: Board) -> Encoder {
        Encoder::of(observation, Scene { board, duel: true })
    }

    fn of(observation: Observation, scene: Scene) -> Encoder {
        Encoder {
            scene,
            space: observation.space_of(scene),
            writer: Writer::new(observation, scene),
        }
    }

    /// Returns the shape of the observation.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Writes the observation of a game and its allowed moves; `out` has [`Space::len`] values.
    ///
    /// When the game has another board or number of snakes, or `out` has another length.
    #[inline]
    pub fn encode<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        assert_eq!(
            game.board(),
            self.scene.board,
            "the game must be on this board"
        );
        assert_eq!(
            game.duel().is_some(),
            self.scene.duel,
            "the number of snakes must match"
        );
        assert_eq!(
            out.len(),
            self.space.len(),
            "the buffer must fit the observation"
        );
        self.writer.write(game, allowed, out);
    }

    /// Updates the observation of the game before a step to the one after it.
    #[inline(always)]
    pub(crate) fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
        self.writer.update(change, game, out);
    }
}
