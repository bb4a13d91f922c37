//! TensorBoard event files, which `hognose curves` reads. The first byte selects the format of the
//! rest: the bytes of a file, or one event, to which its length and checksums are added here, since
//! mutations never hit them.

#![no_main]

#[path = "shared/files.rs"]
mod files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&sealed, bytes)) = input.split_first() else {
        return;
    };
    let file = if sealed % 2 == 1 {
        frame(bytes)
    } else {
        bytes.to_vec()
    };
    files::with("events.out.tfevents.0", &file, |folder| {
        let _ = hognose_run::scalars(folder);
    });
});

fn frame(event: &[u8]) -> Vec<u8> {
    let mut file = (event.len() as u64).to_le_bytes().to_vec();
    file.extend([0; 4]);
    file.extend(event);
    file.extend(masked_crc32c(event).to_le_bytes());
    file
}

/// Returns CRC-32C as TensorBoard masks it, bit by bit.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| (crc >> 1) ^ (0x82f6_3b78 * (crc & 1));
    let crc = !bytes
        .iter()
        .fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step));
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}
