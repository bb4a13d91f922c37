//! Plans for agents, each of which keeps a win certain.

use super::certificate::{Certificate, of_another};
use super::planner::Planner;
use crate::grid::Grid;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Plan, PlanSource, Position, Unsupported};

const PLANS: Purpose = Purpose::new("certified plans");

/// A source of plans that end on a certificate.
///
/// ```
/// use hognose_game::{Board, Game, PlanSource, Rules};
/// use hognose_solvers::CertifiedPlans;
///
/// let game = Game::new(Rules::new(Board::new(6, 6)?), 1);
/// let mut source = CertifiedPlans::new(20).with_alternatives(4.0, 5);
/// source.reset(game.position(), 0)?;
/// let mut plans = Vec::new();
/// source.plans(game.position(), &mut plans);
/// assert!((1..=5).contains(&plans.len()));
/// source.commit(0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CertifiedPlans {
    /// The number of consecutive changes without improvement that end a search.
    effort: usize,
    /// How much more than the best plan others may cost, in steps.
    margin: f64,
    /// The maximum number of plans.
    most: usize,
    planner: Option<Planner>,
    /// The certificate of the body; `None` before the first game.
    certificate: Option<Certificate>,
    seed: u64,
    /// The number of foods eaten.
    foods: u64,
    /// The certificates of the plans last written.
    ends: Vec<Certificate>,
}

impl CertifiedPlans {
    /// The default effort: the number of consecutive changes without improvement that end a search.
    pub const EFFORT: usize = 100;

    /// Returns a source of one plan per food, the best one found by a search that ends after
    /// `effort` consecutive changes without improvement. With an effort of 0 the plan is to follow
    /// the current cycle. With an effort of at least 1,000 the best plans are compared by the mean
    /// cost of all next foods, on boards with one food and at most 200 cells.
    pub fn new(effort: usize) -> CertifiedPlans {
        CertifiedPlans {
            effort,
            margin: 0.0,
            most: 1,
            planner: None,
            certificate: None,
            seed: 0,
            foods: 0,
            ends: Vec::new(),
        }
    }

    /// Returns a source that also offers other plans, at most `most` in all, each ending in a
    /// different body and with an estimated cost of up to `margin` steps more than the best plan.
    /// This makes the search broader.
    ///
    /// # Panics
    /// Panics if `most` is 0.
    #[must_use]
    pub fn with_alternatives(self, margin: f64, most: usize) -> CertifiedPlans {
        assert!(most > 0, "the number of plans must be at least 1, got 0");
        CertifiedPlans {
            margin,
            most,
            ..CertifiedPlans::new(self.effort)
        }
    }

    /// Returns the planner and the certificate of the body.
    fn game(&mut self) -> (&mut Planner, &Certificate) {
        self.planner
            .as_mut()
            .zip(self.certificate.as_ref())
            .expect("reset must be called before the source is asked for plans")
    }

    /// Returns the move along the current cycle.
    pub(crate) fn along_the_cycle(&mut self, position: &Position) -> Direction {
        let (planner, certificate) = self.game();
        let head = position.head().0;
        planner
            .grid()
            .direction(head, certificate.next(head, position, 1))
    }
}

impl PlanSource for CertifiedPlans {
    fn reset(&mut self, position: &Position, seed: u64) -> Result<(), Unsupported> {
        self.certificate = None;
        let planner = Planner::on(position.board(), &mut self.planner, self.margin, true);
        self.certificate = Some(planner.first_certificate(position)?);
        (self.seed, self.foods) = (seed, 0);
        Ok(())
    }

    fn plans(&mut self, position: &Position, plans: &mut Vec<Plan>) {
        let mut draws = rng::keyed(self.seed, PLANS, self.foods);
        let CertifiedPlans {
            effort,
            margin,
            most,
            ..
        } = *self;
        let (planner, certificate) = self.game();
        let best = planner.plan(position, effort, certificate, &mut draws);
        let wins = best.after.len() == position.board().area();
        let found = if margin > 0.0 && !wins {
            planner.take_kept()
        } else {
            vec![best.clone()]
        };
        plans.clear();
        let mut ends = Vec::new();
        for candidate in found.into_iter().take(most) {
            let from = std::iter::once(position.head().0).chain(candidate.path.iter().copied());
            let moves = from
                .zip(&candidate.path)
                .map(|(from, &to)| planner.grid().direction(from, to))
                .collect();
            let cycle = if wins {
                Vec::new()
            } else {
                candidate.certificate.as_cells()
            };
            plans.push(Plan {
                moves,
                cycle,
                outlook: candidate.outlook(),
            });
            ends.push(candidate.certificate);
        }
        self.ends = ends;
    }

    fn commit(&mut self, plan: usize) {
        self.certificate = Some(self.ends.swap_remove(plan));
        self.foods += 1;
    }

    fn state(&self) -> Vec<u16> {
        let Some(certificate) = &self.certificate else {
            return Vec::new();
        };
        [self.seed, self.foods]
            .into_iter()
            .flat_map(|number| [0, 16, 32, 48].map(|shift| (number >> shift) as u16))
            .chain(certificate.to_numbers())
            .collect()
    }

    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        let (seed, foods, certificate) = read(position, state).ok_or_else(of_another)?;
        Planner::on(position.board(), &mut self.planner, self.margin, true);
        (self.seed, self.foods, self.certificate) = (seed, foods, Some(certificate));
        Ok(())
    }
}

/// Reads the seed, the number of foods eaten and the certificate from a state, if it matches the
/// position.
fn read(position: &Position, state: &[u16]) -> Option<(u64, u64, Certificate)> {
    let (words, certificate) = state.split_first_chunk::<8>()?;
    let number = |words: &[u16]| {
        words
            .iter()
            .rev()
            .fold(0, |number, &word| number << 16 | u64::from(word))
    };
    let certificate = Certificate::from_numbers(&Grid::new(position.board()), certificate)?;
    certificate
        .wins_from(position)
        .then(|| (number(&words[..4]), number(&words[4..]), certificate))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use hognose_game::{Board, Cell, Event, Game, Rules, Start, Status};

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

    /// Returns whether one lap of the cycle meets the body's cells from tail to head.
    fn lies_in_order(position: &Position, cycle: &[Cell]) -> bool {
        let tail = cycle.iter().position(|&cell| cell == position.tail());
        let missing = position
            .board()
            .cells()
            .filter(|cell| !cycle.contains(cell))
            .count();
        let neighbors = (0..cycle.len()).all(|place| {
            position
                .board()
                .direction(cycle[place], cycle[(place + 1) % cycle.len()])
                .is_some()
        });
        let round = (0..cycle.len()).map(|step| cycle[(tail.unwrap_or(0) + step) % cycle.len()]);
        let met: Vec<Cell> = round
            .filter(|&cell| position.steps_until_free(cell) > 0)
            .collect();
        // The cell that an odd board's cycle misses may belong to the body, in the position of
        // another.
        let outside = position.body().filter(|cell| !cycle.contains(cell)).count();
        let body: Vec<Cell> = position
            .body()
            .rev()
            .filter(|cell| cycle.contains(cell))
            .collect();
        neighbors && missing <= 1 && outside <= missing && (tail.is_none() || met == body)
    }

    /// Checks that the last move of a plan eats, no other one does, and a win is certain after it.
    fn eats_and_ends_on_a_cycle(position: &Position, plan: &Plan) {
        let mut after = position.clone();
        let (last, before) = plan.moves.split_last().unwrap();
        assert!(
            before
                .iter()
                .all(|&direction| after.step(direction) == Event::Moved),
            "{after:?}"
        );
        assert!(
            matches!(after.step(*last), Event::Ate | Event::Won),
            "{after:?}"
        );
        let certain = after.status() == Status::Won || lies_in_order(&after, &plan.cycle);
        assert!(certain, "{after:?} {:?}", plan.cycle);
    }

    #[test]
    fn every_plan_eats_and_ends_on_a_cycle_and_every_game_is_won() {
        for board in boards() {
            for seed in 0..12 {
                let length = 1 + seed as u8 % 3;
                let Ok(rules) = Rules::new(board).with_start(Start::Random { length, margin: 0 })
                else {
                    continue;
                };
                let mut game = Game::new(rules, seed);
                let mut plans = CertifiedPlans::new(20).with_alternatives(4.0, 5);
                if plans.reset(game.position(), seed).is_err() {
                    assert!(
                        length > 1 && !board.area().is_multiple_of(2) || board.is_torus(),
                        "{:?}",
                        game.position()
                    );
                    continue;
                }
                let mut proposed = Vec::new();
                while game.position().status() == Status::Ongoing {
                    plans.plans(game.position(), &mut proposed);
                    // Another source continues identically from its state.
                    let mut other = CertifiedPlans::new(20).with_alternatives(4.0, 5);
                    other.restore(game.position(), &plans.state()).unwrap();
                    let mut again = Vec::new();
                    other.plans(game.position(), &mut again);
                    assert_eq!(again, proposed);
                    plans = other;
                    for plan in &proposed {
                        eats_and_ends_on_a_cycle(game.position(), plan);
                    }
                    let chosen = game.position().len() % proposed.len();
                    plans.commit(chosen);
                    proposed[chosen]
                        .moves
                        .iter()
                        .for_each(|&direction| _ = game.step(direction));
                }
                assert_eq!(
                    game.position().status(),
                    Status::Won,
                    "{:?}",
                    game.position()
                );
            }
        }
    }

    /// Large boards, and efforts that compare plans by the next food.
    #[test]
    fn every_plan_ends_on_a_cycle_by_every_search() {
        for (text, effort) in [
            ("15x14", 1),
            ("15x14", 10),
            ("15x15-torus", 1),
            ("15x15-torus", 10),
            ("4x4", 1000),
            ("5x3", 1000),
            ("4x3-torus", 1000),
        ] {
            let mut game = Game::new(Rules::new(text.parse().unwrap()), 0);
            let mut plans = CertifiedPlans::new(effort);
            plans.reset(game.position(), 0).unwrap();
            let mut proposed = Vec::new();
            while game.position().status() == Status::Ongoing {
                plans.plans(game.position(), &mut proposed);
                eats_and_ends_on_a_cycle(game.position(), &proposed[0]);
                plans.commit(0);
                for &direction in &proposed[0].moves {
                    game.step(direction);
                }
            }
            assert_eq!(game.position().status(), Status::Won);
        }
    }

    #[test]
    fn a_state_of_another_body_is_refused() {
        let board = Board::new(4, 4).unwrap();
        let starts = Rules::new(board).bodies(4);
        let mut plans = CertifiedPlans::new(2);
        plans.reset(&starts[0], 0).unwrap();
        let state = plans.state();
        let mut refused = 0;
        for start in &starts {
            let mut other = CertifiedPlans::new(2);
            let Ok(()) = other.reset(start, 1) else {
                continue;
            };
            let before = other.state();
            match other.restore(start, &state) {
                Ok(()) => {
                    assert!(lies_in_order(start, &other.certificate.unwrap().as_cells()));
                }
                Err(_) => {
                    refused += 1;
                    assert_eq!(other.state(), before);
                }
            }
        }
        assert!(
            refused > starts.len() / 2 && refused < starts.len(),
            "{refused}"
        );
    }

    /// The certificate follows the seed and the number of foods.
    #[test]
    fn a_state_with_a_cell_outside_the_board_is_refused() {
        let mut plans = CertifiedPlans::new(2);
        let start = Game::new(Rules::new(Board::new(3, 3).unwrap()), 0);
        plans.reset(start.position(), 0).unwrap();
        let state = plans.state();
        for place in 8..state.len() {
            let mut damaged = state.clone();
            damaged[place] = 100;
            assert!(plans.restore(start.position(), &damaged).is_err());
        }
        assert_eq!(plans.state(), state);
    }
}
