//! Plain minimax: the slow definition of alpha-beta's result.

use crate::adder::in_order;
use crate::adder::score::{Judge, Line, Next};
use crate::adder::search::AdderSearch;
use hognose_game::duel::DuelPosition;

/// Searches all moves to a depth of at least 1.
pub(super) fn minimax(judge: &Judge, position: &DuelPosition, depth: u32) -> AdderSearch {
    search(judge, &mut position.clone(), Line::default(), depth)
}

/// Returns the first own move with the greatest value after the first reply with the smallest one.
fn search(judge: &Judge, position: &mut DuelPosition, line: Line, depth: u32) -> AdderSearch {
    let of_value = |value| AdderSearch {
        value,
        ..AdderSearch::default()
    };
    let [own_moves, replies] = match judge.moves(position, line, depth) {
        Ok(moves) => moves,
        Err(value) => {
            return AdderSearch {
                best: in_order(position.legal_moves(judge.me)).next(),
                ..of_value(value)
            };
        }
    };
    let mut best = of_value(i32::MIN);
    let mut nodes = 0;
    for own in in_order(own_moves) {
        let mut worst = of_value(i32::MAX);
        for reply in in_order(replies) {
            let moves = judge.me.joint(own, reply);
            let after = match judge.step(position, moves, line, depth) {
                Next::Over(value) => of_value(value),
                Next::Open(line) => search(judge, position, line, depth - 1),
            };
            position.undo();
            nodes += 1 + after.nodes;
            if after.value < worst.value {
                worst = AdderSearch {
                    best: Some(own),
                    line: [vec![moves], after.line].concat(),
                    ..of_value(after.value)
                };
            }
        }
        if worst.value > best.value {
            best = worst;
        }
    }
    AdderSearch { nodes, ..best }
}
