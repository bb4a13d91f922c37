//! Packs positions into bytes for the replay buffer.

use crate::config::{Bootstrap, TrainConfig};
use crate::network_view::NetworkView;
use crate::spec::AgentSpec;
use hognose_game::{Allowed, Board, Cell, Direction, Directions, Game, Position, Rules, Way};
use std::sync::Arc;

const NO_FOOD: u16 = u16::MAX;
const WAY_BYTES: usize = 6;
const NO_WAY: Way = Way {
    steps: u16::MAX,
    outlook: u32::MAX,
};

/// Packs views of positions into bytes: head 2, length 2, heading and allowed moves 1, foods 2
/// each, body moves 2 bits each and, if networks see ways, 6 per way. On 6x6 that is 16 bytes,
/// compared with 2984 for the egocentric observation. With several boards, 2 bytes for the board
/// come first, and there is room for the largest.
#[derive(Clone, Debug)]
pub(crate) struct Packer {
    /// The rules of each board, all with the same number of foods.
    rules: Arc<[Rules]>,
    /// The number of ways packed: 0, 1 for the way of a view, or 4 for one per direction.
    ways: usize,
    largest_area: usize,
}

/// Packs the outcomes of the plans of a position: their number in 2 bytes, and for each plan its
/// reward in 4 bytes and the body after it.
#[derive(Clone, Debug)]
pub(crate) struct PlansPacker {
    pub(crate) bodies: Packer,
    /// The maximum number of plans.
    pub(crate) most: usize,
}

impl PlansPacker {
    /// Returns the packer of the plans that an agent chooses among, if targets search for the best
    /// plan.
    pub(crate) fn of(
        spec: &AgentSpec,
        rules: &[Rules],
        config: &TrainConfig,
    ) -> Option<PlansPacker> {
        spec.plans
            .filter(|_| config.bootstrap != Bootstrap::Taken)
            .map(|search| PlansPacker {
                bodies: Packer::of(spec, rules),
                most: search.most,
            })
    }

    /// Returns the size of packed plans in bytes.
    pub(crate) fn bytes(&self) -> usize {
        2 + self.most * (4 + self.bodies.bytes())
    }

    /// Packs plans, each given by its reward and the view of the body after it.
    pub(crate) fn packed<'a>(
        &self,
        plans: impl ExactSizeIterator<Item = (f32, NetworkView<'a>)>,
    ) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes());
        bytes.extend((plans.len() as u16).to_le_bytes());
        for (reward, body) in plans {
            bytes.extend(reward.to_le_bytes());
            bytes.extend(self.bodies.packed(&body));
        }
        assert!(
            bytes.len() <= self.bytes(),
            "a source must propose at most {} plans",
            self.most
        );
        bytes.resize(self.bytes(), 0);
        bytes
    }

    /// Returns the reward of each plan, and the body after it as [`bodies`](Self::bodies) packed
    /// it.
    pub(crate) fn plans<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = (f32, &'a [u8])> {
        let (count, plans) = bytes.split_first_chunk().expect("two bytes");
        let plans = plans
            .chunks_exact(4 + self.bodies.bytes())
            .take(u16::from_le_bytes(*count).into());
        plans.map(|plan| {
            let (reward, body) = plan.split_first_chunk().expect("four bytes");
            (f32::from_le_bytes(*reward), body)
        })
    }

    /// Returns whether the bytes are packed plans.
    pub(crate) fn accepts(&self, bytes: &[u8], scratch: &mut Scratch) -> bool {
        bytes.len() == self.bytes()
            && usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) <= self.most
            && self
                .plans(bytes)
                .all(|(reward, body)| reward.is_finite() && self.bodies.accepts(body, scratch))
    }
}

/// Positions to unpack into, one for each board.
#[derive(Clone, Debug)]
pub(crate) struct Scratch(Vec<Position>);

impl Packer {
    /// Creates the packer of positions with these rules.
    pub(crate) fn new(rules: &[Rules]) -> Packer {
        let largest_area = rules
            .iter()
            .map(|rules| rules.board().area())
            .max()
            .expect("there is at least one board");
        Packer {
            rules: rules.into(),
            ways: 0,
            largest_area,
        }
    }

    /// Creates the packer of the views of an agent's network.
    pub(crate) fn of(spec: &AgentSpec, rules: &[Rules]) -> Packer {
        Packer {
            ways: usize::from(spec.sees_ways()),
            ..Packer::new(rules)
        }
    }

    /// Creates the packer of the positions whose moves lead to what an agent's network sees, if
    /// targets search for the best move.
    pub(crate) fn of_positions(
        spec: &AgentSpec,
        rules: &[Rules],
        config: &TrainConfig,
    ) -> Option<Packer> {
        let ways = if spec.sees_ways() { 4 } else { 0 };
        let looks = spec.afterstates.is_some() && config.bootstrap != Bootstrap::Taken;
        looks.then(|| Packer {
            ways,
            ..Packer::new(rules)
        })
    }

    /// Creates positions to unpack into.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch(
            self.rules
                .iter()
                .map(|&rules| Game::new(rules, 0).position().clone())
                .collect(),
        )
    }

    /// Returns the size of a packed view in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.board_bytes()
            + 5
            + 2 * self.foods()
            + (self.largest_area - 1).div_ceil(4)
            + self.way_bytes()
    }

    fn foods(&self) -> usize {
        self.rules[0].foods()
    }

    fn board_bytes(&self) -> usize {
        if self.rules.len() > 1 { 2 } else { 0 }
    }

    fn way_bytes(&self) -> usize {
        WAY_BYTES * self.ways
    }

    /// Returns the index of the board of a packed view, without checking its range.
    fn index(&self, bytes: &[u8]) -> usize {
        if self.rules.len() > 1 {
            usize::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        } else {
            0
        }
    }

    /// Returns the board of a packed view.
    pub(crate) fn board(&self, bytes: &[u8]) -> Board {
        self.rules[self.index(bytes)].board()
    }

    /// Packs a position, its allowed moves and ways into [`bytes`](Self::bytes) bytes.
    fn pack(&self, position: &Position, allowed: Directions, ways: &[Option<Way>], out: &mut [u8]) {
        let board = position.board();
        let (number, out) = out.split_at_mut(self.board_bytes());
        if !number.is_empty() {
            let index = self
                .rules
                .iter()
                .position(|&rules| rules == position.rules())
                .expect("the position has one of the packer's rules");
            number.copy_from_slice(&(index as u16).to_le_bytes());
        }
        let (out, rest) = out.split_at_mut(out.len() - self.way_bytes());
        for (bytes, way) in rest.chunks_exact_mut(WAY_BYTES).zip(ways) {
            let Way { steps, outlook } = way.unwrap_or(NO_WAY);
            bytes[..2].copy_from_slice(&steps.to_le_bytes());
            bytes[2..].copy_from_slice(&outlook.to_le_bytes());
        }
        let (head, rest) = out.split_at_mut(5);
        head[..2].copy_from_slice(&position.head().0.to_le_bytes());
        head[2..4].copy_from_slice(&(position.len() as u16).to_le_bytes());
        head[4] = position.heading().index() as u8 | allowed.bits() << 2;
        let (foods, moves) = rest.split_at_mut(2 * self.foods());
        let present = position
            .foods()
            .iter()
            .map(|food| food.0)
            .chain(std::iter::repeat(NO_FOOD));
        for (bytes, food) in foods.chunks_exact_mut(2).zip(present) {
            bytes.copy_from_slice(&food.to_le_bytes());
        }
        moves.fill(0);
        let mut previous = None;
        for (index, cell) in position.body().enumerate() {
            if let Some(previous) = previous {
                let direction = board
                    .direction(previous, cell)
                    .expect("adjacent body cells are neighbors");
                moves[(index - 1) / 4] |= (direction.index() as u8) << (2 * ((index - 1) % 4));
            }
            previous = Some(cell);
        }
    }

    /// Packs a view into new bytes.
    pub(crate) fn packed(&self, view: &NetworkView<'_>) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(view.position, view.allowed, &[view.way], &mut bytes);
        bytes
    }

    /// Packs a position and what is allowed there into new bytes.
    pub(crate) fn packed_position(&self, position: &Position, allowed: &Allowed) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(position, allowed.moves, &allowed.ways, &mut bytes);
        bytes
    }

    /// Unpacks a view, mirrored left to right if `mirrored`.
    pub(crate) fn unpack<'a>(
        &self,
        bytes: &[u8],
        mirrored: bool,
        into: &'a mut Scratch,
    ) -> NetworkView<'a> {
        let (position, Allowed { moves, ways }) = self.unpack_position(bytes, mirrored, into);
        NetworkView {
            position,
            allowed: moves,
            way: ways[0],
        }
    }

    /// Unpacks a position and what is allowed there, mirrored left to right if `mirrored`.
    pub(crate) fn unpack_position<'a>(
        &self,
        bytes: &[u8],
        mirrored: bool,
        into: &'a mut Scratch,
    ) -> (&'a Position, Allowed) {
        self.try_unpack(bytes, mirrored, into)
            .expect("packed positions are valid")
    }

    /// Returns whether the bytes are a valid packed position of these rules.
    pub(crate) fn accepts(&self, bytes: &[u8], scratch: &mut Scratch) -> bool {
        bytes.len() == self.bytes() && self.try_unpack(bytes, false, scratch).is_some()
    }

    fn try_unpack<'a>(
        &self,
        bytes: &[u8],
        mirrored: bool,
        into: &'a mut Scratch,
    ) -> Option<(&'a Position, Allowed)> {
        let into = into.0.get_mut(self.index(bytes))?;
        let bytes = &bytes[self.board_bytes()..];
        let (bytes, rest) = bytes.split_at(bytes.len() - self.way_bytes());
        let mut ways = [None; 4];
        for (way, bytes) in ways.iter_mut().zip(rest.chunks_exact(WAY_BYTES)) {
            let (steps, outlook) = bytes.split_first_chunk().expect("six bytes");
            let outlook = u32::from_le_bytes(outlook.try_into().expect("four bytes"));
            *way = Some(Way {
                steps: u16::from_le_bytes(*steps),
                outlook,
            })
            .filter(|&way| way != NO_WAY);
        }
        let board = into.board();
        let u16_at = |place: usize| u16::from_le_bytes([bytes[place], bytes[place + 1]]);
        let head = Cell(u16_at(0));
        let length = usize::from(u16_at(2));
        if head.index() >= board.area() || length > board.area() {
            return None;
        }
        let reflect = |cell: Cell| if mirrored { board.mirrored(cell) } else { cell };
        let turn = |direction: Direction| {
            if mirrored {
                direction.mirrored()
            } else {
                direction
            }
        };
        let heading = Direction::from_index((bytes[4] & 3).into());
        let allowed = Directions::from_bits(bytes[4] >> 2);
        let foods = (0..self.foods())
            .map(|food| u16_at(5 + 2 * food))
            .filter(|&food| food != NO_FOOD);
        let moves = &bytes[5 + 2 * self.foods()..];
        let body = (0..length).scan(reflect(head), |cell, index| {
            if index > 0 {
                let bits = moves[(index - 1) / 4] >> (2 * ((index - 1) % 4));
                *cell = board.neighbor(*cell, turn(Direction::from_index(bits.into())))?;
            }
            Some(*cell)
        });
        into.replace(turn(heading), body, foods.map(|food| reflect(Cell(food))))
            .ok()?;
        if into.len() < length {
            return None; // the body leaves the board
        }
        let moves = if mirrored {
            allowed.mirrored()
        } else {
            allowed
        };
        if mirrored && self.ways > 1 {
            ways.swap(Direction::Right.index(), Direction::Left.index());
        }
        Some((into, Allowed { moves, ways }))
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
                // Alone, or among other boards.
                let larger = Rules::new("9x5".parse().unwrap())
                    .with_foods(foods)
                    .unwrap();
                let several = if seed % 4 < 2 {
                    vec![rules]
                } else {
                    vec![larger, rules]
                };
                let packer = Packer {
                    ways: usize::from(seed % 3 == 0),
                    ..Packer::new(&several)
                };
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
                    let allowed = Directions::from_bits(seed as u8 & 15);
                    let way = (seed % 6 == 0).then_some(Way {
                        steps: 260,
                        outlook: 70_000,
                    });
                    let bytes = packer.packed(&NetworkView {
                        position: game.position(),
                        allowed,
                        way,
                    });
                    assert_eq!(packer.board(&bytes), board);
                    let view = packer.unpack(&bytes, false, &mut scratch);
                    assert_eq!(
                        (view.position, view.allowed, view.way),
                        (game.position(), allowed, way)
                    );
                    let view = packer.unpack(&bytes, true, &mut scratch);
                    let mirrored = (&game.position().mirrored(), allowed.mirrored(), way);
                    assert_eq!((view.position, view.allowed, view.way), mirrored);
                    let mirrored = packer.packed(&view);
                    let view = packer.unpack(&mirrored, true, &mut scratch);
                    assert_eq!((view.position, view.allowed), (game.position(), allowed));
                }
            }
        }
        assert_eq!(
            Packer::new(&[Rules::new("6x6".parse().unwrap())]).bytes(),
            16
        );
    }

    /// Positions keep a way for each direction, and mirroring swaps left and right.
    #[test]
    fn ways_of_moves_come_back_and_mirror() {
        let rules = Rules::new("5x4".parse().unwrap());
        let packer = Packer {
            ways: 4,
            ..Packer::new(&[rules])
        };
        let game = Game::new(rules, 3);
        let ways = [1, 2, 3, 4].map(|steps| {
            (steps != 3).then_some(Way {
                steps,
                outlook: 70_000 + u32::from(steps),
            })
        });
        let allowed = Allowed {
            moves: Directions::from_bits(0b1011),
            ways,
        };
        let bytes = packer.packed_position(game.position(), &allowed);
        let mut scratch = packer.scratch();
        assert_eq!(
            packer.unpack_position(&bytes, false, &mut scratch),
            (game.position(), allowed)
        );
        let mirrored = Allowed {
            moves: allowed.moves.mirrored(),
            ways: [ways[0], ways[3], ways[2], ways[1]],
        };
        assert_eq!(
            packer.unpack_position(&bytes, true, &mut scratch),
            (&game.position().mirrored(), mirrored)
        );
    }

    /// Plans are restored with their rewards and in the same number.
    #[test]
    fn plans_come_back() {
        let rules = Rules::new("4x4".parse().unwrap());
        let plans = PlansPacker {
            bodies: Packer {
                ways: 1,
                ..Packer::new(&[rules])
            },
            most: 3,
        };
        let games = [Game::new(rules, 0), Game::new(rules, 1)];
        let way = |outlook| Some(Way { steps: 0, outlook });
        let view = |game| NetworkView {
            way: way(7),
            ..NetworkView::new(Game::position(game), Directions::from_bits(5))
        };
        let bytes = plans.packed(
            [0.5, -1.0]
                .into_iter()
                .zip(&games)
                .map(|(reward, game)| (reward, view(game))),
        );
        let mut scratch = plans.bodies.scratch();
        assert!(bytes.len() == plans.bytes() && plans.accepts(&bytes, &mut scratch));
        let back: Vec<(f32, &[u8])> = plans.plans(&bytes).collect();
        assert_eq!(
            back.iter().map(|(reward, _)| *reward).collect::<Vec<f32>>(),
            [0.5, -1.0]
        );
        for ((_, body), game) in back.iter().zip(&games) {
            let got = plans.bodies.unpack(body, false, &mut scratch);
            assert_eq!(
                (got.position, got.allowed, got.way),
                (game.position(), Directions::from_bits(5), way(7))
            );
        }
        let none = plans.packed(std::iter::empty());
        assert!(plans.accepts(&none, &mut scratch) && plans.plans(&none).next().is_none());
        assert!(
            !plans.accepts(
                &[4, 0]
                    .into_iter()
                    .chain(vec![0; plans.bytes() - 2])
                    .collect::<Vec<u8>>(),
                &mut scratch
            )
        );
    }

    /// Arbitrary bytes are either refused or a position that can be mirrored.
    #[test]
    fn arbitrary_bytes_are_refused_or_positions() {
        let rules = Rules::new("3x3".parse().unwrap()).with_foods(2).unwrap();
        let packer = Packer::new(&[rules]);
        let mut scratch = packer.scratch();
        let mut accepted = 0;
        let draws = &mut rng::keyed(0, Purpose::new("test"), 0);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..packer.bytes())
                .map(|place| {
                    let most = if place < 9 {
                        [9, 1, 5, 1, 64, 9, 1, 9, 1][place]
                    } else {
                        256
                    };
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
