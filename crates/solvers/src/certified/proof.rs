//! Enumeration on small boards that shows that certificates win.

use super::certificate::{Certificate, Pair};
use crate::cycles::cycle::shifted;
use crate::frame::Frame;
use crate::grid::{Grid, NONE, tail_to_head};
use hognose_game::{Board, Cell, Direction, Event, Position, Rules};
use std::ops::ControlFlow;

/// The cases that [`certificates_win`] enumerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enumerated {
    /// The number of certificates: directed cycles; on a board with an odd number of cells, each
    /// with the cell that it misses and the cell whose position that one shares. Certificates that
    /// a symmetry of the board maps to each other count once.
    pub certificates: u64,
    /// The number of pairs of a certificate and a body that lies in order on it.
    pub bodies: u64,
    /// The number of walks from such a body to a food.
    pub walks: u64,
}

/// Shows by enumeration that following a certificate wins, for every certificate of a board and
/// every body that lies in order on it: with food on any free cell, following the cycle never
/// loses, eats within two laps, and keeps the body in order after every step. The same holds after
/// that food, and so on until the board is full.
///
/// On a board with an odd number of cells, two cells share a position, and the walk depends on
/// whether they hold food. Every food is therefore tried alone and together with food on them,
/// which covers any number of foods.
///
/// `go_on` receives the number of certificates finished and their total. If it breaks, the result
/// is `None`. 5x5 takes seconds; every two additional cells take ten times as long.
///
/// # Errors
/// A description of a walk that loses, does not eat, or leaves the body out of order.
pub fn certificates_win(
    board: Board,
    mut go_on: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<Enumerated>, String> {
    let grid = Grid::new(board);
    let certificates = without_images(&grid, all_certificates(&grid));
    let foods = 3.min(board.area() as u16 - 1);
    let rules = Rules::new(grid.board)
        .with_foods(foods)
        .expect("there is room for these foods");
    let mut walker = Walker {
        position: Position::new(rules, Direction::Up, [Cell(0)], [])
            .expect("a single cell is a valid position"),
        grid: &grid,
        body: Vec::new(),
        enumerated: Enumerated::default(),
    };
    for (index, certificate) in certificates.iter().enumerate() {
        if go_on(index, certificates.len()).is_break() {
            return Ok(None);
        }
        walker.enumerated.certificates += 1;
        for tail in 0..grid.area() as u16 {
            walker.body.push(tail);
            walker.walk_from_all(certificate)?;
            walker.body.clear();
        }
    }
    Ok(Some(walker.enumerated))
}

struct Walker<'a> {
    grid: &'a Grid,
    position: Position,
    /// From tail to head.
    body: Vec<u16>,
    enumerated: Enumerated,
}

impl Walker<'_> {
    /// Walks from the body and from all its extensions at the head.
    fn walk_from_all(&mut self, certificate: &Certificate) -> Result<(), String> {
        if !certificate.holds(&self.body) {
            return Ok(());
        }
        self.enumerated.bodies += 1;
        let area = self.grid.area() as u16;
        let free: Vec<u16> = (0..area).filter(|cell| !self.body.contains(cell)).collect();
        for &food in &free {
            let pair = certificate.pair().map(|pair| [pair.spare, pair.twin]);
            let beside: Vec<u16> = pair
                .into_iter()
                .flatten()
                .filter(|cell| *cell != food && free.contains(cell))
                .collect();
            for chosen in 0..1 << beside.len() {
                let chosen = (0..beside.len())
                    .filter(|index| chosen >> index & 1 == 1)
                    .map(|index| beside[index]);
                let foods: Vec<u16> = std::iter::once(food).chain(chosen).collect();
                self.walk(certificate, &foods)?;
            }
        }
        for next in self.grid.neighbors(self.body[self.body.len() - 1]) {
            if next != NONE && !self.body.contains(&next) {
                self.body.push(next);
                self.walk_from_all(certificate)?;
                self.body.pop();
            }
        }
        Ok(())
    }

    /// Follows the certificate until the snake eats.
    fn walk(&mut self, certificate: &Certificate, foods: &[u16]) -> Result<(), String> {
        self.enumerated.walks += 1;
        let heading = match *self.body {
            [.., neck, head] => self.grid.direction(neck, head),
            _ => Direction::Up,
        };
        let cells = self.body.iter().rev().map(|&cell| Cell(cell));
        self.position
            .replace(heading, cells, foods.iter().map(|&cell| Cell(cell)))
            .expect("a body in order is a path");
        let failed = |what: &str, position: &Position| {
            let body = &self.body;
            let cells = certificate.cells();
            let pair = certificate.pair();
            let board = self.grid.board;
            Err(format!(
                "{board}: {what}\n{position}body from tail to head {body:?}, food {foods:?}, \
                 {cells:?} {pair:?}"
            ))
        };
        let mut after = Vec::new();
        for _ in 0..2 * certificate.cells().len() {
            let head = self.position.head().0;
            let next = certificate.next(head, &self.position, 1);
            let event = self.position.step(self.grid.direction(head, next));
            if let Event::Lost(cause) = event {
                return failed(&format!("lost by {cause:?}"), &self.position);
            }
            after.clear();
            after.extend(tail_to_head(&self.position));
            if event != Event::Won && !certificate.holds(&after) {
                return failed("the body is no longer in order", &self.position);
            }
            if event != Event::Moved {
                return Ok(());
            }
        }
        failed("nothing eaten in two laps", &self.position)
    }
}

/// Returns all certificates of a board, with each cycle in both directions.
pub(crate) fn all_certificates(grid: &Grid) -> Vec<Certificate> {
    let mut found = Vec::new();
    let area = grid.area() as u16;
    if !grid.has_spare() {
        cycles(grid, NONE, &mut vec![0], &mut |cycle| {
            found.push(Certificate::from_cells(grid.area(), cycle, None))
        });
        return found;
    }
    for spare in (0..area).filter(|&cell| grid.color(cell) == 0) {
        let around = grid.neighbors(spare);
        let mut start = vec![u16::from(spare == 0)];
        cycles(grid, spare, &mut start, &mut |cycle| {
            let is_beside = |place: usize| around.contains(&cycle[place % cycle.len()]);
            for (place, &twin) in cycle.iter().enumerate() {
                if is_beside(place + cycle.len() - 1) && is_beside(place + 1) {
                    let pair = Some(Pair { spare, twin });
                    found.push(Certificate::from_cells(grid.area(), cycle, pair));
                }
            }
        });
    }
    found
}

/// Calls `found` with every cycle through all cells except `missing`, in both directions, from the
/// first cell of `path`.
fn cycles(grid: &Grid, missing: u16, path: &mut Vec<u16>, found: &mut dyn FnMut(&[u16])) {
    let cells = grid.area() - usize::from(missing != NONE);
    for next in grid.neighbors(path[path.len() - 1]) {
        if next == path[0] && path.len() == cells {
            found(path);
        } else if next != NONE && next != missing && !path.contains(&next) {
            path.push(next);
            cycles(grid, missing, path, found);
            path.pop();
        }
    }
}

/// Keeps one of each set of certificates that symmetries of the board map to each other.
fn without_images(grid: &Grid, mut certificates: Vec<Certificate>) -> Vec<Certificate> {
    let symmetries = symmetries(grid.board);
    let image = |certificate: &Certificate, symmetry: &[u16]| -> Vec<u16> {
        let at = |&cell: &u16| symmetry[usize::from(cell)];
        let mut cells: Vec<u16> = certificate.cells().iter().map(at).collect();
        let least = (0..cells.len())
            .min_by_key(|&place| cells[place])
            .expect("a cycle has cells");
        cells.rotate_left(least);
        cells.extend(
            certificate
                .pair()
                .into_iter()
                .flat_map(|Pair { spare, twin }| [at(spare), at(twin)]),
        );
        cells
    };
    certificates.retain(|certificate| {
        let own = image(certificate, &symmetries[0]);
        symmetries
            .iter()
            .all(|symmetry| own <= image(certificate, symmetry))
    });
    certificates
}

/// Returns the maps of a board's cells that keep neighbors, the identity first: reflections,
/// rotations if the sides are equal, and shifts on a torus.
fn symmetries(board: Board) -> Vec<Vec<u16>> {
    let shifts = if board.is_torus() { board.area() } else { 1 };
    Frame::all(board)
        .filter(|frame| frame.width() == board.width())
        .flat_map(|frame| board.cells().take(shifts).map(move |by| (frame, by)))
        .map(|(frame, by)| {
            let image = |cell| frame.cell(board.column(cell), board.row(cell));
            board
                .cells()
                .map(|cell| shifted(board, image(cell), by).0)
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enumerated(board: &str) -> Enumerated {
        certificates_win(board.parse().unwrap(), |_, _| ControlFlow::Continue(()))
            .unwrap()
            .unwrap()
    }

    /// For larger boards, use `hognose verify --certificates`.
    #[test]
    fn following_any_certificate_from_any_body_in_order_wins() {
        for board in [
            "2x2",
            "2x3",
            "2x5",
            "3x3",
            "3x4",
            "3x5",
            "5x3",
            "4x4",
            "2x2-torus",
            "2x5-torus",
            "3x3-torus",
            "3x4-torus",
            "4x4-torus",
        ] {
            let Enumerated {
                certificates,
                bodies,
                walks,
            } = enumerated(board);
            assert!(
                certificates > 0 && bodies > certificates && walks > bodies,
                "{board} {certificates} {bodies} {walks}"
            );
        }
    }

    /// Symmetry removes only images: the 6 cycles of 4x4 (A003763), in two directions each, are
    /// images of 2, one of which is its own mirror image.
    #[test]
    fn certificates_are_counted() {
        let count = |text: &str| all_certificates(&Grid::new(text.parse().unwrap())).len();
        assert_eq!(
            ["2x2", "3x4", "4x4", "4x6", "6x6"].map(count),
            [1, 2, 6, 37, 1072].map(|cycles| 2 * cycles)
        );
        for text in ["4x4", "3x5", "3x4-torus", "4x4-torus"] {
            let grid = Grid::new(text.parse().unwrap());
            let all = all_certificates(&grid);
            let symmetries = symmetries(grid.board);
            let kept = without_images(&grid, all.clone());
            assert!(
                kept.len() < all.len() && kept.len() * symmetries.len() >= all.len(),
                "{text} {}",
                kept.len()
            );
        }
    }
}
