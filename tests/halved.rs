//! Agents whose weights are rounded to 16 bits, as on the web page, play like the originals.
//!
//! Their outputs for many positions are stored in `crates/web/tests/probes.json`, which the page's
//! tests compare with the outputs in a browser. `HOGNOSE_WRITE=1 cargo test --release --test halved
//! -- --nocapture` regenerates it.

#[path = "../crates/web/src/probe.rs"]
mod probe;

use hognose_policies::Catalog;
use hognose_store::{Contents, halve, read, write};
use probe::{Probe, probe};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Agents of each kind.
const AGENTS: [&str; 4] = [
    "quickstart-6x6",
    "every-board",
    "every-board-safe",
    "every-board-plans",
];

const PROBES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/web/tests/probes.json");

/// The tolerance for values, which may vary between processors.
const EQUAL: f64 = 1e-4;

/// A value, and the index of a move.
type Answer = (Option<f64>, usize);

type Probed = BTreeMap<String, Vec<Answer>>;

#[test]
fn agents_with_numbers_of_16_bits_play_alike() {
    let folder = tempfile::tempdir().unwrap();
    let mut probed = Probed::new();
    for name in AGENTS {
        let whole = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("checkpoints/{name}/policy.safetensors"));
        let half = folder.path().join(format!("{name}.safetensors"));
        let Contents { state, mut arrays } = read::<Value>(&whole).unwrap();
        halve(&mut arrays);
        write(&half, &state, &arrays).unwrap();
        let [whole, half] = [&whole, &half].map(|path| ask(path));
        assert_eq!(whole.len(), half.len(), "{name}");
        let others = whole
            .iter()
            .zip(&half)
            .filter(|(whole, half)| whole.direction != half.direction)
            .count();
        let apart = whole
            .iter()
            .zip(&half)
            .filter_map(|(whole, half)| Some((whole.value? - half.value?).abs()));
        let apart = apart.fold(0.0, f64::max);
        println!(
            "{name}: {others} of {} moves differ, values by up to {apart:.5}",
            whole.len()
        );
        assert!(
            others * 50 <= whole.len() && apart < 0.1,
            "{name}: {others} of {} moves differ",
            whole.len()
        );
        probed.insert(
            name.to_owned(),
            half.iter()
                .map(|probe| (probe.value, probe.direction.index()))
                .collect(),
        );
    }
    if std::env::var_os("HOGNOSE_WRITE").is_some() {
        fs::write(PROBES, serde_json::to_string(&probed).unwrap() + "\n").unwrap();
    }
    let known: Probed = serde_json::from_str(&fs::read_to_string(PROBES).unwrap()).unwrap();
    for (name, probes) in &probed {
        let known = &known[name];
        assert_eq!(probes.len(), known.len(), "{name}");
        let near = |(one, other): (&Answer, &Answer)| {
            one.0
                .zip(other.0)
                .is_none_or(|(one, other)| (one - other).abs() < EQUAL)
        };
        assert!(probes.iter().zip(known).all(near), "{name}");
        let others = probes
            .iter()
            .zip(known)
            .filter(|(one, other)| one.1 != other.1)
            .count();
        assert!(
            others * 200 <= probes.len(),
            "{name}: {others} of {} moves differ",
            probes.len()
        );
    }
}

fn ask(path: &Path) -> Vec<Probe> {
    probe(
        &Catalog::default()
            .policy(&format!("dqn:{}", path.display()))
            .unwrap(),
    )
}
