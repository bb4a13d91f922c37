//! Pictures as files.

use crate::error::Result;
use crate::files;
use hognose_eval::plot;
use std::path::Path;

/// Writes a picture as NAME.svg and NAME.png.
pub(crate) fn write(folder: &Path, name: &str, svg: &str) -> Result<()> {
    files::write(&folder.join(format!("{name}.svg")), svg)?;
    files::write(&folder.join(format!("{name}.png")), plot::png(svg)?)
}
