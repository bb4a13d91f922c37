//! Plans for agents, each of which keeps a win certain.

use super::certificate::Certificate;
use super::guarantee::{Guarantee, of_another, outlook};
use super::problem::tail_to_head;
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
    settings: PlanSettings,
    game: Option<GamePlans>,
}

impl CertifiedPlans {
    /// The default effort: the number of consecutive changes without improvement that end a search.
    pub const EFFORT: usize = 100;

    /// Returns a source of one plan per food, the best one found by a search that ends after
    /// `effort` consecutive changes without improvement. With an effort of 0 the plan is to follow
    /// the current cycle.
    pub fn new(effort: usize) -> CertifiedPlans {
        CertifiedPlans {
            settings: PlanSettings::one(effort),
            game: None,
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
            settings: PlanSettings {
                margin,
                most,
                ..self.settings
            },
            game: None,
        }
    }

    fn game(&mut self) -> &mut GamePlans {
        self.game
            .as_mut()
            .expect("reset must be called before the source is asked for plans")
    }
}

impl PlanSource for CertifiedPlans {
    fn reset(&mut self, position: &Position, seed: u64) -> Result<(), Unsupported> {
        self.game = Some(GamePlans::new(
            self.game.take(),
            self.settings,
            position,
            seed,
        )?);
        Ok(())
    }

    fn plans(&mut self, position: &Position, plans: &mut Vec<Plan>) {
        self.game().write(position, plans);
    }

    fn commit(&mut self, plan: usize) {
        self.game().commit(plan);
    }

    fn state(&self) -> Vec<u16> {
        self.game.as_ref().map_or_else(Vec::new, GamePlans::state)
    }

    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        let (seed, foods, certificate) = read(position, state).ok_or_else(of_another)?;
        let last = self.game.take().map(|game| game.guarantee);
        let planner = Guarantee::planner(last, position.board(), self.settings.margin);
        let guarantee = Guarantee {
            planner,
            certificate,
        };
        self.game = Some(GamePlans {
            foods,
            ..GamePlans::of(guarantee, self.settings, seed)
        });
        Ok(())
    }
}

/// The settings of a search for plans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanSettings {
    /// The number of consecutive changes without improvement that end a search.
    effort: usize,
    /// How much more than the best plan others may cost, in steps.
    margin: f64,
    /// The maximum number of plans.
    most: usize,
}

impl PlanSettings {
    /// Returns settings for one plan per food.
    pub(crate) fn one(effort: usize) -> PlanSettings {
        PlanSettings {
            effort,
            margin: 0.0,
            most: 1,
        }
    }
}

/// The plans of one game.
#[derive(Clone, Debug)]
pub(crate) struct GamePlans {
    settings: PlanSettings,
    seed: u64,
    foods: u64,
    guarantee: Guarantee,
    body: Vec<u16>,
    /// The certificates of the plans last written.
    ends: Vec<Certificate>,
}

impl GamePlans {
    /// Starts at a position, and reuses the memory of another game on the same board.
    pub(crate) fn new(
        last: Option<GamePlans>,
        settings: PlanSettings,
        position: &Position,
        seed: u64,
    ) -> Result<GamePlans, Unsupported> {
        let guarantee = Guarantee::new(last.map(|last| last.guarantee), position, settings.margin)?;
        Ok(GamePlans::of(guarantee, settings, seed))
    }

    fn of(mut guarantee: Guarantee, settings: PlanSettings, seed: u64) -> GamePlans {
        guarantee.planner.foresight = true;
        GamePlans {
            settings,
            seed,
            foods: 0,
            guarantee,
            body: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Returns the move along the current cycle.
    pub(crate) fn along_the_cycle(&self, position: &Position) -> Direction {
        let Guarantee {
            planner,
            certificate,
        } = &self.guarantee;
        let head = position.head().0;
        planner
            .grid()
            .direction(head, certificate.next(head, position, 1))
    }

    /// Writes the plans for a position with food, the best one first.
    pub(crate) fn write(&mut self, position: &Position, plans: &mut Vec<Plan>) {
        let Guarantee {
            planner,
            certificate,
        } = &mut self.guarantee;
        tail_to_head(position, &mut self.body);
        plans.clear();
        self.ends.clear();
        let mut draws = rng::keyed(self.seed, PLANS, self.foods);
        let best = planner.plan(
            position,
            &self.body,
            self.settings.effort,
            certificate,
            &mut draws,
        );
        let wins = best.after.len() == position.board().area();
        let found = if self.settings.margin > 0.0 && !wins {
            planner.take_kept()
        } else {
            vec![best.clone()]
        };
        for candidate in found.into_iter().take(self.settings.most) {
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
                outlook: outlook(candidate.cost, candidate.path.len()),
            });
            self.ends.push(candidate.certificate);
        }
    }

    /// Commits to one of the plans last written, which the snake follows to its end.
    pub(crate) fn commit(&mut self, plan: usize) {
        self.guarantee.certificate = self.ends.swap_remove(plan);
        self.foods += 1;
    }

    /// Returns the seed, the number of foods eaten, and the certificate, as numbers.
    fn state(&self) -> Vec<u16> {
        let words = |number: u64| [0, 16, 32, 48].map(|shift| (number >> shift) as u16);
        let certificate = self.guarantee.certificate.to_numbers();
        words(self.seed)
            .into_iter()
            .chain(words(self.foods))
            .chain(certificate)
            .collect()
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
                        let mut after = game.position().clone();
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
                        let certain =
                            after.status() == Status::Won || lies_in_order(&after, &plan.cycle);
                        assert!(certain, "{after:?} {:?}", plan.cycle);
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
                Ok(()) => assert!(lies_in_order(
                    start,
                    &other
                        .game
                        .as_ref()
                        .unwrap()
                        .guarantee
                        .certificate
                        .as_cells()
                )),
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
}
