//! Alpha-beta: the own move first, then the opponent's, applied together.

use crate::adder::in_order;
use crate::adder::score::{Judge, Line, Next};
use crate::{Budget, Meter};
use hognose_game::duel::DuelPosition;
use hognose_game::{Direction, Directions};

/// The result of a search of an [`Adder`](crate::Adder).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdderSearch {
    /// The value for the searching seat.
    pub value: i32,
    /// The best move; `None` if there is no legal one.
    pub best: Option<Direction>,
    /// The best joint moves, in seat order, up to the depth of the search.
    pub line: Vec<[Direction; 2]>,
    /// The number of joint positions that it stepped to.
    pub nodes: u64,
}

/// Searches by iterative deepening within a budget. Only completed depths count; without any, the
/// first legal move is best.
pub(super) fn deepen(judge: &Judge, position: &DuelPosition, budget: Budget) -> AdderSearch {
    let mut search = Search::new(judge, position, Meter::start(budget));
    let mut found = AdderSearch {
        best: in_order(position.legal_moves(judge.me)).next(),
        ..AdderSearch::default()
    };
    for depth in budget.depths() {
        match search.root(depth) {
            Some(deeper) => found = deeper,
            None => break,
        }
    }
    AdderSearch {
        nodes: search.meter.nodes(),
        ..found
    }
}

/// Searches to a depth of at least 1.
pub(super) fn to_depth(judge: &Judge, position: &DuelPosition, depth: u32) -> AdderSearch {
    Search::new(judge, position, Meter::start(Budget::Depth(depth)))
        .root(depth)
        .expect("a depth budget never ends a search early")
}

struct Search<'a> {
    judge: &'a Judge,
    position: DuelPosition,
    meter: Meter,
    /// Indexed by the remaining depth.
    plies: Vec<Ply>,
    root_depth: u32,
}

/// What the search keeps for a remaining depth.
struct Ply {
    /// The best line of joint moves after the best own move so far.
    best: Vec<[Direction; 2]>,
    /// The best line after the own move being searched.
    now: Vec<[Direction; 2]>,
    /// The own move and the reply that were last best. They are tried first, except at the root,
    /// where the first of equal moves wins.
    favorites: [Option<Direction>; 2],
}

impl<'a> Search<'a> {
    fn new(judge: &'a Judge, position: &DuelPosition, meter: Meter) -> Search<'a> {
        Search {
            judge,
            position: position.clone(),
            meter,
            plies: Vec::new(),
            root_depth: 0,
        }
    }

    /// Returns the value, the best move and the line at a depth, or `None` if the budget runs out
    /// first.
    fn root(&mut self, depth: u32) -> Option<AdderSearch> {
        let room = || Vec::with_capacity(depth as usize);
        self.plies.resize_with(depth as usize + 1, || Ply {
            best: room(),
            now: room(),
            favorites: [None; 2],
        });
        self.root_depth = depth;
        let value = self.own(Line::default(), depth, i32::MIN, i32::MAX);
        if self.meter.is_spent() {
            return None;
        }
        let line = self.plies[depth as usize].best.clone();
        let first = || in_order(self.position.legal_moves(self.judge.me)).next();
        let best = line
            .first()
            .map(|moves| moves[self.judge.me.index()])
            .or_else(first);
        Some(AdderSearch {
            value,
            best,
            line,
            nodes: self.meter.nodes(),
        })
    }

    /// Returns the value of the best own move. A value outside `alpha..=beta` is a bound on that
    /// side.
    fn own(&mut self, line: Line, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.plies[depth as usize].best.clear();
        let [moves, replies] = match self.judge.moves(&self.position, line, depth) {
            Ok(moves) => moves,
            Err(value) => return value,
        };
        let favorite = self.plies[depth as usize].favorites[0].filter(|_| depth < self.root_depth);
        let mut best = i32::MIN;
        for own in ordered(moves, favorite) {
            let value = self.reply((own, replies), line, depth, alpha, beta);
            if self.meter.is_spent() {
                return value;
            }
            if value > best {
                best = value;
                let ply = &mut self.plies[depth as usize];
                std::mem::swap(&mut ply.best, &mut ply.now);
                ply.favorites[0] = Some(own);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Returns the value of the other's best reply to an own move, bounded as in
    /// [`own`](Self::own).
    fn reply(
        &mut self,
        (own, replies): (Direction, Directions),
        line: Line,
        depth: u32,
        alpha: i32,
        mut beta: i32,
    ) -> i32 {
        let mut worst = i32::MAX;
        for reply in ordered(replies, self.plies[depth as usize].favorites[1]) {
            let moves = self.judge.me.joint(own, reply);
            if self.meter.count() {
                return worst;
            }
            let next = self.judge.step(&mut self.position, moves, line, depth);
            let value = match next {
                Next::Over(value) => {
                    self.plies[depth as usize - 1].best.clear();
                    value
                }
                Next::Open(line) => self.own(line, depth - 1, alpha, beta),
            };
            self.position.undo();
            if self.meter.is_spent() {
                return worst;
            }
            if value < worst {
                worst = value;
                let (deeper, plies) = self.plies.split_at_mut(depth as usize);
                let ply = &mut plies[0];
                ply.favorites[1] = Some(reply);
                ply.now.clear();
                ply.now.push(moves);
                ply.now.extend_from_slice(&deeper[depth as usize - 1].best);
            }
            beta = beta.min(value);
            if alpha >= beta {
                break;
            }
        }
        worst
    }
}

/// Returns the moves in order, except for one that comes first.
fn ordered(moves: Directions, first: Option<Direction>) -> impl Iterator<Item = Direction> {
    let first: Directions = first
        .into_iter()
        .filter(|&direction| moves.contains(direction))
        .collect();
    [first, moves.without(first)].into_iter().flat_map(in_order)
}
