//! The strongest solver that can't lose, and what agents need of it.

use crate::Cycle;
use crate::certificate::Certificate;
use crate::certify::Strictness;
use crate::grid::Grid;
use crate::planner::{Planner, tail_to_head};
use crate::shortcut::check_tail_entry;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Board, Direction, MakePolicy, Overlay, Plan, PlanSource, Policy, Position, Status, Unsupported};

const PLANS: Purpose = Purpose::new("certified plans");

/// Plans the way to each food so that the body after it has a certificate again, and follows it to its end. It wins every
/// game from a start that lies in order on a cycle of the board.
#[derive(Clone, Copy, Debug)]
pub struct Certified {
    effort: usize,
}

impl Certified {
    /// Searches longer or shorter; see [`CertifiedPlans::new`].
    pub fn with_effort(effort: usize) -> Certified {
        Certified { effort }
    }
}

impl Default for Certified {
    fn default() -> Certified {
        Certified::with_effort(CertifiedPlans::EFFORT)
    }
}

impl MakePolicy for Certified {
    fn make(&self, position: &Position, seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let mut plans = CertifiedPlans::new(self.effort);
        plans.reset(position, seed)?;
        Ok(Box::new(CertifiedPolicy { plans, proposed: Vec::new(), rest: Vec::new() }))
    }
}

struct CertifiedPolicy {
    plans: CertifiedPlans,
    proposed: Vec<Plan>,
    /// The rest of the way to the food, last move first.
    rest: Vec<Direction>,
}

impl Policy for CertifiedPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if self.rest.is_empty() && position.foods().is_empty() {
            return self.plans.along_the_cycle(position);
        }
        if self.rest.is_empty() {
            self.plans.plans(position, &mut self.proposed);
            self.plans.commit(0);
            self.rest.extend(self.proposed[0].moves.iter().rev());
        }
        self.rest.pop().expect("a way to the food has moves")
    }

    fn overlay(&self) -> Overlay {
        let cycle = self.proposed.first().map_or_else(Vec::new, |plan| plan.cycle.clone());
        Overlay { cycle, plan: self.rest.iter().rev().copied().collect() }
    }
}

/// Proposes plans that end on a certificate.
#[derive(Clone, Debug)]
pub struct CertifiedPlans {
    effort: usize,
    margin: f64,
    most: usize,
    seed: u64,
    foods: u64,
    search: Option<Search>,
    body: Vec<u16>,
    /// The certificates of the plans last written.
    ends: Vec<Certificate>,
}

/// What is known for certain of the position at hand.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) planner: Planner,
    pub(crate) certificate: Certificate,
}

impl CertifiedPlans {
    /// How many changes in a row that gain nothing end a search, unless told.
    pub const EFFORT: usize = 100;

    /// A source of one plan a food, the best that is found by a search that ends when `effort` changes in a row gain nothing.
    /// With an effort of 0 the plan is to follow the cycle at hand.
    pub fn new(effort: usize) -> CertifiedPlans {
        let (search, body, ends) = (None, Vec::new(), Vec::new());
        CertifiedPlans { effort, margin: 0.0, most: 1, seed: 0, foods: 0, search, body, ends }
    }

    /// The same with other plans that the search comes by, at most `most` in all, each ending in another body: those whose cost,
    /// in steps, is thought to be up to `margin` above the best one's. The search is broader then.
    #[must_use]
    pub fn with_alternatives(self, margin: f64, most: usize) -> CertifiedPlans {
        assert!(most > 0, "a source writes at least one plan");
        CertifiedPlans { margin, most, search: None, ..self }
    }

    /// The move along the cycle at hand.
    fn along_the_cycle(&self, position: &Position) -> Direction {
        let Search { planner, certificate } = self.search.as_ref().expect("reset comes first");
        let head = position.head().0;
        planner.grid().direction(head, certificate.next(head, position, 1))
    }
}

impl PlanSource for CertifiedPlans {
    fn reset(&mut self, position: &Position, seed: u64) -> Result<(), Unsupported> {
        self.search = Some(Search::new(self.search.take(), position, self.margin)?);
        (self.seed, self.foods) = (seed, 0);
        Ok(())
    }

    fn plans(&mut self, position: &Position, plans: &mut Vec<Plan>) {
        let Search { planner, certificate } = self.search.as_mut().expect("reset comes first");
        tail_to_head(position, &mut self.body);
        plans.clear();
        self.ends.clear();
        let mut draws = rng::keyed(self.seed, PLANS, self.foods);
        let mut end = certificate.clone();
        let (path, cost) = planner.plan(position, &self.body, self.effort, &mut end, &mut draws);
        let mut found = vec![(path.to_vec(), end, cost)];
        let wins = position.len() + 1 == position.board().area();
        if self.margin > 0.0 && !wins {
            found.clear();
            found.extend(planner.alternatives().into_iter().map(|found| (found.path, found.certificate, found.cost)));
            found.truncate(self.most);
        }
        for (path, end, cost) in found {
            let from = std::iter::once(position.head().0).chain(path.iter().copied());
            let outlook = outlook(cost, path.len());
            let moves = from.zip(&path).map(|(from, &to)| planner.grid().direction(from, to)).collect();
            plans.push(Plan { moves, cycle: if wins { Vec::new() } else { end.as_cells() }, outlook });
            self.ends.push(end);
        }
    }

    fn state(&self) -> Vec<u16> {
        let Some(Search { certificate, .. }) = &self.search else { return Vec::new() };
        let words = |number: u64| [0, 16, 32, 48].map(|shift| (number >> shift) as u16);
        words(self.seed).into_iter().chain(words(self.foods)).chain(certificate.to_numbers()).collect()
    }

    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        let read = || {
            let (words, certificate) = state.split_first_chunk::<8>()?;
            let number = |words: &[u16]| words.iter().rev().fold(0, |number, &word| number << 16 | u64::from(word));
            let certificate = Certificate::from_numbers(&Grid::new(position.board()), certificate)?;
            certificate.wins_from(position).then(|| (number(&words[..4]), number(&words[4..]), certificate))
        };
        let (seed, foods, certificate) = read().ok_or_else(of_another)?;
        (self.seed, self.foods) = (seed, foods);
        let planner = Search::planner(self.search.take(), position.board(), self.margin);
        self.search = Some(Search { planner, certificate });
        Ok(())
    }

    fn commit(&mut self, plan: usize) {
        let search = self.search.as_mut().expect("reset comes first");
        search.certificate = self.ends.swap_remove(plan);
        self.foods += 1;
    }
}

impl Search {
    /// The memory of another search if that was of the same board, or a new one.
    pub(crate) fn planner(last: Option<Search>, board: Board, margin: f64) -> Planner {
        let planner = last.map(|last| last.planner).filter(|planner| planner.grid().board == Grid::board_of(board));
        planner.unwrap_or_else(|| Planner::new(Grid::new(board), margin))
    }

    /// Begins at a position, with the memory of another search if that was of the same board.
    pub(crate) fn new(last: Option<Search>, position: &Position, margin: f64) -> Result<Search, Unsupported> {
        check_tail_entry(position)?;
        let board = position.board();
        let mut planner = Search::planner(last, board, margin);
        let first = Certificate::first(planner.grid());
        let mut body = Vec::new();
        tail_to_head(position, &mut body);
        let mut certificate = first.clone();
        let crosses = !planner.grid().is_path(&body);
        let found = !crosses
            && (first.holds(&body)
                || position.status() == Status::Won
                || planner.certifier().certify(&first, &body, Strictness::InOrder, &mut certificate));
        if !found {
            // The repair is good but not complete; what a zig-zag holds must not be refused.
            let zigzag =
                Cycle::holding(position).ok().filter(|cycle| cycle.board() == planner.grid().board && !crosses);
            certificate = zigzag.map(|cycle| Certificate::of(&cycle)).ok_or_else(|| {
                Unsupported(format!(
                    "no cycle of {board} was found on which the snake's {} cells lie in order",
                    body.len()
                ))
            })?;
        }
        Ok(Search { planner, certificate })
    }
}

/// What a plan of so many steps leaves of its cost, in thousandths of a step.
pub(crate) fn outlook(cost: f64, steps: usize) -> u32 {
    ((cost - steps as f64) * 1e3).round() as u32
}

pub(crate) fn of_another() -> Unsupported {
    Unsupported("expected what was known for certain of a position of this board".to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hognose_game::{Cell, Event, Game, Rules, Start};

    pub(crate) fn boards() -> impl Iterator<Item = Board> {
        let texts = [
            "2x2",
            "2x5",
            "3x3",
            "3x4",
            "5x3",
            "4x4",
            "5x5",
            "6x5",
            "7x3",
            "7x7",
            "4x4-torus",
            "5x4-torus",
            "5x5-torus",
        ];
        texts.into_iter().map(|text| text.parse().unwrap())
    }

    /// Whether the body lies in order on a cycle, by definition: its cells are met from tail to head in one round.
    fn lies_in_order(position: &Position, cycle: &[Cell]) -> bool {
        let tail = cycle.iter().position(|&cell| cell == position.tail());
        let missing = position.board().cells().filter(|cell| !cycle.contains(cell)).count();
        let neighbors = (0..cycle.len())
            .all(|place| position.board().direction(cycle[place], cycle[(place + 1) % cycle.len()]).is_some());
        let round = (0..cycle.len()).map(|step| cycle[(tail.unwrap_or(0) + step) % cycle.len()]);
        let met: Vec<Cell> = round.filter(|&cell| position.steps_until_free(cell) > 0).collect();
        // The one cell that an odd board's cycle misses may be the body's, in the place of another.
        let outside = position.body().filter(|cell| !cycle.contains(cell)).count();
        let body: Vec<Cell> = position.body().rev().filter(|cell| cycle.contains(cell)).collect();
        neighbors && missing <= 1 && outside <= missing && (tail.is_none() || met == body)
    }

    #[test]
    fn every_plan_eats_and_ends_on_a_cycle_and_every_game_is_won() {
        for board in boards() {
            for seed in 0..12 {
                let length = 1 + seed as u8 % 3;
                let Ok(rules) = Rules::new(board).with_start(Start::Random { length, margin: 0 }) else { continue };
                let mut game = Game::new(rules, seed);
                let mut plans = CertifiedPlans::new(20).with_alternatives(4.0, 5);
                if plans.reset(game.position(), seed).is_err() {
                    assert!(length > 1 && !board.area().is_multiple_of(2) || board.is_torus(), "{:?}", game.position());
                    continue;
                }
                let mut proposed = Vec::new();
                while game.position().status() == Status::Ongoing {
                    plans.plans(game.position(), &mut proposed);
                    // Another source goes on from its state as it does.
                    let mut other = CertifiedPlans::new(20).with_alternatives(4.0, 5);
                    other.restore(game.position(), &plans.state()).unwrap();
                    let mut again = Vec::new();
                    other.plans(game.position(), &mut again);
                    assert_eq!(again, proposed);
                    plans = other;
                    for plan in &proposed {
                        let mut after = game.position().clone();
                        let (last, before) = plan.moves.split_last().unwrap();
                        assert!(before.iter().all(|&direction| after.step(direction) == Event::Moved), "{after:?}");
                        assert!(matches!(after.step(*last), Event::Ate | Event::Won), "{after:?}");
                        let certain = after.status() == Status::Won || lies_in_order(&after, &plan.cycle);
                        assert!(certain, "{after:?} {:?}", plan.cycle);
                    }
                    let chosen = game.position().len() % proposed.len();
                    plans.commit(chosen);
                    proposed[chosen].moves.iter().for_each(|&direction| _ = game.step(direction));
                }
                assert_eq!(game.position().status(), Status::Won, "{:?}", game.position());
            }
        }
    }

    /// Straight or bent, with food on any free cell first; `hognose verify` plays more games on more boards.
    #[test]
    fn every_start_that_is_accepted_is_won() {
        for (text, lengths) in [("2x2", 1..=3), ("3x3", 1..=5), ("3x5", 1..=3), ("4x3", 1..=4), ("3x3-torus", 1..=3)] {
            let board: Board = text.parse().unwrap();
            let certified = Certified::with_effort(2);
            let (mut accepted, mut refused) = (0, 0);
            for start in lengths.flat_map(|length| Rules::new(board).bodies(length)) {
                for food in board.cells().filter(|&cell| start.is_free(cell)) {
                    let start = Position::new(start.rules(), start.heading(), start.body(), [food]).unwrap();
                    let mut game = Game::from_position(start.clone(), food.0.into());
                    let Ok(mut certified) = certified.make(game.position(), 0) else {
                        refused += 1;
                        continue;
                    };
                    accepted += 1;
                    while game.position().status() == Status::Ongoing {
                        game.step(certified.act(game.position()));
                    }
                    assert_eq!(game.position().status(), Status::Won, "{start:?}");
                }
            }
            assert!(accepted > refused, "{text} {accepted} {refused}");
        }
    }

    #[test]
    fn a_state_of_another_body_is_refused() {
        let board = Board::new(4, 4).unwrap();
        let starts = Rules::new(board).bodies(4);
        let mut plans = CertifiedPlans::new(2);
        plans.reset(&starts[0], 0).unwrap();
        let (state, mut refused) = (plans.state(), 0);
        for start in &starts {
            let mut other = CertifiedPlans::new(2);
            let Ok(()) = other.reset(start, 1) else { continue };
            let before = other.state();
            match other.restore(start, &state) {
                Ok(()) => assert!(lies_in_order(start, &other.search.as_ref().unwrap().certificate.as_cells())),
                Err(_) => {
                    refused += 1;
                    assert_eq!(other.state(), before);
                }
            }
        }
        assert!(refused > starts.len() / 2 && refused < starts.len(), "{refused}");
    }

    #[test]
    fn effort_saves_steps() {
        let board = Board::new(6, 6).unwrap();
        let steps = |effort| {
            let games = (0..30).map(|seed| {
                let mut game = Game::new(Rules::new(board), seed);
                let mut certified = Certified::with_effort(effort).make(game.position(), seed).unwrap();
                let mut steps = 0;
                while game.position().status() == Status::Ongoing {
                    game.step(certified.act(game.position()));
                    steps += 1;
                }
                steps
            });
            games.sum::<i32>() / 30
        };
        // About 333, 175 and 161.
        assert!(steps(0) > 300 && steps(1) < 200 && steps(100) < 170);
    }
}
