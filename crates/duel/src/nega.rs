//! NegaSnake, the winner of the AI Snakes competition of 2021: a deep alpha-beta search with a fast
//! evaluation.

use crate::search::moves;
use crate::{Budget, Meter};
use hognose_game::duel::{Bot, DuelEvent, DuelPosition, MakeBot, Mixture, Seat, Thought};
use hognose_game::{Board, Cell, Direction, Directions, Unsupported};

/// NegaSnake's search and evaluation: negamax with alpha-beta, in which the opponent answers a move
/// that it can't know, iterative deepening, and a table of best moves that orders moves.
///
/// Written from a description of its evaluation alone; nobody here has read its code, which is under
/// the GPL. The value of a position is a sum of integers for the searching snake:
///
/// - the end of the game: a draw is nearly as bad as a loss;
/// - 10,000 for each cell of lead in length;
/// - food, as long as it is neither eaten nor drawn again in the search: each snake has a margin,
///   the steps until the food is drawn again (11 after a food that is eaten, if it never is) minus
///   the distance of its head. 1,000 for each step by which its margin is larger if both reach the
///   food in time; 3,000 plus 1,000 for each step of its margin, up to 5, if it alone does. With
///   several foods, the one nearest to the searching snake counts;
/// - its place on the board against the other's, up to 2,000 more in the middle than in a corner;
///   once food has been eaten or drawn again in the search, the cells that each snake reached first
///   within 11 steps then.
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
        Ok(Box::new(NegaBot {
            seat,
            budget: self.budget,
            table: Table::new(),
            places: places(position.board()),
            area: Area::new(position.board()),
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
    places: Box<[i32]>,
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
            places: &self.places,
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
const MARGIN: i32 = 1_000;
/// The largest margin that counts for a snake that alone reaches the food.
const MOST_MARGIN: i32 = 5;
/// The steps that food stays in the evaluation if the rules never draw it again.
const STAYS: u16 = 11;
/// The difference in worth between the middle of the board and a corner.
const MIDDLE: i32 = 2_000;
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
    places: &'a [i32],
    area: &'a mut Area,
}

impl Search<'_> {
    /// Searches with increasing depth. Returns the expected joint moves of the last depth that it
    /// completed.
    fn deepen(&mut self, budget: Budget) -> Vec<[Direction; 2]> {
        let mut line = Vec::new();
        for depth in budget.depths() {
            let value = self.mine(depth, -i32::MAX, i32::MAX, None, self.root);
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
    /// `cells` is the value of the cells that each snake reached first when the food last changed
    /// in the search.
    fn mine(
        &mut self,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        cells: Option<i32>,
        line: u64,
    ) -> i32 {
        if self.position.outcome().is_some() || depth == 0 {
            return evaluate(&self.position, self.me, self.begun, self.places, cells);
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
        cells: Option<i32>,
        line: u64,
    ) -> i32 {
        let mut best = (i32::MAX, Direction::Up);
        for direction in ordered(self.table, line, moves(&self.position, self.me.other())) {
            if self.meter.count() {
                break;
            }
            let event = self.position.step(self.me.joint(mine, direction));
            let cells = if is_food_changed(event) {
                Some(self.area.worth(&self.position, self.me))
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

/// Returns the value of a position for me, given the steps at the root of the search, the worth of
/// each place, and the value of the cells when the food last changed in the search.
fn evaluate(
    position: &DuelPosition,
    me: Seat,
    begun: u32,
    places: &[i32],
    cells: Option<i32>,
) -> i32 {
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
    let [mine, others] = [me, me.other()].map(|seat| position.snake(seat).head());
    let place = || places[mine.index()] - places[others.index()];
    let value =
        LONGER * position.view(me).lead() + food(position, me) + cells.unwrap_or_else(place);
    // Even a long lead is worth less than a win.
    value.clamp(1 - WIN / 2, WIN / 2 - 1)
}

/// Returns the value for me of the food, as far as it is known.
fn food(position: &DuelPosition, me: Seat) -> i32 {
    let board = position.board();
    let heads = [me, me.other()].map(|seat| position.snake(seat).head());
    let foods = position.foods().iter().map(|food| food.cell);
    let Some(nearest) = foods.min_by_key(|&food| board.distance(heads[0], food)) else {
        return 0;
    };
    let stays = position.rules().redraw_after().unwrap_or(STAYS);
    let time = i32::from(stays) - i32::from(position.hunger());
    let [mine, others] = heads.map(|head| time - board.distance(head, nearest) as i32);
    let alone = |margin: i32| ALONE_IN_TIME + MARGIN * margin.min(MOST_MARGIN);
    match (mine >= 0, others >= 0) {
        (true, true) => MARGIN * (mine - others),
        (true, false) => alone(mine),
        (false, true) => -alone(others),
        (false, false) => 0,
    }
}

/// Returns the worth of each cell as a place of a head: its mean distance from all cells, from the
/// middle to a corner scaled to [`MIDDLE`], with mean 0. No cell of a torus is nearer to its middle.
fn places(board: Board) -> Box<[i32]> {
    let sums = distances(board);
    let least = *sums.iter().min().expect("a board has cells");
    let most = *sums.iter().max().expect("a board has cells");
    let total: i64 = sums.iter().sum();
    let scale = f64::from(MIDDLE) / ((most - least).max(1) as f64 * board.area() as f64);
    sums.iter()
        .map(|sum| (scale * (total - sum * board.area() as i64) as f64).round() as i32)
        .collect()
}

/// Returns the sum of the distances from each cell to all cells: those along rows and those along
/// columns, each as often as there are lines.
fn distances(board: Board) -> Vec<i64> {
    let sums = |line: &[Cell], times: usize| -> Vec<i64> {
        let sum = |&cell: &Cell| line.iter().map(|&other| board.distance(cell, other)).sum();
        let sums = line.iter().map(sum);
        sums.map(|sum: usize| (times * sum) as i64).collect()
    };
    let row: Vec<Cell> = (0..board.width())
        .map(|column| board.cell(column, 0))
        .collect();
    let column: Vec<Cell> = (0..board.height()).map(|row| board.cell(0, row)).collect();
    let across = sums(&row, board.height());
    let along = sums(&column, board.width());
    let sum = |cell| across[board.column(cell)] + along[board.row(cell)];
    board.cells().map(sum).collect()
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
    /// bodies as they are. A cell that both reach at the same time counts for the other.
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
        let [my_steps, its_steps] = &self.steps;
        let is_mine = |cell: &&Cell| my_steps[cell.index()] < its_steps[cell.index()];
        // The heads come first, and don't count.
        let [my_cells, its_cells] = self.reached.each_ref().map(|reached| reached[1..].iter());
        let mine = my_cells.filter(is_mine).count();
        let others = its_cells.filter(|cell| !is_mine(cell)).count();
        value_of_cells(mine as i32, others as i32)
    }
}

/// Returns the value of the cells that I reach first and of those that the other does.
fn value_of_cells(mine: i32, others: i32) -> i32 {
    let lead = mine - others;
    let most = mine.max(others) + 1;
    CELL * lead * (lead.abs() + most) / most
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
    use hognose_game::duel::{Duel, DuelBody, DuelRules, Food};
    use hognose_game::rng::{self, Purpose};
    use proptest::prelude::*;

    /// The definition of the search: plain minimax.
    fn minimax(
        position: &mut DuelPosition,
        me: Seat,
        begun: u32,
        depth: u32,
        cells: Option<i32>,
        area: &mut Area,
    ) -> i32 {
        if position.outcome().is_some() || depth == 0 {
            return evaluate(position, me, begun, &places(position.board()), cells);
        }
        let mut best = -i32::MAX;
        for mine in moves(position, me).iter() {
            let mut worst = i32::MAX;
            for other in moves(position, me.other()).iter() {
                let event = position.step(me.joint(mine, other));
                let cells = if is_food_changed(event) {
                    Some(area.worth(position, me))
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
        let mut counts = [0, 0];
        for cell in board.cells().map(Cell::index) {
            let side = match (mine[cell], others[cell]) {
                (Some(0), _) | (_, Some(0)) | (None, None) => continue,
                (Some(mine), others) if others.is_none_or(|others| mine < others) => 0,
                _ => 1,
            };
            counts[side] += 1;
        }
        value_of_cells(counts[0], counts[1])
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

    /// Returns a position of two snakes of three cells, each given from head to tail.
    fn position(
        rules: DuelRules,
        snakes: [[(usize, usize); 3]; 2],
        foods: &[(usize, usize)],
        hunger: u16,
    ) -> DuelPosition {
        let board = rules.board();
        let bodies = snakes.map(|cells| DuelBody {
            cells: cells.map(|(column, row)| board.cell(column, row)).into(),
            growth: 0,
        });
        let foods = foods.iter().map(|&(column, row)| Food {
            cell: board.cell(column, row),
            value: 1,
        });
        DuelPosition::new(rules, bodies, foods, 100, hunger).unwrap()
    }

    fn rules(width: u8, height: u8) -> DuelRules {
        let board = Board::new(width, height).unwrap();
        DuelRules::ai_snakes_2021().on(board).unwrap()
    }

    /// Worked by hand: the food is drawn again after 11 steps, and the heads are 2 and 4 steps, or 1
    /// and 8 steps, away from it.
    #[test]
    fn food_is_worth_the_margins_of_both_heads() {
        let value = |rules, foods: &[(usize, usize)], hunger| {
            let snakes = [[(1, 4), (0, 4), (0, 5)], [(7, 4), (8, 4), (8, 5)]];
            let position = position(rules, snakes, foods, hunger);
            Seat::BOTH.map(|seat| food(&position, seat))
        };
        let rules = rules(9, 9);
        assert_eq!(value(rules, &[(3, 4)], 4), [2_000, -2_000]); // 5 and 3
        assert_eq!(value(rules, &[(3, 4)], 7), [2_000, -2_000]); // 2 and 0
        assert_eq!(value(rules, &[(3, 4)], 8), [4_000, -4_000]); // 1 and -1
        assert_eq!(value(rules, &[(3, 4)], 9), [3_000, -3_000]); // 0 and -2
        assert_eq!(value(rules, &[(3, 4)], 10), [0, 0]); // -1 and -3
        assert_eq!(value(rules, &[(1, 3)], 5), [8_000, -8_000]); // 5 and -1
        assert_eq!(value(rules, &[(0, 3)], 2), [6_000, -6_000]); // 7 and 1
        assert_eq!(value(rules, &[(0, 3)], 4), [8_000, -8_000]); // 5 and -1
        assert_eq!(value(rules, &[], 4), [0, 0]);
        // Each snake looks at the food that is nearest to it.
        let two = rules.with_foods(2).unwrap();
        assert_eq!(value(two, &[(3, 4), (7, 3)], 4), [2_000, 6_000]);
        let stays = rules.with_redraw_after(None).unwrap();
        assert_eq!(value(stays, &[(3, 4)], 4), [2_000, -2_000]);
        assert_eq!(value(stays, &[(3, 4)], 8), [4_000, -4_000]);
        assert_eq!(value(stays, &[(3, 4)], 300), [0, 0]);
        // A margin of more than 5 counts as 5.
        let wide = self::rules(18, 9);
        let snakes = [[(1, 4), (0, 4), (0, 5)], [(15, 4), (16, 4), (16, 5)]];
        let position = position(wide, snakes, &[(2, 4)], 0);
        assert_eq!(food(&position, Seat::First), 8_000); // 10 and -2
    }

    /// Worked by hand: on 3x3, the distances from a corner to all cells add up to 18, from a side to
    /// 15, from the middle to 12, and to 16 on average.
    #[test]
    fn the_middle_is_worth_2000_more_than_a_corner() {
        let worth = places(Board::new(3, 3).unwrap());
        assert_eq!(*worth, [-667, 333, -667, 333, 1_333, 333, -667, 333, -667]);
        let worth = places(Board::new(25, 25).unwrap());
        let [corner, middle] = [0, 12 * 25 + 12].map(|cell: usize| worth[cell]);
        assert!((middle - corner - MIDDLE).abs() <= 1, "{corner} {middle}");
        let torus = places(Board::new(4, 3).unwrap().torus());
        assert!(torus.iter().all(|&worth| worth == 0));
    }

    /// The definition: every cell to every cell.
    #[test]
    fn distances_add_up_over_the_whole_board() {
        for board in [Board::new(7, 4), Board::new(2, 9)] {
            let board = board.unwrap();
            for board in [board, board.torus()] {
                let sum = |cell| board.cells().map(|other| board.distance(cell, other)).sum();
                let sums = board.cells().map(sum).map(|sum: usize| sum as i64);
                assert_eq!(distances(board), sums.collect::<Vec<i64>>(), "{board}");
            }
        }
    }

    /// Worked by hand: of the 14 free cells on 5x4, each snake reaches 5 first, and both reach the 4
    /// in the middle column at the same time. 40 x -4 x (4 + 10) / 10 = -224.
    #[test]
    fn cells_that_both_reach_count_for_the_other() {
        let snakes = [0, 4].map(|column| [0, 1, 2].map(|row| (column, row)));
        let position = position(rules(5, 4), snakes, &[], 3);
        let mut area = Area::new(position.board());
        for seat in Seat::BOTH {
            assert_eq!(area.worth(&position, seat), -224);
            assert_eq!(worth(&position, seat), -224);
        }
        assert_eq!([value_of_cells(10, 6), value_of_cells(7, 7)], [218, 0]);
    }

    /// Worked by hand: the second snake is one cell longer. On 5x5 a corner is worth 20 less than
    /// the mean of 80 in sums of distances, the middle 20 more, and the scale is 50.
    #[test]
    fn a_leaf_is_length_food_and_place_or_cells() {
        let board = Board::new(5, 5).unwrap();
        let cells = |cells: &[[usize; 2]]| cells.iter().map(|&[x, y]| board.cell(x, y)).collect();
        let bodies = [
            cells(&[[0, 0], [0, 1], [0, 2]]),
            cells(&[[2, 2], [3, 2], [4, 2], [4, 3]]),
        ];
        let bodies = bodies.map(|cells| DuelBody { cells, growth: 0 });
        let food = Food {
            cell: board.cell(1, 0),
            value: 1,
        };
        let position = DuelPosition::new(rules(5, 5), bodies, [food], 100, 5).unwrap();
        let value = |me, cells| evaluate(&position, me, 98, &places(board), cells);
        assert_eq!(value(Seat::First, None), -10_000 + 2_000 - 2_000);
        assert_eq!(value(Seat::Second, None), 10_000 - 2_000 + 2_000);
        assert_eq!(value(Seat::First, Some(-218)), -10_000 + 2_000 - 218);
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
            evaluate(&position, Seat::First, begun, &places(rules.board()), None)
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
                        places: &places(board),
                        area: &mut area,
                    };
                    for depth in 1..=3 {
                        let found = search.mine(depth, -i32::MAX, i32::MAX, None, 1);
                        let value = minimax(
                            &mut duel.position().clone(),
                            me,
                            search.begun,
                            depth,
                            None,
                            search.area,
                        );
                        prop_assert_eq!(found, value, "{} {} {:?}", me, depth, duel.position());
                        // The first move of the line has this value against every answer.
                        let [first, second] = search.line()[0];
                        let mine = if me == Seat::First { first } else { second };
                        let worst = search.others(mine, depth, -i32::MAX, i32::MAX, None, 1);
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
