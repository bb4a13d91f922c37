//! Alpha-beta over joint positions.

use super::judge::{Judge, ring_value, worth};
use super::ring::ring;
use super::state::State;
use super::table::{Bound, Entry, Table};
use crate::Meter;
use hognose_game::duel::Seat;
use hognose_game::{Direction, Directions};

/// Greater than any value.
const INFINITE: i32 = 1 << 29;
/// The maximum number of joint moves of a line.
const LONGEST: usize = 160;

/// A search for one seat, whose moves come first: the other answers moves that it can't know.
pub(crate) struct Search<'a, J> {
    state: State<'a>,
    me: Seat,
    pub(crate) meter: Meter,
    table: &'a mut Table,
    pub(crate) judge: &'a mut J,
    order: Order,
    /// The maximum length of a line in this search.
    longest: usize,
}

impl<'a, J: Judge> Search<'a, J> {
    pub(crate) fn new(
        state: State<'a>,
        me: Seat,
        meter: Meter,
        table: &'a mut Table,
        judge: &'a mut J,
    ) -> Search<'a, J> {
        Search {
            state,
            me,
            meter,
            table,
            judge,
            order: Order::new(),
            longest: 0,
        }
    }

    /// Returns the value of the position for `me`, searched to `depth` moves of each snake.
    pub(crate) fn value(&mut self, depth: u32) -> i32 {
        self.longest = longest(depth);
        self.mine(depth as i16, -INFINITE, INFINITE, 0)
    }

    /// Returns the values of all joint moves for `me`, searched to `depth` moves of each snake,
    /// indexed by its move and the other's.
    pub(crate) fn values(&mut self, depth: u32) -> [[i32; 4]; 4] {
        self.longest = longest(depth);
        let mut values = [[0; 4]; 4];
        for mine in self.moves(self.me).iter() {
            for others in self.moves(self.me.other()).iter() {
                if self.meter.count() {
                    return values;
                }
                self.state.step(self.me.joint(mine, others));
                values[mine.index()][others.index()] =
                    self.mine(depth as i16 - 1, -INFINITE, INFINITE, 1);
                self.state.undo();
            }
        }
        values
    }

    /// Returns the best line of joint moves from the position, as far as the table stores it.
    pub(crate) fn line(&mut self) -> Vec<[Direction; 2]> {
        let mut line = Vec::new();
        while let Some(entry) = self.table.get(self.state.key())
            && !self.state.is_over()
            && line.len() < LONGEST
        {
            let [mine, others] = entry.moves;
            let joint = self.me.joint(mine, others);
            self.state.step(joint);
            line.push(joint);
        }
        line.iter().for_each(|_| self.state.undo());
        line
    }

    /// Returns the value of the position for `me`, before its move.
    fn mine(&mut self, mut depth: i16, mut alpha: i32, mut beta: i32, ply: usize) -> i32 {
        if self.state.is_over() {
            return worth(self.judge, &self.state, self.me);
        }
        if ply > 0
            && let Some(seat) = ring(&self.state)
        {
            return ring_value(&self.state, self.me, seat);
        }
        let moves = self.moves(self.me);
        if depth <= 0 {
            // Extend the search while a snake has no choice: a trap may close.
            let is_forced = || moves.len() == 1 || self.moves(self.me.other()).len() == 1;
            if ply >= self.longest || !is_forced() {
                return worth(self.judge, &self.state, self.me);
            }
            depth = 1;
        }
        let key = self.state.key();
        let known = self.table.get(key);
        if let Some(entry) = known
            && entry.depth >= depth
            && ply > 0
        {
            match entry.bound {
                Bound::Exact => return entry.value,
                Bound::Least => alpha = alpha.max(entry.value),
                Bound::Most => beta = beta.min(entry.value),
            }
            if alpha >= beta {
                return entry.value;
            }
        }
        let before = alpha;
        let mut best = (-INFINITE, [Direction::Up; 2]);
        let head = self.state.head(self.me);
        let ordered = self
            .order
            .sorted(0, ply, head, moves, known.map(|entry| entry.moves[0]));
        for (index, &direction) in ordered.iter().enumerate().take(moves.len()) {
            let hint = known
                .filter(|entry| entry.moves[0] == direction)
                .map(|entry| entry.moves[1]);
            let (mut value, mut answer);
            if index == 0 || beta - alpha == 1 {
                (value, answer) = self.others(direction, hint, depth, alpha, beta, ply);
            } else {
                (value, answer) = self.others(direction, hint, depth, alpha, alpha + 1, ply);
                if value > alpha && value < beta {
                    (value, answer) = self.others(direction, Some(answer), depth, alpha, beta, ply);
                }
            }
            if self.meter.is_spent() {
                return 0;
            }
            if value > best.0 {
                best = (value, [direction, answer]);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.order.cut(0, ply, head, direction, depth);
                break;
            }
        }
        let (value, moves) = best;
        let bound = if value >= beta {
            Bound::Least
        } else if value <= before {
            Bound::Most
        } else {
            Bound::Exact
        };
        self.table.put(
            key,
            self.state.steps(),
            Entry {
                value,
                depth,
                bound,
                moves,
            },
        );
        value
    }

    /// Returns the value for `me` after one of its moves, and the other's best answer.
    fn others(
        &mut self,
        mine: Direction,
        hint: Option<Direction>,
        depth: i16,
        alpha: i32,
        mut beta: i32,
        ply: usize,
    ) -> (i32, Direction) {
        let moves = self.moves(self.me.other());
        let head = self.state.head(self.me.other());
        let ordered = self.order.sorted(1, ply, head, moves, hint);
        let mut best = (INFINITE, ordered[0]);
        for (index, &direction) in ordered.iter().enumerate().take(moves.len()) {
            if self.meter.count() {
                return (0, direction);
            }
            let joint = self.me.joint(mine, direction);
            self.state.step(joint);
            let value = if index == 0 || beta - alpha == 1 {
                self.mine(depth - 1, alpha, beta, ply + 1)
            } else {
                let value = self.mine(depth - 1, beta - 1, beta, ply + 1);
                if value < beta && value > alpha {
                    self.mine(depth - 1, alpha, beta, ply + 1)
                } else {
                    value
                }
            };
            self.state.undo();
            if self.meter.is_spent() {
                return (0, direction);
            }
            if value < best.0 {
                best = (value, direction);
            }
            beta = beta.min(value);
            if alpha >= beta {
                self.order.cut(1, ply, head, direction, depth);
                break;
            }
        }
        best
    }

    /// Returns the moves to consider: legal ones, or all if none is legal.
    #[inline]
    fn moves(&self, seat: Seat) -> Directions {
        self.state.legal_moves(seat).or(Directions::ALL)
    }
}

/// Returns the maximum number of joint moves of a line, including forced moves.
fn longest(depth: u32) -> usize {
    (2 * depth as usize).min(LONGEST - 1)
}

/// The move ordering, for the searching seat (side 0) and the other (side 1).
struct Order {
    /// By side, spot of the head and direction.
    history: Box<[[[i32; 4]; 256]; 2]>,
    /// The last move that caused a cutoff, by side and ply.
    killers: [[Option<Direction>; LONGEST]; 2],
}

impl Order {
    fn new() -> Order {
        Order {
            history: Box::new([[[0; 4]; 256]; 2]),
            killers: [[None; LONGEST]; 2],
        }
    }

    /// Returns the moves, the most promising first; later elements are padding.
    #[inline]
    fn sorted(
        &self,
        side: usize,
        ply: usize,
        head: u8,
        moves: Directions,
        hint: Option<Direction>,
    ) -> [Direction; 4] {
        let history = &self.history[side][usize::from(head)];
        let promise = |direction: Direction| {
            if hint == Some(direction) {
                i32::MAX
            } else if self.killers[side][ply] == Some(direction) {
                i32::MAX - 1
            } else {
                history[direction.index()]
            }
        };
        let mut sorted = [(i32::MIN, Direction::Up); 4];
        for (count, direction) in moves.iter().enumerate() {
            let entry = (promise(direction), direction);
            let mut place = count;
            while place > 0 && sorted[place - 1].0 < entry.0 {
                sorted[place] = sorted[place - 1];
                place -= 1;
            }
            sorted[place] = entry;
        }
        sorted.map(|(_, direction)| direction)
    }

    #[inline]
    fn cut(&mut self, side: usize, ply: usize, head: u8, direction: Direction, depth: i16) {
        self.killers[side][ply] = Some(direction);
        let history = &mut self.history[side][usize::from(head)][direction.index()];
        *history = (*history + i32::from(depth) * i32::from(depth)).min(i32::MAX / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::World;
    use super::*;
    use crate::Budget;
    use crate::hognose::Weights;
    use hognose_game::Board;
    use hognose_game::duel::{Duel, DuelRules};
    use hognose_game::rng::{self, Purpose};
    use proptest::prelude::*;

    /// The definition of the search's value.
    fn minimax(search: &mut Search<Weights>, depth: i16, ply: usize) -> i32 {
        let me = search.me;
        let other = search.me.other();
        if ply > 0
            && !search.state.is_over()
            && let Some(seat) = ring(&search.state)
        {
            return ring_value(&search.state, me, seat);
        }
        let is_forced = [me, other]
            .map(|seat| search.moves(seat).len())
            .contains(&1)
            && ply < search.longest;
        if search.state.is_over() || (depth == 0 && !is_forced) {
            return worth(search.judge, &search.state, me);
        }
        let depth = depth.max(1);
        let mut best = -INFINITE;
        for mine in search.moves(me).iter() {
            let mut worst = INFINITE;
            for others in search.moves(other).iter() {
                search.state.step(search.me.joint(mine, others));
                worst = worst.min(minimax(search, depth - 1, ply + 1));
                search.state.undo();
            }
            best = best.max(worst);
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        /// Uses a new table for each depth: after a shallower search, lines of forced moves are
        /// longer.
        #[test]
        fn alpha_beta_finds_the_value_of_minimax(
            seed: u64,
            torus: bool,
            redraw in prop_oneof![Just(None), Just(Some(4))],
            foods in 1u16..3,
        ) {
            let board = Board::new(6, 5).unwrap();
            let board = if torus { board.torus() } else { board };
            let rules = DuelRules::ai_snakes_2021()
                .on(board)
                .unwrap()
                .with_redraw_after(redraw)
                .unwrap();
            let rules = rules.with_foods(foods).unwrap();
            let world = World::new(rules, "a test plays").unwrap();
            let mut duel = Duel::new(rules, seed);
            let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
            while duel.position().outcome().is_none() && duel.position().steps() < 40 {
                for me in Seat::BOTH {
                    for depth in 1..=3 {
                        let mut table = Table::new();
                        let state = State::new(&world, duel.position());
                        let meter = Meter::start(Budget::Depth(3));
                        let mut weights = Weights::new(&rules);
                        let mut search = Search::new(state, me, meter, &mut table, &mut weights);
                        let found = search.value(depth);
                        let value = minimax(&mut search, depth as i16, 0);
                        prop_assert_eq!(found, value, "{} {} {:?}", me, depth, duel.position());
                    }
                }
                duel.step(Seat::BOTH.map(|seat| {
                    let legal = duel.position().legal_moves(seat);
                    let nth = rng::below(&mut draws, legal.len().max(1) as u64) as usize;
                    legal
                        .iter()
                        .nth(nth)
                        .unwrap_or(duel.position().snake(seat).heading())
                }));
            }
        }
    }
}
