//! Commands that resume runs.

use crate::arguments::shell;
use crate::error::Result;
use std::path::Path;

/// Returns the command that resumes the run in a folder.
pub(crate) fn resume_command(folder: &Path) -> Result<String> {
    shell([
        "hognose",
        "train",
        "--resume",
        &folder.display().to_string(),
    ])
}
