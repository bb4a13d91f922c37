//! Stages of a curriculum: how the environment differs early in training.

use crate::config::{Stage, TrainConfig, check};
use crate::error::TrainError;
use hognose_env::{EnvConfig, EnvError};

/// Returns the configuration of the environment in each stage and, last, after them.
///
/// # Errors
/// Fails if a stage draws a board that the environment doesn't.
pub(crate) fn envs_of_stages(
    config: &TrainConfig,
    env: &EnvConfig,
) -> Result<Vec<EnvConfig>, TrainError> {
    let mut envs = Vec::new();
    let all = env.rules_on_boards().map_err(EnvError::from)?;
    for stage in &config.stages {
        let changed = env_in(stage, env);
        let rules = changed.rules_on_boards().map_err(EnvError::from)?;
        if let Some(other) = rules.iter().find(|rules| !all.contains(rules)) {
            let expected = "among env.boards";
            check(false, "train.stages.boards", expected, &other.board())?;
        }
        envs.push(changed);
    }
    envs.push(env.clone());
    Ok(envs)
}

/// Returns the configuration of episodes that begin in a stage.
fn env_in(stage: &Stage, env: &EnvConfig) -> EnvConfig {
    let env = env.clone();
    let mut changed = EnvConfig {
        boards: stage.boards.clone().unwrap_or(env.boards),
        starts: stage.starts.clone().unwrap_or(env.starts),
        start_share: stage.start_share.unwrap_or(env.start_share),
        time_limit: stage.time_limit.or(env.time_limit),
        starvation: stage.starvation.or(env.starvation),
        ..env
    };
    let range = changed.range();
    changed.held_out.retain(|&board| range.contains(board));
    changed
}
