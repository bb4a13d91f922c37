//! Stages of a curriculum: how the environment differs early in training.

use crate::config::{Stage, TrainConfig, check};
use crate::error::TrainError;
use hognose_env::{EnvConfig, EnvError};

/// Checks that no stage draws a board that the environment doesn't.
///
/// # Errors
/// Fails with the first such board.
pub(crate) fn check_boards(config: &TrainConfig, env: &EnvConfig) -> Result<(), TrainError> {
    let all = env.rules_on_boards().map_err(EnvError::from)?;
    for stage in &config.stages {
        let rules = changed(env, stage)
            .rules_on_boards()
            .map_err(EnvError::from)?;
        if let Some(other) = rules.iter().find(|rules| !all.contains(rules)) {
            let expected = "among env.boards";
            check(false, "train.stages.boards", expected, &other.board())?;
        }
    }
    Ok(())
}

/// Returns the configuration of episodes that begin in a stage, given by its index; after the last
/// stage, that of the environment.
pub(crate) fn env_in(stage: usize, config: &TrainConfig, env: &EnvConfig) -> EnvConfig {
    let stage = config.stages.get(stage);
    stage.map_or_else(|| env.clone(), |stage| changed(env, stage))
}

fn changed(env: &EnvConfig, stage: &Stage) -> EnvConfig {
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
