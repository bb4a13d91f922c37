//! Checkpoints. The first byte selects the format of the rest: the bytes of a file, or the state of
//! one of several kinds of training, to which the checksum is added here, since mutations never hit
//! it. Training continues from what is read.

#![no_main]

#[path = "shared/files.rs"]
mod files;
#[path = "shared/sealed.rs"]
mod sealed;
#[path = "shared/tiny.rs"]
mod tiny;

use hognose_agent::Trainer;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::fs;

/// A trainer of each kind, and a checkpoint of it.
type Kinds = Vec<(Trainer<hognose_agent::Network>, Vec<u8>)>;

thread_local!(static KINDS: RefCell<Kinds> = RefCell::new(kinds()));

fn kinds() -> Kinds {
    let kind = |experiment: hognose_run::DqnExperiment| {
        let folder = tempfile::tempdir().unwrap();
        let mut trainer = experiment.trainer("cpu").unwrap();
        for _ in 0..12 {
            trainer.round().unwrap();
        }
        let checkpoint = folder.path().join("checkpoint.safetensors");
        trainer.save(&checkpoint).unwrap();
        (trainer, fs::read(checkpoint).unwrap())
    };
    tiny::experiments().map(kind).collect()
}

fuzz_target!(|input: &[u8]| {
    let Some((&kind, bytes)) = input.split_first() else {
        return;
    };
    KINDS.with_borrow_mut(|kinds| {
        let (trainer, whole) = &mut kinds[usize::from(kind >> 1) % 3];
        let file = match (kind % 2 == 1, std::str::from_utf8(bytes)) {
            (false, _) => bytes.to_vec(),
            (true, Ok(state)) => sealed::with_state(whole, state),
            (true, Err(_)) => return,
        };
        files::with("checkpoint.safetensors", &file, |folder| {
            if trainer
                .restore(&folder.join("checkpoint.safetensors"))
                .is_ok()
            {
                for _ in 0..3 {
                    let _ = trainer.round();
                }
            }
        });
    });
});
