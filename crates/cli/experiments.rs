//! The experiments embedded in the binary, and in the Python package, which includes this file.

/// Embeds the files with these names in a folder of the repository.
macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name, ".toml")))),*]
    };
}

/// The experiments that `hognose train` knows: names, and texts of the files.
pub(crate) const EXPERIMENTS: &[(&str, &str)] = texts!("experiments":
    "10x10" "dqn" "duel-2020" "duel-2021" "duel-3x4" "duel-exploiter" "duel-quickstart"
    "every-board" "every-board-plans" "every-board-quick" "every-board-safe" "page" "quickstart"
);
