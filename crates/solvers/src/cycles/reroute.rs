//! The policy that reroutes its cycle for each food.

use super::cycle::Cycle;
use super::jumps::check_tail_entry;
use crate::grid::{Grid, NONE, tail_to_head};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Board, Cell, Direction, MakePolicy, Overlay, Policy, Position, Unsupported};

const CHANGES: Purpose = Purpose::new("changes of the cycle");

/// The temperature of a search at its start, in steps for each cell of the board's side.
const TEMPERATURE: f32 = 0.25;

/// How many ways to insert a cut-off loop elsewhere the random search tries.
const INSERTIONS: usize = 3;

/// How many ways to insert a cut-off loop elsewhere are tried before the random search begins; the
/// first one that fits is taken.
const FIRST_INSERTIONS: usize = 10;

/// A loop may be inserted into the body behind this fraction of its cells, counted from the tail.
const NEAR_TAIL: usize = 10;

/// How often in a search the part of the body that the snake will leave is chosen anew.
const STAGES: usize = 3;

/// A policy that changes its Hamiltonian cycle for each food, such that the food comes soon on it.
///
/// The body always lies in order on the cycle (the invariant of [`Shortcut`](crate::Shortcut)). For
/// each food, simulated annealing over random changes of the cycle shortens the way to the food
/// along it. The way may skip cells as long as the snake is short. A change takes one or two swaps
/// of two opposite sides of a unit square for the other two, as in the algorithms that repair a
/// cycle around a path (B. Haidet, 2020; twanvl, 2020):
///
/// - A swap at two sides that the cycle passes in the same direction reverses the part between
///   them.
/// - A swap at two sides that it passes in opposite directions cuts off a loop. A second swap, at a
///   side of the loop and one of the rest, inserts the loop there.
///
/// No loop and no reversed part contains a cell of the body, except for cells that the tail will
/// have left when the snake eats. After every change, the body at that time lies in order on a
/// Hamiltonian cycle. A loop inserted between two cells of the body is a hole in it, which is
/// allowed only near the tail.
///
/// A search is fast because where a change moves the food is arithmetic on places, and only the
/// places between its swaps are numbered anew. Between foods, the snake follows its plan.
///
/// It wins every game on boards with an even side and on tori, if the start lies on a zig-zag and
/// the rules allow tail entry.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Reroute;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = Reroute::default().make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reroute {
    effort: usize,
}

impl Reroute {
    /// The default effort.
    pub const EFFORT: usize = 56;

    /// Returns a policy that draws `effort` random changes for each food and each cell of the
    /// board's mean side.
    pub fn with_effort(effort: usize) -> Reroute {
        Reroute { effort }
    }
}

impl Default for Reroute {
    fn default() -> Reroute {
        Reroute::with_effort(Reroute::EFFORT)
    }
}

impl MakePolicy for Reroute {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        Ok(Box::new(ReroutePolicy::new(self.effort, position, seed)?))
    }
}

struct ReroutePolicy {
    effort: usize,
    rerouter: Rerouter,
    draws: Generator,
    /// The length of the snake, and the steps of the path that it has made.
    length: usize,
    made: usize,
}

/// A search that changes a Hamiltonian cycle such that the food comes soon on it.
#[derive(Clone, Debug)]
pub(crate) struct Rerouter {
    ring: Ring,
    plan: Plan,
}

/// A Hamiltonian cycle, as the cells in order.
#[derive(Clone, Debug)]
struct Ring {
    /// The neighbors of each cell by direction; the number of cells for none.
    neighbors: Box<[[u16; 4]]>,
    cells: Vec<u16>,
    /// The index of each cell in `cells`, and `NONE` for the cell that stands for the walls.
    place: Vec<u16>,
}

/// A change of the cycle, by places.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Reverses the part after `before` up to `last`.
    Reverse { before: usize, last: usize },
    /// Cuts off the loop after `before` up to `last`, opens it after `open`, and inserts it after
    /// `to`, in its direction or in the opposite one.
    Insert {
        before: usize,
        last: usize,
        open: usize,
        to: usize,
        forward: bool,
    },
}

impl Change {
    /// Returns the places that change, as a start and an end.
    fn range(self) -> (usize, usize) {
        match self {
            Change::Reverse { before, last } => (before + 1, last + 1),
            Change::Insert {
                before, last, to, ..
            } => (before.min(to) + 1, last.max(to) + 1),
        }
    }

    /// Returns the new place of the cell at a place.
    fn moves(self, place: usize) -> usize {
        let (start, end) = self.range();
        if place < start || place >= end {
            return place;
        }
        match self {
            Change::Reverse { before, last } => before + 1 + last - place,
            Change::Insert {
                before,
                last,
                open,
                to,
                forward,
            } => {
                let size = last - before;
                if place > before && place <= last {
                    let first = if to > last { to + 1 - size } else { to + 1 };
                    let offset = if forward {
                        place + size - open - 1
                    } else {
                        open + size - place
                    };
                    first + offset % size
                } else if to > last {
                    place - size
                } else {
                    place + size
                }
            }
        }
    }
}

impl Ring {
    fn new(board: Board, cells: Vec<u16>) -> Ring {
        let grid = Grid::new(board);
        let area = board.area();
        let neighbors = board.cells().map(|Cell(cell)| {
            let around = grid.neighbors(cell);
            around.map(|other| if other == NONE { area as u16 } else { other })
        });
        let mut ring = Ring {
            neighbors: neighbors.collect(),
            cells,
            place: vec![NONE; area + 1],
        };
        ring.number(0, area);
        ring
    }

    fn area(&self) -> usize {
        self.cells.len()
    }

    #[inline]
    fn place(&self, cell: u16) -> usize {
        usize::from(self.place[usize::from(cell)])
    }

    /// Writes the places of the cells in a range.
    #[inline]
    fn number(&mut self, start: usize, end: usize) {
        for (place, &cell) in (start as u16..).zip(&self.cells[start..end]) {
            self.place[usize::from(cell)] = place;
        }
    }

    /// Gives a cell the place 0.
    fn begin_at(&mut self, cell: Cell) {
        let place = self.place(cell.0);
        self.cells.rotate_left(place);
        self.number(0, self.area());
    }

    /// Returns the index of `to` among the neighbors of `from`.
    #[inline]
    fn side(&self, from: u16, to: u16) -> usize {
        self.neighbors[usize::from(from)]
            .iter()
            .position(|&neighbor| neighbor == to)
            .expect("the cells are neighbors")
    }

    /// Returns the edge opposite the one after a place, on its right or left side, if the cycle has
    /// it: the place before it, and whether the cycle passes it in the opposite direction.
    #[inline]
    fn opposite(&self, place: usize, on_right: bool) -> Option<(usize, bool)> {
        let cell = self.cells[place];
        let next = self.cells[place + 1];
        let side = (self.side(cell, next) + if on_right { 1 } else { 3 }) % 4;
        let across = |cell: u16| self.neighbors[usize::from(cell)][side];
        let one = self.place[usize::from(across(cell))];
        let other = self.place[usize::from(across(next))];
        if one == NONE || other == NONE {
            None
        } else if one == other + 1 {
            Some((usize::from(other), true))
        } else if other == one + 1 {
            Some((usize::from(one), false))
        } else {
            None
        }
    }

    fn apply(&mut self, change: Change) {
        let (start, end) = change.range();
        let cells = &mut self.cells[start..end];
        match change {
            Change::Reverse { .. } => cells.reverse(),
            Change::Insert {
                before,
                last,
                open,
                to,
                forward,
            } => {
                let size = last - before;
                let moved = if to > last {
                    cells.rotate_left(size);
                    &mut cells[to - last..]
                } else {
                    cells.rotate_right(size);
                    &mut cells[..size]
                };
                moved.rotate_left(open - before);
                if !forward {
                    moved.reverse();
                }
            }
        }
        self.number(start, end);
    }
}

/// A path to the food along a ring that begins at the head.
#[derive(Clone, Debug)]
struct Plan {
    /// The step at which the body leaves each cell if it does not eat; 0 for other cells.
    left_at: Vec<u16>,
    /// The body from tail to head.
    body: Vec<u16>,
    /// The mean side of the board.
    side: f32,
    /// The steps to the nearest food on the empty board.
    least: usize,
    /// The snake will have left at least this many cells of the body before it eats. They count as
    /// free.
    leaves: usize,
    /// The place of the first cell of the body behind those, or the number of cells.
    tail: usize,
    /// The place of the food.
    food: usize,
    /// The cost of skipping a cell, in steps. The path skips no cell that costs a step or more.
    skip: f32,
    path: Vec<u16>,
    /// The steps of the path, plus the cost of skipped cells; infinite if it is illegal.
    cost: f32,
    /// For each place, the least cost to get there, and the place before it.
    reached: Vec<(f32, u16)>,
    /// Memory to undo a change.
    undo: Vec<u16>,
}

impl Plan {
    fn new(board: Board) -> Plan {
        let area = board.area();
        Plan {
            left_at: vec![0; area],
            body: Vec::with_capacity(area),
            side: (board.width() + board.height()) as f32 / 2.0,
            least: 0,
            leaves: 0,
            tail: area,
            food: 0,
            skip: 0.0,
            path: Vec::with_capacity(area),
            cost: 0.0,
            reached: vec![(0.0, 0); area],
            undo: Vec::with_capacity(area),
        }
    }

    /// Starts with the path along the ring, which begins at the head, to the first food on it.
    fn begin(&mut self, ring: &Ring, position: &Position) {
        let board = position.board();
        let area = board.area();
        self.body.clear();
        self.body.extend(tail_to_head(position));
        self.left_at.fill(0);
        for (step, &cell) in (1..).zip(&self.body) {
            self.left_at[usize::from(cell)] = step;
        }
        let places = position.foods().iter().map(|food| ring.place(food.0));
        self.food = places.min().expect("there is food");
        // A hole near the head must wait until the tail has passed it. Meanwhile, foods come about
        // every `side` steps, each on one of the free cells (as in the costs of `certified`).
        let length = self.body.len() as f32;
        let free = area as f32 - length;
        let chance = length / (self.side * free);
        let wait = length * (1.0 - (1.0 - libm::expf(-chance)) / chance);
        self.skip = 2.2 * length / area as f32 * wait;
        let head = position.head();
        let distances = position
            .foods()
            .iter()
            .map(|&food| board.distance(head, food));
        self.least = distances.min().expect("there is food");
        self.leaves = 0;
        self.find_tail(ring);
        self.find_path(ring);
        self.leave(ring, self.least - 1);
    }

    /// Counts more cells of the body as free, unless that makes the path costlier or illegal.
    fn leave(&mut self, ring: &Ring, leaves: usize) {
        let (leaves_before, cost_before) = (self.leaves, self.cost);
        self.leaves = leaves.clamp(leaves_before, self.body.len() - 1);
        self.find_tail(ring);
        self.find_path(ring);
        if self.cost > cost_before {
            self.leaves = leaves_before;
            self.find_tail(ring);
            self.find_path(ring);
        }
    }

    fn find_tail(&mut self, ring: &Ring) {
        self.tail = if self.leaves + 1 < self.body.len() {
            ring.place(self.body[self.leaves])
        } else {
            ring.area()
        };
    }

    /// Returns whether a change may remove the edge after a place: whether it is no edge of the
    /// body.
    #[inline]
    fn is_loose(&self, ring: &Ring, place: usize) -> bool {
        place + 1 < ring.area() && (self.is_free(ring, place) || self.is_free(ring, place + 1))
    }

    /// Returns whether a cell of the body is so near the tail that a hole after it costs little.
    fn is_near_tail(&self, ring: &Ring, place: usize) -> bool {
        let left_at = usize::from(self.left_at[usize::from(ring.cells[place])]);
        left_at > 0 && left_at <= self.leaves + self.body.len() / NEAR_TAIL
    }

    #[inline]
    fn is_free(&self, ring: &Ring, place: usize) -> bool {
        usize::from(self.left_at[usize::from(ring.cells[place])]) <= self.leaves
    }

    /// Finds the cheapest path that never goes back on the ring, and its cost.
    fn find_path(&mut self, ring: &Ring) {
        self.path.clear();
        // Between the head and the tail the path may skip cells.
        let end = self.food.min(self.tail - 1);
        let mut walked = 0;
        let mut cost = 0.0;
        if self.skip < 1.0 && end > 1 {
            cost = self.skip_ahead(ring, end);
            walked = end;
        }
        // A single cell must not eat just behind itself: its tail would be the neck.
        if self.body.len() == 1
            && self.food == end
            && self.path.len() == 1
            && end + 1 == ring.area()
        {
            self.path.clear();
            (walked, cost) = (0, 0.0);
        }
        self.path
            .extend_from_slice(&ring.cells[walked + 1..=self.food]);
        let turns_back = self.body.len() == 2 && self.left_at[usize::from(self.path[0])] == 1;
        let is_legal = (1..)
            .zip(&self.path)
            .all(|(step, &cell)| self.left_at[usize::from(cell)] <= step);
        self.cost = if is_legal && !turns_back && self.path.len() > self.leaves {
            cost + (self.food - walked) as f32
        } else {
            f32::INFINITY
        };
    }

    /// Writes the cheapest path from the head to a place, and returns its cost.
    fn skip_ahead(&mut self, ring: &Ring, end: usize) -> f32 {
        self.reached[1..=end].fill((f32::INFINITY, 0));
        self.reached[0] = (0.0, 0);
        for place in 0..end {
            let so_far = self.reached[place].0 + 1.0;
            if so_far == f32::INFINITY {
                continue;
            }
            for other in ring.neighbors[usize::from(ring.cells[place])] {
                let ahead = usize::from(ring.place[usize::from(other)]);
                if ahead > place && ahead <= end {
                    let cost = so_far + self.skip * (ahead - place - 1) as f32;
                    if cost < self.reached[ahead].0 {
                        self.reached[ahead] = (cost, place as u16);
                    }
                }
            }
        }
        let mut place = end;
        while place > 0 {
            self.path.push(ring.cells[place]);
            place = usize::from(self.reached[place].1);
        }
        self.path.reverse();
        self.reached[end].0
    }

    /// Shortens the way to the food by cutting off loops before it and inserting them behind it,
    /// the first ones found, unless that makes the path illegal.
    fn cut_loops(&mut self, ring: &mut Ring, draws: &mut Generator) {
        let food = self.food;
        self.undo.clear();
        self.undo.extend_from_slice(&ring.cells);
        let mut place = 0;
        while place + 1 < self.food {
            match self.loop_to_cut(ring, place, draws) {
                Some(change) => {
                    ring.apply(change);
                    self.food = change.moves(self.food);
                }
                None => place += 1,
            }
        }
        self.find_path(ring);
        if self.cost == f32::INFINITY {
            ring.cells.copy_from_slice(&self.undo);
            ring.number(0, ring.area());
            self.food = food;
            self.find_path(ring);
        }
    }

    /// Finds a loop after a place but before the food, and a place behind the food to insert it.
    fn loop_to_cut(&self, ring: &Ring, before: usize, draws: &mut Generator) -> Option<Change> {
        if !self.is_loose(ring, before) {
            return None;
        }
        for on_right in [true, false] {
            let Some((last, true)) = ring.opposite(before, on_right) else {
                continue;
            };
            if last <= before || last >= self.food {
                continue;
            }
            for _ in 0..FIRST_INSERTIONS {
                let open = before + 1 + rng::below(draws, (last - before - 1) as u64) as usize;
                for on_right in [true, false] {
                    let Some((to, forward)) = ring.opposite(open, on_right) else {
                        continue;
                    };
                    if to >= self.food && to < self.tail && self.is_loose(ring, to) {
                        return Some(Change::Insert {
                            before,
                            last,
                            open,
                            to,
                            forward,
                        });
                    }
                }
            }
        }
        None
    }

    /// Draws a change that begins on the way to the food; `None` if there is none there.
    fn draw(&self, ring: &Ring, draws: &mut Generator) -> Option<Change> {
        let area = ring.area();
        let drawn = rng::below(draws, 2 * self.food.min(area - 1) as u64) as usize;
        let place = drawn / 2;
        if !self.is_loose(ring, place) {
            return None;
        }
        let (other, is_opposite) = ring.opposite(place, drawn.is_multiple_of(2))?;
        if !self.is_loose(ring, other) {
            return None;
        }
        let (before, last) = (place.min(other), place.max(other));
        let holds_body = if before < self.tail {
            last >= self.tail
        } else {
            (before + 1..=last).any(|place| !self.is_free(ring, place))
        };
        if holds_body {
            return None;
        }
        if !is_opposite {
            let holds_food = before < self.food && self.food <= last;
            return holds_food.then_some(Change::Reverse { before, last });
        }
        for _ in 0..INSERTIONS {
            let drawn = rng::below(draws, 2 * (last - before - 1) as u64) as usize;
            let open = before + 1 + drawn / 2;
            let Some((to, forward)) = ring.opposite(open, drawn.is_multiple_of(2)) else {
                continue;
            };
            let in_loop = before <= to && to <= last;
            let into_body = before < self.tail && self.tail <= to;
            let fits = if into_body {
                to + 1 < ring.area() && self.is_near_tail(ring, to)
            } else {
                self.is_loose(ring, to)
            };
            if !in_loop && fits {
                return Some(Change::Insert {
                    before,
                    last,
                    open,
                    to,
                    forward,
                });
            }
        }
        None
    }

    /// Makes a change, unless it makes the path costlier by more than a random limit that grows
    /// with the temperature.
    fn consider(&mut self, ring: &mut Ring, change: Change, heat: f32, draws: &mut Generator) {
        let food = change.moves(self.food);
        let (start, end) = change.range();
        if start > self.food {
            ring.apply(change);
            self.find_tail(ring);
            return;
        }
        // Such a change hardly ever helps.
        if food as f32 > self.food as f32 + self.side {
            return;
        }
        let (food_before, cost_before) = (self.food, self.cost);
        self.undo.clear();
        self.undo.extend_from_slice(&ring.cells[start..end]);
        ring.apply(change);
        self.food = food;
        self.find_tail(ring);
        self.find_path(ring);
        let worse = self.cost - cost_before;
        let uniform = (rng::below(draws, 1 << 24) + 1) as f32 / (1 << 24) as f32;
        // The standard library's logarithm differs between platforms.
        if worse <= -heat * libm::logf(uniform) {
            return;
        }
        ring.cells[start..end].copy_from_slice(&self.undo);
        ring.number(start, end);
        (self.food, self.cost) = (food_before, cost_before);
        self.find_tail(ring);
    }
}

impl Rerouter {
    /// Begins with the cells of a Hamiltonian cycle.
    pub(crate) fn new(board: Board, cells: Vec<u16>) -> Rerouter {
        Rerouter {
            ring: Ring::new(board, cells),
            plan: Plan::new(board),
        }
    }

    /// Takes another cycle.
    pub(crate) fn take(&mut self, cells: &[u16]) {
        self.ring.cells.copy_from_slice(cells);
        self.ring.number(0, cells.len());
    }

    /// Returns the cells of the cycle. After a search it holds the body in order once the snake
    /// has eaten.
    pub(crate) fn cells(&self) -> &[u16] {
        &self.ring.cells
    }

    /// Returns the path to the food from the cell after the head that the last search found, if it
    /// is legal.
    pub(crate) fn path(&self) -> Option<&[u16]> {
        self.plan.cost.is_finite().then_some(&self.plan.path)
    }

    /// Plans the path to the next food. The body must lie in order on the cycle.
    pub(crate) fn search(&mut self, position: &Position, effort: usize, draws: &mut Generator) {
        let Rerouter { ring, plan } = self;
        ring.begin_at(position.head());
        if position.foods().is_empty() {
            plan.path.clear();
            plan.path.push(ring.cells[1]);
            return;
        }
        plan.begin(ring, position);
        if effort > 0 && plan.food < plan.tail {
            plan.cut_loops(ring, draws);
        }
        let total = (effort as f32 * plan.side) as usize;
        for drawn in 0..total {
            if plan.cost < plan.least as f32 + 0.5 {
                break;
            }
            // Of several foods, the path may eat another one earlier.
            if drawn % (total / STAGES).max(1) == total / (2 * STAGES)
                && position.foods().len() == 1
            {
                plan.find_path(ring);
                plan.leave(ring, plan.path.len() * 2 / 5);
            }
            if let Some(change) = plan.draw(ring, draws) {
                let left = 1.0 - drawn as f32 / total as f32;
                plan.consider(ring, change, TEMPERATURE * plan.side * left, draws);
            }
        }
        plan.find_path(ring);
    }
}

impl ReroutePolicy {
    fn new(effort: usize, position: &Position, seed: u64) -> Result<ReroutePolicy, Unsupported> {
        check_tail_entry(position)?;
        let cycle = Cycle::holding(position)?;
        let cells = cycle.cells().iter().map(|cell| cell.0).collect();
        Ok(ReroutePolicy {
            effort,
            rerouter: Rerouter::new(cycle.board(), cells),
            draws: rng::keyed(seed, CHANGES, 0),
            length: 0,
            made: 0,
        })
    }
}

impl Policy for ReroutePolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if position.len() != self.length || self.made == self.rerouter.plan.path.len() {
            self.rerouter.search(position, self.effort, &mut self.draws);
            (self.length, self.made) = (position.len(), 0);
        }
        let next = self.rerouter.plan.path[self.made];
        self.made += 1;
        Direction::from_index(self.rerouter.ring.side(position.head().0, next))
    }

    fn overlay(&self) -> Overlay {
        let Rerouter { ring, plan } = &self.rerouter;
        let cells = &plan.path[self.made.saturating_sub(1)..];
        let moves = cells
            .windows(2)
            .map(|pair| Direction::from_index(ring.side(pair[0], pair[1])));
        Overlay {
            cycle: ring.cells.iter().map(|&cell| Cell(cell)).collect(),
            plan: moves.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Game, Rules, Status};

    /// Plays to the end. After each plan, the body after the path lies in order on the ring, which
    /// is a Hamiltonian cycle; both by their definitions.
    fn wins(policy: &mut ReroutePolicy, mut game: Game) {
        while game.position().status() == Status::Ongoing {
            let position = game.position();
            let direction = policy.act(position);
            if policy.made == 1 {
                let cells: Vec<Cell> = policy
                    .rerouter
                    .ring
                    .cells
                    .iter()
                    .map(|&cell| Cell(cell))
                    .collect();
                let cycle = Cycle::from_cells(position.board(), &cells);
                let cycle = cycle.expect("the ring is a Hamiltonian cycle");
                let mut after = position.clone();
                for &cell in &policy.rerouter.plan.path {
                    let direction = position.board().direction(after.head(), Cell(cell));
                    after.step(direction.unwrap());
                    assert!(!matches!(after.status(), Status::Lost(_)), "{position:?}");
                    if after.len() > position.len() {
                        break;
                    }
                }
                assert_eq!(after.len(), position.len() + 1, "{position:?}");
                assert!(cycle.holds_in_order(&after), "{position:?}\n{after:?}");
            }
            game.step(direction);
        }
        assert_eq!(game.position().status(), Status::Won);
    }

    /// Every start of up to three cells on small boards that is accepted, with every first food.
    #[test]
    fn every_start_that_is_accepted_is_won() {
        for text in [
            "2x2",
            "2x3",
            "3x4",
            "4x4",
            "3x3-torus",
            "2x3-torus",
            "4x3-torus",
        ] {
            let board: Board = text.parse().unwrap();
            let mut accepted = 0;
            for start in (1..=3).flat_map(|length| Rules::new(board).bodies(length)) {
                for food in board.cells().filter(|&cell| start.is_free(cell)) {
                    let start = Position::new(start.rules(), start.heading(), start.body(), [food]);
                    let start = start.unwrap();
                    if let Ok(mut policy) = ReroutePolicy::new(30, &start, 0) {
                        accepted += 1;
                        wins(&mut policy, Game::from_position(start, food.0.into()));
                    }
                }
            }
            assert!(accepted > 10, "{text} {accepted}");
        }
    }

    #[test]
    fn every_plan_ends_in_order_on_a_cycle() {
        for text in ["6x6", "5x8", "10x10", "7x7-torus", "8x6-torus", "2x9-torus"] {
            let board: Board = text.parse().unwrap();
            for foods in [1, 2, 5] {
                let rules = Rules::new(board).with_foods(foods).unwrap();
                for seed in 0..4 {
                    let game = Game::new(rules, seed);
                    let policy = ReroutePolicy::new(60, game.position(), seed);
                    wins(&mut policy.unwrap(), game);
                }
            }
        }
    }

    #[test]
    fn effort_saves_steps() {
        let board = Board::new(10, 10).unwrap();
        let steps = |effort| {
            let mut steps = 0;
            for seed in 0..10 {
                let mut game = Game::new(Rules::new(board), seed);
                let mut policy = ReroutePolicy::new(effort, game.position(), seed).unwrap();
                while game.position().status() == Status::Ongoing {
                    game.step(policy.act(game.position()));
                    steps += 1;
                }
            }
            steps / 10
        };
        let (none, usual) = (steps(0), steps(Reroute::EFFORT));
        assert!(usual < 1150 && none > 1300, "{none} {usual}");
    }
}
