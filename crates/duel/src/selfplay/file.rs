//! Files of learned values.

use super::encoder::InputSizes;
use super::features::SIZES;
use super::network::ValueNetwork;
use hognose_game::duel::DuelRules;
use hognose_store::{
    Arrays, Contents, StoreError, corrupt, expect_same, file_at, floats, parse, read, take_floats,
    write,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The contents of a duel agent's file: the learned value, and the rules that it was learned with.
///
/// ```
/// use hognose_duel::{DuelEncoder, Features, ValueFile, ValueNetwork};
/// use hognose_game::duel::DuelRules;
///
/// let rules = DuelRules::ai_snakes_2021();
/// let sizes = Features::new(rules)?.sizes();
/// let network = ValueNetwork::new(sizes, vec![(vec![0.0; sizes.record()], vec![0.0])])?;
/// let path =
///     std::env::temp_dir().join(format!("hognose-value-{}.safetensors", std::process::id()));
/// let file = ValueFile { rules, network };
/// file.write(&path)?;
/// assert_eq!(ValueFile::read(&path)?, file);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFile {
    /// The rules of the duels that it was learned from.
    pub rules: DuelRules,
    /// The value.
    pub network: ValueNetwork,
}

#[derive(Serialize, Deserialize)]
struct State {
    kind: String,
    rules: DuelRules,
    inputs: [usize; 2],
    layers: usize,
}

/// The `kind` of these files.
const KIND: &str = "duel-policy";
/// The name of the file in a run's folder, without its extension.
const NAME: &str = "policy";
/// The maximum number of layers.
const MOST_LAYERS: usize = 16;

impl ValueFile {
    /// Writes the file atomically, by renaming a temporary file.
    ///
    /// # Errors
    /// Fails if writing fails; an existing file then stays intact.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let mut arrays = Arrays::new();
        for (index, (weights, bias)) in self.network.layers().iter().enumerate() {
            let shape = vec![weights.len() / bias.len(), bias.len()];
            arrays.insert(format!("layers.{index}.weight"), floats(shape, weights));
            arrays.insert(
                format!("layers.{index}.bias"),
                floats(vec![bias.len()], bias),
            );
        }
        let InputSizes { seat, shared } = self.network.sizes();
        let layers = self.network.layers().len();
        write(
            path,
            &State {
                kind: KIND.to_owned(),
                rules: self.rules,
                inputs: [seat, shared],
                layers,
            },
            &arrays,
        )
    }

    /// Reads a file, or the `policy.safetensors` of a folder.
    ///
    /// # Errors
    /// Fails if there is no such file, or it is not a duel agent that takes
    /// [`Features`](crate::Features).
    pub fn read(path: &Path) -> Result<ValueFile, StoreError> {
        let path = &file_at(path, NAME);
        ValueFile::of(read(path)?, path)
    }

    /// Returns whether the path is a file, or a folder with a `policy.safetensors`.
    pub fn is_at(path: &Path) -> bool {
        file_at(path, NAME).is_file()
    }

    /// Parses a file's bytes. `name` describes the bytes in errors.
    ///
    /// # Errors
    /// Fails if they are not a duel agent that takes [`Features`](crate::Features).
    pub fn parse(bytes: &[u8], name: &str) -> Result<ValueFile, StoreError> {
        let path = Path::new(name);
        ValueFile::of(parse(bytes, path)?, path)
    }

    fn of(
        Contents { state, mut arrays }: Contents<serde_json::Value>,
        path: &Path,
    ) -> Result<ValueFile, StoreError> {
        if state["kind"] != KIND {
            let kind = state["kind"].as_str().unwrap_or("something else");
            return Err(corrupt(
                path,
                format!("expected an agent for duels ({KIND}), got {kind}"),
            ));
        }
        let State {
            rules,
            inputs,
            layers,
            ..
        } = serde_json::from_value(state).map_err(|error| corrupt(path, error))?;
        expect_same(
            path,
            "the number of inputs",
            &[SIZES.seat, SIZES.shared],
            &inputs,
        )?;
        let mut units = SIZES.record();
        let mut read = Vec::new();
        for index in 0..layers.min(MOST_LAYERS) {
            let mut take = |what: &str| {
                let name = format!("layers.{index}.{what}");
                take_floats(&mut arrays, &name)
                    .ok_or_else(|| corrupt(path, format!("{name} is missing or not numeric")))
            };
            let ((bias_shape, bias), (shape, weights)) = (take("bias")?, take("weight")?);
            expect_same(
                path,
                &format!("the shape of layer {index}"),
                &[units, bias.len()],
                &shape,
            )?;
            expect_same(
                path,
                &format!("the shape of the bias of layer {index}"),
                &[bias.len()],
                &bias_shape,
            )?;
            units = bias.len();
            read.push((weights, bias));
        }
        if let Some((name, _)) = arrays.first_key_value() {
            return Err(corrupt(
                path,
                format!("expected at most {MOST_LAYERS} layers, got {name}"),
            ));
        }
        let layers = read;
        let network = ValueNetwork::new(SIZES, layers).map_err(|error| corrupt(path, error))?;
        Ok(ValueFile { rules, network })
    }
}
