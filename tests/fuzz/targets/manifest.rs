//! Manifests of runs: JSON. Manifests that are read are unchanged when written again.

#![no_main]

#[path = "shared/files.rs"]
mod files;

use hognose_run::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    files::with("manifest.json", text, |folder| {
        let Some(manifest) = Manifest::read(folder) else {
            return;
        };
        let written = serde_json::to_string(&manifest).unwrap();
        // NaN is written as null.
        if let Ok(again) = serde_json::from_str::<Manifest>(&written) {
            assert_eq!(serde_json::to_string(&again).unwrap(), written);
        }
    });
});
