//! The values of the moves of a position.

use crate::tables;
use hognose_game::{Direction, Event, MoveFilter, Plan, PlanSource, Position, Status};
use hognose_policies::NamedPolicy;
use hognose_solvers::{CertifiedPlans, SafeMoves};
use hognose_tablebase::Table;
use serde::Serialize;
use std::sync::Arc;

/// The value of each move in steps; fewer are better. Directions are up, right, down, left.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Worth {
    pub(crate) scale: Scale,
    /// Steps after each move, the move included; `null` if unknown.
    pub(crate) steps: [Option<f64>; 4],
    /// The moves after which winning is certain.
    pub(crate) sure: [bool; 4],
    /// The moves that do not lose at once.
    pub(crate) legal: [bool; 4],
}

/// The meaning of the steps of a [`Worth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scale {
    /// Exact: the least expected number of steps to a certain win.
    Exact,
    /// The steps to the next food plus `certified`'s estimate of the later cost of the body: only
    /// for comparisons between moves of one position.
    Certified,
}

/// An agent's own value of each move; `null` without one. Directions are up, right, down, left.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Opinion {
    /// Expected discounted returns: more is better.
    QValues([Option<f64>; 4]),
    /// Steps of the best plan that begins with the move, plus the later cost of its end: fewer are
    /// better.
    PlanCosts([Option<f64>; 4]),
}

impl Opinion {
    /// Returns an agent's values at a position; `None` if the game is over, and for policies that
    /// are not agents.
    pub(crate) fn of(agent: &NamedPolicy, position: &Position) -> Option<Opinion> {
        if position.status() != Status::Ongoing {
            return None;
        }
        let q_values = agent.q_values(position).map(Opinion::QValues);
        q_values.or_else(|| agent.plan_costs(position).map(Opinion::PlanCosts))
    }
}

/// An evaluator of moves: exact with a table, and otherwise by estimates of `certified`.
pub(crate) struct Judge(Option<Arc<Table>>);

impl Judge {
    /// Creates an evaluator, exact if there is a table.
    pub(crate) fn by(table: Option<Arc<Table>>) -> Judge {
        Judge(table)
    }

    /// Returns the values of the moves of a position; `None` if the game is over.
    pub(crate) fn worth(&self, position: &Position) -> Option<Worth> {
        if position.status() != Status::Ongoing {
            return None;
        }
        let legal = Direction::ALL.map(|direction| position.legal_moves().contains(direction));
        let exact = self.0.as_ref().and_then(|table| table.moves(position).ok());
        Some(match exact {
            Some(steps) => Worth {
                scale: Scale::Exact,
                steps,
                sure: steps.map(|steps| steps.is_some()),
                legal,
            },
            None => {
                let (steps, sure) = certified(position);
                Worth {
                    scale: Scale::Certified,
                    steps,
                    sure,
                    legal,
                }
            }
        })
    }
}

/// Returns the cost of `certified`'s best plan beginning with each move, and whether the move keeps
/// a win certain.
fn certified(position: &Position) -> ([Option<f64>; 4], [bool; 4]) {
    let plans = plans(position);
    let cost = |plan: &Plan| plan.moves.len() as f64 + f64::from(plan.outlook) / 1000.0;
    let steps = Direction::ALL.map(|direction| {
        let begins = plans
            .iter()
            .filter(|plan| plan.moves.first() == Some(&direction))
            .map(cost);
        let mut after = position.clone();
        let later = match after.step(direction) {
            Event::Moved => self::plans(&after).first().map(|plan| 1.0 + cost(plan)),
            // The next food is unknown, so there are no plans after a move that eats.
            _ => None,
        };
        begins.chain(later).reduce(f64::min)
    });
    let mut filter = SafeMoves::default();
    let certain = filter
        .reset(position)
        .map(|()| filter.allowed(position).moves)
        .unwrap_or_default();
    (
        steps,
        Direction::ALL
            .map(|direction| steps[direction.index()].is_some() || certain.contains(direction)),
    )
}

/// Returns plans to the food after which a win is certain, best first; none if no win is known to
/// be certain.
fn plans(position: &Position) -> Vec<Plan> {
    let mut source =
        CertifiedPlans::new(CertifiedPlans::EFFORT).with_alternatives(MARGIN, ALTERNATIVES);
    let mut plans = Vec::new();
    if source.reset(position, SEED).is_ok() {
        source.plans(position, &mut plans);
    }
    plans
}

/// The maximum cost of a plan above the best plan, in steps.
const MARGIN: f64 = 8.0;
/// The number of plans to request.
const ALTERNATIVES: usize = 8;
/// A fixed seed, so that the same position always has the same plans.
const SEED: u64 = 0;

/// Returns the value of the best move, if any value is known.
pub(crate) fn best(worth: &Worth) -> Option<f64> {
    worth.steps.into_iter().flatten().reduce(f64::min)
}

/// Returns an evaluator, with the table of the position's board if it can be solved.
pub(crate) fn judge_of(position: &Position, progress: tables::Progress<'_>) -> Judge {
    let rules = position.rules();
    let fits = tables::can_solve(rules.board()) && rules.tail_entry() && rules.foods() == 1;
    Judge::by(
        fits.then(|| tables::solved(rules.board(), progress).ok())
            .flatten(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::{Game, Rules};

    /// The best move by `certified`'s estimates is nearly optimal.
    #[test]
    fn certified_knows_good_moves() {
        let rules = Rules::new("4x5".parse().unwrap());
        let exact = Judge::by(tables::solved(rules.board(), &mut |_| ()).ok());
        let mut judged = 0;
        let mut lost = 0.0;
        for seed in 0..3 {
            let mut game = Game::new(rules, seed);
            while let (Some(estimate), Some(truth)) = (
                Judge(None).worth(game.position()),
                exact.worth(game.position()),
            ) {
                assert_eq!(
                    (estimate.scale, truth.scale, estimate.legal),
                    (Scale::Certified, Scale::Exact, truth.legal)
                );
                for (claimed, truth) in estimate.sure.into_iter().zip(truth.sure) {
                    assert!(truth || !claimed, "expected a certain win after the move");
                }
                let of = |worth: &Worth| {
                    Direction::ALL
                        .map(|d| worth.steps[d.index()].map(|steps| (steps, d)))
                        .into_iter()
                        .flatten()
                };
                let chosen = of(&estimate)
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .expect("certified wins")
                    .1;
                lost += truth.steps[chosen.index()].expect("a certain win")
                    - best(&truth).expect("a certain win");
                judged += 1;
                game.step(chosen);
            }
        }
        assert!(
            judged > 150 && lost / 3.0 < 12.0,
            "{judged} moves gave away {lost} steps"
        );
    }
}
