//! Masks of actions.

use crate::ActionKind;
use hognose_game::{Direction, Directions};

/// Which of 4 absolute or 3 relative actions make one of these moves; all where there is none.
#[inline(always)]
pub(crate) fn mask<const ACTIONS: usize>(moves: Directions, heading: Direction) -> [bool; ACTIONS] {
    let bits = if ACTIONS == 4 {
        moves.bits()
    } else {
        moves.turn_bits(heading)
    };
    *MASKS[usize::from(bits) & 15]
        .first_chunk()
        .expect("at most 4 actions")
}

/// Writes the mask of actions of a kind.
pub(crate) fn write_mask(
    action: ActionKind,
    moves: Directions,
    heading: Direction,
    out: &mut [bool],
) {
    match action {
        ActionKind::Absolute => out.copy_from_slice(&mask::<4>(moves, heading)),
        ActionKind::Relative => out.copy_from_slice(&mask::<3>(moves, heading)),
    }
}

/// For each set of allowed actions, as bits, its mask; all are allowed where none is.
const MASKS: [[bool; 4]; 16] = {
    let mut masks = [[true; 4]; 16];
    let mut bits = 1;
    while bits < 16 {
        masks[bits] = [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0, bits & 8 != 0];
        bits += 1;
    }
    masks
};
