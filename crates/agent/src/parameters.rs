//! A module's parameters as plain arrays, in burn's visiting order, and in files.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};
use hognose_store::{Arrays, StoreError, floats, numbers};
use std::path::Path;

/// Numbers with a magnitude below this are negligible compared with any other weight, gradient or
/// moment.
const TINY: f32 = 1e-30;

/// Returns the number, or 0 if it is negligible, so that products of two results are far from
/// denormal.
#[inline]
pub(crate) fn flush(number: f32) -> f32 {
    if number.abs() < TINY { 0.0 } else { number }
}

/// One parameter of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its path in the module, separated by dots.
    pub name: String,
    /// Its dimensions.
    pub shape: Vec<usize>,
    /// Its values, in row-major order.
    pub values: Vec<f32>,
}

/// Returns all float parameters of a module.
pub fn parameters<M: Module>(module: &M) -> Vec<Parameter> {
    struct Collect {
        path: Vec<String>,
        parameters: Vec<Parameter>,
    }
    impl ModuleVisitor for Collect {
        fn enter_module(&mut self, name: &str, _container_type: &str) {
            self.path.push(name.to_owned());
        }

        fn exit_module(&mut self, _name: &str, _container_type: &str) {
            self.path.pop();
        }

        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let tensor = param.val();
            self.parameters.push(Parameter {
                name: self.path.join("."),
                shape: tensor.dims().to_vec(),
                values: tensor
                    .into_data()
                    .try_into_vec()
                    .expect("parameters are f32"),
            });
        }
    }
    let mut collect = Collect {
        path: Vec::new(),
        parameters: Vec::new(),
    };
    module.visit(&mut collect);
    collect.parameters
}

/// Returns the module with other parameter values; `values` are arrays in the order and of the
/// sizes of [`parameters`].
pub fn with_values<'a, M: Module>(module: M, values: impl Iterator<Item = &'a [f32]>) -> M {
    map_values(module, values, |own, new| own.copy_from_slice(new))
}

/// Returns the module with each parameter's values changed by `change`, which also receives the
/// matching item of `with`.
pub(crate) fn map_values<M: Module, T>(
    module: M,
    with: impl Iterator<Item = T>,
    change: impl FnMut(&mut [f32], T),
) -> M {
    struct Map<I, F> {
        with: I,
        change: F,
    }
    impl<T, I: Iterator<Item = T>, F: FnMut(&mut [f32], T)> ModuleMapper for Map<I, F> {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let with = self.with.next().expect("one item for each parameter");
            let (id, tensor, mapper) = param.consume();
            let device = tensor.device();
            let shape = tensor.dims();
            let autodiff = tensor.is_autodiff();
            let require_grad = tensor.is_require_grad();
            let mut values = tensor
                .inner()
                .into_data()
                .try_into_vec::<f32>()
                .expect("parameters are f32");
            (self.change)(&mut values, with);
            let tensor = Tensor::<D>::from_data(TensorData::new(values, shape), &device.inner());
            let tensor = if autodiff {
                tensor.autodiff().set_require_grad(require_grad)
            } else {
                tensor
            };
            Param::from_mapped_value(id, tensor, mapper)
        }
    }
    module.map(&mut Map { with, change })
}

/// Adds a module's parameters, with names under a prefix.
pub fn put_parameters(arrays: &mut Arrays, prefix: &str, parameters: &[Parameter]) {
    for Parameter {
        name,
        shape,
        values,
    } in parameters
    {
        arrays.insert(format!("{prefix}.{name}"), floats(shape.clone(), values));
    }
}

/// Takes the arrays under a prefix with the names and shapes of `like`.
///
/// # Errors
/// Fails if an array is missing or has another shape.
pub fn take_parameters(
    arrays: &mut Arrays,
    prefix: &str,
    like: &[Parameter],
    path: &Path,
) -> Result<Vec<Vec<f32>>, StoreError> {
    like.iter()
        .map(|parameter| {
            let name = format!("{prefix}.{}", parameter.name);
            let got = match arrays.remove(&name) {
                None => "missing".to_owned(),
                Some((shape, dtype, bytes)) => match numbers(dtype, &bytes) {
                    Some(values) if shape == parameter.shape => return Ok(values),
                    Some(_) => format!("{shape:?}"),
                    None => format!("{shape:?} of {dtype:?}"),
                },
            };
            Err(StoreError::Mismatch {
                path: path.to_owned(),
                what: format!("the shape of the network's {}", parameter.name),
                expected: format!("{:?}", parameter.shape),
                got,
            })
        })
        .collect()
}
