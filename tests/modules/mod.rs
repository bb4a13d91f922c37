//! Finds which file of a crate uses which: from `crate::` and `super::` paths, following re-exports
//! to the file that defines the item. Uses in a file's tests don't count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules of a crate, by their paths in it, and the modules that each uses.
pub(crate) type Uses = BTreeMap<String, BTreeSet<String>>;

/// Reads the sources in a folder and its subfolders.
pub(crate) fn uses(source: &Path) -> Uses {
    let mut texts = BTreeMap::new();
    read(source, source, &mut texts);
    let mut exports = BTreeMap::new();
    for (module, text) in &texts {
        for path in
            paths_after(text, "use ").map(|path| path.trim_start_matches("self::").to_owned())
        {
            for full in expand(&path) {
                let (parent, item) = full.rsplit_once("::").unwrap_or(("", &full));
                let parent = [module.as_str(), parent]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>();
                if texts.contains_key(&parent.join("::")) {
                    exports.entry(item.to_owned()).or_insert(parent.join("::"));
                }
            }
        }
    }
    let user = |(module, text): (&String, &String)| {
        let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
        // The root uses only the modules that it declares.
        let of_root = if module.is_empty() { "use " } else { "crate::" };
        let of_crate = paths_after(text, of_root).flat_map(expand);
        let of_parent = paths_after(text, "super::").flat_map(expand);
        let of_parent = of_parent.map(|path| {
            if parent.is_empty() {
                path
            } else {
                format!("{parent}::{path}")
            }
        });
        let used = of_crate
            .chain(of_parent)
            .map(|path| resolve(&path, &texts, &exports));
        // A module may use the modules it declares, and be used by them.
        let below = |used: &String| used.starts_with(&format!("{module}::"));
        let other = |used: &String| used != module && !below(used);
        (module.clone(), used.filter(other).collect())
    };
    texts.iter().map(user).collect()
}

/// Returns a module from which its uses lead back to it, with one such path; `None` if there is
/// none.
pub(crate) fn circle(uses: &Uses) -> Option<Vec<String>> {
    fn lead_back(uses: &Uses, way: &mut Vec<String>, seen: &mut BTreeSet<String>) -> bool {
        let last = way[way.len() - 1].clone();
        for next in &uses[&last] {
            if *next == way[0] {
                return true;
            }
            if seen.insert(next.clone()) {
                way.push(next.clone());
                if lead_back(uses, way, seen) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }
    uses.keys().find_map(|module| {
        let mut way = vec![module.clone()];
        lead_back(uses, &mut way, &mut BTreeSet::new()).then_some(way)
    })
}

/// Reads every file in a folder and its subfolders, without comments and tests, by its path in the
/// crate; the root's path is empty.
fn read(source: &Path, folder: &Path, texts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(source, &path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = path.strip_prefix(source).unwrap().with_extension("");
            let parts: Vec<_> = module
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let named = |part: &&String| !["mod", "lib", "main"].contains(&part.as_str());
            let module = parts
                .iter()
                .filter(named)
                .cloned()
                .collect::<Vec<_>>()
                .join("::");
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let text = text
                .split("#[cfg(test)]\npub(crate) mod tests")
                .next()
                .unwrap();
            let code = text
                .lines()
                .map(|line| line.split("//").next().unwrap())
                .collect::<Vec<_>>()
                .join("\n");
            texts.insert(module, code);
        }
    }
}

/// Returns the paths, or trees of paths, that follow a word.
fn paths_after<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(word).map(move |(place, _)| {
        let rest = &text[place + word.len()..];
        let mut depth = 0;
        let end = rest.find(|letter: char| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            let inside = letter.is_alphanumeric()
                || "_:{}".contains(letter)
                || depth > 0 && " ,\n".contains(letter);
            !inside || depth < 0
        });
        &rest[..end.unwrap_or(rest.len())]
    })
}

/// Returns the paths of a tree: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap().trim_end_matches(':');
        return vec![path.strip_suffix("::self").unwrap_or(path).to_owned()];
    };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let mut depth = 0;
    let parts = inside.split(|letter: char| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let parts = parts
        .filter(|part| !part.trim().is_empty())
        .flat_map(expand);
    parts.map(|part| format!("{prefix}{part}")).collect()
}

/// Returns the module that a path refers to: its longest prefix that is a module, the module that
/// an item is exported from, or the root, which defines everything else.
fn resolve(
    path: &str,
    texts: &BTreeMap<String, String>,
    exports: &BTreeMap<String, String>,
) -> String {
    let parts: Vec<&str> = path.split("::").collect();
    let module = (1..=parts.len())
        .rev()
        .map(|n| parts[..n].join("::"))
        .find(|module| texts.contains_key(module));
    let next = parts.get(
        module
            .as_ref()
            .map_or(0, |module| module.split("::").count()),
    );
    let exported = next.and_then(|item| exports.get(*item)).cloned();
    match (module, exported) {
        (Some(module), Some(exported)) if exported.starts_with(&format!("{module}::")) => exported,
        (Some(module), _) => module,
        (None, exported) => exported.unwrap_or_default(),
    }
}
