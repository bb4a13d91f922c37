//! Optimal play.

use crate::table::Table;
use hognose_game::{Board, Direction, MakePolicy, Overlay, Policy, Position, Unsupported};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest board that is solved on the fly, in cells.
pub const ON_THE_FLY: usize = 25;

/// Fills the board for sure in the least expected number of steps. It refuses positions from which no win is sure.
///
/// By [`Optimal::default`] a board of at most [`ON_THE_FLY`] cells is solved when its first game begins, once for all
/// games and threads; [`Optimal::by`] plays by a table that is there already.
///
/// ```
/// use hognose_game::{Board, Game, MakePolicy, Rules};
/// use hognose_tablebase::Optimal;
///
/// let optimal = Optimal::default();
/// let game = Game::new(Rules::new(Board::new(3, 3)?), 7);
/// let mut policy = optimal.make(game.position(), 0)?;
/// assert!(game.position().legal_moves().contains(policy.act(game.position())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Optimal(Source);

/// Where the table comes from.
#[derive(Debug)]
enum Source {
    Given(Arc<Table>),
    /// The table of the last board that was solved.
    Solved(Mutex<Option<Arc<Table>>>),
}

impl Optimal {
    /// Plays by a table, and refuses games on other boards.
    pub fn by(table: Arc<Table>) -> Optimal {
        Optimal(Source::Given(table))
    }

    fn table(&self, board: Board) -> Result<Arc<Table>, Unsupported> {
        let solved = match &self.0 {
            Source::Given(table) => return Ok(Arc::clone(table)),
            Source::Solved(solved) => solved,
        };
        // Whoever comes while another thread solves the board waits here for its table.
        let mut solved = solved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = solved.as_ref().filter(|table| table.board() == board) {
            return Ok(Arc::clone(table));
        }
        Ok(Arc::clone(solved.insert(solve(board)?)))
    }
}

impl Default for Optimal {
    fn default() -> Optimal {
        Optimal(Source::Solved(Mutex::default()))
    }
}

impl MakePolicy for Optimal {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let table = self.table(position.board())?;
        if table.best(position)?.is_none() {
            return Err(Unsupported("no policy wins for sure from this position".into()));
        }
        Ok(Box::new(OptimalPolicy { table, plan: Vec::new() }))
    }
}

/// Plays one game.
struct OptimalPolicy {
    table: Arc<Table>,
    /// The rest of the way to the food, last move first.
    plan: Vec<Direction>,
}

impl Policy for OptimalPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        if self.plan.is_empty() {
            let best = self.table.best(position).ok().flatten();
            self.plan = best.map_or_else(Vec::new, |(_, moves)| moves);
            self.plan.reverse();
        }
        self.plan.pop().unwrap_or(position.heading())
    }

    fn overlay(&self) -> Overlay {
        Overlay { plan: self.plan.iter().rev().copied().collect(), ..Overlay::default() }
    }
}

/// The table of a small board.
fn solve(board: Board) -> Result<Arc<Table>, Unsupported> {
    if board.area() > ON_THE_FLY {
        return Err(Unsupported(format!(
            "{board} takes a table: hognose tablebase solve --board {board} --out FILE, then optimal:FILE"
        )));
    }
    Table::solve(board, |_| ()).map(Arc::new).map_err(|error| Unsupported(error.to_string()))
}
