//! The learning half of a round: a gradient step on a batch.

use crate::config::{TargetSync, TrainConfig};
use crate::loss;
use crate::minibatch::Minibatch;
use crate::network::QNetwork;
use crate::optimizer::{Adam, Gradients};
use crate::parameters::{flush, map_values, parameters};
use burn::optim::GradientsParams;
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

/// What one gradient step did.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientStep {
    /// The mean weighted Huber loss.
    pub loss: f64,
    /// The global gradient norm before clipping.
    pub gradient_norm: f64,
    /// The Q-values of the batch's actions.
    pub q_values: Vec<f32>,
    /// The |TD errors| of the batch.
    pub td_abs: Vec<f32>,
}

/// The loss on a batch, the Q-values of its actions, and their targets.
struct Loss {
    loss: Tensor<1>,
    q: Tensor<1>,
    targets: Tensor<1>,
}

fn values(tensor: Tensor<1>) -> Vec<f32> {
    tensor.inner().into_data().try_into_vec::<f32>().expect("values are f32")
}

/// A gradient step after which the weights would not be numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Diverged {
    pub(crate) loss: f32,
    pub(crate) gradient_norm: f32,
}

/// Networks and optimizer.
pub(crate) struct Learner<N> {
    /// `None` only while a gradient step has it.
    pub(crate) online: Option<N>,
    pub(crate) target: N,
    pub(crate) adam: Adam,
}

impl<N: QNetwork> Learner<N> {
    pub(crate) fn online(&self) -> &N {
        self.online.as_ref().expect("no gradient step is under way")
    }

    /// Takes a gradient step on a batch.
    pub(crate) fn learn(
        &mut self,
        batch: &Minibatch,
        device: &Device,
        learning_rate: f64,
        config: &TrainConfig,
    ) -> Result<GradientStep, Diverged> {
        let online = self.online.take().expect("no gradient step is under way");
        let Loss { loss, q, targets } = self.loss(&online, batch, device);
        let gradients = Gradients::new(&online, GradientsParams::from_grads(loss.backward(), &online));
        let (loss, gradient_norm) = (values(loss)[0], gradients.norm());
        if !(loss.is_finite() && gradient_norm.is_finite()) {
            self.online = Some(online);
            return Err(Diverged { loss, gradient_norm });
        }
        let (online, finite) =
            self.adam.step(online, &gradients, learning_rate, config.max_gradient_norm, config.average_decay);
        self.sync_target(&online, config.target);
        self.online = Some(online);
        if !finite {
            return Err(Diverged { loss, gradient_norm });
        }
        let (q_values, targets) = (values(q), values(targets));
        let td_abs = q_values.iter().zip(&targets).map(|(q, target)| (q - target).abs()).collect();
        Ok(GradientStep { loss: loss.into(), gradient_norm: gradient_norm.into(), q_values, td_abs })
    }

    /// The loss on a batch, without a gradient step.
    pub(crate) fn loss_on(&self, batch: &Minibatch, device: &Device) -> f32 {
        values(self.loss(self.online(), batch, device).loss)[0]
    }

    fn loss(&self, online: &N, batch: &Minibatch, device: &Device) -> Loss {
        let rows = batch.ids.len();
        let matrix = |values: &[f32], device: &Device| {
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), [rows, values.len() / rows]), device)
        };
        let vector = |values: &[f32]| Tensor::<1>::from_data(TensorData::from(values), device);
        let next = matrix(&batch.next_observations, device);
        let (rewards, discounts) = (vector(&batch.rewards), vector(&batch.discounts));
        let targets = if batch.next_masks.is_empty() {
            loss::value_target(rewards, discounts, self.target.q_values(next))
        } else {
            let next_masks = TensorData::new(batch.next_masks.clone(), [rows, batch.next_masks.len() / rows]);
            let next_masks = Tensor::<2, Bool>::from_data(next_masks, device);
            let online_q = online.valid().q_values(next.clone());
            loss::double_q_target(rewards, discounts, online_q, self.target.q_values(next), next_masks)
        };
        let observations = matrix(&batch.observations, &device.clone().autodiff());
        let actions = Tensor::<1, Int>::from_data(TensorData::from(&batch.actions[..]), &device.clone().autodiff());
        let q = loss::taken(online.q_values(observations), actions);
        let errors = q.clone() - targets.clone().autodiff();
        Loss { loss: (loss::huber(errors) * vector(&batch.weights).autodiff()).mean(), q, targets }
    }

    fn sync_target(&mut self, online: &N, sync: TargetSync) {
        match sync {
            TargetSync::Hard { every } if self.adam.steps.is_multiple_of(every) => self.target = online.valid(),
            TargetSync::Hard { .. } => {}
            TargetSync::Polyak { tau } => {
                let online = parameters(online);
                self.target = map_values(self.target.clone(), online.iter(), |own, new| {
                    own.iter_mut().zip(&new.values).for_each(|(own, new)| *own = flush(*own + tau * (new - *own)));
                });
            }
        }
    }
}
