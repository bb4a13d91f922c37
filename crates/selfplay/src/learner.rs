//! Gradient steps on positions of duels.

use crate::network::ValueModule;
use burn::optim::GradientsParams;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use hognose_agent::parts::{Adam, Gradients};
use hognose_duel::{InputSizes, as_share};
use hognose_game::duel::Seat;

/// The positions of a gradient step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueBatch {
    /// The views of the first seats, then those of the second seats.
    views: Vec<f32>,
    /// The probability that the first seat wins, plus half that of a draw.
    targets: Vec<f32>,
}

impl ValueBatch {
    /// Makes a batch of encoded positions and their values.
    pub(crate) fn new<'a>(
        sizes: InputSizes,
        positions: impl Iterator<Item = (&'a [u8], f32)> + Clone,
    ) -> ValueBatch {
        let mut views = Vec::new();
        for seat in Seat::BOTH {
            for (record, _) in positions.clone() {
                let parts = sizes.view(record, seat).into_iter().flatten();
                views.extend(parts.map(|&input| as_share(input)));
            }
        }
        ValueBatch {
            views,
            targets: positions.map(|(_, value)| (value + 1.0) / 2.0).collect(),
        }
    }
}

/// The result of a gradient step: the mean cross-entropy, and the norm of the gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ValueStep {
    pub(crate) loss: f32,
    pub(crate) gradient_norm: f32,
    /// Whether all numbers are finite.
    pub(crate) is_sound: bool,
}

/// A network and its optimizer.
pub(crate) struct ValueLearner<N> {
    /// `None` only during a gradient step.
    pub(crate) network: Option<N>,
    pub(crate) adam: Adam,
}

impl<N: ValueModule> ValueLearner<N> {
    pub(crate) fn network(&self) -> &N {
        self.network
            .as_ref()
            .expect("no gradient step is under way")
    }

    pub(crate) fn learn(
        &mut self,
        batch: &ValueBatch,
        device: &Device,
        learning_rate: f64,
        max_gradient_norm: f32,
        average_decay: f32,
    ) -> ValueStep {
        let network = self.network.take().expect("no gradient step is under way");
        let loss = cross_entropy(&network, batch, &device.clone().autodiff());
        let gradients = Gradients::new(
            &network,
            GradientsParams::from_grads(loss.backward(), &network),
        );
        let loss = scalar(loss.inner());
        let gradient_norm = gradients.norm();
        if !(loss.is_finite() && gradient_norm.is_finite()) {
            self.network = Some(network);
            return ValueStep {
                loss,
                gradient_norm,
                is_sound: false,
            };
        }
        let (network, is_sound) = self.adam.step(
            network,
            &gradients,
            learning_rate,
            max_gradient_norm,
            average_decay,
        );
        self.network = Some(network);
        ValueStep {
            loss,
            gradient_norm,
            is_sound,
        }
    }

    /// Returns the loss on a batch, without a gradient step.
    pub(crate) fn loss_on(&self, batch: &ValueBatch, device: &Device) -> f32 {
        scalar(cross_entropy(&self.network().valid(), batch, device))
    }
}

fn scalar(tensor: Tensor<1>) -> f32 {
    tensor
        .into_data()
        .try_into_vec::<f32>()
        .expect("losses are f32")[0]
}

/// Returns the mean cross-entropy of the probabilities of winning.
fn cross_entropy<N: ValueModule>(network: &N, batch: &ValueBatch, device: &Device) -> Tensor<1> {
    let rows = batch.targets.len();
    let views = TensorData::new(
        batch.views.clone(),
        [2 * rows, batch.views.len() / (2 * rows)],
    );
    let halves = network.halves(Tensor::from_data(views, device));
    let logits = halves.clone().narrow(0, 0, rows) - halves.narrow(0, rows, rows);
    let targets = Tensor::<1>::from_data(TensorData::from(&batch.targets[..]), device);
    // ln(1 + e^x) - target x, written so that nothing overflows.
    let tail = (logits.clone().abs().neg().exp() + 1.0).log();
    (relu(logits.clone()) + tail - logits * targets).mean()
}
