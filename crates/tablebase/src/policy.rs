//! Optimal play.

use crate::Table;
use hognose_game::{Board, Direction, Overlay, Policy, Position, Unsupported};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The largest board that is solved on the fly, in cells.
pub const ON_THE_FLY: usize = 25;

static SOLVED: LazyLock<Mutex<HashMap<Board, Arc<Table>>>> = LazyLock::new(Mutex::default);

/// Fills the board for sure in the least expected number of steps. It sees the position only, as every policy.
#[derive(Clone, Debug, Default)]
pub struct Optimal {
    table: Option<Arc<Table>>,
    /// Whether the table was given, rather than solved for the board at hand.
    given: bool,
    /// The rest of the way to the food, last move first.
    plan: Vec<Direction>,
}

impl Optimal {
    /// Plays by a table.
    pub fn by(table: Arc<Table>) -> Optimal {
        Optimal { table: Some(table), given: true, plan: Vec::new() }
    }
}

impl Policy for Optimal {
    fn reset(&mut self, position: &Position, _policy_seed: u64) -> Result<(), Unsupported> {
        self.plan.clear();
        if !self.given && self.table.as_ref().is_none_or(|table| table.board() != position.board()) {
            self.table = Some(solved(position.board())?);
        }
        let table = self.table.as_ref().expect("given or solved");
        match table.best(position)? {
            Some(_) => Ok(()),
            None => Err(Unsupported("no policy wins for sure from this position".into())),
        }
    }

    fn act(&mut self, position: &Position) -> Direction {
        if self.plan.is_empty() {
            let table = self.table.as_ref().expect("reset comes first");
            let best = table.best(position).ok().flatten();
            self.plan = best.map_or_else(Vec::new, |(_, moves)| moves);
            self.plan.reverse();
        }
        self.plan.pop().unwrap_or(position.heading())
    }

    fn overlay(&self) -> Overlay {
        Overlay { plan: self.plan.iter().rev().copied().collect(), ..Overlay::default() }
    }
}

/// The table of a small board, solved once for all players.
fn solved(board: Board) -> Result<Arc<Table>, Unsupported> {
    if board.area() > ON_THE_FLY {
        return Err(Unsupported(format!(
            "{board} takes a table: hognose tablebase solve --board {board} --out FILE, then optimal:FILE"
        )));
    }
    let mut tables = SOLVED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(table) = tables.get(&board) {
        return Ok(Arc::clone(table));
    }
    let table = Arc::new(Table::solve(board, |_| ()).map_err(|error| Unsupported(error.to_string()))?);
    tables.insert(board, Arc::clone(&table));
    Ok(table)
}
