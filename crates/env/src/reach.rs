//! Where the snake can get to while its body moves: a time-aware breadth-first search after each
//! move.

use hognose_game::duel::DuelView;
use hognose_game::{Board, Cell, Sight, Turn};
use multiversion::multiversion;
use std::{fmt, sync::Arc};

const NONE: u16 = u16::MAX;

/// What can be reached after one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveReach {
    /// The number of cells reached among those that no body covers now.
    pub free_cells: u32,
    /// The number of steps to the nearest food, including this move; `None` if none is reached.
    pub food_steps: Option<u16>,
    /// Whether the tail's cell is reached.
    pub tail: bool,
}

/// The search and its memory. A cell may be entered at step t if the body will have left it by
/// then: if [`Sight::steps_until_free`] is at most t (less than t without tail entry). On paths
/// through food the limit is one less, since the tail waits for a step when the snake eats. Paths
/// through food are followed only to cells that no other path reaches as early.
///
/// In a duel the opponent's body moves, too, as if it ate nothing.
///
/// ```
/// use hognose_env::Reach;
/// use hognose_game::{Board, Cell, Direction, Position, Rules};
///
/// let board = Board::new(4, 4)?;
/// let position = Position::new(Rules::new(board), Direction::Right, [Cell(0)], [Cell(2)])?;
/// let mut reach = Reach::new(board);
/// reach.search(&position);
/// let [left, straight, _right] = reach.moves();
/// assert_eq!((left.free_cells, straight.free_cells), (0, 15));
/// assert_eq!(straight.food_steps, Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reach {
    sets: Arc<dyn Search>,
    moves: [MoveReach; 3],
    /// The index of each cell in a set.
    places: Box<[u16]>,
    scene: Scene,
    /// By place: the earliest step in which it is entered after any of the three turns.
    earliest: Box<[u16]>,
}

/// A game, with places instead of cells.
#[derive(Clone, Debug)]
struct Scene {
    body: Body,
    /// The opponent's body in a duel, else empty.
    other: Body,
    foods: Vec<u16>,
    /// Where each of the turns left, straight, right leads, if it is legal.
    first: [Option<u16>; 3],
}

#[derive(Clone, Debug)]
struct Body {
    /// From head to tail.
    places: Vec<u16>,
    /// The number of extra steps before a cell can be entered: pending growth, plus one without
    /// tail entry.
    late: usize,
}

impl Body {
    fn new(board: Board) -> Body {
        Body {
            places: Vec::with_capacity(board.area()),
            late: 0,
        }
    }

    fn look_at(&mut self, game: impl Sight, places: &[u16]) {
        self.places.clear();
        self.places
            .extend(game.body().map(|cell| places[cell.index()]));
        self.late = usize::from(!game.tail_entry()) + game.duel().map_or(0, DuelView::growth);
    }

    /// Returns for each step the cell that may be entered from then on, if there is one.
    fn leaving<const N: usize>(&self) -> impl Iterator<Item = Set<N>> {
        let cells = self.places.iter().rev().map(|&place| Set::of(place));
        std::iter::repeat_n(Set::EMPTY, self.late).chain(cells)
    }
}

/// A board whose sets have any number of words.
trait Search: fmt::Debug + Send + Sync {
    fn search(&self, scene: &Scene, earliest: &mut [u16]) -> [MoveReach; 3];
}

impl Reach {
    /// Creates a search for a board.
    pub fn new(board: Board) -> Reach {
        let stride = board.width() + 1;
        let places: Box<[u16]> = board
            .cells()
            .map(|cell| (board.row(cell) * stride + board.column(cell)) as u16)
            .collect();
        // As many 64-bit words as needed, or slightly more.
        let words = (board.height() * stride).div_ceil(64);
        let sets = match words {
            1 => Sets::<1>::of,
            2 => Sets::<2>::of,
            3 => Sets::<3>::of,
            4 => Sets::<4>::of,
            5..=8 => Sets::<8>::of,
            9..=16 => Sets::<16>::of,
            17..=64 => Sets::<64>::of,
            _ => Sets::<1024>::of,
        };
        Reach {
            sets: sets(board, &places),
            moves: Default::default(),
            earliest: vec![NONE; 64 * words].into(),
            places,
            scene: Scene {
                body: Body::new(board),
                other: Body::new(board),
                foods: Vec::new(),
                first: [None; 3],
            },
        }
    }

    /// Searches after each of the three turns from the heading; turns that lose reach nothing.
    pub fn search(&mut self, game: impl Sight) {
        self.look_at(game);
        self.earliest.fill(NONE);
        self.moves = self.sets.search(&self.scene, &mut self.earliest);
    }

    fn look_at(&mut self, game: impl Sight) {
        let Reach { places, scene, .. } = self;
        scene.body.look_at(game, places);
        if let Some(duel) = game.duel() {
            scene.other.look_at(duel.opponent(), places);
        }
        scene.foods.clear();
        scene
            .foods
            .extend(game.foods().map(|food| places[food.index()]));
        let legal = game.legal_moves();
        scene.first = Turn::ALL.map(|turn| {
            let direction = game.heading().turned(turn);
            let cell = game.neighbor(game.head(), direction)?;
            legal.contains(direction).then(|| places[cell.index()])
        });
    }

    /// Returns what the three turns of the last search reach: left, straight, right.
    pub fn moves(&self) -> [MoveReach; 3] {
        self.moves
    }

    /// Returns the earliest step in which a cell is entered after any turn; `None` if no turn
    /// reaches it.
    pub fn earliest(&self, cell: Cell) -> Option<u16> {
        Some(self.earliest[usize::from(self.places[cell.index()])]).filter(|&step| step != NONE)
    }
}

/// A board as sets of cells: one bit per cell, row by row, with an empty column between rows.
#[derive(Clone, Debug)]
struct Sets<const N: usize> {
    width: usize,
    height: usize,
    torus: bool,
    board: Set<N>,
    first_column: Set<N>,
    last_column: Set<N>,
}

/// A search after one turn: hungry paths, and those that have eaten.
#[derive(Clone, Copy)]
struct Ways<const N: usize> {
    hungry: Set<N>,
    hungry_edge: Set<N>,
    fed: Set<N>,
    fed_edge: Set<N>,
}

impl<const N: usize> Sets<N> {
    fn of(board: Board, places: &[u16]) -> Arc<dyn Search> {
        let set = |holds: &dyn Fn(Cell) -> bool| {
            let cells = board.cells().filter(|&cell| holds(cell));
            cells.fold(Set::EMPTY, |set, cell| set | Set::of(places[cell.index()]))
        };
        Arc::new(Sets::<N> {
            width: board.width(),
            height: board.height(),
            torus: board.is_torus(),
            board: set(&|_| true),
            first_column: set(&|cell| board.column(cell) == 0),
            last_column: set(&|cell| board.column(cell) == board.width() - 1),
        })
    }

    /// Returns all neighbors of the cells in a set.
    #[inline(always)]
    fn around(&self, set: Set<N>) -> Set<N> {
        if set.is_empty() {
            return set;
        }
        let stride = self.width + 1;
        let mut around = set.up(1) | set.down(1) | set.up(stride) | set.down(stride);
        if self.torus {
            let rows = stride * (self.height - 1);
            around = around | (set & self.first_column).up(self.width - 1);
            around = around
                | (set & self.last_column).down(self.width - 1)
                | set.up(rows)
                | set.down(rows);
        }
        around & self.board
    }
}

impl<const N: usize> Search for Sets<N> {
    fn search(&self, scene: &Scene, earliest: &mut [u16]) -> [MoveReach; 3] {
        search(self, scene, earliest)
    }
}

/// Searches after each turn, all three in parallel, and records the step in which each cell is
/// first entered. It is also compiled for wider registers; the processor selects the version at run
/// time, and the result is the same.
#[multiversion(targets(
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt+avx512f",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn search<const N: usize>(sets: &Sets<N>, scene: &Scene, earliest: &mut [u16]) -> [MoveReach; 3] {
    let Scene { body, other, .. } = scene;
    let foods = scene
        .foods
        .iter()
        .fold(Set::EMPTY, |foods, &food| foods | Set::of(food));
    let covered = body.places.iter().chain(&other.places);
    let free = covered.fold(sets.board, |free, &place| free.without(Set::of(place)));
    let tail = body.places.last().map_or(Set::EMPTY, |&tail| Set::of(tail));
    // Cells of each body that may be entered in the next step, since the body has left them.
    let [mut leaving, mut other_leaving] = [body, other].map(Body::leaving);
    let mut left = leaving.next().unwrap_or(Set::EMPTY);
    let mut others_left = other_leaving.next().unwrap_or(Set::EMPTY);
    let mut moves = [MoveReach::default(); 3];
    let mut ways = scene.first.map(|first| {
        let first = first.map_or(Set::EMPTY, Set::of);
        let hungry = first.without(foods);
        let fed = first & foods;
        Ways {
            hungry,
            hungry_edge: hungry,
            fed,
            fed_edge: fed,
        }
    });
    let mut entered = Set::EMPTY;
    for step in 1.. {
        let mut edge = Set::EMPTY;
        for (ways, reach) in ways.iter().zip(&mut moves) {
            let here = ways.hungry_edge | ways.fed_edge;
            edge = edge | here;
            if reach.food_steps.is_none() && !(here & foods).is_empty() {
                reach.food_steps = Some(step);
            }
        }
        if edge.is_empty() {
            break;
        }
        edge.without(entered).each(|place| earliest[place] = step);
        entered = entered | edge;
        others_left = others_left | other_leaving.next().unwrap_or(Set::EMPTY);
        let open_to_fed = free | others_left | left;
        left = left | leaving.next().unwrap_or(Set::EMPTY);
        let open = free | others_left | left;
        for ways in &mut ways {
            let next = sets.around(ways.hungry_edge) & open;
            ways.hungry_edge = next.without(foods | ways.hungry);
            ways.hungry = ways.hungry | ways.hungry_edge;
            let after_food = (sets.around(ways.fed_edge) & open_to_fed).without(ways.hungry);
            ways.fed_edge = ((next & foods) | after_food).without(ways.fed);
            ways.fed = ways.fed | ways.fed_edge;
        }
    }
    for (ways, reach) in ways.iter().zip(&mut moves) {
        let reached = ways.hungry | ways.fed;
        reach.free_cells = (reached & free).len();
        reach.tail = !(reached & tail).is_empty();
    }
    moves
}

/// A set of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Set<const N: usize>([u64; N]);

impl<const N: usize> Set<N> {
    const EMPTY: Set<N> = Set([0; N]);

    fn of(place: u16) -> Set<N> {
        let mut set = Set::EMPTY;
        set.0[usize::from(place) / 64] = 1 << (place % 64);
        set
    }

    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    #[inline(always)]
    fn without(self, other: Set<N>) -> Set<N> {
        Set(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Shifts every place up.
    #[inline(always)]
    fn up(self, by: usize) -> Set<N> {
        let words = by / 64;
        let bits = by % 64;
        let shifted = Set(std::array::from_fn(|to| {
            let carried = if to > 0 {
                self.0[to - 1] >> 1 >> (63 - bits)
            } else {
                0
            };
            self.0[to] << bits | carried
        }));
        if words == 0 {
            return shifted;
        }
        Set(std::array::from_fn(|to| {
            to.checked_sub(words).map_or(0, |from| shifted.0[from])
        }))
    }

    /// Shifts every place down.
    #[inline(always)]
    fn down(self, by: usize) -> Set<N> {
        let words = by / 64;
        let bits = by % 64;
        let shifted = Set(std::array::from_fn(|to| {
            let carried = if to + 1 < N {
                self.0[to + 1] << 1 << (63 - bits)
            } else {
                0
            };
            self.0[to] >> bits | carried
        }));
        if words == 0 {
            return shifted;
        }
        Set(std::array::from_fn(|to| {
            shifted.0.get(to + words).copied().unwrap_or(0)
        }))
    }

    #[inline(always)]
    fn each(self, mut visit: impl FnMut(usize)) {
        for (word, mut bits) in self.0.into_iter().enumerate() {
            while bits != 0 {
                visit(64 * word + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

impl<const N: usize> std::ops::BitAnd for Set<N> {
    type Output = Set<N>;

    #[inline(always)]
    fn bitand(self, other: Set<N>) -> Set<N> {
        Set(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl<const N: usize> std::ops::BitOr for Set<N> {
    type Output = Set<N>;

    #[inline(always)]
    fn bitor(self, other: Set<N>) -> Set<N> {
        Set(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}
