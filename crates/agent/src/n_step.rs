//! n-step windows, which turn the last steps of an episode into transitions.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An n-step transition, whose packed states are owned or borrowed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transition<State = Vec<u8>> {
    /// The packed position.
    pub(crate) state: State,
    /// The action taken there.
    pub(crate) action: u8,
    /// The discounted sum of the rewards up to the next state.
    pub(crate) reward: f32,
    /// The factor of the next state's value: discount^steps, or 0 after termination.
    pub(crate) discount: f32,
    /// The packed position to bootstrap from.
    pub(crate) next_state: State,
}

/// The last steps of one environment, which have fewer than n rewards so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NStep {
    open: VecDeque<Open>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Open {
    state: Vec<u8>,
    action: u8,
    reward: f32,
    discount: f32,
    steps: usize,
}

/// The state at which a step begins a window of rewards.
pub(crate) enum Begins {
    /// A position and the action taken there: the step's reward is the first.
    Position(Vec<u8>, u8),
    /// The afterstate of the step's action: the next step's reward is the first.
    Afterstate(Vec<u8>),
    /// No window begins, since the afterstate's value is known.
    Nowhere,
}

/// The outcome of a step.
pub(crate) struct TimeStep<'a> {
    pub(crate) reward: f32,
    /// Whether no further reward can follow.
    pub(crate) terminated: bool,
    /// Whether the next step begins another episode.
    pub(crate) ended: bool,
    pub(crate) next_state: &'a [u8],
    /// The value of the next state, if no move is legal there.
    pub(crate) lost: Option<f32>,
}

impl NStep {
    /// Returns whether every open step is possible: an accepted state, fewer rewards than are
    /// summed from there, and an action below `actions`.
    pub(crate) fn is_sound(
        &self,
        n: impl Fn(&[u8]) -> usize,
        actions: u8,
        mut accepts: impl FnMut(&[u8]) -> bool,
    ) -> bool {
        self.open.iter().all(|open| {
            accepts(&open.state) && open.steps < n(&open.state) && open.action < actions
        })
    }

    /// Adds a step and emits the transitions that it completes: the one that is n steps old or, at
    /// the end of an episode, all of them, each with the discount of the rewards it summed.
    pub(crate) fn push(
        &mut self,
        n: usize,
        discount: f32,
        begins: Begins,
        outcome: &TimeStep<'_>,
        mut emit: impl FnMut(Transition),
    ) {
        let open = |state, action| Open {
            state,
            action,
            reward: 0.0,
            discount: 1.0,
            steps: 0,
        };
        let after_its_reward = match begins {
            Begins::Position(state, action) => {
                self.open.push_back(open(state, action));
                None
            }
            Begins::Afterstate(state) => Some(open(state, 0)),
            Begins::Nowhere => None,
        };
        for open in &mut self.open {
            open.reward += open.discount * outcome.reward;
            open.discount *= discount;
        }
        self.open.extend(after_its_reward);
        self.open.iter_mut().for_each(|open| open.steps += 1);
        while let Some(open) = self
            .open
            .pop_front_if(|open| outcome.ended || open.steps == n)
        {
            let Open {
                state,
                action,
                mut reward,
                mut discount,
                ..
            } = open;
            if outcome.terminated {
                discount = 0.0;
            } else if let Some(value) = outcome.lost {
                reward += discount * value;
                discount = 0.0;
            }
            emit(Transition {
                state,
                action,
                reward,
                discount,
                next_state: outcome.next_state.to_vec(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewards 1, 2, 4, ... at discount 1/2 with n = 3; `ends` lists the steps after which an
    /// episode ends, and whether it terminates. Windows begin at positions, or at the afterstates
    /// of steps.
    fn windows(after: bool, ends: &[(usize, bool)], lost: Option<f32>) -> Vec<Transition> {
        let mut window = NStep::default();
        let mut out = Vec::new();
        for step in 0..6usize {
            let end = ends.iter().find(|(at, _)| *at == step);
            let outcome = TimeStep {
                reward: (1 << step) as f32,
                terminated: end.is_some_and(|&(_, terminated)| terminated),
                ended: end.is_some(),
                next_state: &[step as u8 + 1],
                lost,
            };
            let state = vec![step as u8];
            let begins = if after {
                Begins::Afterstate(state)
            } else {
                Begins::Position(state, 0)
            };
            window.push(3, 0.5, begins, &outcome, |transition| out.push(transition));
        }
        out
    }

    fn transitions(ends: &[(usize, bool)], lost: Option<f32>) -> Vec<Transition> {
        windows(false, ends, lost)
    }

    fn rows(transitions: &[Transition]) -> Vec<(u8, u8, f32, f32)> {
        transitions
            .iter()
            .map(|t| (t.state[0], t.next_state[0], t.reward, t.discount))
            .collect()
    }

    #[test]
    fn hand_worked_n_step_windows() {
        // 1 + 2/2 + 4/4 = 3, then twice that, and so on; bootstrapped with 1/8.
        let running = [
            (0, 3, 3.0, 0.125),
            (1, 4, 6.0, 0.125),
            (2, 5, 12.0, 0.125),
            (3, 6, 24.0, 0.125),
        ];
        assert_eq!(rows(&transitions(&[], None)), running);
        // Terminated by step 3: windows end there without bootstrapping, and step 4 begins another
        // episode.
        let terminated = [
            (0, 3, 3.0, 0.125),
            (1, 4, 6.0, 0.0),
            (2, 4, 8.0, 0.0),
            (3, 4, 8.0, 0.0),
        ];
        assert_eq!(rows(&transitions(&[(3, true)], None)), terminated);
        // Truncated by step 3: bootstrapped from the last state with the discount of the steps
        // taken.
        let truncated = [
            (0, 3, 3.0, 0.125),
            (1, 4, 6.0, 0.125),
            (2, 4, 8.0, 0.25),
            (3, 4, 8.0, 0.5),
        ];
        assert_eq!(rows(&transitions(&[(3, false)], None)), truncated);
        // No legal move in the next state: its value is the reward of losing, -8.
        assert_eq!(
            rows(&transitions(&[], Some(-8.0)))[0],
            (0, 3, 3.0 - 1.0, 0.0)
        );
    }

    /// As above, but without the reward of the step that led to the afterstate: two rewards,
    /// bootstrapped with 1/4.
    #[test]
    fn hand_worked_windows_of_afterstates() {
        let running = [
            (0, 3, 4.0, 0.25),
            (1, 4, 8.0, 0.25),
            (2, 5, 16.0, 0.25),
            (3, 6, 32.0, 0.25),
        ];
        assert_eq!(rows(&windows(true, &[], None)), running);
        // A truncating step leads to an afterstate, too: the position reached keeps its value.
        let truncated = [
            (0, 3, 4.0, 0.25),
            (1, 4, 8.0, 0.25),
            (2, 4, 8.0, 0.5),
            (3, 4, 0.0, 1.0),
        ];
        assert_eq!(rows(&windows(true, &[(3, false)], None)), truncated);
        assert_eq!(
            rows(&windows(true, &[], Some(-8.0)))[0],
            (0, 3, 4.0 - 2.0, 0.0)
        );
    }
}
