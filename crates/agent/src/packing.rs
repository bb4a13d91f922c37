//! Packing of positions: what the replay buffer keeps of them.

use crate::spec::AgentSpec;
use crate::view::View;
use hognose_game::{Board, Cell, Direction, Directions, Game, Position, Rules, Way};
use std::sync::Arc;

const NO_FOOD: u16 = u16::MAX;
const NO_WAY: Way = Way { steps: u16::MAX, outlook: u32::MAX };

/// Packs views of positions into bytes: head 2, length 2, heading and allowed moves 1, foods 2 each, body moves 2 bits
/// each, and the way on 6 where networks see it. On 6x6 that is 16 bytes, where the egocentric observation takes 2984.
/// Where positions are of several boards, 2 bytes for the board come first, and there is room for the largest.
#[derive(Clone, Debug)]
pub(crate) struct Packer {
    /// By board. They have the same number of foods.
    rules: Arc<[Rules]>,
    with_ways: bool,
    largest_area: usize,
}

/// Positions to unpack into: one of each board.
#[derive(Clone, Debug)]
pub(crate) struct Scratch(Vec<Position>);

impl Packer {
    /// The packer of rules.
    pub(crate) fn new(rules: &[Rules]) -> Packer {
        let largest_area = rules.iter().map(|rules| rules.board().area()).max().expect("there are rules");
        Packer { rules: rules.into(), with_ways: false, largest_area }
    }

    /// The packer of what an agent's network sees.
    pub(crate) fn of(spec: &AgentSpec, rules: &[Rules]) -> Packer {
        Packer { with_ways: spec.sees_ways(), ..Packer::new(rules) }
    }

    /// Positions to unpack into.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch(self.rules.iter().map(|&rules| Game::new(rules, 0).position().clone()).collect())
    }

    /// Bytes of a packed view.
    pub(crate) fn bytes(&self) -> usize {
        self.board_bytes() + 5 + 2 * self.foods() + (self.largest_area - 1).div_ceil(4) + self.way_bytes()
    }

    fn foods(&self) -> usize {
        self.rules[0].foods()
    }

    fn board_bytes(&self) -> usize {
        if self.rules.len() > 1 { 2 } else { 0 }
    }

    fn way_bytes(&self) -> usize {
        if self.with_ways { 6 } else { 0 }
    }

    /// The index of the board of a packed view; its bytes may say anything.
    fn index(&self, bytes: &[u8]) -> usize {
        if self.rules.len() > 1 { usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) } else { 0 }
    }

    /// The board of a packed view.
    pub(crate) fn board(&self, bytes: &[u8]) -> Board {
        self.rules[self.index(bytes)].board()
    }

    /// Packs a view into [`bytes`](Self::bytes) bytes.
    pub(crate) fn pack(&self, &View { position, allowed, way }: &View<'_>, out: &mut [u8]) {
        let board = position.board();
        let (number, out) = out.split_at_mut(self.board_bytes());
        if !number.is_empty() {
            let index = self.rules.iter().position(|&rules| rules == position.rules()).expect("they are its rules");
            number.copy_from_slice(&(index as u16).to_le_bytes());
        }
        let (out, rest) = out.split_at_mut(out.len() - self.way_bytes());
        if self.with_ways {
            let Way { steps, outlook } = way.unwrap_or(NO_WAY);
            rest[..2].copy_from_slice(&steps.to_le_bytes());
            rest[2..].copy_from_slice(&outlook.to_le_bytes());
        }
        let (head, rest) = out.split_at_mut(5);
        head[..2].copy_from_slice(&position.head().0.to_le_bytes());
        head[2..4].copy_from_slice(&(position.len() as u16).to_le_bytes());
        head[4] = position.heading().index() as u8 | allowed.bits() << 2;
        let (foods, moves) = rest.split_at_mut(2 * self.foods());
        let present = position.foods().iter().map(|food| food.0).chain(std::iter::repeat(NO_FOOD));
        for (bytes, food) in foods.chunks_exact_mut(2).zip(present) {
            bytes.copy_from_slice(&food.to_le_bytes());
        }
        moves.fill(0);
        let mut previous = None;
        for (index, cell) in position.body().enumerate() {
            if let Some(previous) = previous {
                let direction = board.direction(previous, cell).expect("body cells are neighbours");
                moves[(index - 1) / 4] |= (direction.index() as u8) << (2 * ((index - 1) % 4));
            }
            previous = Some(cell);
        }
    }

    /// Packs a view into new bytes.
    pub(crate) fn packed(&self, view: &View<'_>) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(view, &mut bytes);
        bytes
    }

    /// Unpacks a position, mirrored left to right if so asked, and views it.
    pub(crate) fn unpack<'a>(&self, bytes: &[u8], mirrored: bool, into: &'a mut Scratch) -> View<'a> {
        self.try_unpack(bytes, mirrored, into).expect("packed positions are valid")
    }

    /// Whether these are the bytes of a position of the rules.
    pub(crate) fn accepts(&self, bytes: &[u8], scratch: &mut Scratch) -> bool {
        bytes.len() == self.bytes() && self.try_unpack(bytes, false, scratch).is_some()
    }

    fn try_unpack<'a>(&self, bytes: &[u8], mirrored: bool, into: &'a mut Scratch) -> Option<View<'a>> {
        let into = into.0.get_mut(self.index(bytes))?;
        let bytes = &bytes[self.board_bytes()..];
        let (bytes, rest) = bytes.split_at(bytes.len() - self.way_bytes());
        let way = self.with_ways.then(|| {
            let (steps, outlook) = rest.split_first_chunk().expect("six bytes");
            let outlook = u32::from_le_bytes(outlook.try_into().expect("four bytes"));
            Way { steps: u16::from_le_bytes(*steps), outlook }
        });
        let board = into.board();
        let u16_at = |place: usize| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
        let (head, length) = (Cell(u16_at(0)), usize::from(u16_at(2)));
        if head.index() >= board.area() || length > board.area() {
            return None;
        }
        let reflect = |cell: Cell| if mirrored { board.mirrored(cell) } else { cell };
        let turn = |direction: Direction| if mirrored { direction.mirrored() } else { direction };
        let (heading, allowed) = (Direction::from_index((bytes[4] & 3).into()), Directions::from_bits(bytes[4] >> 2));
        let foods = (0..self.foods()).map(|food| u16_at(5 + 2 * food)).filter(|&food| food != NO_FOOD);
        let moves = &bytes[5 + 2 * self.foods()..];
        let body = (0..length).scan(reflect(head), |cell, index| {
            if index > 0 {
                let bits = moves[(index - 1) / 4] >> (2 * ((index - 1) % 4));
                *cell = board.neighbor(*cell, turn(Direction::from_index(bits.into())))?;
            }
            Some(*cell)
        });
        into.replace(turn(heading), body, foods.map(|food| reflect(Cell(food)))).ok()?;
        if into.len() < length {
            return None; // the body leaves the board
        }
        let allowed = if mirrored { allowed.mirrored() } else { allowed };
        Some(View { position: into, allowed, way: way.filter(|&way| way != NO_WAY) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{MakePolicy, Status};
    use hognose_solvers::{Greedy, Random};

    #[test]
    fn packed_positions_come_back_and_mirror() {
        for (board, foods) in [("6x6", 1), ("5x7", 2), ("3x4-torus", 1), ("2x2", 1)] {
            let board: Board = board.parse().unwrap();
            let rules = Rules::new(board).with_foods(foods).unwrap();
            for seed in 0..20 {
                // Alone, or among others.
                let larger = Rules::new("9x5".parse().unwrap()).with_foods(foods).unwrap();
                let several = if seed % 4 < 2 { vec![rules] } else { vec![larger, rules] };
                let packer = Packer { with_ways: seed % 3 == 0, ..Packer::new(&several) };
                let mut scratch = packer.scratch();
                let mut game = Game::new(rules, seed);
                let policy: &dyn MakePolicy = if seed % 2 == 0 { &Greedy } else { &Random };
                let mut policy = policy.make(game.position(), seed).unwrap();
                for _ in 0..200 {
                    let direction = policy.act(game.position());
                    game.step(direction);
                    if game.position().status() != Status::Ongoing {
                        break;
                    }
                    let mut bytes = vec![0; packer.bytes()];
                    let allowed = Directions::from_bits(seed as u8 & 15);
                    let way = (seed % 6 == 0).then_some(Way { steps: 260, outlook: 70_000 });
                    packer.pack(&View { position: game.position(), allowed, way }, &mut bytes);
                    assert_eq!(packer.board(&bytes), board);
                    let view = packer.unpack(&bytes, false, &mut scratch);
                    assert_eq!((view.position, view.allowed, view.way), (game.position(), allowed, way));
                    let view = packer.unpack(&bytes, true, &mut scratch);
                    let mirrored = (&game.position().mirrored(), allowed.mirrored(), way);
                    assert_eq!((view.position, view.allowed, view.way), mirrored);
                    let mirrored = packer.packed(&view);
                    let view = packer.unpack(&mirrored, true, &mut scratch);
                    assert_eq!((view.position, view.allowed), (game.position(), allowed));
                }
            }
        }
        assert_eq!(Packer::new(&[Rules::new("6x6".parse().unwrap())]).bytes(), 16);
    }

    /// Whatever the bytes are, they are refused, or those of a position that can be mirrored.
    #[test]
    fn arbitrary_bytes_are_refused_or_positions() {
        let rules = Rules::new("3x3".parse().unwrap()).with_foods(2).unwrap();
        let packer = Packer::new(&[rules]);
        let (mut scratch, mut accepted) = (packer.scratch(), 0);
        let draws = &mut rng::keyed(0, Purpose::new("test"), 0);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..packer.bytes())
                .map(|place| {
                    let most = if place < 9 { [9, 1, 5, 1, 64, 9, 1, 9, 1][place] } else { 256 };
                    rng::below(draws, most) as u8
                })
                .collect();
            if packer.accepts(&bytes, &mut scratch) {
                accepted += 1;
                packer.unpack(&bytes, true, &mut scratch);
            }
        }
        assert!(accepted > 100, "{accepted}");
        assert!(!packer.accepts(&[0; 3], &mut scratch));
    }
}
