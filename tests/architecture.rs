//! Tests the allowed dependencies between crates (docs/contributing/map.md), and the repository's
//! Markdown.

mod modules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn manifest(folder: &Path) -> toml::Table {
    std::fs::read_to_string(folder.join("Cargo.toml"))
        .unwrap()
        .parse()
        .unwrap()
}

/// Returns the names under `[dependencies]` of a manifest.
fn dependencies(folder: &Path) -> Vec<String> {
    manifest(folder)["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn crates_depend_only_along_the_arrows() {
    let allowed = BTreeMap::from([
        ("game", vec![]),
        ("env", vec!["game"]),
        ("solvers", vec!["game"]),
        ("agent", vec!["game", "env", "store"]),
        ("selfplay", vec!["game", "duel", "agent", "store"]),
        (
            "policies",
            vec![
                "game",
                "store",
                "solvers",
                "tablebase",
                "process",
                "agent",
                "duel",
            ],
        ),
        ("process", vec!["game"]),
        ("duel", vec!["game", "store"]),
        ("store", vec![]),
        (
            "run",
            vec![
                "game", "env", "store", "agent", "duel", "selfplay", "eval", "policies",
            ],
        ),
        ("tablebase", vec!["game"]),
        ("eval", vec!["game"]),
        ("plot", vec!["eval"]),
        ("viewer", vec!["game"]),
        (
            "python",
            vec![
                "game",
                "tablebase",
                "env",
                "store",
                "agent",
                "duel",
                "eval",
                "policies",
                "run",
                "viewer",
            ],
        ),
        (
            "web",
            vec![
                "game",
                "env",
                "solvers",
                "tablebase",
                "duel",
                "agent",
                "eval",
                "policies",
                "run",
                "viewer",
            ],
        ),
    ]);
    let crates = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let crates: Vec<PathBuf> = crates
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    assert_eq!(crates.len(), allowed.len());
    for path in crates {
        let name = path.file_name().unwrap().to_str().unwrap();
        for dependency in dependencies(&path) {
            if let Some(other) = dependency.strip_prefix("hognose-") {
                assert!(
                    allowed[name].contains(&other),
                    "{name} must not depend on {other}"
                );
            }
            assert!(
                ["agent", "selfplay"].contains(&name) || !dependency.starts_with("burn"),
                "only learning crates may depend on burn, not {name}"
            );
            let interface = ["clap", "indicatif", "comfy-table"];
            assert!(
                !interface.contains(&dependency.as_str()),
                "only the binary may print, not {name}"
            );
            assert!(
                name == "run" || !dependency.starts_with("tensorboard"),
                "only runs may draw curves, not {name}"
            );
        }
    }
    assert!(
        !dependencies(&root())
            .iter()
            .any(|dependency| dependency.starts_with("burn"))
    );
    assert_eq!(
        dependencies(&root().join("crates/game")),
        ["rand", "serde", "thiserror"]
    );
}

/// In the workspace of the Python package, our crates are foreign to Cargo: only these lines
/// optimize them.
#[test]
fn releases_optimize_our_crates_and_python_shares_them() {
    let workspace = manifest(&root());
    let package = manifest(&root().join("crates/python"));
    let binary = &workspace["profile"]["release"];
    let python = &package["profile"]["release"];
    let locked = std::fs::read_to_string(root().join("crates/python/Cargo.lock")).unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap().iter();
    for name in members.filter_map(|member| member.as_str()?.strip_prefix("crates/")) {
        let is_in_python = locked.contains(&format!("\"hognose-{name}\""));
        for profile in std::iter::once(binary).chain(is_in_python.then_some(python)) {
            let level = profile["package"]
                .get(format!("hognose-{name}"))
                .and_then(|package| package.get("opt-level"));
            assert_eq!(
                level.and_then(toml::Value::as_integer),
                Some(3),
                "hognose-{name}"
            );
        }
    }
    // Both debug profiles agree, since Clippy shares what debug builds check.
    for profile in ["dev", "release"] {
        let binary = &workspace["profile"][profile];
        let python = &package["profile"][profile];
        assert_eq!(binary["opt-level"], python["opt-level"]);
        assert_eq!(binary.get("debug"), python.get("debug"));
        for (name, settings) in binary["package"].as_table().unwrap() {
            let of_python = python["package"].get(name);
            assert!(
                of_python.is_none_or(|of_python| of_python == settings),
                "{name}"
            );
        }
    }
}

/// Returns all files of a folder, including subfolders.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let paths = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn no_two_files_of_a_crate_use_each_other_in_a_circle() {
    let crates = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let sources = crates.filter(|path| path.is_dir()).map(|path| {
        let source = path.join("src");
        if source.exists() { source } else { path }
    });
    let mut modules = 0;
    for source in sources {
        let uses = modules::uses(&source);
        modules += uses.len();
        let circle = modules::circle(&uses);
        assert!(
            circle.is_none(),
            "in {}, these files use each other in a circle: {circle:?}",
            source.display()
        );
    }
    assert!(modules > 100, "the sources were not found: {modules} files");
}

/// Only the binary prints and parses arguments, and only `run` and `store` access files.
#[test]
fn libraries_neither_print_nor_write_files() {
    for name in [
        "game",
        "env",
        "solvers",
        "agent",
        "selfplay",
        "eval",
        "run",
        "viewer",
        "tablebase",
    ] {
        for path in files_below(&root().join("crates").join(name).join("src")) {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                !text.contains("println!(") && !text.contains("print!("),
                "{} prints",
                path.display()
            );
            let files = text.contains("std::fs") && name != "run";
            assert!(!files, "{} accesses files", path.display());
        }
    }
}

/// The tables of the map refer to files, and items in them, that exist.
#[test]
fn the_ways_of_the_map_exist() {
    let map = std::fs::read_to_string(root().join("docs/contributing/map.md")).unwrap();
    let (_, ways) = map.split_once("## Three ways through the code").unwrap();
    let (ways, _) = ways.split_once("\n## ").unwrap();
    let mut files = 0;
    for row in ways.lines().filter(|line| line.starts_with("| `")) {
        let mut words = row.split('`').skip(1).step_by(2);
        let path = root().join("crates").join(words.next().unwrap());
        let source = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for name in words {
            let is_defined = ["fn", "struct", "enum", "trait"].iter().any(|kind| {
                source
                    .match_indices(&format!("{kind} {name}"))
                    .any(|(at, found)| {
                        let next = source[at + found.len()..].chars().next();
                        next.is_none_or(|next| !next.is_alphanumeric() && next != '_')
                    })
            });
            assert!(is_defined, "{} has no {name}", path.display());
        }
        files += 1;
    }
    assert!(files > 30, "the tables were not found: {files} rows");
}

/// Lines of Markdown have at most 120 characters, except tables, code blocks, pictures, and longer
/// words.
#[test]
fn lines_of_markdown_end_at_120_characters() {
    let long: Vec<String> = markdown()
        .iter()
        .flat_map(|path| long_lines(path))
        .collect();
    assert!(
        long.is_empty(),
        "lines of more than 120 characters:\n{}",
        long.join("\n")
    );
}

/// Links in Markdown to files of the repository, and to headings in them, are valid, and those of
/// the book stay inside it.
#[test]
fn links_in_markdown_lead_somewhere() {
    let broken: Vec<String> = markdown()
        .iter()
        .flat_map(|path| broken_links(path))
        .collect();
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// The book does not show pages that are missing from its table of contents.
#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for path in files_below(&docs) {
        let page = path.strip_prefix(&docs).unwrap().to_str().unwrap();
        let is_page = page.ends_with(".md") && page != "SUMMARY.md";
        assert!(
            !is_page || summary.contains(&format!("({page})")),
            "SUMMARY.md lacks {page}"
        );
    }
}

/// Returns the Markdown files of the repository.
fn markdown() -> Vec<PathBuf> {
    let files = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    for folder in ["checkpoints", "crates", "docs", "experiments", "tests"] {
        find_markdown(&root().join(folder), &mut paths);
    }
    assert!(
        paths.contains(&root().join("docs/contributing/map.md")),
        "the texts were not found: {paths:?}"
    );
    paths
}

/// Adds the Markdown files in a folder and its subfolders, except generated ones.
fn find_markdown(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let made = name.starts_with('.')
            || ["target", "venv", "node_modules", "dist"].contains(&name.as_str());
        if path.is_dir() && !made {
            find_markdown(&path, paths);
        } else if path.is_file() && name.ends_with(".md") {
            paths.push(path);
        }
    }
}

/// Returns the places where lines of a Markdown file are too long.
fn long_lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut fenced = false;
    let mut long = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let code = fenced || line.starts_with("    ");
        let whole = line.starts_with('|') || line.starts_with("![") || !line.trim().contains(' ');
        if line.chars().count() > 120 && !code && !whole {
            long.push(format!("{}:{}", path.display(), index + 1));
        }
    }
    long
}

/// Returns the links of a Markdown file to a missing file or heading.
fn broken_links(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let links = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let inside = links.filter(|link| !link.contains("://"));
    let broken = inside.filter(|link| {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() {
            path.to_owned()
        } else {
            path.with_file_name(file)
        };
        // The book is published without the rest of the repository.
        let docs = root().join("docs");
        let leaves = path.starts_with(&docs)
            && target
                .canonicalize()
                .is_ok_and(|target| !target.starts_with(docs.canonicalize().unwrap()));
        !target.exists()
            || leaves
            || !heading.is_empty() && !headings(&target).iter().any(|other| other == heading)
    });
    broken
        .map(|link| format!("{}: {link}", path.display()))
        .collect()
}

/// Returns the headings of a Markdown file, as links refer to them.
fn headings(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}
