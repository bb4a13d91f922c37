//! Agents of each kind that are fast to create and evaluate.

use hognose_run::{DqnExperiment, Experiment};

/// Returns an experiment of each kind: values of actions, values of afterstates, plans.
pub fn experiments() -> impl Iterator<Item = DqnExperiment> {
    let common = "
        env.rules.board = '4x4'
        env.observation = 'features'
        network.hidden = [2]
        train.num_envs = 2
        train.batch_size = 2
        train.learning_starts = 2
        train.replay.capacity = 8
    ";
    let kinds = [
        "train.replay.priority_exponent = 0.5",
        "train.values = 'afterstates'\nenv.mask = 'safe'",
        "train.actions = 'plans'\ntrain.discount = 1.0",
    ];
    kinds
        .into_iter()
        .map(move |kind| Experiment::parse(&format!("{common}\n{kind}")).unwrap())
        .filter_map(|experiment| match experiment {
            Experiment::Dqn(experiment) => Some(*experiment),
            Experiment::Selfplay(_) => None,
        })
}
