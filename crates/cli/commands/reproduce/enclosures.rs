//! Compares the scenarios of `adder` with all rings that keep food from the opponent, by
//! enumeration.

use hognose_duel::{Enclosure, Scenario, rings};
use hognose_game::{Board, Cell};
use std::sync::LazyLock;

/// Returns the board of the competition.
fn board() -> Board {
    Board::new(14, 14).expect("14 is a side")
}

/// The maximum length of the rings considered. Their number grows by a factor of about seven for
/// every two additional cells.
pub(super) const LONGEST: usize = 14;

/// All of these rings, shortest first.
static RINGS: LazyLock<Vec<Vec<Cell>>> = LazyLock::new(|| {
    let mut rings = rings(board(), LONGEST);
    rings.sort_by_key(Vec::len);
    rings
});

/// A ring that keeps a food from the opponent.
struct Kept {
    food: Cell,
    cells: usize,
    kind: Enclosure,
    /// Whether a scenario covers it.
    is_known: bool,
}

/// All rings that keep a food from the opponent, for all foods, shortest first.
static KEPT: LazyLock<Vec<Kept>> = LazyLock::new(|| {
    let pairs = RINGS
        .iter()
        .flat_map(|ring| board().cells().map(move |food| (ring, food)));
    let kept = pairs
        .filter(|(ring, food)| !ring.contains(food))
        .filter_map(|(ring, food)| {
            let kind = enclosure(ring, food)?;
            Some(Kept {
                food,
                cells: ring.len(),
                kind,
                is_known: knows(ring, food).next().is_some(),
            })
        });
    kept.collect()
});

fn kind(is_open: bool) -> Enclosure {
    if is_open {
        Enclosure::Open
    } else {
        Enclosure::Closed
    }
}

/// Returns the length of the shortest ring that keeps a food from the opponent, completely or so
/// that it can't return.
pub(super) fn least_ring(column: u8, row: u8, is_open: bool) -> Option<usize> {
    let food = board().cell(column.into(), row.into());
    KEPT.iter()
        .find(|kept| kept.food == food && kept.kind == kind(is_open))
        .map(|kept| kept.cells)
}

/// Returns the number of pairs of a food and a ring of at most `longest` cells that some scenario
/// accepts although the opponent can reach the food, or return.
pub(super) fn wrong_rings(longest: usize) -> usize {
    let rings = &RINGS[..RINGS.partition_point(|ring| ring.len() <= longest)];
    let wrong = |ring: &Vec<Cell>, food: Cell| {
        let kind = enclosure(ring, food);
        let is_wrong = |scenario: &Scenario| {
            if scenario.is_open {
                kind.is_none()
            } else {
                kind != Some(Enclosure::Closed)
            }
        };
        knows(ring, food).any(|scenario| is_wrong(&scenario))
    };
    board()
        .cells()
        .map(|food| {
            rings
                .iter()
                .filter(|ring| !ring.contains(&food) && wrong(ring, food))
                .count()
        })
        .sum()
}

/// Returns, among all pairs of a ring of at most `longest` cells and a food that it keeps from the
/// opponent, the percentage that no scenario covers. A snake on an open ring needs at least 6 cells
/// to be ahead by 2.
pub(super) fn unknown_rings(longest: usize, is_open: bool) -> f64 {
    let lengths = if is_open { 6..=longest } else { 0..=longest };
    let kept: Vec<&Kept> = KEPT
        .iter()
        .filter(|kept| kept.kind == kind(is_open) && lengths.contains(&kept.cells))
        .collect();
    100.0 * kept.iter().filter(|kept| !kept.is_known).count() as f64 / kept.len() as f64
}

/// Returns the number of shortest rings that enclose a food and that no scenario covers, summed
/// over all foods.
pub(super) fn missing_rings() -> usize {
    board()
        .cells()
        .map(|food| {
            let mut closed = KEPT
                .iter()
                .filter(|kept| kept.food == food && kept.kind == Enclosure::Closed)
                .peekable();
            let least = closed.peek().map_or(0, |kept| kept.cells);
            closed
                .take_while(|kept| kept.cells == least)
                .filter(|kept| !kept.is_known)
                .count()
        })
        .sum()
}

/// Returns the scenarios that a body on a ring fulfills.
fn knows(ring: &[Cell], food: Cell) -> impl Iterator<Item = Scenario> {
    Scenario::around(board(), food)
        .into_iter()
        .filter(|scenario| {
            ring.len() >= scenario.ring.len()
                && scenario.cells.iter().all(|cell| ring.contains(cell))
        })
}

/// Returns how a ring keeps a food from the opponent. Distant rings are skipped, since they never
/// do.
fn enclosure(ring: &[Cell], food: Cell) -> Option<Enclosure> {
    if ring.iter().any(|&cell| board().distance(cell, food) <= 2) {
        Enclosure::of(board(), ring, food)
    } else {
        None
    }
}
