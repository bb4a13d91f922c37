//! The solver that plans each path to the food and can't lose.

use super::plans::CertifiedPlans;
use hognose_game::{
    Direction, MakePolicy, Overlay, Plan, PlanSource, Policy, Position, Route, Unsupported,
};

/// A policy that plans a path to each food after which the body has a certificate, and follows it
/// to the end. It wins every game from a start that lies in order on a cycle of the board that it
/// finds.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_solvers::Certified;
///
/// let game = Game::new(Rules::new(Board::new(6, 6)?), 1);
/// let mut policy = Certified::with_effort(10).make(game.position(), 0)?;
/// let first = policy.act(game.position());
/// assert!(game.position().legal_moves().contains(first));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Certified {
    effort: usize,
}

impl Certified {
    /// Returns a policy that stops searching for a plan after `effort` consecutive changes without
    /// improvement. With an effort of 0 it follows the current cycle. With an effort of at least
    /// 1,000 it compares its best plans by the mean cost of all next foods, on boards with one food
    /// and at most 200 cells.
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
        Ok(Box::new(CertifiedPolicy {
            plans,
            proposed: Vec::new(),
            route: Route::default(),
        }))
    }
}

struct CertifiedPolicy {
    plans: CertifiedPlans,
    proposed: Vec<Plan>,
    /// The remaining moves to the food.
    route: Route,
}

impl Policy for CertifiedPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if let Some(direction) = self.route.next() {
            return direction;
        }
        if position.foods().is_empty() {
            return self.plans.along_the_cycle(position);
        }
        self.plans.plans(position, &mut self.proposed);
        self.plans.commit(0);
        self.route
            .begin(self.proposed[0].moves.iter().copied())
            .expect("a path to food has moves")
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(
            self.proposed
                .first()
                .map_or_else(Vec::new, |plan| plan.cycle.clone()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Board, Game, Rules, Status};

    /// Straight and bent starts, with the first food on any free cell; `hognose verify` plays more
    /// games on more boards.
    #[test]
    fn every_start_that_is_accepted_is_won() {
        for (text, lengths) in [
            ("2x2", 1..=3),
            ("3x3", 1..=5),
            ("3x5", 1..=3),
            ("4x3", 1..=4),
            ("3x3-torus", 1..=3),
        ] {
            let board: Board = text.parse().unwrap();
            let certified = Certified::with_effort(2);
            let mut accepted = 0;
            let mut refused = 0;
            for start in lengths.flat_map(|length| Rules::new(board).bodies(length)) {
                for food in board.cells().filter(|&cell| start.is_free(cell)) {
                    let start = Position::new(start.rules(), start.heading(), start.body(), [food])
                        .unwrap();
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
    fn effort_saves_steps() {
        let board = Board::new(6, 6).unwrap();
        let steps = |effort| {
            let games = (0..30).map(|seed| {
                let mut game = Game::new(Rules::new(board), seed);
                let mut certified = Certified::with_effort(effort)
                    .make(game.position(), seed)
                    .unwrap();
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
