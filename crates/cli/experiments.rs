//! The experiments that are part of the binary, and of the Python package, which has this file too.

/// The files of these names in a folder of the repository.
macro_rules! texts {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../", $folder, "/", $name, ".toml")))),*]
    };
}

/// The experiments, as `hognose train` names them: each name, and the text of the file.
pub(crate) const EXPERIMENTS: &[(&str, &str)] = texts!("experiments":
    "10x10" "dqn" "duel-2020" "duel-2021" "duel-3x4" "duel-exploiter" "duel-quickstart"
    "every-board" "every-board-plans" "every-board-quick" "every-board-safe" "page" "quickstart"
);
