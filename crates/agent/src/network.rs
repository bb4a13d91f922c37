//! Networks that map observations to Q-values.

use crate::layers::{linear, uniform};
use burn::module::Module;
use burn::nn::{Linear, PaddingConfig2d, conv::Conv2d, conv::Conv2dConfig};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use hognose_env::Space;
use hognose_game::rng::{self, Generator, Purpose};
use serde::{Deserialize, Serialize};

const WEIGHTS: Purpose = Purpose::new("weights");

/// The most weights of a network: 4 GiB.
const MOST_WEIGHTS: usize = 1 << 30;

/// What training needs of a network: any burn `Module` with this one method trains unchanged. Its policies are saved by
/// [`save_policy`](crate::save_policy) and loaded by [`load_policy_with`](crate::load_policy_with).
///
/// ```
/// use burn::module::Module;
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
    /// Q-values `[batch, actions]` of observations `[batch, values]`; a row must not depend on the other rows.
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2>;
}

/// The networks that experiments choose from, with their sizes.
///
/// ```
/// use hognose_agent::{NetworkConfig, device};
/// use hognose_env::Space;
///
/// let space = Space { planes: [6, 11, 11], scalars: 20 };
/// let config = NetworkConfig::Cnn { channels: vec![8], hidden: vec![32] };
/// let network = config.build(space, 3, 0, &device("cpu")?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum NetworkConfig {
    /// Fully connected layers on the whole observation.
    Mlp {
        /// Units of each hidden layer.
        hidden: Vec<usize>,
    },
    /// 3x3 convolutions on the planes, then fully connected layers on all that and the scalars.
    Cnn {
        /// Channels of each convolution.
        channels: Vec<usize>,
        /// Units of each hidden layer.
        hidden: Vec<usize>,
    },
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig::Mlp { hidden: vec![512, 256, 128] }
    }
}

impl NetworkConfig {
    /// A network with weights drawn from (seed, "weights"), on a device.
    ///
    /// # Errors
    /// In words, when the sizes make no network, or one of more than 2^30 weights.
    pub fn build(&self, space: Space, actions: usize, seed: u64, device: &Device) -> Result<Network, String> {
        let weights = self.weights(space, actions);
        if weights > MOST_WEIGHTS {
            return Err(format!("the network must have at most {MOST_WEIGHTS} weights, got {weights}"));
        }
        let mut draws = rng::keyed(seed, WEIGHTS, 0);
        match self {
            NetworkConfig::Mlp { hidden } => {
                check_sizes("network.hidden", hidden)?;
                Ok(Network::Mlp(Mlp::new(space.len(), hidden, actions, &mut draws, device)))
            }
            NetworkConfig::Cnn { channels, hidden } => {
                check_sizes("network.hidden", hidden)?;
                check_sizes("network.channels", channels)?;
                if space.planes[0] == 0 {
                    return Err("network.kind \"cnn\" needs an observation with planes".to_owned());
                }
                Ok(Network::Cnn(Cnn::new(space, channels, hidden, actions, &mut draws, device)))
            }
        }
    }

    /// How many weights the network has, biases included; the greatest number where there are more.
    pub(crate) fn weights(&self, space: Space, actions: usize) -> usize {
        let Space { planes: [planes, height, width], scalars } = space;
        // Of layers of these sizes, where a unit has so many weights for each unit before it, and a bias.
        let layers = |sizes: &[usize], each: usize| {
            let layer = |pair: &[usize]| pair[0].saturating_mul(each).saturating_add(1).saturating_mul(pair[1]);
            sizes.windows(2).map(layer).fold(0, usize::saturating_add)
        };
        // One output is the value.
        let dense = |inputs: usize, hidden: &[usize]| layers(&[&[inputs], hidden, &[actions + 1]].concat(), 1);
        match self {
            NetworkConfig::Mlp { hidden } => dense(space.len(), hidden),
            NetworkConfig::Cnn { channels, hidden } => {
                let seen = channels.last().unwrap_or(&0).saturating_mul(height * width).saturating_add(scalars);
                layers(&[&[planes], channels.as_slice()].concat(), 9).saturating_add(dense(seen, hidden))
            }
        }
    }
}

fn check_sizes(key: &str, sizes: &[usize]) -> Result<(), String> {
    if sizes.is_empty() || sizes.contains(&0) {
        return Err(format!("{key} must be one or more sizes of at least 1, got {sizes:?}"));
    }
    Ok(())
}

/// One of the networks of [`NetworkConfig`].
#[derive(Module, Debug)]
pub enum Network {
    /// Fully connected layers, as [`NetworkConfig::Mlp`] describes them.
    Mlp(Mlp),
    /// Convolutions and fully connected layers, as [`NetworkConfig::Cnn`] describes them.
    Cnn(Cnn),
}

impl Network {
    /// What the network was built of.
    pub fn config(&self) -> NetworkConfig {
        match self {
            Network::Mlp(network) => NetworkConfig::Mlp { hidden: network.hidden_sizes() },
            Network::Cnn(Cnn { convolutions, head, .. }) => NetworkConfig::Cnn {
                channels: convolutions.iter().map(|layer| layer.weight.dims()[0]).collect(),
                hidden: head.hidden_sizes(),
            },
        }
    }
}

impl QNetwork for Network {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        match self {
            Network::Mlp(network) => network.q_values(observations),
            Network::Cnn(network) => network.q_values(observations),
        }
    }
}

/// Fully connected layers with ReLU, then dueling heads: value + advantage - mean advantage (Wang et al., 2016).
#[derive(Module, Debug)]
pub struct Mlp {
    hidden: Vec<Linear>,
    value: Linear,
    advantage: Linear,
}

impl Mlp {
    fn new(inputs: usize, hidden: &[usize], actions: usize, draws: &mut Generator, device: &Device) -> Mlp {
        let mut sizes = vec![inputs];
        sizes.extend(hidden);
        let last = sizes[sizes.len() - 1];
        Mlp {
            hidden: sizes.windows(2).map(|pair| linear(pair[0], pair[1], draws, device)).collect(),
            value: linear(last, 1, draws, device),
            advantage: linear(last, actions, draws, device),
        }
    }

    fn hidden_sizes(&self) -> Vec<usize> {
        self.hidden.iter().map(|layer| layer.weight.dims()[1]).collect()
    }
}

impl QNetwork for Mlp {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        let features = self.hidden.iter().fold(observations, |x, layer| relu(layer.forward(x)));
        let advantage = self.advantage.forward(features.clone());
        self.value.forward(features) + advantage.clone() - advantage.mean_dim(1)
    }
}

/// 3x3 convolutions with ReLU that keep the size, then an [`Mlp`].
#[derive(Module, Debug)]
pub struct Cnn {
    convolutions: Vec<Conv2d>,
    head: Mlp,
    planes: usize,
    height: usize,
    width: usize,
}

impl Cnn {
    fn new(
        space: Space,
        channels: &[usize],
        hidden: &[usize],
        actions: usize,
        draws: &mut Generator,
        device: &Device,
    ) -> Cnn {
        let [planes, height, width] = space.planes;
        let mut sizes = vec![planes];
        sizes.extend(channels);
        let inputs = sizes[sizes.len() - 1] * height * width + space.scalars;
        Cnn {
            convolutions: sizes.windows(2).map(|pair| convolution(pair[0], pair[1], draws, device)).collect(),
            head: Mlp::new(inputs, hidden, actions, draws, device),
            planes,
            height,
            width,
        }
    }
}

impl QNetwork for Cnn {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        let [batch, values] = observations.dims();
        let picture = self.planes * self.height * self.width;
        let planes = observations.clone().slice([0..batch, 0..picture]);
        let planes = planes.reshape([batch, self.planes, self.height, self.width]);
        let features = self.convolutions.iter().fold(planes, |x, layer| relu(layer.forward(x)));
        let features = features.flatten(1, 3);
        if values == picture {
            return self.head.q_values(features);
        }
        self.head.q_values(Tensor::cat(vec![features, observations.slice([0..batch, picture..values])], 1))
    }
}

fn convolution(inputs: usize, outputs: usize, draws: &mut Generator, device: &Device) -> Conv2d {
    let config = Conv2dConfig::new([inputs, outputs], [3, 3]).with_padding(PaddingConfig2d::Same);
    let mut layer = config.init(device);
    layer.weight = uniform(inputs * 9, [outputs, inputs, 3, 3], draws, device);
    layer.bias = Some(uniform(inputs * 9, [outputs], draws, device));
    layer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::parameters;

    #[test]
    fn weights_are_counted_as_they_are_built() {
        let space = Space { planes: [3, 4, 5], scalars: 7 };
        let (channels, hidden) = (vec![8, 6], vec![9, 2]);
        for config in [NetworkConfig::Mlp { hidden: hidden.clone() }, NetworkConfig::Cnn { channels, hidden }] {
            let network = config.build(space, 3, 0, &Device::flex()).unwrap();
            assert_eq!(network.config(), config);
            let built: usize = parameters(&network).iter().map(|parameter| parameter.values.len()).sum();
            assert_eq!(config.weights(space, 3), built);
        }
        let huge = NetworkConfig::Mlp { hidden: vec![usize::MAX, 1 << 40] };
        assert!(huge.build(space, 3, 0, &Device::flex()).unwrap_err().contains("at most 1073741824 weights"));
    }
}
