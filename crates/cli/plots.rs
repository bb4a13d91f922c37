//! Writes pictures to files.

use crate::error::Result;
use crate::files;
use hognose_plot as plot;
use std::path::{Path, PathBuf};

/// Writes a picture as NAME.svg and NAME.png.
pub(crate) fn write(folder: &Path, name: &str, svg: &str) -> Result<()> {
    files::write(&folder.join(format!("{name}.svg")), svg)?;
    files::write(&folder.join(format!("{name}.png")), plot::png(svg)?)
}

/// Parses the path of an animated picture.
pub(crate) fn moving(text: &str) -> std::result::Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().is_some_and(|ending| ending == "svg") {
        true => Ok(path),
        false => Err("expected a file that ends in .svg".to_owned()),
    }
}
