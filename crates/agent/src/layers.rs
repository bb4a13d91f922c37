//! Layers with weights that a seed decides.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use hognose_game::rng::Generator;
use rand_distr::{Distribution, Uniform};

/// Uniform within 1 / sqrt(inputs) of 0, weights and bias (the range of LeCun et al., 1998, as
/// PyTorch draws them).
pub(crate) fn uniform<const D: usize>(
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

/// A fully connected layer.
pub fn linear(inputs: usize, outputs: usize, draws: &mut Generator, device: &Device) -> Linear {
    Linear {
        weight: uniform(inputs, [inputs, outputs], draws, device),
        bias: Some(uniform(inputs, [outputs], draws, device)),
    }
}
