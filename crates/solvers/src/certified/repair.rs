//! The search for a certificate of a given body.

use super::arcs::Arcs;
use super::certificate::{Certificate, Pair};
use super::edges::Edges;
use crate::cycles::Cycle;
use crate::grid::{Grid, NONE};

/// The condition that a certificate must meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The body is a contiguous path of the cycle.
    Contiguous,
    /// The body lies in order on the cycle.
    InOrder,
}

/// A 2x2 square where two cycles can be merged: two opposite sides belong to different cycles.
#[derive(Clone, Copy, Debug)]
struct Joint {
    /// These two sides.
    sides: [[u16; 2]; 2],
    /// The cell of the body, counted from the tail, behind which the merge makes a hole; 0 for
    /// none.
    hole: u16,
}

/// The repair that turns one certificate into another that holds a given body.
///
/// The cycle's edges, with the body's edges forced in, form a graph in which some cells lack an
/// edge. These cells are repaired two by two along alternating paths of absent and present edges,
/// as in augmenting a matching. (A torus with an odd side is not bipartite: there the search may
/// find a path that uses an edge twice, and goes on.) The result is a set of cycles that covers
/// the board; a cycle of two free cells is also possible. One of the cycles contains the body. The
/// others are merged into it at 2x2 squares with two opposite sides on different cycles: next to
/// the body if possible, otherwise through the body's edge nearest the tail, which leaves the body
/// in order but with holes that the tail frees soonest.
///
/// A failed search does not prove that there is no certificate, though it rarely misses one. A
/// certificate that it finds is always valid.
#[derive(Clone, Debug)]
pub(crate) struct CycleRepair {
    grid: Grid,
    edges: Edges,
    /// The index of each cell on the body, counted from the tail; `NONE` for free cells.
    index: Vec<u16>,
    length: u16,
    /// The cell from which the search reached each cell, and the neighbor that it went through.
    reached: Vec<[u16; 2]>,
    /// The last repair that reached each cell by a present edge, and the last by an absent one.
    seen: [Vec<u32>; 2],
    search: u32,
    queue: Vec<u16>,
    trail: Vec<[u16; 2]>,
    arcs: Arcs,
    arc_at: Vec<u16>,
    joints: Vec<Joint>,
}

impl CycleRepair {
    pub(crate) fn new(grid: Grid) -> CycleRepair {
        let area = grid.area();
        CycleRepair {
            grid,
            edges: Edges::new(area),
            index: vec![NONE; area],
            length: 0,
            reached: vec![[NONE; 2]; area],
            seen: [vec![0; area], vec![0; area]],
            search: 0,
            queue: Vec::new(),
            trail: Vec::new(),
            arcs: Arcs::default(),
            arc_at: vec![0; area],
            joints: Vec::new(),
        }
    }

    /// Writes a certificate near `base` that holds the body, given from tail to head, and returns
    /// whether it found one. A body that fills the board has none.
    pub(crate) fn hold(
        &mut self,
        base: &Certificate,
        body: &[u16],
        strictness: Strictness,
        found: &mut Certificate,
    ) -> bool {
        if body.len() > base.cells().len() {
            return false;
        }
        self.edges.set(base);
        self.force(body);
        let Some(spare) = self.repair_all(base, strictness) else {
            return false;
        };
        self.arcs.find(base, &self.edges);
        if self.arcs.cycles > 1 {
            self.merge(base, strictness);
            if self.arcs.cycles > 1 {
                return false;
            }
            self.arcs.find(base, &self.edges);
        }
        let pair = match spare.map(|spare| self.pair(spare)) {
            Some(None) => return false,
            pair => pair.flatten(),
        };
        found.rewrite(pair, |cells| self.write(base, cells));
        found.holds(body) || {
            found.reverse();
            found.holds(body)
        }
    }

    /// Returns a Hamiltonian cycle near `base` of which the body, given from tail to head, is a
    /// contiguous path; `None` if it finds none.
    pub(crate) fn contiguous(&mut self, base: &Cycle, body: &[u16]) -> Option<Cycle> {
        let base = Certificate::of(base);
        let mut found = base.clone();
        self.hold(&base, body, Strictness::Contiguous, &mut found)
            .then(|| {
                let cells = found.as_cells();
                Cycle::from_cells(self.grid.board, &cells)
                    .expect("certificates of even boards are Hamiltonian cycles")
            })
    }

    #[inline]
    fn on_body(&self, cell: u16) -> bool {
        self.index[usize::from(cell)] != NONE
    }

    /// Returns whether an edge belongs to the body, and must stay.
    #[inline]
    fn forced(&self, a: u16, b: u16) -> bool {
        self.index[usize::from(a)].abs_diff(self.index[usize::from(b)]) == 1
    }

    /// Returns whether both edges of a cell belong to the body.
    #[inline]
    fn closed(&self, cell: u16) -> bool {
        (1..self.length - 1).contains(&self.index[usize::from(cell)])
    }

    /// Adds the body's edges, and removes edges that would leave a cell with more than two.
    fn force(&mut self, body: &[u16]) {
        self.length = body.len() as u16;
        self.index.fill(NONE);
        for (index, &cell) in (0..).zip(body) {
            self.index[usize::from(cell)] = index;
        }
        for pair in body.windows(2) {
            if self.edges.count(pair[0], pair[1]) > 0 {
                continue;
            }
            // Cut the edge that leaves the first cell, and the one that enters the second.
            for (cell, side) in [(pair[0], 1), (pair[1], 0)] {
                if self.edges.degree(cell) == 2 {
                    let links = self.edges.of(cell);
                    let side = if self.forced(cell, links[side]) {
                        1 - side
                    } else {
                        side
                    };
                    self.edges.cut(cell, links[side]);
                }
            }
            self.edges.add(pair[0], pair[1]);
        }
    }

    /// Gives every cell two edges; on a board with an odd number of cells, all cells except one,
    /// which it returns.
    fn repair_all(&mut self, base: &Certificate, strictness: Strictness) -> Option<Option<u16>> {
        let doubles = strictness == Strictness::InOrder;
        // On a board with an odd number of cells, the cell left over has color 0.
        for index in 0..self.edges.cut_cells().len() {
            let cell = self.edges.cut_cells()[index];
            if self.grid.is_bipartite && self.grid.color(cell) == 0 {
                continue;
            }
            while self.edges.degree(cell) < 2 {
                if !self.repair(cell, NONE, doubles) {
                    return None;
                }
            }
        }
        let Some(&Pair { spare, .. }) = base.pair() else {
            return self
                .edges
                .cut_cells()
                .iter()
                .all(|&cell| self.edges.degree(cell) == 2)
                .then_some(None);
        };
        let candidates = || self.edges.cut_cells().iter().copied().chain([spare]);
        let first = candidates().find(|&cell| self.edges.degree(cell) < 2)?;
        match candidates().find(|&cell| cell != first && self.edges.degree(cell) < 2) {
            None => Some(Some(first)),
            // Two cells lack an edge each: one of them gives up its other edge.
            Some(second) if self.repair(first, second, doubles) => Some(Some(second)),
            Some(second) => self.repair(second, first, doubles).then_some(Some(first)),
        }
    }

    /// Gives a cell one more edge, by the shortest alternating path of absent and removable edges
    /// to a cell that also lacks one, or to `giver`, a cell of the same color that loses its only
    /// one. With `doubles`, two edges may join two free cells.
    fn repair(&mut self, start: u16, giver: u16, doubles: bool) -> bool {
        self.search += 1;
        let search = self.search;
        self.seen[0][usize::from(start)] = search;
        self.queue.clear();
        self.queue.push(start);
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            for other in self.grid.neighbors(cell) {
                if other == NONE || self.seen[1][usize::from(other)] == search || self.closed(other)
                {
                    continue;
                }
                let most = if doubles && !self.on_body(cell) && !self.on_body(other) {
                    2
                } else {
                    1
                };
                if self.edges.count(cell, other) >= most {
                    continue;
                }
                let degree = self.edges.degree(other);
                if degree + usize::from(other == start) < 2 && self.is_trail(start, cell, other) {
                    self.augment(start, cell, other);
                    return true;
                }
                self.seen[1][usize::from(other)] = search;
                for beyond in self.edges.of(other) {
                    if beyond == NONE
                        || self.seen[0][usize::from(beyond)] == search
                        || self.forced(other, beyond)
                    {
                        continue;
                    }
                    self.seen[0][usize::from(beyond)] = search;
                    self.reached[usize::from(beyond)] = [cell, other];
                    if beyond == giver {
                        self.edges.cut(other, beyond);
                        self.augment(start, cell, other);
                        return true;
                    }
                    self.queue.push(beyond);
                }
            }
        }
        false
    }

    /// Whether the path that was found has each edge once. On a bipartite grid it also has each cell
    /// once, since every cell is reached by edges of one kind.
    fn is_trail(&mut self, start: u16, mut cell: u16, other: u16) -> bool {
        if self.grid.is_bipartite {
            return true;
        }
        self.trail.clear();
        let edge = |a: u16, b: u16| [a.min(b), a.max(b)];
        self.trail.push(edge(cell, other));
        while cell != start {
            let [before, through] = self.reached[usize::from(cell)];
            self.trail
                .extend([edge(cell, through), edge(before, through)]);
            cell = before;
        }
        self.trail.sort_unstable();
        self.trail.is_sorted_by(|a, b| a < b)
    }

    /// Swaps present and absent edges along the path that was found, from its end.
    fn augment(&mut self, start: u16, mut cell: u16, mut other: u16) {
        while cell != start {
            let [before, through] = self.reached[usize::from(cell)];
            self.edges.cut(cell, through);
            self.edges.add(cell, other);
            (cell, other) = (before, through);
        }
        self.edges.add(cell, other);
    }

    /// Pairs a cell without edges with the cell of the cycle whose position it can take, preferably
    /// a free cell, or else the one that the tail leaves first.
    fn pair(&self, spare: u16) -> Option<Pair> {
        let around = self.grid.neighbors(spare);
        let twins = (0..4).filter_map(|side| {
            let one = around[side];
            let other = around[(side + 1) % 4];
            if one == NONE || other == NONE {
                return None;
            }
            let twin = self.grid.neighbors(one)[(side + 1) % 4];
            (self.edges.count(twin, one) == 1 && self.edges.count(twin, other) == 1).then_some(twin)
        });
        // Free cells come first: adding 1 turns `NONE` into 0.
        let twin = twins.min_by_key(|&twin| self.index[usize::from(twin)].wrapping_add(1))?;
        Some(Pair { spare, twin })
    }

    /// Merges cycles into the largest one as long as possible: next to the body if it can,
    /// otherwise, unless the body must be contiguous, through edges of the body as near the tail as
    /// possible.
    fn merge(&mut self, base: &Certificate, strictness: Strictness) {
        let mut arcs = std::mem::take(&mut self.arcs);
        let mut joints = std::mem::take(&mut self.joints);
        let largest = self.place_arcs(base, &arcs);
        let mut cycles = arcs.cycles + 1;
        while 1 < arcs.cycles && arcs.cycles < cycles {
            cycles = arcs.cycles;
            joints.clear();
            for arc in 0..arcs.cycle.len() {
                for &cell in arcs.cells(base, arc).into_iter().flatten() {
                    // The left-over cell is an arc that belongs to no cycle.
                    if [largest, NONE].contains(&arcs.cycle[arc]) {
                        break;
                    }
                    let through = joints.len();
                    self.find_joints(&arcs, cell, &mut joints);
                    if let Some(beside) = joints[through..].iter().find(|joint| joint.hole == 0) {
                        self.join(&mut arcs, beside);
                        joints.truncate(through);
                    }
                }
            }
            if strictness == Strictness::InOrder {
                joints.sort_by_key(|joint| joint.hole);
                for joint in &joints {
                    let [one, other] = joint
                        .sides
                        .map(|[a, b]| (self.cycle_at(&arcs, a), self.edges.count(a, b)));
                    if one.0 != other.0 && one.1 > 0 && other.1 > 0 {
                        self.join(&mut arcs, joint);
                    }
                }
            }
        }
        (self.arcs, self.joints) = (arcs, joints);
    }

    /// Stores the arc of each cell, and returns the cycle with the most cells.
    fn place_arcs(&mut self, base: &Certificate, arcs: &Arcs) -> u16 {
        let mut sizes = vec![0; arcs.cycle.len()];
        for &(arc, _) in &arcs.visits {
            for cells in arcs.cells(base, arc) {
                sizes[usize::from(arcs.cycle[arc])] += cells.len();
                cells
                    .iter()
                    .for_each(|&cell| self.arc_at[usize::from(cell)] = arc as u16);
            }
        }
        (0..arcs.cycle.len() as u16)
            .max_by_key(|&cycle| sizes[usize::from(cycle)])
            .unwrap_or(0)
    }

    #[inline]
    fn cycle_at(&self, arcs: &Arcs, cell: u16) -> u16 {
        arcs.cycle[usize::from(self.arc_at[usize::from(cell)])]
    }

    /// Pushes the squares at which the cycle of a cell can be merged with others at this cell.
    fn find_joints(&self, arcs: &Arcs, cell: u16, joints: &mut Vec<Joint>) {
        let own = self.cycle_at(arcs, cell);
        let around = self.grid.neighbors(cell);
        for (across, far) in around.into_iter().enumerate() {
            if far == NONE || self.edges.of(far)[0] == NONE || self.cycle_at(arcs, far) == own {
                continue;
            }
            for next in self.edges.of(cell) {
                // A side of the square, with the edge on the opposite side.
                let far_next = self.grid.neighbors(next)[across];
                if next == around[(across + 2) % 4]
                    || far_next == NONE
                    || self.edges.count(far, far_next) == 0
                {
                    continue;
                }
                let sides = [[cell, next], [far, far_next]];
                let forced = sides
                    .into_iter()
                    .filter(|&[a, b]| self.forced(a, b))
                    .flatten();
                let hole = forced
                    .map(|cell| self.index[usize::from(cell)])
                    .max()
                    .unwrap_or(0);
                joints.push(Joint { sides, hole });
            }
        }
    }

    /// Merges two cycles by swapping two sides of a square for its other two.
    fn join(&mut self, arcs: &mut Arcs, joint: &Joint) {
        let [[cell, next], [far, far_next]] = joint.sides;
        self.edges.cut(cell, next);
        self.edges.cut(far, far_next);
        self.edges.add(cell, far);
        self.edges.add(next, far_next);
        let [own, other] = [cell, far].map(|cell| self.cycle_at(arcs, cell));
        arcs.cycle
            .iter_mut()
            .filter(|cycle| **cycle == own)
            .for_each(|cycle| *cycle = other);
        arcs.cycles -= 1;
    }

    /// Pushes the cells of the single cycle in order.
    fn write(&self, base: &Certificate, cells: &mut Vec<u16>) {
        for &(arc, backward) in &self.arcs.visits {
            let from = cells.len();
            self.arcs
                .cells(base, arc)
                .into_iter()
                .for_each(|part| cells.extend_from_slice(part));
            if backward {
                cells[from..].reverse();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certified::proof::all_certificates;
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{Board, Game, Position, Rules, Status};

    fn random_body(grid: &Grid, index: u64) -> Vec<u16> {
        let mut draws = rng::keyed(0, Purpose::new("bodies"), index);
        let mut body = vec![rng::below(&mut draws, grid.area() as u64) as u16];
        for _ in 0..rng::below(&mut draws, grid.area() as u64) {
            let mut free = grid.neighbors(body[body.len() - 1]).to_vec();
            free.retain(|&cell| cell != NONE && !body.contains(&cell));
            if free.is_empty() {
                break;
            }
            body.push(free[rng::below(&mut draws, free.len() as u64) as usize]);
        }
        body
    }

    #[test]
    fn certificates_are_valid_and_rarely_missed() {
        use Strictness::{Contiguous, InOrder};
        let even = ["4x4", "5x4", "4x6", "2x7", "6x3"].as_slice();
        let tori = ["2x7-torus", "3x4-torus", "3x5-torus", "4x4-torus"].as_slice();
        for (strictness, texts, found_for_each_missed) in [
            (Contiguous, even, 20),
            (InOrder, even, 20),
            (InOrder, &["3x3", "3x5", "5x5"], 20),
            (Contiguous, tori, 20),
            // On a small torus, many certificates lead once around between two cells of the body.
            (InOrder, tori, 3),
        ] {
            let mut found = 0;
            let mut missed = 0;
            let mut none = 0;
            for text in texts {
                let grid = Grid::new(text.parse().unwrap());
                let base = Certificate::first(&grid);
                let mut certificate = base.clone();
                let mut repair = CycleRepair::new(grid.clone());
                let all = all_certificates(&grid);
                for index in 0..2000 {
                    let body = random_body(&grid, index);
                    let holds = |one: &Certificate| {
                        let cycle = one.cells();
                        let at = |cell: u16| match one.pair() {
                            Some(pair) if cell == pair.spare => pair.twin,
                            _ => cell,
                        };
                        let tail = cycle.iter().position(|&cell| cell == at(body[0])).unwrap();
                        let mut round =
                            (0..cycle.len()).map(|step| cycle[(tail + step) % cycle.len()]);
                        let back =
                            body.len() == 2 && round.clone().next_back() == Some(at(body[1]));
                        match strictness {
                            Strictness::Contiguous => {
                                body.iter().all(|&cell| round.next() == Some(at(cell)))
                            }
                            Strictness::InOrder => {
                                !back
                                    && body
                                        .iter()
                                        .all(|&cell| round.any(|other| other == at(cell)))
                            }
                        }
                    };
                    let exists = all.iter().any(holds);
                    if repair.hold(&base, &body, strictness, &mut certificate) {
                        assert!(exists, "{text} {body:?}");
                        assert!(holds(&certificate), "{text} {body:?} {certificate:?}");
                        let same = |one: &Certificate| {
                            one.pair() == certificate.pair() && one.links() == certificate.links()
                        };
                        assert!(all.iter().any(same), "{text} {certificate:?}");
                        found += 1;
                    } else if exists {
                        missed += 1;
                    } else {
                        none += 1;
                    }
                }
            }
            assert!(
                found > 2000 && none > 1000 && missed * found_for_each_missed < found,
                "{strictness:?}: {found} {missed} {none}"
            );
        }
    }

    /// Starts from random bodies in order, with food anywhere.
    #[test]
    fn following_a_certificate_wins() {
        for text in [
            "3x3",
            "4x4",
            "5x3",
            "5x5",
            "4x6",
            "7x5",
            "6x4-torus",
            "5x5-torus",
        ] {
            let grid = Grid::new(text.parse::<Board>().unwrap());
            let base = Certificate::first(&grid);
            let mut certificate = base.clone();
            let mut repair = CycleRepair::new(grid.clone());
            let mut followed = 0;
            for index in 0..2000 {
                let body = random_body(&grid, index);
                if !repair.hold(&base, &body, Strictness::InOrder, &mut certificate) {
                    continue;
                }
                followed += 1;
                let heading = match *body {
                    [.., neck, head] => grid.direction(neck, head),
                    _ => hognose_game::Direction::Up,
                };
                let cells = body.iter().rev().map(|&cell| hognose_game::Cell(cell));
                let start = Position::new(Rules::new(grid.board), heading, cells, []).unwrap();
                let mut game = Game::from_position(start, index);
                for _ in 0..grid.area() * grid.area() * 2 {
                    let head = game.position().head().0;
                    game.step(grid.direction(head, certificate.next(head, game.position(), 1)));
                }
                assert_eq!(
                    game.position().status(),
                    Status::Won,
                    "{text} {body:?} {:?}",
                    game.position()
                );
            }
            assert!(followed > 200, "{text} {followed}");
        }
    }
}
