//! Policy files: what playing needs of a network.

use crate::agent::Agent;
use crate::checkpoint::{
    Arrays, CheckpointError, Contents, EXTENSION, corrupt, put_parameters, read, take_parameters, write,
};
use crate::network::{Network, NetworkConfig, QNetwork};
use crate::parameters::{flush, parameters, with_values};
use crate::spec::AgentSpec;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

#[derive(Serialize, Deserialize)]
struct PolicyState<C> {
    kind: String,
    spec: AgentSpec,
    network: C,
}

const POLICY: &str = "policy";

/// Writes what playing needs: an agent's weights with the configuration of its network.
///
/// # Errors
/// When writing fails; a previous file is left whole then.
pub fn save_policy<N: QNetwork>(
    path: &Path,
    agent: &Agent<N>,
    network: &impl Serialize,
) -> Result<(), CheckpointError> {
    let mut arrays = Arrays::new();
    put_parameters(&mut arrays, POLICY, &parameters(agent.network()));
    write(path, &PolicyState { kind: POLICY.to_owned(), spec: agent.spec(), network }, &arrays)
}

/// Reads an agent from a policy file, or from the `policy.safetensors` of a folder.
///
/// # Errors
/// When there is no such file, or it is not a whole policy of this version.
pub fn load_policy(path: &Path, device: &Device) -> Result<Agent<Network>, CheckpointError> {
    let path = &if path.is_dir() { path.join(POLICY).with_extension(EXTENSION) } else { path.to_owned() };
    let Contents { state, mut arrays } = read::<Value>(path)?;
    if state["kind"] != POLICY {
        return Err(corrupt(path, "a training checkpoint, not a policy: play the run's policy.safetensors"));
    }
    let state: PolicyState<NetworkConfig> = serde_json::from_value(state).map_err(|error| corrupt(path, error))?;
    let network = state.network.build(state.spec.inputs(), state.spec.outputs(), 0, device);
    let network = network.map_err(|error| corrupt(path, error))?;
    let mut values = take_parameters(&mut arrays, POLICY, &parameters(&network), path)?;
    // Denormals, which weights trained elsewhere may be, would make playing many times slower.
    values.iter_mut().flatten().for_each(|value| *value = flush(*value));
    let network = with_values(network, values.iter().map(Vec::as_slice));
    Ok(Agent::new(state.spec, network, device.clone()))
}
