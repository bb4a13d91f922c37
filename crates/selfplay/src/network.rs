//! Networks that value positions of duels.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use hognose_agent::parts::linear;
use hognose_duel::{InputSizes, ValueNetwork};
use hognose_game::rng::{self, Purpose};

const WEIGHTS: Purpose = Purpose::new("value weights");

/// A network that values duels, as training requires it. The value of a position is antisymmetric
/// by construction: the log-odds of a win are the output for one's own view minus that for the
/// opponent's view.
pub trait ValueModule: Module + 'static {
    /// Returns the outputs `[rows]` of views `[rows, inputs]`: a seat's own snake, the other, and
    /// the shared inputs, as shares from 0 to 1. A row must not depend on the other rows.
    fn halves(&self, views: Tensor<2>) -> Tensor<1>;

    /// Converts this network to plain arithmetic, for the bot.
    ///
    /// # Errors
    /// Fails if its weights are not finite.
    fn plain(&self, sizes: InputSizes) -> Result<ValueNetwork, String>;
}

/// Fully connected layers with ReLU, and one output.
#[derive(Module, Debug)]
pub struct ValueMlp {
    layers: Vec<Linear>,
}

impl ValueMlp {
    /// Makes a network with hidden layers of these sizes, with weights drawn from (seed, "value
    /// weights").
    ///
    /// # Errors
    /// Fails if a layer has no units or more than 256, or there are more than 8 hidden layers.
    pub fn new(
        sizes: InputSizes,
        hidden: &[usize],
        seed: u64,
        device: &Device,
    ) -> Result<ValueMlp, String> {
        if !hidden.iter().all(|units| (1..=256).contains(units)) || hidden.len() > 8 {
            return Err(format!(
                "network.hidden must be at most 8 sizes of 1..=256, got {hidden:?}"
            ));
        }
        let mut draws = rng::keyed(seed, WEIGHTS, 0);
        let units = [&[sizes.record()], hidden, &[1]].concat();
        Ok(ValueMlp {
            layers: units
                .windows(2)
                .map(|pair| linear(pair[0], pair[1], &mut draws, device))
                .collect(),
        })
    }
}

impl ValueModule for ValueMlp {
    fn halves(&self, views: Tensor<2>) -> Tensor<1> {
        let (last, hidden) = self.layers.split_last().expect("there is a last layer");
        last.forward(hidden.iter().fold(views, |x, layer| relu(layer.forward(x))))
            .squeeze_dim(1)
    }

    fn plain(&self, sizes: InputSizes) -> Result<ValueNetwork, String> {
        let numbers =
            |data: burn::tensor::TensorData| data.try_into_vec::<f32>().expect("weights are f32");
        let layers = self.layers.iter().map(|layer| {
            let bias = layer.bias.as_ref().expect("layers have biases").val();
            (
                numbers(layer.weight.val().into_data()),
                numbers(bias.into_data()),
            )
        });
        ValueNetwork::new(sizes, layers.collect())
    }
}
