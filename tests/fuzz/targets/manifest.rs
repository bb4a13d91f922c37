//! Manifests of runs: JSON. Manifests that are read are unchanged when written again.

#![no_main]

#[path = "shared/files.rs"]
mod files;

use hognose_eval::Summary;
use hognose_run::{DuelSummary, Manifest};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, de::DeserializeOwned};

fn check<R: Serialize + DeserializeOwned>(text: &[u8]) {
    files::with("manifest.json", text, |folder| {
        let Some(manifest) = Manifest::<R>::read(folder) else {
            return;
        };
        let written = serde_json::to_string(&manifest).unwrap();
        let again: Result<Manifest<R>, _> = serde_json::from_str(&written);
        // NaN is written as null.
        if let Ok(again) = again {
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
        }
    });
}

fuzz_target!(|text: &[u8]| {
    check::<Summary>(text);
    check::<DuelSummary>(text);
});
