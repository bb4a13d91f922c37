//! Agents that choose moves.

use crate::afterstates::AfterMove;
use crate::chooser::best;
use crate::estimator::Estimator;
use crate::network::QNetwork;
use crate::spec::AgentSpec;
use crate::view::View;
use hognose_env::Mask;
use hognose_game::{Allowed, BatchPolicy, Choice, Position, Unsupported};

/// Plays the allowed action of the highest Q-value, in many games at once. An agent that was
/// trained under a mask must be played under that mask.
///
/// [`Agent::new`](crate::Agent::new) and [`load_policy`](crate::load_policy) make one.
#[derive(Clone, Debug)]
pub struct MoveAgent<N: QNetwork> {
    estimator: Estimator<N>,
}

impl<N: QNetwork> MoveAgent<N> {
    pub(crate) fn new(estimator: Estimator<N>) -> MoveAgent<N> {
        MoveAgent { estimator }
    }

    /// What the network was trained to see and do.
    pub fn spec(&self) -> AgentSpec {
        self.estimator.spec
    }

    /// The network.
    pub fn network(&self) -> &N {
        &self.estimator.network
    }

    /// The network's Q-values of observations, one after another,
    /// [`ActionKind::count`](hognose_env::ActionKind::count) each; `None` where it values positions
    /// after a move, which no observation shows. Mirror images of observations play no part here.
    ///
    /// # Panics
    /// Unless `observations` has whole rows.
    pub fn values_of(&self, observations: &[f32]) -> Option<Vec<f32>> {
        self.spec()
            .afterstates
            .is_none()
            .then(|| self.estimator.outputs_of_rows(observations))
    }

    /// The Q-values of positions and what is allowed there,
    /// [`ActionKind::count`](hognose_env::ActionKind::count) each.
    pub fn q_values(&self, positions: &[&Position], allowed: &[Allowed]) -> Vec<f32> {
        if self.spec().afterstates.is_none() {
            let views = positions
                .iter()
                .zip(allowed)
                .map(|(position, allowed)| View::new(position, allowed.moves));
            return self.estimator.outputs(&views.collect::<Vec<_>>());
        }
        let of_all = |(position, allowed)| AfterMove::of_all(position, allowed, self.spec());
        let afters: Vec<AfterMove> = positions
            .iter()
            .copied()
            .zip(allowed)
            .flat_map(of_all)
            .collect();
        let mut values = self
            .estimator
            .outputs(&AfterMove::open(&afters))
            .into_iter();
        afters
            .iter()
            .map(|after| after.branch.q_value(&mut values))
            .collect()
    }
}

impl<N: QNetwork> BatchPolicy for MoveAgent<N> {
    fn check(&self, position: &Position) -> Result<(), Unsupported> {
        self.estimator.check_board(position)
    }

    fn act_all(&self, positions: &[&Position], allowed: &[Allowed], choices: &mut [Choice]) {
        let legal: Vec<Allowed> = positions
            .iter()
            .map(|position| position.legal_moves().into())
            .collect();
        let seen = if self.spec().mask == Mask::Legal {
            &legal
        } else {
            allowed
        };
        let q = self.q_values(positions, seen);
        let rows = q.chunks_exact(self.spec().action.count());
        for ((((position, q), legal), allowed), choice) in positions
            .iter()
            .zip(rows)
            .zip(&legal)
            .zip(allowed)
            .zip(choices)
        {
            let (action, heading) = (self.spec().action, position.heading());
            let best = |Allowed { moves, .. }: &Allowed| {
                action.direction(best(q, action.bits(*moves, heading), action), heading)
            };
            let (direction, preferred) = (best(allowed), best(legal));
            // Whoever was trained under the mask never learned what other moves are worth.
            let forbidden = self.spec().mask == Mask::Legal && direction != preferred;
            *choice = Choice {
                direction,
                forbidden,
            };
        }
    }
}
