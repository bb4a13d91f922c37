//! The presets of races are those of the documents.

use hognose_web::Race;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn presets_are_played_by_the_documents_rules_and_have_their_numbers() {
    let presets: Vec<Value> = serde_json::from_str(&read("www/presets.json")).unwrap();
    assert!(presets.len() > 5);
    for preset in &presets {
        let policies: Vec<&str> =
            preset["policies"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let rules = &preset["rules"];
        let names = policies.iter().map(|&name| name.to_owned()).collect();
        let mut race = Race::of(names, &rules.to_string(), "0", &mut |_| ()).unwrap();
        race.advance(usize::MAX, 1).unwrap();
        let Some(document) = preset["document"].as_str() else { continue };
        let text = read(&format!("../../experiments/published/{document}.toml"));
        let document: Value = serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
        for (index, policy) in policies.iter().enumerate() {
            let of_policy = |case: &&Value| case["policy"] == *policy && case["rules"] == *rules;
            let case = document["case"].as_array().unwrap().iter().find(of_policy);
            let case = case.unwrap_or_else(|| panic!("{}: no case of {policy} by {rules}", preset["name"]));
            let published = &preset["published"][index];
            let is_told =
                |number: &Value| number["what"] == "mean_steps_won" && number["value"].as_f64() == published.as_f64();
            let numbers = case["published"].as_array();
            let told = published.is_null() || numbers.is_some_and(|numbers| numbers.iter().any(is_told));
            assert!(told, "{}: {policy}: {published}", preset["name"]);
        }
    }
}
