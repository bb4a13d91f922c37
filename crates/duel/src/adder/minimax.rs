//! Plain minimax: the slow definition of alpha-beta's result.

use crate::adder::in_order;
use crate::adder::score::{Judge, Line, Next};
use crate::adder::search::AdderSearch;
use hognose_game::duel::DuelPosition;
use hognose_game::{Direction, Directions};

/// Searches all moves to a depth of at least 1.
pub(super) fn minimax(judge: &Judge, position: &DuelPosition, depth: u32) -> AdderSearch {
    own(judge, &mut position.clone(), Line::default(), depth)
}

/// Returns the first own move with the greatest value.
fn own(judge: &Judge, position: &mut DuelPosition, line: Line, depth: u32) -> AdderSearch {
    let [own_moves, replies] = match judge.moves(position, line, depth) {
        Ok(moves) => moves,
        Err(value) => {
            return AdderSearch {
                value,
                best: in_order(position.legal_moves(judge.me)).next(),
                ..AdderSearch::default()
            };
        }
    };
    let mut found = AdderSearch {
        value: i32::MIN,
        ..AdderSearch::default()
    };
    let mut nodes = 0;
    for own in in_order(own_moves) {
        let reply = reply(judge, position, (own, replies), line, depth);
        nodes += reply.nodes;
        if reply.value > found.value {
            found = reply;
        }
    }
    AdderSearch { nodes, ..found }
}

/// Returns the first reply of the other with the smallest value.
fn reply(
    judge: &Judge,
    position: &mut DuelPosition,
    (own_move, replies): (Direction, Directions),
    line: Line,
    depth: u32,
) -> AdderSearch {
    let mut found = AdderSearch {
        value: i32::MAX,
        ..AdderSearch::default()
    };
    let mut nodes = 0;
    for reply in in_order(replies) {
        let moves = judge.me.joint(own_move, reply);
        let after = match judge.step(position, moves, line, depth) {
            Next::Over(value) => AdderSearch {
                value,
                ..AdderSearch::default()
            },
            Next::Open(line) => own(judge, position, line, depth - 1),
        };
        position.undo();
        nodes += 1 + after.nodes;
        if after.value < found.value {
            let line = [vec![moves], after.line].concat();
            found = AdderSearch {
                value: after.value,
                best: Some(own_move),
                line,
                nodes: 0,
            };
        }
    }
    AdderSearch { nodes, ..found }
}
