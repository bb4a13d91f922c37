//! Which program this is.

/// The version of this program.
pub(crate) const NUMBER: &str = env!("CARGO_PKG_VERSION");
/// The commit that it was built from.
pub(crate) const COMMIT: &str = env!("HOGNOSE_COMMIT");
/// The version of this program and the commit that it was built from, as `hognose --version` prints
/// them.
pub(crate) const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("HOGNOSE_COMMIT"), ")");
