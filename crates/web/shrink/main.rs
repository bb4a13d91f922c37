//! Shrinks trained agents for the page: `shrink CHECKPOINTS FOLDER`.
//!
//! Weights are rounded to 16 bits, which halves a file. `agents.json` in the folder lists each
//! agent's name, board, range of boards if it plays several, and bytes, and the bytes of the
//! WebAssembly that plays them, if the folder already has it.

use hognose_store::{Contents, halve, read, write};
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoints, folder] = &arguments[..] else {
        eprintln!(
            "error: expected shrink CHECKPOINTS FOLDER, got {} arguments",
            arguments.len()
        );
        return ExitCode::from(2);
    };
    match shrink(Path::new(checkpoints), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes small files of all agents of one snake, each from its folder in `checkpoints`.
fn shrink(checkpoints: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<_> = fs::read_dir(checkpoints)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let mut agents = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let policy = path.join("policy.safetensors");
        if !policy.exists() {
            continue;
        }
        let Contents { state, mut arrays } = read::<Value>(&policy)?;
        // Agents for duels are small, and part of the WebAssembly.
        if state["kind"] != "policy" {
            continue;
        }
        halve(&mut arrays);
        let small = folder.join(format!("{name}.safetensors"));
        write(&small, &state, &arrays)?;
        let kind = if state["spec"]["plans"].is_null() {
            &state["spec"]["mask"]
        } else {
            &json!("plans")
        };
        let spec = &state["spec"];
        let bytes = fs::metadata(&small)?.len();
        let board = &spec["board"];
        let boards = &spec["boards"];
        agents.push(
            json!({ "name": name, "board": board, "boards": boards, "kind": kind, "bytes": bytes }),
        );
    }
    let module = fs::metadata(folder.join("hognose_bg.wasm")).map_or(0, |file| file.len());
    fs::write(
        folder.join("agents.json"),
        json!({ "module": module, "agents": agents }).to_string(),
    )?;
    Ok(())
}
