//! The experiments, documents and agents embedded in the binary, so that it works in any folder. An
//! existing path takes precedence over a name.

pub(crate) use crate::agents::AGENTS;
use crate::duel_agents::DUEL_AGENTS;
use crate::error::Result;
pub(crate) use crate::experiments::EXPERIMENTS;
use hognose_game::Rules;
use hognose_policies::{Catalog, NamedPolicy};
pub(crate) use hognose_run::files::read_or_embedded;

/// The documents that `hognose reproduce` knows: names, and texts of the files.
pub(crate) const DOCUMENTS: &[(&str, &str)] = texts!("experiments/published":
    "ai-snakes" "chuyangliu" "killer-devouring-snake" "slitherin-round" "snek-ai"
);

/// Returns the catalog of solvers and bots, agents in files, and embedded agents. It refuses
/// programs, since names may come from files.
pub(crate) fn catalog() -> Catalog {
    Catalog::default()
        .with_agents(AGENTS)
        .with_duel_agents(DUEL_AGENTS)
}

/// Returns the names of the embedded agents.
pub(crate) fn agent_names() -> Vec<String> {
    AGENTS
        .iter()
        .map(|agent| format!("dqn:{}", agent.name))
        .collect()
}

/// Returns the embedded agents that were trained with these rules.
pub(crate) fn agents_for(catalog: &Catalog, rules: Rules) -> Result<Vec<NamedPolicy>> {
    let mut agents = catalog.policies(&agent_names())?;
    let plays = |agent: &NamedPolicy| {
        agent
            .boards()
            .is_some_and(|boards| boards.contains(rules.board()))
    };
    agents.retain(|agent| rules == Rules::new(rules.board()) && plays(agent));
    Ok(agents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_experiment_and_document_is_embedded() {
        for (folder, embedded) in [
            ("experiments", EXPERIMENTS),
            ("experiments/published", DOCUMENTS),
        ] {
            let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
            let paths = files.map(|file| file.unwrap().path());
            let mut names: Vec<String> = paths
                .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
                .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
                .collect();
            names.sort();
            let mut expected: Vec<&str> = embedded.iter().map(|(name, _)| *name).collect();
            expected.sort_unstable();
            assert_eq!(names, expected, "{folder}");
        }
    }

    #[test]
    fn agents_are_found_by_their_rules() {
        let names_by = |rules: Rules| -> Vec<String> {
            agents_for(&catalog(), rules)
                .unwrap()
                .iter()
                .map(|agent| agent.name().to_owned())
                .collect()
        };
        let names = |board: &str| names_by(Rules::new(board.parse().unwrap()));
        assert_eq!(
            names("6x6"),
            ["dqn:every-board-plans", "dqn:quickstart-6x6"]
        );
        assert_eq!(names("9x11"), ["dqn:every-board-plans"]);
        assert!(names("10x10-torus").is_empty() && names("16x16").is_empty());
        let three_foods = Rules::new("6x6".parse().unwrap()).with_foods(3).unwrap();
        assert!(names_by(three_foods).is_empty());
    }

    #[test]
    fn a_path_that_exists_takes_precedence_over_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("quickstart");
        fs::write(&path, "of a file").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(read_or_embedded(path, EXPERIMENTS).unwrap(), "of a file");
        assert_eq!(
            read_or_embedded(path, &[(path.to_owned().leak(), "embedded")]).unwrap(),
            "of a file"
        );
        assert!(
            read_or_embedded("quickstart", EXPERIMENTS)
                .unwrap()
                .contains("[train]")
        );
        let error = read_or_embedded("slowstart", EXPERIMENTS)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("expected a file or one of 10x10, ")
                && error.ends_with("got \"slowstart\"")
        );
    }
}
