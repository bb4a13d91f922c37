//! The policy that keeps to the right around trees of 2x2 blocks.

use super::cycle::Cycle;
use super::jumps::check_tail_entry;
use super::tree::traffic;
use crate::grid::walled;
use hognose_game::{
    Board, Cell, Direction, Directions, MakePolicy, Overlay, Policy, Position, Unsupported,
};

/// A policy that keeps to the right in the streets between 2x2 blocks, and takes the shortest path
/// to the food that this allows (after twanvl's agent, 2020, which checks moves heuristically).
///
/// The path around any spanning tree of the blocks is a Hamiltonian cycle of such moves. Each move
/// of the body determines whether the tree has an edge where it passed: yes if it left the block,
/// no if it could have left the block but stayed. A matching tree exists exactly if the required
/// edges contain no cycle and the allowed edges connect all blocks. The solver makes only moves
/// that keep both true, so that the body lies on a Hamiltonian cycle at every step. After as many
/// steps without food as there are cells, it follows such a cycle up to the next food.
///
/// It wins every game on boards with even sides if the start keeps to the right. It never crosses
/// the borders of a torus.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::CellTree;
///
/// let game = Game::new(Rules::new(Board::new(8, 8)?), 7);
/// let mut policy = CellTree.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CellTree;

struct CellTreePolicy {
    streets: Streets,
    length: usize,
    hungry: usize,
    /// The cycle to follow when reaching the food takes too long.
    cycle: Option<Cycle>,
}

/// The moves of right-hand traffic, and what the body determines about the tree.
///
/// The body moves between blocks only along required edges, so that required edges connect two
/// blocks exactly if the body covers cells of both.
#[derive(Clone, Debug)]
struct Streets {
    board: Board,
    /// The moves from each cell.
    moves: Vec<Moves>,
    /// The moves out of each block, by direction.
    roads: Vec<[Option<Out>; 4]>,
    /// For each edge, how often the body crosses it (the tree must have it), and how often it
    /// passes by (the tree must not have it).
    used: Vec<[u8; 2]>,
    /// The number of body cells in each block.
    covered: Vec<u8>,
    head: Cell,
    tail: Cell,
    /// Whether a search has reached each cell, and each block.
    reached: Vec<bool>,
    seen: Vec<bool>,
    /// The cells that a search reached, with its first move.
    queue: Vec<(Cell, Direction)>,
    blocks: Vec<usize>,
}

/// The moves from a cell.
#[derive(Clone, Copy, Debug)]
struct Moves {
    block: usize,
    /// The move that stays within the block, and the cell that it enters.
    along: (Direction, Cell),
    /// The move that leaves the block, unless the border blocks it.
    out: Option<Out>,
}

/// A move to another block.
#[derive(Clone, Copy, Debug)]
struct Out {
    direction: Direction,
    target: Cell,
    edge: usize,
    beyond: usize,
}

const CROSSES: usize = 0;
const PASSES: usize = 1;

/// Disjoint sets of blocks: each block refers to another one of its set, or to itself as its
/// representative.
#[derive(Clone, Debug)]
struct Groups(Vec<usize>);

impl Groups {
    fn find(&self, mut block: usize) -> usize {
        while self.0[block] != block {
            block = self.0[block];
        }
        block
    }

    /// Unites the sets of two blocks. Returns `false` if they were the same.
    fn unite(&mut self, a: usize, b: usize) -> bool {
        let a = self.find(a);
        let b = self.find(b);
        self.0[a] = b;
        a != b
    }
}

impl Streets {
    fn new(board: Board) -> Streets {
        let blocks = board.area() / 4;
        let mut roads = vec![[None; 4]; blocks];
        let moves = board.cells().map(|cell| {
            let (block, along, direction) = traffic(board, cell);
            let neighbor = board.neighbor(cell, along);
            let out = board.neighbor(cell, direction).map(|target| {
                let (beyond, ..) = traffic(board, target);
                let down = usize::from(matches!(direction, Direction::Up | Direction::Down));
                let edge = 2 * block.min(beyond) + down;
                Out {
                    direction,
                    target,
                    edge,
                    beyond,
                }
            });
            roads[block][direction.index()] = out;
            let along = (along, neighbor.expect("blocks are on the board"));
            Moves { block, along, out }
        });
        Streets {
            board,
            moves: moves.collect(),
            roads,
            used: vec![[0; 2]; 2 * blocks],
            covered: vec![0; blocks],
            head: Cell(0),
            tail: Cell(0),
            reached: vec![false; board.area()],
            seen: vec![false; blocks],
            queue: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Returns the use that a move makes of the edge out of its block: the edge, and `CROSSES` or
    /// `PASSES`; nothing at the border. `None` if the move does not keep to the right.
    fn usage(&self, from: Cell, to: Cell) -> Option<Option<(usize, usize)>> {
        let Moves { along, out, .. } = self.moves[from.index()];
        match out {
            Some(out) if out.target == to => Some(Some((out.edge, CROSSES))),
            _ if along.1 == to => Some(out.map(|out| (out.edge, PASSES))),
            _ => None,
        }
    }

    /// Reads the body. Returns `false` if it does not keep to the right, or fits no tree.
    fn read(&mut self, position: &Position) -> bool {
        self.used.fill([0; 2]);
        self.covered.fill(0);
        (self.head, self.tail) = (position.head(), position.tail());
        self.cover(self.head);
        for (next, cell) in position.body().zip(position.body().skip(1)) {
            self.cover(cell);
            match self.usage(cell, next) {
                None => return false,
                Some(None) => {}
                Some(Some((edge, way))) => self.used[edge][way] += 1,
            }
        }
        let contradiction = |&[crosses, passes]: &[u8; 2]| crosses > 0 && passes > 0;
        let edges = self.used.iter().filter(|used| used[CROSSES] > 0).count();
        let blocks = self.covered.iter().filter(|&&cells| cells > 0).count();
        !self.used.iter().any(contradiction) && edges + 1 == blocks
    }

    fn cover(&mut self, cell: Cell) {
        self.covered[self.moves[cell.index()].block] += 1;
    }

    /// Follows one step of the body that was read.
    fn follow(&mut self, position: &Position, ate: bool) {
        let head = position.head();
        let usage = self.usage(self.head, head);
        if let Some((edge, way)) = usage.expect("the head keeps to the right") {
            self.used[edge][way] += 1;
        }
        self.cover(head);
        self.head = head;
        if ate {
            return;
        }
        let tail = position.tail();
        let usage = self.usage(self.tail, tail);
        if let Some((edge, way)) = usage.expect("the body keeps to the right") {
            self.used[edge][way] -= 1;
        }
        self.covered[self.moves[self.tail.index()].block] -= 1;
        self.tail = tail;
    }

    /// Returns whether the tree must have an edge (`true`), must not have it (`false`), or either.
    fn must(&self, edge: usize) -> Option<bool> {
        match self.used[edge] {
            [0, 0] => None,
            [crosses, _] => Some(crosses > 0),
        }
    }

    /// Returns whether required edges connect two different blocks.
    fn connected(&self, a: usize, b: usize) -> bool {
        self.covered[a] > 0 && self.covered[b] > 0
    }

    /// Returns a tree that the body allows, as the directions of each block's edges; `None` if
    /// there is none.
    fn tree(&self) -> Option<Vec<Directions>> {
        let mut groups = Groups((0..self.roads.len()).collect());
        let mut joined = vec![Directions::EMPTY; self.roads.len()];
        let mut parts = self.roads.len();
        for required in [true, false] {
            for (block, roads) in self.roads.iter().enumerate() {
                for road in roads.iter().flatten() {
                    let wanted = self.must(road.edge) == required.then_some(true);
                    if wanted && groups.unite(block, road.beyond) {
                        joined[block].insert(road.direction);
                        joined[road.beyond].insert(road.direction.opposite());
                        parts -= 1;
                    }
                }
            }
        }
        (parts == 1).then_some(joined)
    }

    /// Returns whether the tree can do without the optional edge from the head's block to another
    /// one: whether other edges lead from there to a block of the body.
    fn can_do_without(&mut self, edge: usize, beyond: usize) -> bool {
        self.seen.fill(false);
        self.seen[beyond] = true;
        self.blocks.clear();
        self.blocks.push(beyond);
        let mut next = 0;
        while let Some(&block) = self.blocks.get(next) {
            if self.covered[block] > 0 {
                return true;
            }
            next += 1;
            for road in self.roads[block].iter().flatten() {
                let closed = road.edge == edge || self.must(road.edge) == Some(false);
                if !closed && !self.seen[road.beyond] {
                    self.seen[road.beyond] = true;
                    self.blocks.push(road.beyond);
                }
            }
        }
        false
    }

    /// Returns the moves of the head that leave at least one tree.
    fn allowed(&mut self) -> Directions {
        let Moves { block, along, out } = self.moves[self.head.index()];
        let mut allowed = Directions::EMPTY;
        let Some(Out {
            direction,
            edge,
            beyond,
            ..
        }) = out
        else {
            allowed.insert(along.0);
            return allowed;
        };
        let must = self.must(edge);
        if must == Some(true) || must.is_none() && !self.connected(block, beyond) {
            allowed.insert(direction);
        }
        if must == Some(false) || must.is_none() && self.can_do_without(edge, beyond) {
            allowed.insert(along.0);
        }
        allowed
    }

    /// Returns the first move of a shortest path to food that begins with an allowed move, keeps to
    /// the right, and crosses no optional edge between blocks that required edges already connect.
    fn towards_food(&mut self, position: &Position, allowed: Directions) -> Option<Direction> {
        self.reached.fill(false);
        self.queue.clear();
        self.reached[self.head.index()] = true;
        self.queue.push((self.head, position.heading()));
        let mut next = 0;
        let mut steps = 0;
        while next < self.queue.len() {
            let level = self.queue.len();
            steps += 1;
            while next < level {
                let (cell, first) = self.queue[next];
                next += 1;
                let Moves { block, along, out } = self.moves[cell.index()];
                let out = out.filter(|&Out { edge, beyond, .. }| {
                    self.used[edge][CROSSES] > 0 || !self.connected(block, beyond)
                });
                let out = out.map(|out| (out.direction, out.target));
                for (direction, target) in std::iter::once(along).chain(out) {
                    if self.reached[target.index()]
                        || steps == 1 && !allowed.contains(direction)
                        || position.steps_until_free(target) > steps
                    {
                        continue;
                    }
                    let first = if steps == 1 { direction } else { first };
                    if position.is_food(target) {
                        return Some(first);
                    }
                    self.reached[target.index()] = true;
                    self.queue.push((target, first));
                }
            }
        }
        None
    }
}

impl MakePolicy for CellTree {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        check_tail_entry(position)?;
        let board = walled(position.board());
        if !board.width().is_multiple_of(2) || !board.height().is_multiple_of(2) {
            return Err(Unsupported(format!(
                "trees of 2x2 blocks need both sides even, got {board}"
            )));
        }
        let mut streets = Streets::new(board);
        if !streets.read(position) || streets.tree().is_none() {
            return Err(Unsupported(format!(
                "the snake's {} cells don't keep to the right",
                position.len()
            )));
        }
        Ok(Box::new(CellTreePolicy {
            streets,
            length: position.len(),
            hungry: 0,
            cycle: None,
        }))
    }
}

impl Policy for CellTreePolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let streets = &mut self.streets;
        let ate = position.len() != self.length;
        if ate {
            (self.length, self.hungry, self.cycle) = (position.len(), 0, None);
        }
        if position.head() != streets.head {
            streets.follow(position, ate);
        }
        self.hungry += 1;
        if let Some(cycle) = &self.cycle {
            return cycle.next(position.head());
        }
        if self.hungry > position.board().area() {
            let tree = streets.tree().expect("every move leaves a tree");
            return self
                .cycle
                .insert(Cycle::around_tree(streets.board, &tree))
                .next(position.head());
        }
        let allowed = streets.allowed();
        let first = allowed.iter().next().expect("every move leaves a tree");
        if allowed.len() == 1 {
            return first;
        }
        streets.towards_food(position, allowed).unwrap_or(first)
    }

    fn overlay(&self) -> Overlay {
        self.cycle
            .as_ref()
            .map_or_else(Overlay::default, Cycle::overlay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{Event, Game, Rules, Status};

    /// A move is allowed exactly if some spanning tree's cycle contains the body and makes that
    /// move. Compares with all trees.
    #[test]
    fn moves_are_allowed_exactly_if_a_tree_remains() {
        for (width, height) in [(4, 4), (6, 4), (2, 8)] {
            let board = Board::new(width, height).unwrap();
            let mut trees: Vec<Cycle> = Vec::new();
            for seed in 0..400 {
                let cycle = Cycle::random(board, seed, 0).unwrap();
                if !trees.iter().any(|tree| {
                    board
                        .cells()
                        .all(|cell| tree.next(cell) == cycle.next(cell))
                }) {
                    trees.push(cycle);
                }
            }
            assert!([(4, 4, 4), (6, 4, 15), (2, 8, 1)].contains(&(width, height, trees.len())));
            for seed in 0..40 {
                let mut game = Game::new(Rules::new(board), seed);
                let mut streets = Streets::new(board);
                let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
                assert!(streets.read(game.position()));
                while game.position().status() == Status::Ongoing && game.spawned() < 100 {
                    let allowed = streets.allowed();
                    let head = game.position().head();
                    for direction in Direction::ALL {
                        let follows = |tree: &Cycle| {
                            tree.holds(game.position()) && tree.next(head) == direction
                        };
                        let possible = trees.iter().any(follows);
                        assert_eq!(
                            allowed.contains(direction),
                            possible,
                            "{:?} {direction}",
                            game.position()
                        );
                    }
                    let choice = rng::below(&mut draws, allowed.len() as u64) as usize;
                    let event = game.step(allowed.iter().nth(choice).unwrap());
                    streets.follow(game.position(), event != Event::Moved);
                    let mut fresh = Streets::new(board);
                    assert!(fresh.read(game.position()));
                    assert_eq!(
                        (&fresh.used, &fresh.covered),
                        (&streets.used, &streets.covered)
                    );
                    if rng::below(&mut draws, 200) == 0 {
                        break;
                    }
                }
                assert!(
                    !matches!(game.position().status(), Status::Lost(_)),
                    "{:?}",
                    game.position()
                );
            }
        }
    }
}
