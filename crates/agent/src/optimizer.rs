//! Adam over plain arrays: one pass over each parameter, and a state that can be saved directly.

use crate::parameters::{Parameter, flush, map_values, parameters, take_parameters, with_values};
use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use hognose_store::{Arrays, StoreError, floats};
use std::path::Path;

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// The Adam optimizer (Kingma and Ba, 2015) with clipping by the global gradient norm, and an
/// exponential moving average of the weights for play (Polyak averaging). burn's own Adam allocates
/// a tensor for every operation, clips each tensor by its own norm, and keeps no average.
#[derive(Clone, Debug)]
pub struct Adam {
    /// Steps taken.
    pub steps: u64,
    /// First moments of each parameter.
    pub first: Vec<Vec<f32>>,
    /// Second moments of each parameter.
    pub second: Vec<Vec<f32>>,
    /// Averaged weights; empty if no average is kept.
    pub average: Vec<Vec<f32>>,
}

impl Adam {
    /// Creates the optimizer of a module; `averaged` keeps an average of its weights.
    pub fn new<M: Module>(module: &M, averaged: bool) -> Adam {
        let weights: Vec<Vec<f32>> = parameters(module)
            .into_iter()
            .map(|parameter| parameter.values)
            .collect();
        let zeros: Vec<Vec<f32>> = weights
            .iter()
            .map(|values| vec![0.0; values.len()])
            .collect();
        Adam {
            steps: 0,
            first: zeros.clone(),
            second: zeros,
            average: if averaged { weights } else { Vec::new() },
        }
    }

    /// Takes a step with the gradient clipped to a norm of `max_norm`, and returns the new module
    /// and whether all its weights are finite. `decay` is the decay of the average. Negligible
    /// numbers become zero, so that none decays into a denormal, which slows processors down
    /// tenfold.
    pub fn step<M: Module>(
        &mut self,
        module: M,
        gradients: &Gradients,
        learning_rate: f64,
        max_norm: f32,
        decay: f32,
    ) -> (M, bool) {
        let norm = gradients.norm();
        let scale = if norm > max_norm {
            max_norm / norm
        } else {
            1.0
        };
        self.steps += 1;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let correction_1 = 1.0 - f64::from(BETA_1).powi(power);
        let correction_2 = 1.0 - f64::from(BETA_2).powi(power);
        let rate = (learning_rate * correction_2.sqrt() / correction_1) as f32;
        let epsilon = EPSILON * correction_2.sqrt() as f32;
        // Early on, the average would be mostly initial weights, so it forgets at least as fast as
        // a plain mean.
        let decay = decay.min(1.0 - 1.0 / (self.steps as f32 + 1.0));
        let mut average = self.average.iter_mut();
        let state = self
            .first
            .iter_mut()
            .zip(&mut self.second)
            .zip(&gradients.values);
        let state =
            state.map(|((first, second), gradient)| (first, second, gradient, average.next()));
        let mut finite = true;
        let module = map_values(
            module,
            state,
            |weights, (first, second, gradient, average)| {
                if let Some(gradient) = gradient {
                    for (((w, m), v), &g) in weights.iter_mut().zip(first).zip(second).zip(gradient)
                    {
                        let g = g * scale;
                        *m = flush(BETA_1 * *m + (1.0 - BETA_1) * g);
                        *v = flush(BETA_2 * *v + (1.0 - BETA_2) * g * g);
                        *w = flush(*w - rate * *m / (v.sqrt() + epsilon));
                        finite &= w.is_finite();
                    }
                }
                if let Some(average) = average {
                    average
                        .iter_mut()
                        .zip(&*weights)
                        .for_each(|(a, w)| *a = flush(decay * *a + (1.0 - decay) * w));
                }
            },
        );
        (module, finite)
    }

    /// Returns the module with the averaged weights, or unchanged if no average is kept.
    pub fn averaged<M: Module>(&self, module: M) -> M {
        if self.average.is_empty() {
            module
        } else {
            with_values(module, self.average.iter().map(Vec::as_slice))
        }
    }

    /// Adds the moments and averages of parameters to a file.
    pub fn put(&self, arrays: &mut Arrays, parameters: &[Parameter]) {
        for (prefix, values) in [
            (FIRST, &self.first),
            (SECOND, &self.second),
            (AVERAGE, &self.average),
        ] {
            for (parameter, values) in parameters.iter().zip(values) {
                let name = format!("{prefix}.{}", parameter.name);
                arrays.insert(name, floats(parameter.shape.clone(), values));
            }
        }
    }

    /// Takes what [`put`](Self::put) added for parameters like these; averages only if they are
    /// kept.
    ///
    /// # Errors
    /// Fails if an array is missing or has another shape.
    pub fn take(
        &mut self,
        arrays: &mut Arrays,
        like: &[Parameter],
        path: &Path,
    ) -> Result<(), StoreError> {
        for (prefix, values) in [
            (FIRST, &mut self.first),
            (SECOND, &mut self.second),
            (AVERAGE, &mut self.average),
        ] {
            if !values.is_empty() {
                *values = take_parameters(arrays, prefix, like, path)?;
            }
        }
        Ok(())
    }
}

/// The prefixes of the arrays that an optimizer saves for each parameter.
const FIRST: &str = "adam.first";
const SECOND: &str = "adam.second";
const AVERAGE: &str = "average";

/// The gradients of a module's parameters, and their global norm.
#[derive(Clone, Debug)]
pub struct Gradients {
    /// In visiting order; `None` if the loss does not depend on a parameter.
    values: Vec<Option<Vec<f32>>>,
    norm: f32,
}

impl Gradients {
    /// Collects the gradients of a module's parameters.
    pub fn new<M: Module>(module: &M, gradients: GradientsParams) -> Gradients {
        struct Collect {
            gradients: GradientsParams,
            collected: Vec<Option<Vec<f32>>>,
        }
        impl ModuleVisitor for Collect {
            fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
                let gradient = self.gradients.remove::<D>(param.id);
                let values = gradient.map(|gradient| {
                    gradient
                        .into_data()
                        .try_into_vec()
                        .expect("gradients are f32")
                });
                self.collected.push(values);
            }
        }
        let mut collect = Collect {
            gradients,
            collected: Vec::new(),
        };
        module.visit(&mut collect);
        Gradients::of(collect.collected)
    }

    fn of(values: Vec<Option<Vec<f32>>>) -> Gradients {
        let norm = values
            .iter()
            .flatten()
            .flatten()
            .map(|&x| f64::from(x) * f64::from(x))
            .sum::<f64>()
            .sqrt() as f32;
        Gradients { values, norm }
    }

    /// Returns the global norm of the gradients.
    pub fn norm(&self) -> f32 {
        self.norm
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::optim::AdamConfig;
    use burn::tensor::{Device, TensorData};

    #[derive(Module, Debug)]
    struct Weights {
        values: Param<Tensor<1>>,
    }

    /// Returns the gradients of the sum of (w - target)^2.
    fn gradients(module: &Weights) -> GradientsParams {
        let target = Tensor::<1>::from_data(
            TensorData::from([1.0f32, -2.0, 0.5]),
            &module.values.val().device(),
        );
        let loss = (module.values.val() - target).powi_scalar(2).sum();
        GradientsParams::from_grads(loss.backward(), module)
    }

    /// A weight whose gradient stays 0 after one step: its moments decay to 0 before they become
    /// denormal.
    #[test]
    fn moments_that_decay_become_zero() {
        let device = Device::flex().autodiff();
        let mut module = Weights {
            values: Param::from_data(TensorData::from([0.3f32, 0.1, -4.0]), &device),
        };
        let mut adam = Adam::new(&module, true);
        module = adam
            .step(
                module,
                &Gradients::of(vec![Some(vec![1e-3, 1.0, -1.0])]),
                1e-4,
                10.0,
                0.9,
            )
            .0;
        for _ in 0..100_000 {
            module = adam
                .step(
                    module,
                    &Gradients::of(vec![Some(vec![0.0; 3])]),
                    1e-4,
                    10.0,
                    0.9,
                )
                .0;
            let numbers = [&adam.first[0], &adam.second[0], &adam.average[0]]
                .into_iter()
                .flatten();
            assert!(
                numbers.clone().all(|number| !number.is_subnormal()),
                "{:?}",
                numbers.collect::<Vec<_>>()
            );
        }
        assert_eq!(
            (&adam.first[0], &adam.second[0]),
            (&vec![0.0; 3], &vec![0.0; 3])
        );
    }

    #[test]
    fn steps_equal_burns_adam() {
        let device = Device::flex().autodiff();
        let mut own = Weights {
            values: Param::from_data(TensorData::from([0.3f32, 0.1, -4.0]), &device),
        };
        let mut burns = own.clone();
        let mut adam = Adam::new(&own, true);
        let mut reference = AdamConfig::new().with_epsilon(EPSILON).init();
        for _ in 0..50 {
            let gradient = Gradients::new(&own, gradients(&own));
            own = adam.step(own, &gradient, 0.05, f32::INFINITY, 0.9).0;
            let gradient = gradients(&burns);
            burns = reference.step(0.05, burns, gradient);
        }
        let own = parameters(&own);
        let burns = parameters(&burns);
        for (a, b) in own[0].values.iter().zip(&burns[0].values) {
            assert!((a - b).abs() < 1e-5, "{own:?} {burns:?}");
        }
        assert_eq!(own[0].name, "values");
    }

    /// The first step of Adam moves every weight by the learning rate, against the sign of the
    /// gradient.
    #[test]
    fn the_first_step_clips_and_averages() {
        let device = Device::flex().autodiff();
        let module = Weights {
            values: Param::from_data(TensorData::from([2.0f32, -2.0, 3.5]), &device),
        };
        let mut adam = Adam::new(&module, true);
        let gradient = Gradients::new(&module, gradients(&module));
        assert!((gradient.norm() - (4.0f32 + 0.0 + 36.0).sqrt()).abs() < 1e-5);
        let (module, finite) = adam.step(module, &gradient, 0.1, 0.5, 0.9);
        assert!(
            finite
                && !adam
                    .clone()
                    .step(module.clone(), &gradient, 1e39, 0.5, 0.9)
                    .1
        );
        let after = &parameters(&module)[0].values;
        assert!(
            (after[0] - 1.9).abs() < 1e-5 && after[1] == -2.0 && (after[2] - 3.4).abs() < 1e-5,
            "{after:?}"
        );
        // After two weights, the average is their mean.
        assert!((adam.average[0][0] - 1.95).abs() < 1e-5);
    }
}
