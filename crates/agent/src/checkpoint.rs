//! The parameters of modules, and the state of their optimizer, in files.

use crate::optimizer::Adam;
use crate::parameters::Parameter;
use hognose_store::{Arrays, StoreError, floats, numbers};
use std::path::Path;

/// Adds a module's parameters, named under a prefix.
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

/// Takes arrays named under a prefix, of the names and shapes of `like`.
///
/// # Errors
/// When there is none of a name, or one of another shape.
pub fn take_parameters(
    arrays: &mut Arrays,
    prefix: &str,
    like: &[Parameter],
    path: &Path,
) -> Result<Vec<Vec<f32>>, StoreError> {
    let take = |parameter: &Parameter| {
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
    };
    like.iter().map(take).collect()
}

/// The prefixes of the arrays that an optimizer has for each parameter.
const FIRST: &str = "adam.first";
const SECOND: &str = "adam.second";
const AVERAGE: &str = "average";

/// Adds the moments of a module's parameters and their averages.
pub fn put_adam(arrays: &mut Arrays, adam: &Adam, parameters: &[Parameter]) {
    let Adam {
        first,
        second,
        average,
        ..
    } = adam;
    for (prefix, values) in [(FIRST, first), (SECOND, second), (AVERAGE, average)] {
        for (parameter, values) in parameters.iter().zip(values) {
            arrays.insert(
                format!("{prefix}.{}", parameter.name),
                floats(parameter.shape.clone(), values),
            );
        }
    }
}

/// Takes what [`put_adam`] added for parameters like these, and averages only where they are kept.
///
/// # Errors
/// When there is none of a parameter, or one of another shape.
pub fn take_adam(
    arrays: &mut Arrays,
    adam: &mut Adam,
    like: &[Parameter],
    path: &Path,
) -> Result<(), StoreError> {
    let Adam {
        first,
        second,
        average,
        ..
    } = adam;
    for (prefix, values) in [(FIRST, first), (SECOND, second), (AVERAGE, average)] {
        if !values.is_empty() {
            *values = take_parameters(arrays, prefix, like, path)?;
        }
    }
    Ok(())
}
