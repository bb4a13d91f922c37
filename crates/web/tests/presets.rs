//! Compares the presets of races with the documents.

use hognose_web::Race;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

fn read(of: &str) -> String {
    fs::read_to_string(path(of)).unwrap()
}

#[test]
fn presets_have_the_rules_and_numbers_of_the_documents() {
    let presets: Vec<Value> = serde_json::from_str(&read("www/presets.json")).unwrap();
    assert!(presets.len() > 5);
    for preset in &presets {
        let policies: Vec<&str> = preset["policies"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let rules = &preset["rules"];
        play(&policies, rules);
        if let Some(document) = preset["document"].as_str() {
            let text = read(&format!("../../experiments/published/{document}.toml"));
            let document: Value =
                serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
            for (index, policy) in policies.iter().enumerate() {
                let steps = &preset["published"][index];
                assert!(
                    is_published(&document, policy, rules, steps),
                    "{}: {policy}",
                    preset["name"]
                );
            }
        }
    }
}

/// Plays a game of each solver, and checks that the files of agents exist. Agents play only in the
/// tests of the page.
fn play(policies: &[&str], rules: &Value) {
    let (agents, solvers): (Vec<&str>, Vec<&str>) = policies
        .iter()
        .copied()
        .partition(|name| name.starts_with("dqn:"));
    for agent in agents.iter().filter_map(|name| name.strip_prefix("dqn:")) {
        assert!(
            path(&format!("../../checkpoints/{agent}/policy.safetensors")).exists(),
            "{agent}"
        );
    }
    let names = solvers.iter().map(|&name| name.to_owned()).collect();
    let mut race = Race::of(names, &rules.to_string(), "0", &mut |_| ()).unwrap();
    race.advance(usize::MAX, 1).unwrap();
}

/// Returns whether a document has a case of a policy under these rules, with this number of steps
/// unless it is null.
fn is_published(document: &Value, policy: &str, rules: &Value, steps: &Value) -> bool {
    let of_policy = |case: &&Value| case["policy"] == *policy && case["rules"] == *rules;
    let Some(case) = document["case"].as_array().unwrap().iter().find(of_policy) else {
        return false;
    };
    let matches = |number: &Value| {
        number["what"] == "mean_steps_won" && number["value"].as_f64() == steps.as_f64()
    };
    steps.is_null()
        || case["published"]
            .as_array()
            .is_some_and(|numbers| numbers.iter().any(matches))
}
