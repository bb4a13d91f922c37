//! NegaSnake, the winner of the AI Snakes competition of 2021: a deep alpha-beta search with a fast
//! evaluation.

use crate::search::moves;
use crate::{Budget, Meter};
use hognose_game::duel::{Bot, DuelEvent, DuelPosition, MakeBot, Mixture, Seat, Thought};
use hognose_game::{Board, Cell, Direction, Directions, Unsupported};

/// NegaSnake's search and evaluation: negamax with alpha-beta, in which the opponent answers a move
/// that it can't know, iterative deepening, and a table of best moves that orders moves.
///
/// Written from descriptions of the bot, not from its code. The terms of its evaluation, heaviest
/// first: the end of the game (a draw is nearly as bad as a loss); the lead in length; a food that
/// only one snake reaches before it is drawn again, otherwise which snake is closer to it, or
/// closer to the center if neither reaches it in time; and the cells within 11 steps that were
/// closer to either head when food was last eaten or drawn again in the search.
#[derive(Clone, Copy, Debug)]
pub struct Nega {
    budget: Budget,
}

impl Nega {
    /// Makes bots that search within a budget for each move.
    pub fn new(budget: Budget) -> Nega {
        Nega { budget }
    }
}

impl MakeBot for Nega {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        _seed: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        let area = Area::new(position.board());
        Ok(Box::new(NegaBot {
            seat,
            budget: self.budget,
            table: Table::new(),
            area,
            thought: Thought::default(),
        }))
    }

    fn depends_on_clock(&self) -> bool {
        self.budget.depends_on_clock()
    }
}

struct NegaBot {
    seat: Seat,
    budget: Budget,
    table: Table,
    area: Area,
    thought: Thought,
}

impl Bot for NegaBot {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        let meter = Meter::start(self.budget);
        // The next search has other keys.
        self.table.begin(position.steps());
        let mut search = Search {
            position: position.clone(),
            me: self.seat,
            begun: position.steps(),
            root: extended(
                u64::from(position.steps()) << 3,
                position.snake(self.seat).heading(),
            ),
            meter,
            table: &mut self.table,
            area: &mut self.area,
        };
        let line = search.deepen(self.budget);
        self.thought = Thought {
            nodes: search.meter.nodes(),
            line,
        };
        self.thought
            .line
            .first()
            .map_or(position.snake(self.seat).heading(), |moves| {
                moves[self.seat.index()]
            })
    }

    /// In a game, a search finds no entries of earlier searches in the table, since their keys
    /// differ. Here, several positions may have the same step.
    fn mixture(&mut self, position: &DuelPosition) -> Option<Mixture> {
        self.table = Table::new();
        (!self.budget.depends_on_clock()).then(|| Mixture::pure(self.act(position)))
    }

    fn thought(&self) -> Thought {
        self.thought.clone()
    }
}

const WIN: i32 = 10_000_000;
const DRAW: i32 = -9_999_900;
/// The steps of a search within which earlier and later ends have different values.
const LATEST: u32 = 99;
const LONGER: i32 = 10_000;
const ALONE_IN_TIME: i32 = 3_000;
const CENTRE: i32 = 2_000;
const CLOSER: i32 = 1_000;
const CELL: i32 = 40;
/// The distance from a head within which cells count, in steps.
const AROUND: u8 = 11;

struct Search<'a> {
    position: DuelPosition,
    me: Seat,
    /// The steps of the game at the root.
    begun: u32,
    /// The key of the root, a different one in each step of a game.
    root: u64,
    meter: Meter,
    table: &'a mut Table,
    area: &'a mut Area,
}

impl Search<'_> {
    /// Searches with increasing depth. Returns the expected joint moves of the last depth that it
    /// completed.
    fn deepen(&mut self, budget: Budget) -> Vec<[Direction; 2]> {
        let mut line = Vec::new();
        for depth in budget.depths() {
            let value = self.mine(depth, -i32::MAX, i32::MAX, 0, self.root);
            if self.meter.is_spent() && depth > 1 {
                break;
            }
            line = self.line();
            // Deeper searches change nothing once the game is decided.
            if self.meter.is_spent() || value.abs() > WIN / 2 {
                break;
            }
        }
        line
    }

    /// Returns the value of the position for me after a search of `depth` moves of each snake.
    ///
    /// `cells` is the value of the cells that were closer to either head when the food last
    /// changed.
    fn mine(&mut self, depth: u32, mut alpha: i32, beta: i32, cells: i32, line: u64) -> i32 {
        if self.position.outcome().is_some() || depth == 0 {
            return evaluate(&self.position, self.me, self.begun, cells);
        }
        let mut best = (-i32::MAX, Direction::Up);
        for direction in ordered(self.table, line, moves(&self.position, self.me)) {
            let value = self.others(
                direction,
                depth,
                alpha,
                beta,
                cells,
                extended(line, direction),
            );
            if value > best.0 {
                best = (value, direction);
            }
            alpha = alpha.max(value);
            if alpha >= beta || self.meter.is_spent() {
                break;
            }
        }
        self.table.put(line, self.begun, best.1);
        best.0
    }

    /// Returns the value for me after a move of mine and the opponent's best answer.
    fn others(
        &mut self,
        mine: Direction,
        depth: u32,
        alpha: i32,
        mut beta: i32,
        cells: i32,
        line: u64,
    ) -> i32 {
        let mut best = (i32::MAX, Direction::Up);
        for direction in ordered(self.table, line, moves(&self.position, self.me.other())) {
            if self.meter.count() {
                break;
            }
            let event = self.position.step(self.me.joint(mine, direction));
            let cells = if is_food_changed(event) {
                self.area.worth(&self.position, self.me)
            } else {
                cells
            };
            let value = self.mine(depth - 1, alpha, beta, cells, extended(line, direction));
            self.position.undo();
            if value < best.0 {
                best = (value, direction);
            }
            beta = beta.min(value);
            if alpha >= beta {
                break;
            }
        }
        self.table.put(line, self.begun, best.1);
        best.0
    }

    /// Returns the best moves of both snakes from here on, as far as the table has them.
    fn line(&self) -> Vec<[Direction; 2]> {
        let mut key = self.root;
        let mut moves = Vec::new();
        while let Some(mine) = self.table.get(key) {
            key = extended(key, mine);
            let Some(other) = self.table.get(key) else {
                break;
            };
            key = extended(key, other);
            moves.push(self.me.joint(mine, other));
        }
        moves
    }
}

/// Returns whether food is drawn after a step that does not end the game.
fn is_food_changed(event: DuelEvent) -> bool {
    event.outcome.is_none() && (event.redrawn || event.ate != [false; 2])
}

/// Returns the value of a position for me, given the steps at the root of the search and the value
/// of the cells that are closer.
fn evaluate(position: &DuelPosition, me: Seat, begun: u32, cells: i32) -> i32 {
    // Even a late loss is worse than a draw.
    let steps = (position.steps() - begun).min(LATEST) as i32;
    if let Some(outcome) = position.outcome() {
        // Early wins and late losses are better.
        return match outcome.winner {
            None => DRAW,
            Some(winner) if winner == me => WIN - steps,
            Some(_) => steps - WIN,
        };
    }
    let board = position.board();
    let heads = [me, me.other()].map(|seat| position.snake(seat).head());
    let mut value = LONGER * position.view(me).lead() + cells;
    let time = position
        .rules()
        .redraw_after()
        .map_or(usize::MAX, |after| usize::from(after - position.hunger()));
    for food in position.foods() {
        let distances = heads.map(|head| board.distance(head, food.cell));
        value += match distances.map(|distance| distance <= time) {
            [true, false] => ALONE_IN_TIME,
            [false, true] => -ALONE_IN_TIME,
            [true, true] => CLOSER * (distances[1] as i32 - distances[0] as i32).signum(),
            [false, false] => {
                let [mine, others] = heads.map(|head| from_center(board, head));
                CENTRE * (others - mine) / (board.width() + board.height()) as i32
            }
        };
    }
    // Even a long lead is worth less than a win.
    value.clamp(1 - WIN / 2, WIN / 2 - 1)
}

/// Returns twice the Manhattan distance between a cell and the center of the board.
fn from_center(board: Board, cell: Cell) -> i32 {
    let along = |at: usize, side: usize| (2 * at as i32 + 1 - side as i32).abs();
    along(board.column(cell), board.width()) + along(board.row(cell), board.height())
}

/// A counter of the cells that are closer to either head. It reuses its memory.
struct Area {
    /// For each side, the steps to each cell.
    steps: [Box<[u8]>; 2],
    /// For each side, its head and the cells that are not `FAR`, in order of distance.
    reached: [Vec<Cell>; 2],
}

const FAR: u8 = u8::MAX;

impl Area {
    fn new(board: Board) -> Area {
        let far = || vec![FAR; board.area()].into();
        Area {
            steps: [far(), far()],
            reached: Default::default(),
        }
    }

    /// Returns the value for me of the cells that one head reaches before the other, around both
    /// bodies as they are. Each side's cells are weighted by its share of them, and
    /// (a * a - b * b) / (a + b) = a - b.
    fn worth(&mut self, position: &DuelPosition, me: Seat) -> i32 {
        let heads = [me, me.other()].map(|seat| position.snake(seat).head());
        for ((steps, reached), head) in self.steps.iter_mut().zip(&mut self.reached).zip(heads) {
            // Touch only the part of the board that is near.
            reached.drain(..).for_each(|cell| steps[cell.index()] = FAR);
            reached.push(head);
            let mut begin = 0;
            for step in 1..=AROUND {
                let end = reached.len();
                for place in begin..end {
                    for (_, near) in position.board().neighbors(reached[place]) {
                        if steps[near.index()] == FAR && position.covered_by(near).is_none() {
                            steps[near.index()] = step;
                            reached.push(near);
                        }
                    }
                }
                begin = end;
            }
        }
        let closer = |side: usize| {
            let [own, others] = [side, 1 - side].map(|side| &self.steps[side]);
            self.reached[side]
                .iter()
                .filter(|cell| own[cell.index()] < others[cell.index()])
                .count() as i32
        };
        CELL * (closer(0) - closer(1))
    }
}

/// The best moves found so far, keyed by the moves that lead to them from the root. A full table
/// takes 1 MB.
type Table = crate::table::Table<Direction, { 1 << 16 }>;

/// Returns the key of a line after one more move.
fn extended(line: u64, direction: Direction) -> u64 {
    let key = (line ^ (direction.index() as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    key ^ key >> 29
}

/// Returns these moves with the best one so far first.
fn ordered(table: &Table, line: u64, moves: Directions) -> impl Iterator<Item = Direction> + use<> {
    let best: Directions = table
        .get(line)
        .into_iter()
        .filter(|&best| moves.contains(best))
        .collect();
    best.iter().chain(moves.without(best).iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::duel::{Duel, DuelBody, DuelRules};
    use hognose_game::rng::{self, Purpose};
    use proptest::prelude::*;

    /// The definition of the search: plain minimax.
    fn minimax(
        position: &mut DuelPosition,
        me: Seat,
        begun: u32,
        depth: u32,
        cells: i32,
        area: &mut Area,
    ) -> i32 {
        if position.outcome().is_some() || depth == 0 {
            return evaluate(position, me, begun, cells);
        }
        let mut best = -i32::MAX;
        for mine in moves(position, me).iter() {
            let mut worst = i32::MAX;
            for other in moves(position, me.other()).iter() {
                let event = position.step(me.joint(mine, other));
                let cells = if is_food_changed(event) {
                    area.worth(position, me)
                } else {
                    cells
                };
                worst = worst.min(minimax(position, me, begun, depth - 1, cells, area));
                position.undo();
            }
            best = best.max(worst);
        }
        best
    }

    /// The definition of the value of cells, by repeated passes over the whole board.
    fn worth(position: &DuelPosition, me: Seat) -> i32 {
        let board = position.board();
        let [mine, others] = [me, me.other()].map(|seat| {
            let head = position.snake(seat).head();
            let mut steps: Vec<Option<u8>> = board
                .cells()
                .map(|cell| (cell == head).then_some(0))
                .collect();
            for step in 1..=AROUND {
                let before = steps.clone();
                for cell in board
                    .cells()
                    .filter(|&cell| position.covered_by(cell).is_none())
                {
                    let is_next = board
                        .neighbors(cell)
                        .any(|(_, near)| before[near.index()].is_some());
                    steps[cell.index()] = before[cell.index()].or(is_next.then_some(step));
                }
            }
            steps
        });
        let closer = |own: &[Option<u8>], others: &[Option<u8>]| {
            let is_closer = |(own, others): &(&Option<u8>, &Option<u8>)| {
                own.is_some_and(|own| others.is_none_or(|its| own < its))
            };
            own.iter().zip(others).filter(is_closer).count() as i32
        };
        CELL * (closer(&mine, &others) - closer(&others, &mine))
    }

    /// Counts do not depend on earlier counts.
    #[test]
    fn cells_are_worth_what_the_whole_board_says() {
        let rules = DuelRules::ai_snakes_2021()
            .on(Board::new(18, 15).unwrap())
            .unwrap();
        let mut duel = Duel::new(rules, 5);
        let mut draws = rng::keyed(5, Purpose::new("moves"), 0);
        let mut area = Area::new(rules.board());
        while duel.position().outcome().is_none() && duel.position().steps() < 60 {
            for me in Seat::BOTH {
                assert_eq!(
                    area.worth(duel.position(), me),
                    worth(duel.position(), me),
                    "{:?}",
                    duel.position()
                );
            }
            duel.step(Seat::BOTH.map(|seat| {
                let moves = moves(duel.position(), seat);
                moves
                    .iter()
                    .nth(rng::below(&mut draws, moves.len() as u64) as usize)
                    .unwrap()
            }));
        }
        assert!(duel.position().steps() > 20);
    }

    /// A win is best, and a draw is better than a loss, both early and late in a game and in a
    /// search.
    #[test]
    fn ends_are_in_order() {
        let rules = DuelRules::ai_snakes_2020();
        let start = Duel::new(rules, 0).position().clone();
        let bodies = Seat::BOTH.map(|seat| DuelBody {
            cells: start.snake(seat).body().collect(),
            growth: 0,
        });
        let value = |moves: [Direction; 2], steps, begun| {
            let mut position = DuelPosition::new(rules, bodies.clone(), [], steps, 0).unwrap();
            position.step(moves);
            evaluate(&position, Seat::First, begun, 0)
        };
        let back = [Direction::Down, Direction::Up];
        let straight = [Direction::Up, Direction::Down];
        let lost = [back[0], straight[1]];
        let drawn = back;
        let won = [straight[0], back[1]];
        for begun in [0, 99, 100, 101, 898] {
            for later in [0, 1, 63, 99, 100, 500]
                .into_iter()
                .filter(|later| begun + later < 899)
            {
                let values =
                    [lost, drawn, straight, won].map(|moves| value(moves, begun + later, begun));
                assert!(
                    values.is_sorted_by(|a, b| a < b),
                    "{begun} {later}: {values:?}"
                );
                assert!(
                    value(lost, begun, begun) <= values[0]
                        && values[0] < value(drawn, begun, begun)
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(30))]

        #[test]
        fn alpha_beta_finds_the_value_of_minimax(
            seed in any::<u64>(),
            torus in any::<bool>(),
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
            let mut duel = Duel::new(rules.with_foods(foods).unwrap(), seed);
            let mut draws = rng::keyed(seed, Purpose::new("moves"), 0);
            while duel.position().outcome().is_none() && duel.position().steps() < 40 {
                for me in Seat::BOTH {
                    let mut table = Table::new();
                    let mut area = Area::new(board);
                    let mut search = Search {
                        position: duel.position().clone(),
                        me,
                        begun: duel.position().steps(),
                        root: 1,
                        meter: Meter::start(Budget::Depth(3)),
                        table: &mut table,
                        area: &mut area,
                    };
                    for depth in 1..=3 {
                        let found = search.mine(depth, -i32::MAX, i32::MAX, 0, 1);
                        let value = minimax(
                            &mut duel.position().clone(),
                            me,
                            search.begun,
                            depth,
                            0,
                            search.area,
                        );
                        prop_assert_eq!(found, value, "{} {} {:?}", me, depth, duel.position());
                        // The first move of the line has this value against every answer.
                        let [first, second] = search.line()[0];
                        let mine = if me == Seat::First { first } else { second };
                        let worst = search.others(mine, depth, -i32::MAX, i32::MAX, 0, 1);
                        prop_assert_eq!(worst, value);
                    }
                }
                duel.step(Seat::BOTH.map(|seat| {
                    let moves = moves(duel.position(), seat);
                    moves
                        .iter()
                        .nth(rng::below(&mut draws, moves.len() as u64) as usize)
                        .unwrap()
                }));
            }
        }
    }
}
