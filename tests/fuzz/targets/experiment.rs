//! Experiment files: TOML. What is read is checked, and written it is the same. The first line is a
//! setting as well.

#![no_main]

use hognose_agent::AgentSpec;
use hognose_run::{Experiment, Subject};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(experiment) = Experiment::parse(text) else {
        return;
    };
    let _ = (
        experiment.train.validate(),
        experiment.env.validate(),
        experiment.group(),
    );
    let spec = AgentSpec::new(&experiment.env, &experiment.train);
    let _ = (spec.inputs(), spec.outputs());
    if let Some(changed) = text
        .lines()
        .next()
        .and_then(|setting| experiment.with(setting).ok())
    {
        let _ = changed.train.validate();
    }
    // Seeds from 2^63 on can't be written, and a number that is none equals nothing.
    let Ok(written) = experiment.text() else {
        return;
    };
    assert_eq!(
        Experiment::parse(&written).unwrap().text().unwrap(),
        written
    );
});
