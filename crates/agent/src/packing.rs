//! Packing of positions: what the replay buffer keeps of them.

use crate::spec::AgentSpec;
use crate::view::View;
use hognose_game::{Board, Cell, Direction, Directions, Position, Rules, Way};

const NO_FOOD: u16 = u16::MAX;
const NO_WAY: Way = Way { steps: u16::MAX, outlook: u32::MAX };

/// Packs views of positions of some rules into bytes: head 2, length 2, heading and allowed moves 1, foods 2 each, body
/// moves 2 bits each, and the way on 6 where networks see it. On 6x6 that is 16 bytes, where the egocentric observation
/// takes 2984.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packer {
    rules: Rules,
    with_ways: bool,
}

impl Packer {
    /// The packer of rules.
    pub(crate) fn new(rules: Rules) -> Packer {
        Packer { rules, with_ways: false }
    }

    /// The packer of what an agent's network sees.
    pub(crate) fn of(spec: &AgentSpec, rules: Rules) -> Packer {
        Packer { rules, with_ways: spec.sees_ways() }
    }

    /// Bytes of a packed view.
    pub(crate) fn bytes(self) -> usize {
        5 + 2 * self.rules.foods() + (self.rules.board().area() - 1).div_ceil(4) + self.way_bytes()
    }

    fn way_bytes(self) -> usize {
        if self.with_ways { 6 } else { 0 }
    }

    /// Packs a view into [`bytes`](Self::bytes) bytes.
    pub(crate) fn pack(self, &View { position, allowed, way }: &View<'_>, out: &mut [u8]) {
        let board = position.board();
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
        let (foods, moves) = rest.split_at_mut(2 * self.rules.foods());
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
    pub(crate) fn packed(self, view: &View<'_>) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(view, &mut bytes);
        bytes
    }

    /// Unpacks into a position of the same rules, mirrored left to right if so asked, and views it.
    pub(crate) fn unpack<'a>(self, bytes: &[u8], mirrored: bool, into: &'a mut Position) -> View<'a> {
        self.try_unpack(bytes, mirrored, into).expect("packed positions are valid")
    }

    /// Whether these are the bytes of a position of the rules; `scratch` is one of them.
    pub(crate) fn accepts(self, bytes: &[u8], scratch: &mut Position) -> bool {
        bytes.len() == self.bytes() && self.try_unpack(bytes, false, scratch).is_some()
    }

    fn try_unpack<'a>(self, bytes: &[u8], mirrored: bool, into: &'a mut Position) -> Option<View<'a>> {
        let (bytes, rest) = bytes.split_at(bytes.len() - self.way_bytes());
        let way = self.with_ways.then(|| {
            let (steps, outlook) = rest.split_first_chunk().expect("six bytes");
            let outlook = u32::from_le_bytes(outlook.try_into().expect("four bytes"));
            Way { steps: u16::from_le_bytes(*steps), outlook }
        });
        let board = self.rules.board();
        let u16_at = |place: usize| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
        let (head, length) = (Cell(u16_at(0)), usize::from(u16_at(2)));
        if head.index() >= board.area() || length > board.area() {
            return None;
        }
        let reflect = |cell: Cell| if mirrored { mirrored_cell(board, cell) } else { cell };
        let turn = |direction: Direction| if mirrored { direction.mirrored() } else { direction };
        let (heading, allowed) = (Direction::from_index((bytes[4] & 3).into()), Directions::from_bits(bytes[4] >> 2));
        let foods = (0..self.rules.foods()).map(|food| u16_at(5 + 2 * food)).filter(|&food| food != NO_FOOD);
        let moves = &bytes[5 + 2 * self.rules.foods()..];
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

fn mirrored_cell(board: Board, cell: Cell) -> Cell {
    board.cell(board.width() - 1 - board.column(cell), board.row(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::rng::{self, Purpose};
    use hognose_game::{Game, MakePolicy, Status};
    use hognose_solvers::{Greedy, Random};

    #[test]
    fn packed_positions_come_back_and_mirror() {
        for (board, foods) in [("6x6", 1), ("5x7", 2), ("3x4-torus", 1), ("2x2", 1)] {
            let board: Board = board.parse().unwrap();
            let rules = Rules::new(board).with_foods(foods).unwrap();
            for seed in 0..20 {
                let packer = Packer { rules, with_ways: seed % 3 == 0 };
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
                    let mut other = Game::new(rules, 0).position().clone();
                    let view = packer.unpack(&bytes, false, &mut other);
                    assert_eq!((view.position, view.allowed, view.way), (game.position(), allowed, way));
                    let view = packer.unpack(&bytes, true, &mut other);
                    assert_eq!((view.allowed, view.way), (allowed.mirrored(), way));
                    assert_eq!(view.position.head(), mirrored_cell(board, game.position().head()));
                    let mut mirrored = vec![0; packer.bytes()];
                    packer.pack(&view, &mut mirrored);
                    let view = packer.unpack(&mirrored, true, &mut other);
                    assert_eq!((view.position, view.allowed), (game.position(), allowed));
                }
            }
        }
        assert_eq!(Packer::new(Rules::new("6x6".parse().unwrap())).bytes(), 16);
    }

    /// Whatever the bytes are, they are refused, or those of a position that can be mirrored.
    #[test]
    fn arbitrary_bytes_are_refused_or_positions() {
        let rules = Rules::new("3x3".parse().unwrap()).with_foods(2).unwrap();
        let packer = Packer { rules, with_ways: false };
        let (mut scratch, mut accepted) = (Game::new(rules, 0).position().clone(), 0);
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
