//! `hognose completions`

use crate::error::Result;
use crate::outcome::Outcome;
use crate::output;
use clap_complete::Shell;

/// Print a shell completion script
///
/// Save the script to the file shown below, creating its folder if necessary, and start a new
/// shell.
#[derive(clap::Args)]
#[command(after_help = FILES)]
pub(crate) struct Arguments {
    /// Shell to complete commands and options for
    shell: Shell,
}

/// The files that shells read.
const FILES: &str = "\
Files:
  bash  hognose completions bash > ~/.local/share/bash-completion/completions/hognose
  zsh   hognose completions zsh > ~/.zfunc/_hognose
        (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
  fish  hognose completions fish > ~/.config/fish/completions/hognose.fish";

/// Prints the completion script of a command for a shell.
pub(crate) fn run(arguments: &Arguments, mut command: clap::Command) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "hognose", &mut script);
    output::write(&script);
    Ok(Outcome::Done)
}
