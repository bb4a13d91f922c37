//! A position of a duel, optimized for searches.

use crate::bits::{Bits, Grid, SIDE};
use crate::reach::Spread;
use hognose_game::duel::{DuelPosition, DuelRules, HeadOn, MOST_GROWTH, Seat};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Cell, Direction, Directions, Unsupported};

const KEYS: Purpose = Purpose::new("hognose bot's keys");
const SPOTS: usize = SIDE * SIDE;
const NOWHERE: u16 = SPOTS as u16;

/// The constants of a duel.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) grid: Grid,
    rules: DuelRules,
    /// Whether a longer snake that follows its own tail to the end wins, if the other eats nothing.
    pub(crate) is_ring_safe: bool,
    /// The spots next to each spot, by direction.
    next: Box<[[u16; 4]; SPOTS]>,
    /// For each seat and spot: the keys of a body cell by the direction in which the head left it,
    /// and the key of the head.
    keys: [Box<[[u64; 5]; SPOTS]>; 2],
}

/// The index of the head's key among those of a spot.
const HEAD: usize = 4;

impl World {
    /// Makes the world of rules for a board with sides of at most 16 cells; `who_plays` begins the
    /// error for larger ones, as in `hognose plays`.
    pub(crate) fn new(rules: DuelRules, who_plays: &str) -> Result<World, Unsupported> {
        let board = rules.board();
        let grid = Grid::new(board).ok_or_else(|| {
            Unsupported(format!(
                "{who_plays} on boards of at most {SIDE}x{SIDE} cells, got {board}"
            ))
        })?;
        let mut next = Box::new([[NOWHERE; 4]; SPOTS]);
        for cell in board.cells() {
            for (direction, near) in board.neighbors(cell) {
                next[usize::from(grid.spot(cell))][direction.index()] = grid.spot(near).into();
            }
        }
        let keys = [0, 1].map(|seat| {
            let key = |spot, kind| rng::derive(seat, KEYS, (8 * spot + kind) as u64);
            Box::new(std::array::from_fn(|spot| {
                std::array::from_fn(|kind| key(spot, kind))
            }))
        });
        let is_ring_safe = rules.redraw_after().is_none() && rules.head_on() == HeadOn::LongerWins;
        Ok(World {
            grid,
            rules,
            is_ring_safe,
            next,
            keys,
        })
    }
}

/// Returns the moves that a search considers: legal ones, or all if none is legal.
pub(crate) fn moves(position: &DuelPosition, seat: Seat) -> Directions {
    position.legal_moves(seat).or(Directions::ALL)
}

/// A position that steps and undoes steps much faster than a [`DuelPosition`]. Tests compare both.
#[derive(Clone, Debug)]
pub(crate) struct State<'a> {
    pub(crate) world: &'a World,
    snakes: [Body; 2],
    pub(crate) foods: Bits,
    values: [u8; SPOTS],
    hunger: u16,
    steps: u32,
    is_over: bool,
    /// The winner; `None` also for an ongoing game.
    winner: Option<Seat>,
    key: u64,
    history: Vec<Undo>,
}

#[derive(Clone, Debug)]
struct Body {
    /// The cells: the head at index `head`, and the body at lower indices, wrapping around.
    ring: [u8; SPOTS],
    /// For each index, the direction in which the head left that cell.
    exits: [u8; SPOTS],
    head: u8,
    length: u16,
    growth: u16,
    taken: Bits,
}

#[derive(Clone, Copy, Debug)]
struct Undo {
    moved: bool,
    left: [u16; 2],
    growth: [u16; 2],
    hunger: u16,
    foods: Bits,
    key: u64,
}

impl<'a> State<'a> {
    /// Converts a position with the world's rules.
    pub(crate) fn new(world: &'a World, position: &DuelPosition) -> State<'a> {
        let spot = |cell: Cell| world.grid.spot(cell);
        let mut values = [0; SPOTS];
        let mut foods = Bits::EMPTY;
        for food in position.foods() {
            foods.insert(spot(food.cell));
            values[usize::from(spot(food.cell))] = food.value;
        }
        let mut key = 0;
        let snakes = Seat::BOTH.map(|seat| {
            let snake = position.snake(seat);
            let keys = &world.keys[seat.index()];
            let mut ring = [0; SPOTS];
            let mut exits = [HEAD as u8; SPOTS];
            let mut taken = Bits::EMPTY;
            let mut after: Option<Cell> = None;
            for (behind, cell) in snake.body().enumerate() {
                let place = snake.len() - 1 - behind;
                let exit = after
                    .and_then(|after| position.board().direction(cell, after))
                    .map_or(HEAD, Direction::index);
                (ring[place], exits[place], after) = (spot(cell), exit as u8, Some(cell));
                taken.insert(spot(cell));
                key ^= keys[usize::from(spot(cell))][exit];
            }
            let length = snake.len() as u16;
            Body {
                ring,
                exits,
                head: (length - 1) as u8,
                length,
                growth: position.growth(seat) as u16,
                taken,
            }
        });
        let outcome = position.outcome();
        let hunger = position.hunger();
        let steps = position.steps();
        State {
            world,
            snakes,
            foods,
            values,
            hunger,
            steps,
            is_over: outcome.is_some(),
            winner: outcome.and_then(|outcome| outcome.winner),
            key,
            history: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the winner of a game that has ended, or `None` for a draw.
    #[inline]
    pub(crate) fn winner(&self) -> Option<Seat> {
        self.winner
    }

    #[inline]
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Returns the steps until food is redrawn if nobody eats.
    #[inline]
    pub(crate) fn steps_to_redraw(&self) -> u16 {
        let steps = self.world.rules.steps_to_redraw(self.hunger);
        steps.unwrap_or(u16::MAX)
    }

    /// Returns the length of a snake's body plus its pending growth.
    #[inline]
    pub(crate) fn length(&self, seat: Seat) -> u16 {
        let Body { length, growth, .. } = self.snakes[seat.index()];
        length + growth
    }

    #[inline]
    pub(crate) fn head(&self, seat: Seat) -> u8 {
        self.snakes[seat.index()].head_spot()
    }

    #[inline]
    pub(crate) fn lead(&self) -> Option<(Seat, u16)> {
        let lengths = Seat::BOTH.map(|seat| self.length(seat));
        Seat::longer(lengths).map(|seat| (seat, lengths[0].abs_diff(lengths[1])))
    }

    #[inline]
    pub(crate) fn tail(&self, seat: Seat) -> u8 {
        self.snakes[seat.index()].tail_spot()
    }

    /// Returns the pending growth of a snake.
    #[inline]
    pub(crate) fn growth(&self, seat: Seat) -> u16 {
        self.snakes[seat.index()].growth
    }

    #[inline]
    pub(crate) fn steps_left(&self) -> u32 {
        self.world.rules.step_limit() - self.steps
    }

    /// Returns the distance between both heads on an empty board.
    #[inline]
    pub(crate) fn distance(&self) -> u16 {
        let [[a, b], [c, d]] = Seat::BOTH.map(|seat| place(self.head(seat)));
        let board = self.world.rules.board();
        let along = |a: u16, b: u16, side: usize| {
            let straight = a.abs_diff(b);
            if board.is_torus() {
                straight.min(side as u16 - straight)
            } else {
                straight
            }
        };
        along(a, c, board.width()) + along(b, d, board.height())
    }

    /// Returns the cells between a head and the nearest border, and the sum of the cells to the
    /// nearest border of each axis. A torus has no borders: both are `u16::MAX`.
    #[inline]
    pub(crate) fn borders(&self, seat: Seat) -> [u16; 2] {
        let board = self.world.rules.board();
        if board.is_torus() {
            return [u16::MAX; 2];
        }
        let [column, row] = place(self.head(seat));
        let sides = [
            column.min(board.width() as u16 - 1 - column),
            row.min(board.height() as u16 - 1 - row),
        ];
        [sides[0].min(sides[1]), sides[0] + sides[1]]
    }

    /// Returns whether a snake can follow its own tail forever.
    #[inline]
    pub(crate) fn is_ring(&self, seat: Seat) -> bool {
        let body = &self.snakes[seat.index()];
        let head = body.head_spot();
        let tail = u16::from(body.tail_spot());
        body.growth == 0 && body.length > 3 && self.world.next[usize::from(head)].contains(&tail)
    }

    /// Returns the number of cells by which the food on a spot lets a snake grow.
    #[inline]
    pub(crate) fn food_value(&self, spot: u8) -> u8 {
        self.values[usize::from(spot)]
    }

    #[inline]
    pub(crate) fn taken(&self, seat: Seat) -> Bits {
        self.snakes[seat.index()].taken
    }

    /// Starts a search of the cells that both snakes reach, with results in the order of `seats`.
    #[inline(always)]
    pub(crate) fn spread(&self, seats: [Seat; 2]) -> Spread<'_> {
        let grid = &self.world.grid;
        let free = grid.all() & !(self.taken(Seat::First) | self.taken(Seat::Second));
        let [first, second] = seats.map(|seat| self.length(seat));
        Spread::new(
            grid,
            seats.map(|seat| self.head(seat)),
            free,
            first.max(second),
        )
    }

    /// Returns the spot that a snake's tail leaves in a future step, if the snake does not eat
    /// before.
    #[inline]
    pub(crate) fn left(&self, seat: usize, step: u16) -> Option<u8> {
        let Body {
            ring,
            head,
            length,
            growth,
            ..
        } = &self.snakes[seat];
        let step = step.wrapping_sub(*growth);
        (step.wrapping_sub(1) < *length)
            .then(|| ring[usize::from(head.wrapping_sub((length - step) as u8))])
    }

    /// Returns the hash of this position: both bodies, growth, foods and counters.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        let [first, second] = [0, 1].map(|seat| u64::from(self.snakes[seat].growth));
        let steps = u64::from(self.steps);
        let rest =
            steps & 0xf_ffff | u64::from(self.hunger) << 20 | (first & 0xfff) << 36 | second << 48;
        // The high bits: more than a million steps, or growth of more than 4,000 steps.
        let high = steps >> 20 | (first >> 12) << 12;
        let foods = self.foods.digest();
        let key = (self.key ^ foods).wrapping_add(rest.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        key ^ high.wrapping_mul(0xd6e8_feb8_6659_fd93)
    }

    /// Same as [`DuelPosition::legal_moves`].
    #[inline]
    pub(crate) fn legal_moves(&self, seat: Seat) -> Directions {
        if self.is_over {
            return Directions::EMPTY;
        }
        let [first, second] = &self.snakes;
        let taken = first.taken | second.taken;
        let leaving = [first, second].map(|body| {
            if body.growth == 0 {
                body.tail_spot().into()
            } else {
                NOWHERE
            }
        });
        let next = &self.world.next[usize::from(self.head(seat))];
        let mut bits = 0;
        for (index, &spot) in next.iter().enumerate() {
            let is_open =
                spot != NOWHERE && (!taken.contains(spot as u8) || leaving.contains(&spot));
            bits |= u8::from(is_open) << index;
        }
        Directions::from_bits(bits)
    }

    /// Same as [`DuelPosition::step`] in an ongoing game.
    #[inline]
    pub(crate) fn step(&mut self, moves: [Direction; 2]) {
        let world = self.world;
        let heads = [0, 1].map(|seat| self.snakes[seat].head_spot());
        let targets = [0, 1].map(|seat| world.next[usize::from(heads[seat])][moves[seat].index()]);
        let is_on_board = targets.map(|target| target != NOWHERE);
        let value = |seat: usize| {
            let eats = is_on_board[seat] && self.foods.contains(targets[seat] as u8);
            if eats {
                u16::from(self.values[usize::from(targets[seat])])
            } else {
                0
            }
        };
        let values = [value(0), value(1)];
        let growth = [0, 1].map(|seat| (self.snakes[seat].growth + values[seat]).min(MOST_GROWTH));
        self.history.push(Undo {
            moved: false,
            left: [NOWHERE; 2],
            growth: [self.snakes[0].growth, self.snakes[1].growth],
            hunger: self.hunger,
            foods: self.foods,
            key: self.key,
        });
        self.steps += 1;
        let blocks = |whose: usize, target: u16| {
            let body = &self.snakes[whose];
            let is_left = growth[whose] == 0 && target == u16::from(body.tail_spot());
            body.taken.contains(target as u8) && !is_left
        };
        let suicides = [0, 1].map(|seat| !is_on_board[seat] || blocks(seat, targets[seat]));
        let meet = is_on_board[0]
            && (targets[0] == targets[1] || targets == [u16::from(heads[1]), u16::from(heads[0])])
            && suicides == [false; 2];
        let dies = [(0, 1), (1, 0)]
            .map(|(seat, other)| suicides[seat] || meet || blocks(other, targets[seat]));
        if dies != [false; 2] {
            self.is_over = true;
            self.winner = match dies {
                [false, _] => Some(Seat::First),
                [_, false] => Some(Seat::Second),
                _ if meet && world.rules.head_on() == HeadOn::Draw => None,
                _ => Seat::longer([0, 1].map(|seat| self.snakes[seat].length + growth[seat])),
            };
            return;
        }
        let mut left = [NOWHERE; 2];
        for seat in [0, 1] {
            let body = &mut self.snakes[seat];
            let keys = &world.keys[seat];
            let head = usize::from(heads[seat]);
            let grows = growth[seat] > 0;
            body.growth = growth[seat] - u16::from(grows);
            self.key ^= keys[head][HEAD]
                ^ keys[head][moves[seat].index()]
                ^ keys[usize::from(targets[seat])][HEAD];
            if grows {
                body.length += 1;
            } else {
                let tail = body.tail_spot();
                left[seat] = tail.into();
                self.key ^= keys[usize::from(tail)]
                    [usize::from(body.exits[usize::from(body.tail_place())])];
                body.taken = body.taken & !Bits::of(tail);
            }
            body.exits[usize::from(body.head)] = moves[seat].index() as u8;
            body.head = body.head.wrapping_add(1);
            body.ring[usize::from(body.head)] = targets[seat] as u8;
            body.taken.insert(targets[seat] as u8);
        }
        if values == [0; 2] {
            self.hunger = self.hunger.saturating_add(1);
            if world.rules.steps_to_redraw(self.hunger) == Some(0) {
                (self.hunger, self.foods) = (0, Bits::EMPTY);
            }
        } else {
            self.hunger = 0;
            for seat in [0, 1] {
                if values[seat] > 0 {
                    self.foods = self.foods & !Bits::of(targets[seat] as u8);
                }
            }
        }
        let undo = self.history.last_mut().expect("the step was recorded");
        (undo.moved, undo.left) = (true, left);
        if self.steps == world.rules.step_limit() {
            self.is_over = true;
            self.winner = Seat::longer(Seat::BOTH.map(|seat| self.length(seat)));
        }
    }

    #[inline]
    pub(crate) fn undo(&mut self) {
        let Undo {
            moved,
            left,
            growth,
            hunger,
            foods,
            key,
        } = self.history.pop().expect("there is a step to undo");
        self.steps -= 1;
        self.is_over = false;
        self.winner = None;
        if !moved {
            return;
        }
        (self.hunger, self.foods, self.key) = (hunger, foods, key);
        for seat in [0, 1] {
            let body = &mut self.snakes[seat];
            body.taken = body.taken & !Bits::of(body.head_spot());
            body.head = body.head.wrapping_sub(1);
            body.growth = growth[seat];
            match u8::try_from(left[seat]) {
                Ok(tail) => {
                    body.taken.insert(tail);
                    let place = body.tail_place();
                    body.ring[usize::from(place)] = tail;
                }
                Err(_) => body.length -= 1,
            }
        }
    }
}

impl Body {
    #[inline]
    fn head_spot(&self) -> u8 {
        self.ring[usize::from(self.head)]
    }

    #[inline]
    fn tail_place(&self) -> u8 {
        self.head.wrapping_sub((self.length - 1) as u8)
    }

    #[inline]
    fn tail_spot(&self) -> u8 {
        self.ring[usize::from(self.tail_place())]
    }
}

#[inline]
fn place(spot: u8) -> [u16; 2] {
    [u16::from(spot) % SIDE as u16, u16::from(spot) / SIDE as u16]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Board;
    use hognose_game::duel::Duel;
    use proptest::prelude::*;

    fn check(state: &State, position: &DuelPosition) {
        let world = state.world;
        let outcome = position.outcome();
        assert_eq!(state.is_over(), outcome.is_some());
        assert_eq!(state.winner(), outcome.and_then(|outcome| outcome.winner));
        assert_eq!(state.steps(), position.steps());
        assert_eq!(state.hunger, position.hunger());
        let spots = |cells: &mut dyn Iterator<Item = Cell>| {
            cells.map(|cell| world.grid.spot(cell)).collect::<Vec<_>>()
        };
        let mut foods = Bits::EMPTY;
        for food in position.foods() {
            foods.insert(world.grid.spot(food.cell));
            assert_eq!(state.food_value(world.grid.spot(food.cell)), food.value);
        }
        assert_eq!(state.foods, foods);
        let mut fresh = State::new(world, position);
        for seat in Seat::BOTH {
            let snake = position.snake(seat);
            let body: Vec<u8> = (1..=snake.len() as u16)
                .map(|step| {
                    state
                        .left(seat.index(), step + position.growth(seat) as u16)
                        .unwrap()
                })
                .collect();
            assert_eq!(body, spots(&mut snake.body().rev()));
            assert_eq!(state.length(seat), position.length(seat) as u16);
            assert_eq!(state.head(seat), world.grid.spot(snake.head()));
            let is_ring = position.growth(seat) == 0
                && snake.len() > 3
                && position
                    .board()
                    .neighbors(snake.head())
                    .any(|(_, near)| near == snake.tail());
            assert_eq!(state.is_ring(seat), is_ring);
            assert_eq!(state.taken(seat), fresh.taken(seat));
            assert_eq!(state.legal_moves(seat), position.legal_moves(seat));
        }
        (fresh.is_over, fresh.winner) = (state.is_over, state.winner);
        assert_eq!(state.key(), fresh.key());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Compares every joint move from every position of random games, with and without undo.
        #[test]
        fn states_agree_with_positions(
            (width, height) in prop_oneof![(5u8..=9, 5u8..=9), Just((16, 16))],
            torus: bool,
            seed: u64,
            foods in 1u16..8,
            highest in 1u8..6,
            redraw in prop_oneof![Just(None), Just(Some(5))],
            draws: bool,
        ) {
            let board = Board::new(width, height).unwrap();
            let board = if torus { board.torus() } else { board };
            let rules = DuelRules::ai_snakes_2021()
                .on(board)
                .unwrap()
                .with_redraw_after(redraw)
                .unwrap();
            let rules = rules
                .with_foods(foods)
                .unwrap()
                .with_values(1..=highest)
                .unwrap()
                .with_step_limit(60)
                .unwrap();
            let rules = if draws {
                rules.with_head_on(HeadOn::Draw)
            } else {
                rules
            };
            let world = World::new(rules, "a test plays").unwrap();
            let mut duel = Duel::new(rules, seed);
            let mut random = rng::keyed(seed, Purpose::new("moves"), 0);
            while duel.position().outcome().is_none() {
                let mut position = duel.position().clone();
                let mut state = State::new(&world, &position);
                check(&state, &position);
                // Step along a line without new food, trying every other step on the way, and undo
                // it.
                let mut depth = 0;
                while position.outcome().is_none() && depth < 6 {
                    for moves in 0..16 {
                        let moves = [moves % 4, moves / 4].map(Direction::from_index);
                        position.step(moves);
                        state.step(moves);
                        check(&state, &position);
                        position.undo();
                        state.undo();
                        check(&state, &position);
                    }
                    let moves = some_moves(&position, &mut random);
                    position.step(moves);
                    state.step(moves);
                    depth += 1;
                }
                for _ in 0..depth {
                    check(&state, &position);
                    position.undo();
                    state.undo();
                }
                check(&state, &position);
                duel.step(some_moves(duel.position(), &mut random));
            }
        }
    }

    fn some_moves(position: &DuelPosition, random: &mut rng::Generator) -> [Direction; 2] {
        Seat::BOTH.map(|seat| {
            let legal = position.legal_moves(seat);
            let nth = rng::below(random, legal.len().max(1) as u64) as usize;
            legal
                .iter()
                .nth(nth)
                .unwrap_or(position.snake(seat).heading())
        })
    }
}
