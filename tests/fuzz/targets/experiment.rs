//! Experiment files: TOML. Experiments that are read are checked, and are unchanged when written
//! again. The first line is also a setting.

#![no_main]

use hognose_agent::AgentSpec;
use hognose_run::Experiment;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(experiment) = Experiment::parse(text) else {
        return;
    };
    let _ = experiment.group();
    match &experiment {
        Experiment::Dqn(its) => {
            let _ = (its.train.validate(), its.env.validate());
            let spec = AgentSpec::new(&its.env, &its.train);
            let _ = (spec.inputs(), spec.outputs());
        }
        Experiment::Selfplay(its) => drop(its.train.validate()),
    }
    if let Some(changed) = text
        .lines()
        .next()
        .and_then(|setting| experiment.with(setting).ok())
    {
        let _ = changed.group();
    }
    // Seeds of 2^63 or more can't be written, and NaN equals nothing.
    let Ok(written) = experiment.text() else {
        return;
    };
    assert_eq!(
        Experiment::parse(&written).unwrap().text().unwrap(),
        written
    );
});
