//! Plans for agents, each of which keeps winning certain.

use super::certificate::Certificate;
use super::guarantee::{Guarantee, of_another, outlook};
use super::problem::tail_to_head;
use crate::grid::Grid;
use hognose_game::rng::{self, Purpose};
use hognose_game::{Direction, Plan, PlanSource, Position, Unsupported};

const PLANS: Purpose = Purpose::new("certified plans");

/// Proposes plans that end on a certificate.
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
    /// How many changes in a row that gain nothing end a search, unless told.
    pub const EFFORT: usize = 100;

    /// A source of one plan a food, the best that is found by a search that ends when `effort`
    /// changes in a row gain nothing. With an effort of 0 the plan is to follow the cycle at hand.
    pub fn new(effort: usize) -> CertifiedPlans {
        CertifiedPlans {
            settings: PlanSettings::one(effort),
            game: None,
        }
    }

    /// A source of other plans as well that the search comes by, at most `most` in all, each ending
    /// in another body: those whose cost, in steps, is thought to be up to `margin` above the best
    /// one's. The search is broader then.
    ///
    /// # Panics
    /// When `most` is 0.
    #[must_use]
    pub fn with_alternatives(self, margin: f64, most: usize) -> CertifiedPlans {
        assert!(most > 0, "a source writes at least one plan");
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
            .expect("a source of plans is reset before it is asked")
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

/// How plans are searched for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanSettings {
    /// How many changes in a row that gain nothing end a search.
    effort: usize,
    /// How much more than the best plan others may cost.
    margin: f64,
    /// How many plans are written at most.
    most: usize,
}

impl PlanSettings {
    /// One plan a food.
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
    /// Begins at a position, with the memory of another game if that was on the same board.
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

    /// The move along the cycle at hand.
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

    /// Writes the plans for a position in which food lies, the best one first.
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

    /// Tells which of the plans last written is followed to its end.
    pub(crate) fn commit(&mut self, plan: usize) {
        self.guarantee.certificate = self.ends.swap_remove(plan);
        self.foods += 1;
    }

    /// The seed, the number of foods eaten, and the certificate, as numbers.
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

/// The seed, the number of foods and the certificate of a state, if it is of this position.
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

    /// Whether the body lies in order on a cycle, by definition: its cells are met from tail to
    /// head in one round.
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
        // The one cell that an odd board's cycle misses may be the body's, in the place of another.
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
