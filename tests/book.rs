//! Tests the generated pages of the book: one for each command, with its help. `HOGNOSE_WRITE=1
//! cargo test --test book` regenerates them.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands");

/// Returns the program's help for a command.
fn help(words: &[&str]) -> String {
    let printed = Command::new(env!("CARGO_BIN_EXE_hognose"))
        .args(words)
        .arg("--help")
        .output()
        .unwrap();
    String::from_utf8(printed.stdout).unwrap()
}

/// Returns the commands that a help text lists, each with its description.
fn commands(help: &str) -> Vec<(String, String)> {
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.trim().split_once(' '))
        .filter(|(name, _)| *name != "help")
        .map(|(name, what)| (name.to_owned(), what.trim().to_owned()))
        .collect()
}

/// Formats a help text as Markdown.
fn block(help: &str) -> String {
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    format!("```text\n{}\n```\n", lines.join("\n"))
}

#[test]
fn commands_have_their_pages() {
    let listed = commands(&help(&[]));
    let mut index = "# Commands\n\n`hognose COMMAND --help` prints these pages.\n\n\
                     | Command | What it does |\n|---|---|\n"
        .to_owned();
    let mut pages = Vec::new();
    for (name, what) in &listed {
        writeln!(index, "| [`{name}`]({name}.md) | {what} |").unwrap();
        let text = help(&[name]);
        let mut page = format!("# hognose {name}\n\n{}", block(&text));
        for (inner, _) in commands(&text) {
            let text = help(&[name, &inner]);
            write!(page, "\n## hognose {name} {inner}\n\n{}", block(&text)).unwrap();
        }
        pages.push((format!("{name}.md"), page));
    }
    pages.push(("README.md".to_owned(), index));
    assert!(pages.len() > 10, "the help lists {} commands", listed.len());
    for (file, page) in &pages {
        let path = Path::new(PAGES).join(file);
        if std::env::var_os("HOGNOSE_WRITE").is_some() {
            std::fs::write(&path, page).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            kept,
            *page,
            "{} is out of date: HOGNOSE_WRITE=1 cargo test --test book",
            path.display()
        );
    }
    let files = std::fs::read_dir(PAGES).unwrap().count();
    assert_eq!(files, pages.len(), "{PAGES} has pages without a command");
}
