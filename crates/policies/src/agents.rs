//! Trained agents by their names, and the solvers that training needs.

use crate::source::{Play, Source};
use crate::{EmbeddedAgent, NameError, safe_moves};
use hognose_agent::{Agent, MakePlans, Mask, Network, Solvers, load_policy, parse_policy};
use hognose_game::{BoardRange, Direction, FreshMoves, MakeFilter, Player, Position};
use hognose_solvers::CertifiedPlans;
use std::path::Path;
use std::sync::Arc;

/// Returns the solvers that training needs: safe moves, after which a win is still certain, and
/// plans.
pub fn training_solvers() -> Solvers {
    Solvers {
        safe_moves: Some(safe_moves()),
        plans: Some(plans()),
    }
}

fn plans() -> MakePlans {
    Arc::new(|search| {
        Box::new(CertifiedPlans::new(search.effort).with_alternatives(search.margin, search.most))
    })
}

/// Returns a player of an agent that plays as it was trained to.
pub fn player(agent: &Agent<Network>) -> Player {
    player_under(agent, agent.spec().mask.filter(&safe_moves()))
}

fn player_under(agent: &Agent<Network>, filter: MakeFilter) -> Player {
    match agent {
        Agent::Plans(agent) => Player::Single(Arc::new(agent.clone().maker(plans()))),
        Agent::Moves(agent) => Player::Batch(Box::new(agent.clone()), filter),
    }
}

/// An agent that plays under a filter.
struct FilteredAgent {
    agent: Agent<Network>,
    filter: MakeFilter,
    claims_to_win: bool,
}

/// Loads an agent by name onto a device by name: from a file or folder, or else an embedded agent.
pub(crate) fn load(
    name: &str,
    embedded: &[EmbeddedAgent],
    device: &str,
) -> Result<Agent<Network>, NameError> {
    let device = hognose_agent::device(device)?;
    let path = Path::new(name);
    match embedded.iter().find(|agent| agent.name == name) {
        Some(agent) if !hognose_agent::is_policy(path) => {
            Ok(parse_policy(agent.bytes, name, &device)?)
        }
        None if !path.exists() && !embedded.is_empty() => {
            let embedded = embedded.iter().map(|agent| agent.name).collect();
            Err(NameError::NoSuchAgent {
                name: name.to_owned(),
                embedded,
            })
        }
        _ => Ok(load_policy(path, &device)?),
    }
}

/// Returns an agent that plays as its name requests.
///
/// # Errors
/// Fails if fresh moves are requested for an agent that may not make every move.
pub(crate) fn named(
    name: &str,
    agent: Agent<Network>,
    play: Play,
) -> Result<Box<dyn Source>, NameError> {
    let chooses_plans = matches!(agent, Agent::Plans(_));
    let mask = if matches!(play, Play::Safe) {
        Mask::Safe
    } else {
        agent.spec().mask
    };
    let claims_to_win = mask == Mask::Safe || chooses_plans;
    let filter = match play {
        Play::Fresh if claims_to_win => {
            return Err(NameError::NeverCircles {
                name: name.to_owned(),
            });
        }
        Play::Fresh => FreshMoves::maker(),
        Play::AsTrained | Play::Safe => mask.filter(&safe_moves()),
    };
    Ok(Box::new(FilteredAgent {
        agent,
        filter,
        claims_to_win,
    }))
}

impl Source for FilteredAgent {
    fn claims_to_win(&self) -> bool {
        self.claims_to_win
    }

    fn boards(&self) -> Option<BoardRange> {
        Some(self.agent.spec().range())
    }

    fn player(&self) -> Player {
        player_under(&self.agent, Arc::clone(&self.filter))
    }

    fn q_values(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        let FilteredAgent {
            agent: Agent::Moves(agent),
            filter,
            ..
        } = self
        else {
            return None;
        };
        let action = agent.spec().action;
        let mut filter = filter();
        // After an error the filter allows all legal moves.
        let _ = filter.reset(position);
        let allowed = filter.allowed(position);
        let of_actions = agent.q_values(&[position], &[allowed]);
        Some(Direction::ALL.map(|direction| {
            let action = action.action(direction, position.heading())?;
            allowed
                .moves
                .contains(direction)
                .then(|| f64::from(of_actions[usize::from(action)]))
        }))
    }

    fn plan_costs(&self, position: &Position) -> Option<[Option<f64>; 4]> {
        let Agent::Plans(agent) = &self.agent else {
            return None;
        };
        agent.costs(position, &plans()).ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::Catalog;
    use hognose_game::{Game, Rules, Status};

    #[test]
    fn agents_make_the_move_that_they_value_most() {
        for name in ["quickstart-6x6", "every-board-safe", "every-board-plans"] {
            let path = format!(
                "dqn:{}/../../checkpoints/{name}",
                env!("CARGO_MANIFEST_DIR")
            );
            let agent = Catalog::default().policy(&path).unwrap();
            let player = agent.single_player();
            let mut asked = 0;
            for seed in 0..8 {
                let mut game = Game::new(Rules::new(agent.boards().unwrap().least()), seed);
                for _ in 0..100 {
                    let position = game.position();
                    if position.status() != Status::Ongoing {
                        break;
                    }
                    // Start a game from this position, as the value functions do. The agent may
                    // find no cycle that it needs.
                    let Ok(mut policy) = player.make(position, 0) else {
                        break;
                    };
                    let direction = policy.act(position);
                    let q_values = agent.q_values(position);
                    let costs = agent.plan_costs(position);
                    let has_plans = name == "every-board-plans";
                    assert_eq!(
                        (q_values.is_some(), costs.is_some()),
                        (!has_plans, has_plans)
                    );
                    assert_eq!(
                        agent.value(position),
                        q_values.and_then(|values| values[direction.index()]),
                        "{name}"
                    );
                    let least =
                        costs.and_then(|costs| costs.into_iter().flatten().reduce(f64::min));
                    assert_eq!(
                        least,
                        costs.and_then(|costs| costs[direction.index()]),
                        "{name}"
                    );
                    game.step(direction);
                    asked += 1;
                }
            }
            assert!(asked > 200, "{name}: {asked}");
        }
    }
}
