//! A folder in memory, for functions that read files.

use std::cell::OnceCell;
use std::path::Path;
use tempfile::TempDir;

thread_local!(static FOLDER: OnceCell<TempDir> = const { OnceCell::new() });

/// Writes a file and reads its folder.
pub fn with(name: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    FOLDER.with(|folder| {
        let folder = folder
            .get_or_init(|| tempfile::tempdir_in("/dev/shm").unwrap())
            .path();
        std::fs::write(folder.join(name), bytes).unwrap();
        read(folder);
    });
}
