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
#[derive(Clone, Debug)]
struct Streets {
    board: Board,
    /// The moves from each cell.
    moves: Vec<Moves>,
    /// For each edge, whether the tree must have it (`true`), must not have it (`false`), or
    /// either. Each block has an edge to the right and one down.
    must: Vec<Option<bool>>,
    /// The blocks that required edges connect.
    groups: Groups,
    /// A search: the step at which it reached each cell, and its first move.
    reached: Vec<Option<(usize, Direction)>>,
    queue: Vec<Cell>,
}

/// The moves from a cell.
#[derive(Clone, Copy, Debug)]
struct Moves {
    block: usize,
    /// The move that stays within the block.
    along: Direction,
    /// The move that leaves the block, unless the border blocks it.
    out: Option<Out>,
}

/// A move to another block.
#[derive(Clone, Copy, Debug)]
struct Out {
    direction: Direction,
    edge: usize,
    beyond: usize,
}

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
        let moves = board.cells().map(|cell| {
            let (block, along, direction) = traffic(board, cell);
            let out = board.neighbor(cell, direction).map(|target| {
                let (beyond, ..) = traffic(board, target);
                let down = usize::from(matches!(direction, Direction::Up | Direction::Down));
                Out {
                    direction,
                    edge: 2 * block.min(beyond) + down,
                    beyond,
                }
            });
            Moves { block, along, out }
        });
        let blocks = board.area() / 4;
        Streets {
            board,
            moves: moves.collect(),
            must: vec![None; 2 * blocks],
            groups: Groups((0..blocks).collect()),
            reached: vec![None; board.area()],
            queue: Vec::new(),
        }
    }

    /// Reads from the body which edges the tree must or must not have. Returns `false` if the body
    /// does not keep to the right, or fits no tree.
    fn read(&mut self, position: &Position) -> bool {
        self.must.fill(None);
        (0..)
            .zip(&mut self.groups.0)
            .for_each(|(block, group)| *group = block);
        for (next, cell) in position.body().zip(position.body().skip(1)) {
            let Moves { block, along, out } = self.moves[cell.index()];
            let direction = self.board.direction(cell, next);
            let leaves = out.is_some_and(|out| direction == Some(out.direction));
            if !leaves && direction != Some(along) {
                return false;
            }
            let Some(Out { edge, beyond, .. }) = out else {
                continue;
            };
            let closes = leaves && self.must[edge].is_none() && !self.groups.unite(block, beyond);
            if closes || self.must[edge].is_some_and(|must| must != leaves) {
                return false;
            }
            self.must[edge] = Some(leaves);
        }
        true
    }

    /// Returns a tree that the body allows, without the edge `but`, as the directions of each
    /// block's edges; `None` if there is none.
    fn tree(&self, but: Option<usize>) -> Option<Vec<Directions>> {
        let columns = self.board.width() / 2;
        let mut groups = self.groups.clone();
        let mut joined = vec![Directions::EMPTY; groups.0.len()];
        let mut parts = groups
            .0
            .iter()
            .enumerate()
            .filter(|&(block, &group)| block == group)
            .count();
        for (edge, &must) in self.must.iter().enumerate() {
            let block = edge / 2;
            let right = edge % 2 == 0;
            let inside = if right {
                block % columns + 1 < columns
            } else {
                block + columns < joined.len()
            };
            let beyond = if right { block + 1 } else { block + columns };
            let takes = must == Some(true) || must.is_none() && but != Some(edge);
            if !inside || !takes || must.is_none() && !groups.unite(block, beyond) {
                continue;
            }
            parts -= usize::from(must.is_none());
            let direction = if right {
                Direction::Right
            } else {
                Direction::Down
            };
            joined[block].insert(direction);
            joined[beyond].insert(direction.opposite());
        }
        (parts == 1).then_some(joined)
    }

    /// Returns the moves of the head that leave at least one tree.
    fn allowed(&self, head: Cell) -> Directions {
        let Moves { block, along, out } = self.moves[head.index()];
        let mut allowed = Directions::EMPTY;
        let Some(Out {
            direction,
            edge,
            beyond,
        }) = out
        else {
            allowed.insert(along);
            return allowed;
        };
        let must = self.must[edge];
        if must == Some(true)
            || must.is_none() && self.groups.find(block) != self.groups.find(beyond)
        {
            allowed.insert(direction);
        }
        if must == Some(false) || must.is_none() && self.tree(Some(edge)).is_some() {
            allowed.insert(along);
        }
        allowed
    }

    /// Returns the first move of a shortest path to food that begins with an allowed move, keeps to
    /// the right, and crosses no optional edge between blocks that required edges already connect.
    fn towards_food(&mut self, position: &Position, allowed: Directions) -> Option<Direction> {
        self.reached.fill(None);
        self.queue.clear();
        self.reached[position.head().index()] = Some((0, position.heading()));
        self.queue.push(position.head());
        let mut next = 0;
        while let Some(&cell) = self.queue.get(next) {
            next += 1;
            let Moves { block, along, out } = self.moves[cell.index()];
            let (steps, first) = self.reached[cell.index()].expect("queued cells were reached");
            let out = out.filter(|&Out { edge, beyond, .. }| {
                self.must[edge] == Some(true) || self.groups.find(block) != self.groups.find(beyond)
            });
            for direction in std::iter::once(along).chain(out.map(|out| out.direction)) {
                let target = self
                    .board
                    .neighbor(cell, direction)
                    .expect("streets stay on the board");
                let blocked = usize::from(position.steps_until_free(target)) > steps + 1;
                let forbidden = steps == 0 && !allowed.contains(direction);
                if blocked || forbidden || self.reached[target.index()].is_some() {
                    continue;
                }
                let first = if steps == 0 { direction } else { first };
                if position.is_food(target) {
                    return Some(first);
                }
                self.reached[target.index()] = Some((steps + 1, first));
                self.queue.push(target);
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
        if !streets.read(position) || streets.tree(None).is_none() {
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
        if position.len() != self.length {
            (self.length, self.hungry, self.cycle) = (position.len(), 0, None);
        }
        self.hungry += 1;
        if let Some(cycle) = &self.cycle {
            return cycle.next(position.head());
        }
        let right = streets.read(position);
        debug_assert!(right, "{position:?}");
        if self.hungry > position.board().area() {
            let tree = streets.tree(None).expect("every move leaves a tree");
            return self
                .cycle
                .insert(Cycle::around_tree(streets.board, &tree))
                .next(position.head());
        }
        let allowed = streets.allowed(position.head());
        let towards_food = streets.towards_food(position, allowed);
        towards_food
            .or(allowed.iter().next())
            .expect("every move leaves a tree")
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
    use hognose_game::{Game, Rules, Status};

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
                while game.position().status() == Status::Ongoing && game.spawned() < 100 {
                    assert!(streets.read(game.position()));
                    let allowed = streets.allowed(game.position().head());
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
                    game.step(allowed.iter().nth(choice).unwrap());
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
