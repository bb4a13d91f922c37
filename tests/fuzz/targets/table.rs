//! Tables of exact play. The first byte selects the format of the rest: the bytes of a file, or its
//! header and the contents of its sections, to which the checksums are added here, since mutations
//! never hit them.

#![no_main]

use hognose_game::{Game, Rules};
use hognose_tablebase::{read_table, read_unfinished, write_section};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&sealed, bytes)) = input.split_first() else {
        return;
    };
    let file = if sealed % 2 == 1 {
        seal(bytes)
    } else {
        bytes.to_vec()
    };
    let _ = read_unfinished(&mut file.as_slice(), "3x3".parse().unwrap(), |_| 1000);
    let Ok(table) = read_table(&mut file.as_slice()) else {
        return;
    };
    let mut game = Game::new(Rules::new(table.board()), 0);
    let _ = table.moves(game.position());
    for _ in 0..3 {
        let Ok(Some((_, moves))) = table.best(game.position()) else {
            break;
        };
        moves
            .into_iter()
            .for_each(|direction| _ = game.step(direction));
    }
});

/// Returns the header's two lines, then for each section a count of 16 bits and its values.
fn seal(bytes: &[u8]) -> Vec<u8> {
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(place, _)| place + 1);
    let (header, mut rest) = bytes.split_at(ends.take(2).last().unwrap_or(0));
    let board = std::str::from_utf8(header)
        .ok()
        .and_then(|text| text.lines().nth(1)?.strip_prefix("board ")?.parse().ok());
    let area = board.map_or(0, |board: hognose_game::Board| board.area());
    let mut file = header.to_vec();
    for length in (1..=area).rev() {
        let Some((count, after)) = rest.split_first_chunk() else {
            break;
        };
        let (values, after) =
            after.split_at((8 * usize::from(u16::from_le_bytes(*count))).min(after.len() / 8 * 8));
        let values: Vec<f64> = values
            .chunks_exact(8)
            .map(|value| f64::from_le_bytes(value.try_into().unwrap()))
            .collect();
        write_section(&mut file, length, &values).unwrap();
        rest = after;
    }
    file
}
