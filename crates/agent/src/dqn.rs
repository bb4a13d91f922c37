//! Deep Q-learning: targets, loss, gradient steps on batches, and the target network.

use crate::afterstates::Branch;
use crate::config::{Bootstrap, TargetSync, TrainConfig};
use crate::loss;
use crate::network::QNetwork;
use crate::optimizer::{Adam, Gradients};
use crate::parameters::{flush, map_values, parameters};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Int, Tensor, TensorData};

/// An encoded batch.
pub(crate) struct Minibatch {
    pub(crate) ids: Vec<u64>,
    pub(crate) weights: Vec<f32>,
    pub(crate) observations: Vec<f32>,
    pub(crate) actions: Vec<i32>,
    pub(crate) rewards: Vec<f32>,
    pub(crate) discounts: Vec<f32>,
    /// Encoded next states: one row each or, if the next states list the outcomes of actions, one
    /// row for each open afterstate.
    pub(crate) next_observations: Vec<f32>,
    /// Whether each action of a next state is legal, `[batch, actions]`; empty if the network has
    /// one output.
    pub(crate) legal: Vec<bool>,
    /// The outcome of each legal action of a next state, `[batch, actions]`; empty unless the
    /// network values afterstates and targets search for the best of them.
    pub(crate) branches: Vec<Option<Branch>>,
}

/// The results of one gradient step.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientStep {
    /// The mean weighted Huber loss.
    pub loss: f64,
    /// The global gradient norm before clipping.
    pub gradient_norm: f64,
    /// The Q-values of the batch's actions.
    pub q_values: Vec<f32>,
    /// Their TD targets.
    pub targets: Vec<f32>,
    /// The |TD errors| of the batch.
    pub td_abs: Vec<f32>,
    /// The batch: each transition's number since the beginning of training.
    pub transitions: Vec<u64>,
}

/// The loss on a batch, the Q-values of its actions, and their targets.
struct Loss {
    loss: Tensor<1>,
    q: Tensor<1>,
    targets: Tensor<1>,
}

fn values(tensor: Tensor<1>) -> Vec<f32> {
    tensor
        .inner()
        .into_data()
        .try_into_vec::<f32>()
        .expect("values are f32")
}

fn matrix(values: Vec<f32>, rows: usize, device: &Device) -> Tensor<2> {
    let columns = values.len() / rows;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// Returns the Q-values of the branches of a batch at `indices`.
fn q_of_branches<N: QNetwork>(
    network: &N,
    batch: &Minibatch,
    indices: &[usize],
    device: &Device,
) -> Vec<f32> {
    let width = batch.observations.len() / batch.ids.len();
    let mut open = batch.next_observations.chunks_exact(width);
    let rows: Vec<Option<&[f32]>> = batch
        .branches
        .iter()
        .map(|branch| {
            branch
                .filter(|branch| branch.known.is_none())
                .and_then(|_| open.next())
        })
        .collect();
    let asked: Vec<&[f32]> = indices.iter().filter_map(|&index| rows[index]).collect();
    let mut values = Vec::new();
    if !asked.is_empty() {
        let q = network.q_values(matrix(asked.concat(), asked.len(), device));
        values = q.into_data().try_into_vec::<f32>().expect("values are f32");
    }
    let mut values = values.into_iter();
    let branches = indices.iter().flat_map(|&index| batch.branches[index]);
    branches.map(|branch| branch.q_value(&mut values)).collect()
}

/// A gradient step that would make the weights non-finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Diverged {
    pub(crate) loss: f32,
    pub(crate) gradient_norm: f32,
}

/// The networks and the optimizer.
pub(crate) struct Learner<N> {
    /// `None` only during a gradient step.
    pub(crate) online: Option<N>,
    pub(crate) target: N,
    pub(crate) adam: Adam,
}

impl<N: QNetwork> Learner<N> {
    pub(crate) fn online(&self) -> &N {
        self.online
            .as_ref()
            .expect("no gradient step is in progress")
    }

    /// Takes a gradient step on a batch.
    pub(crate) fn learn(
        &mut self,
        batch: &Minibatch,
        device: &Device,
        learning_rate: f64,
        config: &TrainConfig,
    ) -> Result<GradientStep, Diverged> {
        let online = self.online.take().expect("no gradient step is in progress");
        let Loss { loss, q, targets } = self.loss(&online, batch, device, config.bootstrap);
        let gradients = Gradients::new(
            &online,
            GradientsParams::from_grads(loss.backward(), &online),
        );
        let loss = values(loss)[0];
        let gradient_norm = gradients.norm();
        if !(loss.is_finite() && gradient_norm.is_finite()) {
            self.online = Some(online);
            return Err(Diverged {
                loss,
                gradient_norm,
            });
        }
        let (online, finite) = self.adam.step(
            online,
            &gradients,
            learning_rate,
            config.max_gradient_norm,
            config.average_decay,
        );
        self.sync_target(&online, config.target);
        self.online = Some(online);
        if !finite {
            return Err(Diverged {
                loss,
                gradient_norm,
            });
        }
        let q_values = values(q);
        let targets = values(targets);
        let td_abs = q_values
            .iter()
            .zip(&targets)
            .map(|(q, target)| (q - target).abs())
            .collect();
        Ok(GradientStep {
            loss: loss.into(),
            gradient_norm: gradient_norm.into(),
            q_values,
            targets,
            td_abs,
            transitions: batch.ids.clone(),
        })
    }

    /// Returns the loss on a batch, without a gradient step.
    pub(crate) fn loss_on(&self, batch: &Minibatch, device: &Device, bootstrap: Bootstrap) -> f32 {
        values(self.loss(self.online(), batch, device, bootstrap).loss)[0]
    }

    fn loss(&self, online: &N, batch: &Minibatch, device: &Device, bootstrap: Bootstrap) -> Loss {
        let rows = batch.ids.len();
        let targets = self.targets(online, batch, device, bootstrap);
        let observations = matrix(batch.observations.clone(), rows, &device.clone().autodiff());
        let actions = Tensor::<1, Int>::from_data(
            TensorData::from(&batch.actions[..]),
            &device.clone().autodiff(),
        );
        let q = loss::taken(online.q_values(observations), actions);
        let errors = q.clone() - targets.clone().autodiff();
        let weights = Tensor::<1>::from_data(
            TensorData::from(&batch.weights[..]),
            &device.clone().autodiff(),
        );
        Loss {
            loss: (loss::huber(errors) * weights).mean(),
            q,
            targets,
        }
    }

    fn targets(
        &self,
        online: &N,
        batch: &Minibatch,
        device: &Device,
        bootstrap: Bootstrap,
    ) -> Tensor<1> {
        let rows = batch.ids.len();
        let vector = |values: &[f32]| Tensor::<1>::from_data(TensorData::from(values), device);
        let rewards = vector(&batch.rewards);
        let discounts = vector(&batch.discounts);
        if !batch.branches.is_empty() {
            let best_q = self.best_q(online, batch, device, bootstrap);
            return loss::value_target(rewards, discounts, matrix(best_q, rows, device));
        }
        let next_q =
            |network: &N| network.q_values(matrix(batch.next_observations.clone(), rows, device));
        let target_q = next_q(&self.target);
        let chooser_q = match bootstrap {
            Bootstrap::Double => next_q(&online.valid()),
            Bootstrap::Max => target_q.clone(),
            Bootstrap::Taken => return loss::value_target(rewards, discounts, target_q),
        };
        let legal = TensorData::new(batch.legal.clone(), [rows, batch.legal.len() / rows]);
        loss::double_q_target(
            rewards,
            discounts,
            chooser_q,
            target_q,
            Tensor::from_data(legal, device),
        )
    }

    /// Returns the Q-value of the best branch of each next state, or 0 if no action is legal there.
    /// In double Q-learning the online network chooses if there is a choice, and the target network
    /// values only what was chosen.
    fn best_q(
        &self,
        online: &N,
        batch: &Minibatch,
        device: &Device,
        bootstrap: Bootstrap,
    ) -> Vec<f32> {
        let is_double = bootstrap == Bootstrap::Double;
        let chooser = if is_double {
            &online.valid()
        } else {
            &self.target
        };
        let rows = batch.ids.len();
        let columns = batch.branches.len() / batch.ids.len();
        let legal = |row: usize| {
            (row * columns..(row + 1) * columns).filter(|&index| batch.branches[index].is_some())
        };
        let asked: Vec<usize> = (0..rows)
            .filter(|&row: &usize| !is_double || legal(row).nth(1).is_some())
            .flat_map(legal)
            .collect();
        let mut best: Vec<Option<(usize, f32)>> = (0..rows)
            .map(|row| legal(row).next().map(|index| (index, f32::NEG_INFINITY)))
            .collect();
        for (&index, q) in asked
            .iter()
            .zip(q_of_branches(chooser, batch, &asked, device))
        {
            let best = best[index / columns].as_mut().expect("an action is legal");
            if q > best.1 {
                *best = (index, q);
            }
        }
        if is_double {
            let chosen: Vec<usize> = best.iter().flatten().map(|&(index, _)| index).collect();
            let valued = q_of_branches(&self.target, batch, &chosen, device);
            best.iter_mut()
                .flatten()
                .zip(valued)
                .for_each(|((_, q), valued)| *q = valued);
        }
        best.into_iter()
            .map(|best| best.map_or(0.0, |(_, q)| q))
            .collect()
    }

    fn sync_target(&mut self, online: &N, sync: TargetSync) {
        match sync {
            TargetSync::Hard { every } if self.adam.steps.is_multiple_of(every) => {
                self.target = online.valid()
            }
            TargetSync::Hard { .. } => {}
            TargetSync::Polyak { tau } => {
                let online = parameters(online);
                self.target = map_values(self.target.clone(), online.iter(), |own, new| {
                    own.iter_mut()
                        .zip(&new.values)
                        .for_each(|(own, new)| *own = flush(*own + tau * (new - *own)));
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::module::{Module, Param};

    /// A network whose value of an afterstate is its only input times a factor.
    #[derive(Module, Debug)]
    struct Scaled {
        factor: Param<Tensor<2>>,
    }

    impl QNetwork for Scaled {
        fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
            observations.matmul(self.factor.val())
        }
    }

    fn scaled(factor: f32, device: &Device) -> Scaled {
        Scaled {
            factor: Param::from_data(TensorData::from([[factor]]), device),
        }
    }

    /// Row 0: for the online network the first action is worth 1 + 4/2 and the second 10/2; for the
    /// target network, which negates the values of afterstates, 1 - 4/2 and -10/2. The third is
    /// illegal. Row 1: the only legal action loses. Row 2: after termination nothing is legal.
    #[test]
    fn hand_worked_targets_of_afterstates() {
        let device = Device::flex();
        let branch = |reward, known| {
            Some(Branch {
                reward,
                discount: 0.5,
                known,
            })
        };
        let branches = [
            [branch(1.0, None), branch(0.0, None), None],
            [branch(-10.0, Some(0.0)), None, None],
            [None, None, None],
        ];
        let branches: Vec<Option<Branch>> = branches.into_iter().flatten().collect();
        let batch = Minibatch {
            ids: vec![0, 1, 2],
            weights: vec![1.0; 3],
            observations: vec![0.0; 3],
            actions: vec![0; 3],
            rewards: vec![1.0, 2.0, 3.0],
            discounts: vec![0.5, 0.5, 0.0],
            next_observations: vec![4.0, 10.0],
            legal: Vec::new(),
            branches,
        };
        for (bootstrap, expected) in [
            (Bootstrap::Double, [-1.5, -3.0, 3.0]),
            (Bootstrap::Max, [0.5, -3.0, 3.0]),
        ] {
            let online = scaled(1.0, &device.clone().autodiff());
            let adam = Adam::new(&online, false);
            let target = scaled(-1.0, &device);
            let learner = Learner {
                online: None,
                target,
                adam,
            };
            assert_eq!(
                values(learner.loss(&online, &batch, &device, bootstrap).targets),
                expected
            );
        }
    }
}
