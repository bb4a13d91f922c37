//! `hognose completions`

use crate::error::Result;
use crate::outcome::Outcome;
use crate::output;
use clap_complete::Shell;

/// Print what makes a shell complete commands and options
///
/// The shell reads it from a file of its own, in a folder that you may have to create. What a shell
/// completes changes when a new one is started.
#[derive(clap::Args)]
#[command(after_help = FILES)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

/// Where the shells look.
const FILES: &str = "\
Files:
  bash  hognose completions bash > ~/.local/share/bash-completion/completions/hognose
  zsh   hognose completions zsh > ~/.zfunc/_hognose
        (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
  fish  hognose completions fish > ~/.config/fish/completions/hognose.fish";

/// Prints the completions of a command for a shell.
pub(crate) fn run(arguments: &Arguments, mut command: clap::Command) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "hognose", &mut script);
    output::write(&script);
    Ok(Outcome::Done)
}
