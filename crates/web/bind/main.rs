//! Writes the JavaScript that loads WebAssembly: `bind FILE.wasm FOLDER`.
//!
//! It is the command `wasm-bindgen` with the options of the page. As part of this workspace it has
//! the version of the library in the lock file, and needs no installation.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = &arguments[..] else {
        eprintln!(
            "error: expected bind FILE.wasm FOLDER, got {} arguments",
            arguments.len()
        );
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // The names of functions are only for debuggers, and take a tenth of the file.
    let made = bindgen
        .input_path(input)
        .remove_name_section(true)
        .web(true)
        .and_then(|bindgen| {
            bindgen
                .out_name("hognose")
                .typescript(false)
                .omit_default_module_path(false)
                .generate(folder)
        });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
