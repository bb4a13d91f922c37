//! Tests what is published: the manifests of the crates, and the contents of the packaged binary
//! crate.

use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the manifests to publish on crates.io, with their folders.
fn published() -> Vec<(PathBuf, toml::Table)> {
    let read = |folder: PathBuf| {
        let manifest: toml::Table = std::fs::read_to_string(folder.join("Cargo.toml"))
            .unwrap()
            .parse()
            .unwrap();
        (folder, manifest)
    };
    let (root, manifest) = read(Path::new(ROOT).to_owned());
    let members = manifest["workspace"]["members"].as_array().unwrap().iter();
    members
        .map(|member| read(root.join(member.as_str().unwrap())))
        .collect()
}

#[test]
fn crates_can_be_published() {
    for (folder, manifest) in published() {
        let package = manifest["package"].as_table().unwrap();
        let name = package["name"].as_str().unwrap();
        for key in ["description", "license", "rust-version", "categories"] {
            assert!(package.contains_key(key), "{name} has no {key}");
        }
        let keywords = package
            .get("keywords")
            .and_then(|keywords| keywords.as_array())
            .unwrap();
        let fits = |word: &toml::Value| word.as_str().is_some_and(|word| word.len() <= 20);
        assert!(
            (1..=5).contains(&keywords.len()) && keywords.iter().all(fits),
            "{name} has the keywords {keywords:?}"
        );
        let readme = folder.join(package["readme"].as_str().unwrap());
        assert!(readme.exists(), "{name} has no {}", readme.display());
        assert!(
            package["metadata"]["docs"]["rs"].get("targets").is_some(),
            "{name} has no docs.rs settings"
        );
    }
}

/// The binary crate contains what it embeds, and none of the other trained agents.
#[test]
fn the_packed_binary_is_small_and_whole() {
    let mut list = Command::new(env!("CARGO"));
    list.args([
        "package",
        "--list",
        "--allow-dirty",
        "--offline",
        "-p",
        "hognose",
    ])
    .current_dir(ROOT);
    let output = list.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let listed = String::from_utf8(output.stdout).unwrap();
    let needed = [
        "build.rs",
        "crates/cli/main.rs",
        "crates/cli/report/mod.rs",
        "experiments/quickstart.toml",
        "experiments/published/snek-ai.toml",
        "checkpoints/every-board-plans/policy.safetensors",
        "checkpoints/quickstart-6x6/policy.safetensors",
        "LICENSE-THIRD-PARTY.md",
    ];
    for path in needed {
        assert!(
            listed.lines().any(|line| line == path),
            "{path} is not packed: {listed}"
        );
    }
    // Some of the listed files are generated when packaging.
    let sizes = listed
        .lines()
        .filter_map(|path| Some(Path::new(ROOT).join(path).metadata().ok()?.len()));
    let bytes: u64 = sizes.sum();
    assert!(bytes < 10_000_000, "{bytes} bytes are packed: {listed}");
}
