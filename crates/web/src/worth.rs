//! What the moves of a position are worth.

use crate::tables;
use hognose_game::{Direction, Event, MoveFilter, Plan, PlanSource, Position, Status};
use hognose_policies::NamedPolicy;
use hognose_solvers::{CertifiedPlans, SafeMoves};
use hognose_tablebase::Table;
use serde::Serialize;
use std::sync::Arc;

/// What each move is worth, in steps: fewer are better. Directions are up, right, down, left.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Worth {
    pub(crate) scale: Scale,
    /// Steps after each move, the move included; `null` where no number is known.
    pub(crate) steps: [Option<f64>; 4],
    /// The moves after which winning is certain.
    pub(crate) sure: [bool; 4],
    /// The moves that do not lose at once.
    pub(crate) legal: [bool; 4],
}

/// What the steps of a worth are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scale {
    /// The least expected number of steps to fill the board for sure, exactly.
    Exact,
    /// The steps to the next food, and what the body after it will cost later as `certified`
    /// reckons: good to compare moves of one position.
    Certified,
}

/// What a learned agent thinks of each move. Directions are up, right, down, left; a move is `null`
/// where it has no number.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Opinion {
    /// Rewards to come, discounted: more is better.
    QValues([Option<f64>; 4]),
    /// Steps of the best plan that begins with it, and what its end will cost later: fewer are
    /// better.
    PlanCosts([Option<f64>; 4]),
}

impl Opinion {
    /// What an agent thinks of a position; `None` where the game is over, and for policies that are
    /// no agents.
    pub(crate) fn of(agent: &NamedPolicy, position: &Position) -> Option<Opinion> {
        if position.status() != Status::Ongoing {
            return None;
        }
        let q_values = agent.q_values(position).map(Opinion::QValues);
        q_values.or_else(|| agent.plan_costs(position).map(Opinion::PlanCosts))
    }
}

/// Says what moves are worth: exactly by a table, or else as `certified` thinks.
pub(crate) struct Judge(Option<Arc<Table>>);

impl Judge {
    /// Judges by a table where there is one.
    pub(crate) fn by(table: Option<Arc<Table>>) -> Judge {
        Judge(table)
    }

    /// The worth of the moves of a position; `None` where the game is over.
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

/// What `certified` thinks of the moves of a position, and which of them keep a win certain: the
/// cost of the best plan that begins with each.
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
            // The next food has not appeared, so there are no plans after a move that eats.
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

/// Plans to the food after which a win is certain, the best one first; none where no win is known
/// to be certain.
fn plans(position: &Position) -> Vec<Plan> {
    let mut source =
        CertifiedPlans::new(CertifiedPlans::EFFORT).with_alternatives(MARGIN, ALTERNATIVES);
    let mut plans = Vec::new();
    if source.reset(position, SEED).is_ok() {
        source.plans(position, &mut plans);
    }
    plans
}

/// How many steps worse than the best plan others may be.
const MARGIN: f64 = 8.0;
/// How many plans are asked for.
const ALTERNATIVES: usize = 8;
/// What is shown of a position is always the same.
const SEED: u64 = 0;

/// The worth of the best move, if any has a known one.
pub(crate) fn best(worth: &Worth) -> Option<f64> {
    worth.steps.into_iter().flatten().reduce(f64::min)
}

/// A table of the position's board, if it has been solved or can be solved at once.
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

    /// Where `certified` knows what moves are worth, it does not differ much from the truth: the
    /// move that it thinks best is nearly as good as the best one.
    #[test]
    fn certified_knows_good_moves() {
        let rules = Rules::new("4x5".parse().unwrap());
        let exact = Judge::by(tables::solved(rules.board(), &mut |_| ()).ok());
        let mut judged = 0;
        let mut lost = 0.0;
        for seed in 0..3 {
            let mut game = Game::new(rules, seed);
            while let (Some(told), Some(truth)) = (
                Judge(None).worth(game.position()),
                exact.worth(game.position()),
            ) {
                assert_eq!(
                    (told.scale, truth.scale, told.legal),
                    (Scale::Certified, Scale::Exact, truth.legal)
                );
                for (told, truth) in told.sure.into_iter().zip(truth.sure) {
                    assert!(truth || !told, "a win is called certain that is not");
                }
                let of = |worth: &Worth| {
                    Direction::ALL
                        .map(|d| worth.steps[d.index()].map(|steps| (steps, d)))
                        .into_iter()
                        .flatten()
                };
                let chosen = of(&told)
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
