//! Policy files: what is needed to play with a network.

use crate::agent::Agent;
use crate::network::{Network, NetworkConfig, QNetwork};
use crate::parameters::{
    Parameter, flush, parameters, put_parameters, take_parameters, with_values,
};
use crate::spec::AgentSpec;
use burn::tensor::Device;
use hognose_store::{
    Arrays, Contents, StoreError, corrupt, expect_same, file_at, floats, parse, read, serialize,
    write,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
struct PolicyState<C> {
    kind: String,
    spec: AgentSpec,
    network: C,
}

const POLICY: &str = "policy";

/// Writes a policy file: an agent's weights and the configuration of its network.
///
/// # Errors
/// Fails if writing fails; an existing file is then left intact.
pub fn save_policy<N: QNetwork>(
    path: &Path,
    agent: &Agent<N>,
    network: &impl Serialize,
) -> Result<(), StoreError> {
    let (state, arrays) = contents(agent, network);
    write(path, &state, &arrays)
}

/// Returns the bytes of the file that [`save_policy`] writes.
///
/// # Errors
/// Fails if the configuration of the network has no form in JSON.
pub fn policy_bytes<N: QNetwork>(
    agent: &Agent<N>,
    network: &impl Serialize,
) -> Result<Vec<u8>, StoreError> {
    let (state, arrays) = contents(agent, network);
    serialize(Path::new(POLICY), &state, &arrays)
}

fn contents<'a, N: QNetwork, C>(agent: &Agent<N>, network: &'a C) -> (PolicyState<&'a C>, Arrays) {
    let mut arrays = Arrays::new();
    put_parameters(&mut arrays, POLICY, &parameters(agent.network()));
    let state = PolicyState {
        kind: POLICY.to_owned(),
        spec: agent.spec(),
        network,
    };
    (state, arrays)
}

/// Reads an agent with this crate's [`Network`] from a policy file, or from the
/// `policy.safetensors` of a folder.
///
/// # Errors
/// Fails if there is no such file, or it is not a complete policy of this version.
pub fn load_policy(path: &Path, device: &Device) -> Result<Agent<Network>, StoreError> {
    PolicyFile::read(path)?.built_in(device)
}

/// Parses an agent with this crate's [`Network`] from the bytes of a policy file. `name` identifies
/// the bytes in errors.
///
/// # Errors
/// Fails if they are not a complete policy of this version.
pub fn parse_policy(
    bytes: &[u8],
    name: &str,
    device: &Device,
) -> Result<Agent<Network>, StoreError> {
    let path = Path::new(name);
    PolicyFile::new(parse(bytes, path)?, path)?.built_in(device)
}

/// Reads an agent with any kind of network from a policy file, or from the `policy.safetensors` of
/// a folder. `build` creates a network on `device` from the agent's spec and the description that
/// the policy was saved with; its weights are then replaced by those of the file. The error of
/// `build` is a message.
///
/// # Errors
/// Fails if there is no such file, it is not a complete policy of this version, its description is
/// of another kind, or its weights do not fit the network.
pub fn load_policy_with<N: QNetwork, C: DeserializeOwned>(
    path: &Path,
    device: &Device,
    build: impl FnOnce(&AgentSpec, C) -> Result<N, String>,
) -> Result<Agent<N>, StoreError> {
    PolicyFile::read(path)?.agent(device, build)
}

/// Returns the network with the weights of a policy file, or of the `policy.safetensors` of a
/// folder, as a starting point for training. The policy may have been trained on another board and
/// with other rewards if its shapes fit.
///
/// # Errors
/// Fails if there is no such file or it is not a complete policy of this version. Also fails if its
/// observation, its actions, what it values, whether it sees ways to the food, or the shape of a
/// layer differs from the network that `spec` asks for.
pub fn load_weights<N: QNetwork>(
    path: &Path,
    spec: &AgentSpec,
    network: N,
) -> Result<N, StoreError> {
    let file = PolicyFile::read(path)?;
    expect_same(
        &file.path,
        "the observation",
        &spec.observation,
        &file.spec.observation,
    )?;
    expect_same(
        &file.path,
        "what is valued",
        &spec.valued(),
        &file.spec.valued(),
    )?;
    if spec.sees_ways() != file.spec.sees_ways() {
        let mask =
            "the action mask (only \"safe\" shows a network of afterstates ways to the food)";
        expect_same(&file.path, mask, &spec.mask, &file.spec.mask)?;
    }
    if spec.outputs() > 1 {
        expect_same(
            &file.path,
            "the kind of actions",
            &spec.action,
            &file.spec.action,
        )?;
    }
    let theirs = file.spec;
    weights_into(network, file.arrays, &file.path).map_err(|error| match error {
        StoreError::Mismatch {
            path,
            what,
            expected,
            got,
        } if theirs.inputs() != spec.inputs() => {
            let (what, expected) = (
                "the board".to_owned(),
                format!("{}, where {what} is {expected}, not {got}", spec.board),
            );
            StoreError::Mismatch {
                path,
                what,
                expected,
                got: theirs.board.to_string(),
            }
        }
        error => error,
    })
}

/// Reads the agent of a policy file, which may differ from `like` only in its weights.
pub(crate) fn load_like<N: QNetwork>(
    path: &Path,
    like: &Agent<N>,
    device: &Device,
) -> Result<Agent<N>, StoreError> {
    let file = PolicyFile::read(path)?;
    expect_same(path, "spec", &like.spec(), &file.spec)?;
    let network = weights_into(like.network().clone(), file.arrays, path)?;
    Ok(Agent::new(file.spec, network, device.clone()))
}

/// The weights of a network: the shape and the values of each layer, in row-major order, by its
/// name in policy files.
///
/// ```
/// use hognose_agent::{AgentSpec, NetworkConfig, TrainConfig, device, weights, with_weights};
/// use hognose_env::{EnvConfig, Observation};
/// use hognose_game::Rules;
///
/// let env = EnvConfig {
///     observation: Observation::Features,
///     ..EnvConfig::new(Rules::new("4x4".parse()?))
/// };
/// let spec = AgentSpec::new(&env, &TrainConfig::default());
/// let (config, device) = (
///     NetworkConfig {
///         hidden: vec![16],
///         ..NetworkConfig::default()
///     },
///     device("cpu")?,
/// );
/// let network = config.build(spec.inputs(), spec.outputs(), 0, &device)?;
/// let mut learned = weights(&network);
/// assert_eq!(learned["hidden.0.weight"].0, [24, 16]);
/// learned.get_mut("value.bias").expect("networks have one").1[0] += 1.0;
/// let changed = with_weights(
///     network,
///     learned.clone(),
///     "a network that was trained elsewhere",
/// )?;
/// assert_eq!(weights(&changed), learned);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Weights = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Returns the weights of a network.
pub fn weights<N: QNetwork>(network: &N) -> Weights {
    let parameters = parameters(network).into_iter();
    parameters
        .map(
            |Parameter {
                 name,
                 shape,
                 values,
             }| (name, (shape, values)),
        )
        .collect()
}

/// Returns the network with other weights. `source` identifies them in errors.
///
/// # Errors
/// Fails if the weights do not fit the network.
pub fn with_weights<N: QNetwork>(
    network: N,
    weights: Weights,
    source: &str,
) -> Result<N, StoreError> {
    weights_into(
        network,
        weights
            .into_iter()
            .map(|(name, (shape, values))| (format!("{POLICY}.{name}"), floats(shape, &values)))
            .collect(),
        Path::new(source),
    )
}

/// Returns whether the path is a file, or a folder with a `policy.safetensors`.
pub fn is_policy(path: &Path) -> bool {
    file_at(path, POLICY).is_file()
}

/// A policy file in memory.
struct PolicyFile {
    path: PathBuf,
    spec: AgentSpec,
    network: Value,
    arrays: Arrays,
}

impl PolicyFile {
    fn read(path: &Path) -> Result<PolicyFile, StoreError> {
        let path = file_at(path, POLICY);
        PolicyFile::new(read(&path)?, &path)
    }

    fn new(
        Contents { state, arrays }: Contents<Value>,
        path: &Path,
    ) -> Result<PolicyFile, StoreError> {
        if state["kind"] != POLICY {
            let kind = state["kind"]
                .as_str()
                .unwrap_or("file of another kind")
                .to_owned();
            return Err(corrupt(
                path,
                format!(
                    "a {kind}, not a policy: play the policy.safetensors of a run of one snake"
                ),
            ));
        }
        // Networks of older versions had a kind, and dueling heads for one output.
        let older = ["policy.Mlp.", "policy.Cnn."];
        if arrays
            .keys()
            .any(|name| older.iter().any(|old| name.starts_with(old)))
        {
            return Err(StoreError::Mismatch {
                path: path.to_owned(),
                what: "the form of the network".to_owned(),
                got: "an older version's".to_owned(),
                expected:
                    "this one's: train the agent again, or play it with the version that its \
                           manifest.json names"
                        .to_owned(),
            });
        }
        let PolicyState { spec, network, .. }: PolicyState<Value> =
            serde_json::from_value(state).map_err(|error| corrupt(path, error))?;
        spec.plans
            .map_or(Ok(()), |plans| plans.validate())
            .map_err(|error| corrupt(path, error))?;
        Ok(PolicyFile {
            path: path.to_owned(),
            spec,
            network,
            arrays,
        })
    }

    /// Builds the agent with this crate's [`Network`].
    fn built_in(self, device: &Device) -> Result<Agent<Network>, StoreError> {
        let held: usize = self
            .arrays
            .values()
            .map(|(shape, ..)| shape.iter().product::<usize>())
            .sum();
        self.agent(device, |spec: &AgentSpec, network: NetworkConfig| {
            // A short description can ask for a huge network.
            let described = network.weights(spec.inputs(), spec.outputs());
            if described > held {
                return Err(format!(
                    "the network is described with {described} weights, and the file has {held}"
                ));
            }
            network.build(spec.inputs(), spec.outputs(), 0, device)
        })
    }

    /// Builds the agent with a network that `build` creates from the file's description.
    fn agent<N: QNetwork, C: DeserializeOwned>(
        self,
        device: &Device,
        build: impl FnOnce(&AgentSpec, C) -> Result<N, String>,
    ) -> Result<Agent<N>, StoreError> {
        let description = serde_json::from_value(self.network.clone())
            .map_err(|error| corrupt(&self.path, error))?;
        let network = build(&self.spec, description).map_err(|error| corrupt(&self.path, error))?;
        Ok(Agent::new(
            self.spec,
            weights_into(network, self.arrays, &self.path)?,
            device.clone(),
        ))
    }
}

/// Returns the network with the weights of a policy file.
fn weights_into<N: QNetwork>(network: N, mut arrays: Arrays, path: &Path) -> Result<N, StoreError> {
    let mut values = take_parameters(&mut arrays, POLICY, &parameters(&network), path)?;
    if let Some((name, (shape, ..))) = arrays.pop_first() {
        let name = name.trim_start_matches(POLICY).trim_start_matches('.');
        return Err(StoreError::Mismatch {
            path: path.to_owned(),
            what: format!("the network's {name}"),
            expected: "no such layer".to_owned(),
            got: format!("of shape {shape:?}"),
        });
    }
    // Flush denormals, which weights trained elsewhere may contain: they would slow playing down
    // many times.
    values
        .iter_mut()
        .flatten()
        .for_each(|value| *value = flush(*value));
    Ok(with_values(network, values.iter().map(Vec::as_slice)))
}
