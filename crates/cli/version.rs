//! The version of the program.

/// The version of the program.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built from.
pub(crate) const COMMIT: &str = env!("HOGNOSE_COMMIT");
/// The version of the program and its commit, as `hognose --version` prints them.
pub(crate) const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("HOGNOSE_COMMIT"), ")");
