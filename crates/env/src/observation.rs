//! Observations: what the agent sees of a game. Every value is a ratio in [0, 1]; as `u8` it is 255
//! times the ratio, rounded up, so that nothing small becomes 0.
//!
//! Each observation has a file of its own, with a type that implements [`Observe`], and an entry in
//! the registry below.

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

/// An observation of one board: its shape, and how it is written.
trait Observe: Clone {
    /// How many environments are worth a thread of their own: waking one takes some 10
    /// microseconds.
    const GRAIN: usize = 8;

    /// Whether [`update`](Self::update) is there; else each step is written anew.
    const UPDATES: bool = false;

    /// The shape.
    fn space(scene: Scene) -> Space;

    /// What writes it, with the tables and the memory that it needs.
    fn new(scene: Scene) -> Self;

    /// Writes it; `out` has as many values as the space.
    fn write<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]);

    /// Turns what was written before a step into what is to be written after it.
    #[inline]
    fn update<T: Element>(&self, _change: &Change, _game: impl Sight, _out: &mut [T]) {}
}

/// What is observed.
#[derive(Clone, Copy, Debug)]
struct Scene {
    board: Board,
    /// Whether there are two snakes on it.
    duel: bool,
}

/// A step after which the episode goes on, as far as an observation that is kept up to date must
/// know it.
pub(crate) struct Change {
    /// The number of the cell that lay straight ahead before the step; `OUTSIDE` outside the board.
    ahead: u16,
    /// Whether foods were eaten, or taken away and drawn again.
    pub(crate) foods: bool,
}

/// Greater than the number of every cell.
const OUTSIDE: u16 = u16::MAX;

impl Change {
    /// The change that a step will make, before it is taken.
    #[inline]
    pub(crate) fn before(game: impl Sight) -> Change {
        Change {
            ahead: number(game.ahead()),
            foods: false,
        }
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
            pub const ALL: [(&'static str, Observation); [$($name),*].len()] =
                [$(($name, Observation::$variant)),*];

            /// The shape of this observation on a board with one snake.
            pub fn space(self, board: Board) -> Space {
                self.space_of(Scene { board, duel: false })
            }

            /// The shape of this observation of a duel on a board.
            pub fn duel_space(self, board: Board) -> Space {
                self.space_of(Scene { board, duel: true })
            }

            /// The name.
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
    /// The board as it lies, 5 planes of height x width: steps until the body has left the cell /
    /// area (tail 1 / area, head length / area); head; tail; food; the cell straight ahead.
    ///
    /// A duel has 5 more: the other's body, head and tail; in every cell the steps until food is
    /// drawn again / the steps after which that happens (1 if it stays); in every cell the steps
    /// left / step limit. In all observations of duels growth that is pending counts as steps and
    /// as length, shares are at most 1, and a food is what it is worth / what the best food is
    /// worth.
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
    /// In a duel both bodies block the way and move on. It has 3 more planes: steps until the
    /// other's body has left the cell / area; reached by the other; the other's arrival step /
    /// area. And 9 more scalars: the other's length / area; longer than the other; shorter than the
    /// other; steps until food is drawn again / the steps after which that happens (1 if it stays);
    /// steps left / step limit; for the other's best move 1 / steps to food and steps to food /
    /// area; share of the free cells that are reached before the other reaches them, and share that
    /// the other reaches before.
    #[default]
    "egocentric": Egocentric = egocentric::Egocentric;
    /// What `egocentric` sees without searching: its first 4 planes and first 8 scalars.
    ///
    /// In a duel, after them the other's body, and after the scalars the first 5 of those that
    /// `egocentric` has more.
    "window": Window = window::Window;
    /// What `egocentric` sees, in one shape for every board, whose size it does not tell. 6 planes
    /// of 23 x 23 around the head, rotated so that the snake faces up. Columns and rows up to 10
    /// away from the head have places of their own, and all farther ones share one. Where cells
    /// share a place it has the greatest value of each plane, but the least arrival. The planes:
    /// wall (no cell of the board is here); steps until the body has left the cell; blocked on
    /// arrival; food; reached; arrival step. Then the 20 scalars of `egocentric`, and 4 bits: the
    /// area is odd; it is, and the head is on a cell of the more frequent colour of a chessboard;
    /// the length is odd; the distance to the nearest food is odd. Numbers of steps are n / (n +
    /// 16), columns and rows n / (n + 8). On a torus every cell is seen once, on the shorter way.
    ///
    /// In a duel it has 3 more planes and 9 more scalars, as `egocentric` has, with steps to food
    /// on this scale.
    ///
    /// At the end 12 scalars more, of how the cells lie together that no body covers. 6 are for
    /// boards with an even number of cells, and 6 for those with an odd number, where they do not
    /// mean the same; on other boards they are 0. The six: regions (sets of connected cells that
    /// are free); free cells with no free cell next to them; those with one; all of them; the share
    /// of them in regions next to the head; whether the tail is next to such a region or to the
    /// head. Numbers of cells and of regions are n / (n + 2).
    "centered": Centered = centered::Centered;
    /// 24 scalars: forbidden left, straight, right; heading up, right, down, left; nearest food up,
    /// right, down, left; length / area; and the 12 numbers of `egocentric` about what is reached.
    /// In a duel, after them the 9 scalars that `egocentric` has more.
    "features": Features = features::Features;
}

/// The shape of an observation: planes first, row by row, then scalars. As `f32` every value is in
/// [0, 1], as `u8` in 0..=255.
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
    scene: Scene,
    space: Space,
    writer: Writer,
}

impl Encoder {
    /// The encoder of an observation of games of one snake on a board.
    pub fn new(observation: Observation, board: Board) -> Encoder {
        Encoder::of(observation, Scene { board, duel: false })
    }

    /// The encoder of an observation of duels on a board: it takes a
    /// [`DuelView`](hognose_game::duel::DuelView).
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

    /// The observation's shape.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Writes the observation of a game and its allowed moves; `out` has [`Space::len`] values.
    ///
    /// # Panics
    /// When the game is of another board, or of another number of snakes, or `out` of another
    /// length.
    #[inline]
    pub fn encode<T: Element>(&mut self, game: impl Sight, allowed: Directions, out: &mut [T]) {
        assert_eq!(
            game.board(),
            self.scene.board,
            "the game is of another board"
        );
        assert_eq!(
            game.duel().is_some(),
            self.scene.duel,
            "the game is of another number of snakes"
        );
        assert_eq!(
            out.len(),
            self.space.len(),
            "the buffer is of another length"
        );
        self.writer.write(game, allowed, out);
    }

    /// Turns the observation of the game before a step into that of the game after it.
    #[inline(always)]
    pub(crate) fn update<T: Element>(&self, change: &Change, game: impl Sight, out: &mut [T]) {
        self.writer.update(change, game, out);
    }
}
