//! How to go on with a run.

use crate::arguments::shell;
use crate::error::Result;
use std::path::Path;

/// The command that goes on with the run in a folder.
pub(crate) fn resume_command(folder: &Path) -> Result<String> {
    shell([
        "hognose",
        "train",
        "--resume",
        &folder.display().to_string(),
    ])
}
