//! Networks that map observations to Q-values.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::{relu, tanh};
use burn::tensor::{Device, Tensor, TensorData};
use hognose_env::Space;
use hognose_game::rng::{self, Generator, Purpose};
use rand_distr::{Distribution, Uniform};
use serde::{Deserialize, Serialize};

const WEIGHTS: Purpose = Purpose::new("weights");

/// The maximum number of weights of a network: 4 GiB.
const MOST_WEIGHTS: usize = 1 << 30;

/// A network that can be trained: any burn `Module` with this one method.
/// [`save_policy`](crate::save_policy) saves its policies and
/// [`load_policy_with`](crate::load_policy_with) loads them. The example `own_network` of this
/// crate trains a convolutional network.
///
/// ```
/// use burn::module::{Module, Param};
/// use burn::nn::{Linear, LinearConfig};
/// use burn::tensor::{Device, Tensor};
/// use hognose_agent::QNetwork;
///
/// /// A Q-value for each action, linear in the observation.
/// #[derive(Module, Debug)]
/// struct OneLayer {
///     layer: Linear,
/// }
///
/// impl QNetwork for OneLayer {
///     fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
///         self.layer.forward(observations)
///     }
/// }
///
/// let device = Device::flex();
/// let network = OneLayer { layer: LinearConfig::new(24, 3).init(&device) };
/// assert_eq!(network.q_values(Tensor::zeros([5, 24], &device)).dims(), [5, 3]);
/// ```
pub trait QNetwork: Module + 'static {
    /// Maps observations `[batch, values]` to Q-values `[batch, actions]`; a row must not depend on
    /// the other rows.
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2>;
}

/// The architecture of a [`Network`].
///
/// ```
/// use hognose_agent::{NetworkConfig, device};
/// use hognose_env::Space;
///
/// let space = Space { planes: [6, 11, 11], scalars: 20 };
/// let config = NetworkConfig { hidden: vec![32], ..NetworkConfig::default() };
/// let network = config.build(space, 3, 0, &device("cpu")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkConfig {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// Whether the Q-values of several actions are value + advantage - mean advantage (Wang et al.,
    /// 2016).
    pub dueling: bool,
    /// What follows each hidden layer.
    #[serde(skip_serializing_if = "Activation::is_default")]
    pub activation: Activation,
}

/// The activation function of hidden layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// max(x, 0).
    #[default]
    Relu,
    /// The hyperbolic tangent, as in policies of Stable-Baselines3's PPO.
    Tanh,
}

impl Activation {
    fn is_default(&self) -> bool {
        *self == Activation::default()
    }

    fn of(self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Activation::Relu => relu(x),
            Activation::Tanh => tanh(x),
        }
    }
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig {
            hidden: vec![512, 256, 128],
            dueling: true,
            activation: Activation::default(),
        }
    }
}

impl NetworkConfig {
    /// Builds a network on a device, with weights drawn from (seed, "weights").
    ///
    /// # Errors
    /// Fails with a message if the sizes are invalid or the network would have more than 2^30
    /// weights.
    pub fn build(
        &self,
        space: Space,
        outputs: usize,
        seed: u64,
        device: &Device,
    ) -> Result<Network, String> {
        let NetworkConfig {
            hidden,
            dueling,
            activation,
        } = self;
        if hidden.is_empty() || hidden.contains(&0) {
            return Err(format!(
                "network.hidden must be one or more sizes of at least 1, got {hidden:?}"
            ));
        }
        let weights = self.weights(space, outputs);
        if weights > MOST_WEIGHTS {
            return Err(format!(
                "the network must have at most {MOST_WEIGHTS} weights, got {weights}"
            ));
        }
        let mut draws = rng::keyed(seed, WEIGHTS, 0);
        let mut layer = |inputs, outputs| linear(inputs, outputs, &mut draws, device);
        let mut features = space.len();
        let hidden = hidden
            .iter()
            .map(|&units| layer(std::mem::replace(&mut features, units), units))
            .collect();
        let is_dueling = outputs > 1 && *dueling;
        Ok(Network {
            hidden,
            value: layer(features, if is_dueling { 1 } else { outputs }),
            advantage: is_dueling.then(|| layer(features, outputs)),
            activation: *activation,
        })
    }

    /// Returns the number of weights, biases included, or the maximum of the type if there are
    /// more.
    pub(crate) fn weights(&self, space: Space, outputs: usize) -> usize {
        let heads = outputs + usize::from(outputs > 1 && self.dueling);
        let sizes = [&[space.len()], self.hidden.as_slice(), &[heads]].concat();
        let layers = sizes
            .windows(2)
            .map(|pair| pair[0].saturating_add(1).saturating_mul(pair[1]));
        layers.fold(0, usize::saturating_add)
    }
}

/// Fully connected layers: a multilayer perceptron.
#[derive(Module, Debug)]
pub struct Network {
    hidden: Vec<Linear>,
    /// The values of the outputs or, with dueling heads, the value of the state.
    value: Linear,
    /// The advantage of each action, with dueling heads.
    advantage: Option<Linear>,
    #[module(skip)]
    activation: Activation,
}

impl Network {
    /// Returns the configuration that the network was built from.
    pub fn config(&self) -> NetworkConfig {
        let hidden = self
            .hidden
            .iter()
            .map(|layer| layer.weight.dims()[1])
            .collect();
        NetworkConfig {
            hidden,
            dueling: self.advantage.is_some(),
            activation: self.activation,
        }
    }

    /// Returns the outputs of each hidden layer for observations `[batch, values]`, and what each
    /// unit of the last one adds to the first output.
    pub(crate) fn layers(&self, observations: Tensor<2>) -> (Vec<Tensor<2>>, Tensor<2>) {
        let mut layers: Vec<Tensor<2>> = Vec::new();
        for layer in &self.hidden {
            let below = layers.last().unwrap_or(&observations).clone();
            layers.push(self.activation.of(layer.forward(below)));
        }
        let features = layers.last().expect("there is a hidden layer").clone();
        let weights = self.value.weight.val().transpose().narrow(0, 0, 1);
        (layers, features * weights)
    }
}

impl QNetwork for Network {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        let features = self.hidden.iter().fold(observations, |x, layer| {
            self.activation.of(layer.forward(x))
        });
        let value = self.value.forward(features.clone());
        let Some(advantage) = &self.advantage else {
            return value;
        };
        let advantage = advantage.forward(features);
        value + advantage.clone() - advantage.mean_dim(1)
    }
}

/// Draws weights or biases uniformly within 1 / sqrt(inputs) of 0 (the range of LeCun et al., 1998,
/// as in PyTorch).
fn uniform<const D: usize>(
    inputs: usize,
    shape: [usize; D],
    draws: &mut Generator,
    device: &Device,
) -> Param<Tensor<D>> {
    let bound = 1.0 / (inputs as f32).sqrt();
    let range = Uniform::new_inclusive(-bound, bound).expect("the bound is finite");
    let values: Vec<f32> = range
        .sample_iter(draws)
        .take(shape.iter().product())
        .collect();
    Param::from_data(TensorData::new(values, shape), device)
}

/// Returns a fully connected layer with random weights.
pub fn linear(inputs: usize, outputs: usize, draws: &mut Generator, device: &Device) -> Linear {
    Linear {
        weight: uniform(inputs, [inputs, outputs], draws, device),
        bias: Some(uniform(inputs, [outputs], draws, device)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::parameters;

    #[test]
    fn weights_are_counted_as_they_are_built() {
        let space = Space {
            planes: [3, 4, 5],
            scalars: 7,
        };
        for (outputs, dueling, heads) in [(3, true, 2), (3, false, 1), (1, false, 1)] {
            let config = NetworkConfig {
                hidden: vec![9, 2],
                dueling,
                activation: Activation::Tanh,
            };
            let network = config.build(space, outputs, 0, &Device::flex()).unwrap();
            assert_eq!(network.config(), config);
            let built = parameters(&network);
            assert_eq!(built.len(), 2 * (2 + heads));
            assert_eq!(
                config.weights(space, outputs),
                built
                    .iter()
                    .map(|parameter| parameter.values.len())
                    .sum::<usize>()
            );
        }
        let huge = NetworkConfig {
            hidden: vec![usize::MAX, 1 << 40],
            ..NetworkConfig::default()
        };
        assert!(
            huge.build(space, 3, 0, &Device::flex())
                .unwrap_err()
                .contains("at most 1073741824 weights")
        );
    }

    /// With dueling heads, the mean of the Q-values is the value; a single output has no advantage.
    #[test]
    fn dueling_heads_center_the_advantages() {
        let space = Space {
            planes: [0, 0, 0],
            scalars: 4,
        };
        let device = Device::flex();
        let network = NetworkConfig {
            hidden: vec![5],
            ..NetworkConfig::default()
        }
        .build(space, 3, 0, &device)
        .unwrap();
        let observations = Tensor::<2>::ones([2, 4], &device);
        let features = relu(network.hidden[0].forward(observations.clone()));
        let mean = network.q_values(observations).mean_dim(1);
        let value = network.value.forward(features);
        assert!((mean - value).abs().max().into_scalar::<f32>() < 1e-6);
        assert!(
            NetworkConfig::default()
                .build(space, 1, 0, &device)
                .unwrap()
                .advantage
                .is_none()
        );
    }
}
