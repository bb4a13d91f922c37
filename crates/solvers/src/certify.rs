//! Certificates: Hamiltonian cycles that hold a snake.

use crate::Cycle;
use hognose_game::{Board, Cell, Direction, Directions};

/// Turns one Hamiltonian cycle into another that holds a given body as a contiguous path.
///
/// The cycle's edges, with the body's forced in, are a graph in which some cells lack an edge. Grids are bipartite, so these
/// are repaired two by two along alternating paths of absent and present edges, as a matching is augmented; if one can't be
/// repaired, no set of cycles that covers the board holds the body. Cycles are then merged at 2x2 squares two opposite sides
/// of which belong to different ones.
///
/// A `None` is no proof that there is no such cycle, though it is rarely wrong; a cycle is always right.
#[derive(Clone, Debug)]
pub struct Certifier {
    board: Board,
    /// For each cell, the directions of its edges ...
    edges: Vec<Directions>,
    /// ... and of those that must stay.
    forced: Vec<Directions>,
    /// How the repair reached each cell: from which cell, through which neighbour of that cell.
    reached: Vec<Option<(Cell, Cell)>>,
    queue: Vec<Cell>,
    cycle_of: Vec<u16>,
}

/// How many times two cycles that no square merges are joined by an edge.
const JOINS: usize = 2;

impl Certifier {
    /// A certifier for a board.
    pub fn new(board: Board) -> Certifier {
        let area = board.area();
        Certifier {
            board,
            edges: vec![Directions::EMPTY; area],
            forced: vec![Directions::EMPTY; area],
            reached: vec![None; area],
            queue: Vec::new(),
            cycle_of: vec![0; area],
        }
    }

    /// A Hamiltonian cycle that holds the body, given from tail to head, and is near to `base`.
    pub fn certify(&mut self, base: &Cycle, body: &[Cell]) -> Option<Cycle> {
        // Across the border of a torus two cells may have two edges, or the same color.
        let sides = [self.board.width(), self.board.height()];
        if self.board.is_torus() && sides.into_iter().any(|side| side == 2 || side % 2 == 1) {
            return None;
        }
        self.edges.fill(Directions::EMPTY);
        base.cells().iter().for_each(|&cell| self.connect(cell, base.next(cell)));
        self.force(body)?;
        for join in 0..=JOINS {
            self.repair_all()?;
            if self.merge() == 1 {
                return self.cycle(body);
            }
            if join < JOINS {
                self.join()?;
            }
        }
        None
    }

    fn neighbor(&self, cell: Cell, direction: Direction) -> Cell {
        self.board.neighbor(cell, direction).expect("edges stay on the board")
    }

    fn connect(&mut self, cell: Cell, direction: Direction) {
        let other = self.neighbor(cell, direction);
        self.edges[cell.index()].insert(direction);
        self.edges[other.index()].insert(direction.opposite());
    }

    fn cut(&mut self, cell: Cell, direction: Direction) {
        let other = self.neighbor(cell, direction);
        self.edges[cell.index()].remove(direction);
        self.edges[other.index()].remove(direction.opposite());
    }

    /// The edges of a cell that may go.
    fn loose(&self, cell: Cell) -> Directions {
        self.edges[cell.index()].without(self.forced[cell.index()])
    }

    /// Whether a cell's two edges must stay, so that no other edge may come.
    fn closed(&self, cell: Cell) -> bool {
        self.forced[cell.index()].len() == 2
    }

    /// Puts the body's edges in and takes out what is too much beside them.
    fn force(&mut self, body: &[Cell]) -> Option<()> {
        self.forced.fill(Directions::EMPTY);
        for pair in body.windows(2) {
            let direction = self.board.direction(pair[0], pair[1])?;
            self.connect(pair[0], direction);
            self.forced[pair[0].index()].insert(direction);
            self.forced[pair[1].index()].insert(direction.opposite());
        }
        body.iter().for_each(|&cell| self.thin_out(cell));
        Some(())
    }

    /// Cuts loose edges of a cell that has more than two.
    fn thin_out(&mut self, cell: Cell) {
        while self.edges[cell.index()].len() > 2 {
            let loose = self.loose(cell).iter().next().expect("at most two edges are forced");
            self.cut(cell, loose);
        }
    }

    /// Gives every cell two edges, or finds that it can't be done.
    fn repair_all(&mut self) -> Option<()> {
        for cell in self.board.cells() {
            // An alternating path ends at a lacking cell of the other colour: starting from one colour repairs both.
            let color = (self.board.column(cell) + self.board.row(cell)) % 2;
            while color == 0 && self.edges[cell.index()].len() < 2 {
                self.repair(cell)?;
            }
        }
        self.board.cells().all(|cell| self.edges[cell.index()].len() == 2).then_some(())
    }

    /// Gives a cell one more edge: the shortest alternating path of absent and loose edges to a cell that lacks one too.
    fn repair(&mut self, start: Cell) -> Option<()> {
        self.reached.fill(None);
        self.reached[start.index()] = Some((start, start));
        self.queue.clear();
        self.queue.push(start);
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            for (direction, other) in self.board.neighbors(cell) {
                if self.edges[cell.index()].contains(direction) || self.closed(other) || self.closed(cell) {
                    continue;
                }
                if self.edges[other.index()].len() < 2 {
                    self.augment(start, cell, other);
                    return Some(());
                }
                if self.reached[other.index()].is_some() {
                    continue;
                }
                // Cells of the other colour are only marked as seen.
                self.reached[other.index()] = Some((cell, cell));
                for back in self.loose(other).iter() {
                    let beyond = self.neighbor(other, back);
                    if self.reached[beyond.index()].is_none() {
                        self.reached[beyond.index()] = Some((cell, other));
                        self.queue.push(beyond);
                    }
                }
            }
        }
        None
    }

    /// Swaps present and absent edges along the path that was found, from its end.
    fn augment(&mut self, start: Cell, mut cell: Cell, mut other: Cell) {
        loop {
            let direction = self.board.direction(cell, other).expect("the path goes from neighbour to neighbour");
            self.connect(cell, direction);
            if cell == start {
                return;
            }
            let (before, through) = self.reached[cell.index()].expect("the path was reached");
            let direction = self.board.direction(cell, through).expect("the path goes from neighbour to neighbour");
            self.cut(cell, direction);
            (cell, other) = (before, through);
        }
    }

    /// Merges cycles at 2x2 squares as long as it can; the number of cycles left.
    fn merge(&mut self) -> usize {
        let mut cycles = self.label();
        let mut merged = true;
        while cycles > 1 && merged {
            merged = false;
            for row in 0..self.board.height() - 1 {
                for column in 0..self.board.width() - 1 {
                    let corner = self.board.cell(column, row);
                    let pair = self
                        .swap(corner, Direction::Right, Direction::Down)
                        .or_else(|| self.swap(corner, Direction::Down, Direction::Right));
                    if let Some((one, other)) = pair {
                        self.cycle_of.iter_mut().filter(|cycle| **cycle == one).for_each(|cycle| *cycle = other);
                        cycles -= 1;
                        merged = true;
                    }
                }
            }
        }
        cycles
    }

    /// Swaps two opposite sides of a square, at `corner` and `across` from it, for the other two, if they belong to different
    /// cycles; these cycles.
    fn swap(&mut self, corner: Cell, side: Direction, across: Direction) -> Option<(u16, u16)> {
        let (far, other) = (self.neighbor(corner, side), self.neighbor(corner, across));
        let cycles = (self.cycle_of[corner.index()], self.cycle_of[other.index()]);
        let present = |cell: Cell| self.loose(cell).contains(side);
        if !present(corner) || !present(other) || cycles.0 == cycles.1 {
            return None;
        }
        self.cut(corner, side);
        self.cut(other, side);
        self.connect(corner, across);
        self.connect(far, across);
        Some(cycles)
    }

    /// Numbers the cycles; their number.
    fn label(&mut self) -> usize {
        self.cycle_of.fill(u16::MAX);
        let mut cycles = 0;
        for start in self.board.cells() {
            if self.cycle_of[start.index()] != u16::MAX {
                continue;
            }
            let mut cell = Some(start);
            while let Some(at) = cell {
                self.cycle_of[at.index()] = cycles;
                let ahead = self.edges[at.index()].iter().map(|direction| self.neighbor(at, direction));
                cell = ahead.into_iter().find(|next| self.cycle_of[next.index()] == u16::MAX);
            }
            cycles += 1;
        }
        cycles.into()
    }

    /// Forces an edge between two cycles; what it breaks is left to repair.
    fn join(&mut self) -> Option<()> {
        let (cell, direction, other) = self
            .board
            .cells()
            .flat_map(|cell| self.board.neighbors(cell).map(move |(direction, other)| (cell, direction, other)))
            .find(|&(cell, _, other)| {
                let apart = self.cycle_of[cell.index()] != self.cycle_of[other.index()];
                apart && !self.closed(cell) && !self.closed(other)
            })?;
        self.connect(cell, direction);
        self.forced[cell.index()].insert(direction);
        self.forced[other.index()].insert(direction.opposite());
        self.thin_out(cell);
        self.thin_out(other);
        Some(())
    }

    /// The one cycle, walked from the body's tail to its head and on.
    fn cycle(&self, body: &[Cell]) -> Option<Cycle> {
        let mut cells = vec![body[0]];
        let first = match body {
            [tail, next, ..] => self.board.direction(*tail, *next)?,
            _ => self.edges[body[0].index()].iter().next()?,
        };
        let (mut cell, mut direction) = (self.neighbor(body[0], first), first);
        while cell != body[0] && cells.len() < self.board.area() {
            cells.push(cell);
            let back = direction.opposite();
            direction = self.edges[cell.index()].iter().find(|&next| next != back)?;
            cell = self.neighbor(cell, direction);
        }
        Cycle::from_cells(self.board, &cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{Position, Rules};

    /// Whether a path, given from tail to head, can be continued to a Hamiltonian cycle: by trying everything.
    fn exists(board: Board, path: &mut Vec<Cell>) -> bool {
        let (tail, head) = (path[0], path[path.len() - 1]);
        if path.len() == board.area() {
            return board.direction(head, tail).is_some();
        }
        board.neighbors(head).any(|(_, next)| {
            if path.contains(&next) {
                return false;
            }
            path.push(next);
            let found = exists(board, path);
            path.pop();
            found
        })
    }

    #[test]
    fn certificates_are_right_and_seldom_missed() {
        let (mut found, mut missed, mut none) = (0, 0, 0);
        for (width, height) in [(4, 4), (5, 4), (4, 6), (2, 7), (6, 3)] {
            let board = Board::new(width, height).unwrap();
            let start = Position::new(Rules::new(board), Direction::Up, [Cell(0)], []).unwrap();
            let base = Cycle::holding(&start).unwrap();
            let mut certifier = Certifier::new(board);
            for index in 0..2000 {
                let mut draws = rng::keyed(0, Purpose::new("bodies"), index);
                let mut body = vec![Cell(rng::below(&mut draws, board.area() as u64) as u16)];
                for _ in 0..rng::below(&mut draws, board.area() as u64) {
                    let free = board.neighbors(body[body.len() - 1]).map(|(_, cell)| cell);
                    let free: Vec<Cell> = free.filter(|cell| !body.contains(cell)).collect();
                    if free.is_empty() {
                        break;
                    }
                    body.push(free[rng::below(&mut draws, free.len() as u64) as usize]);
                }
                match (certifier.certify(&base, &body), exists(board, &mut body.clone())) {
                    (Some(cycle), exists) => {
                        assert!(exists && cycle.cells()[..body.len()] == body, "{board} {body:?}");
                        found += 1;
                    }
                    (None, true) => missed += 1,
                    (None, false) => none += 1,
                }
            }
        }
        assert!(found > 2000 && none > 5000 && missed * 200 < found, "{found} {missed} {none}");
    }
}
