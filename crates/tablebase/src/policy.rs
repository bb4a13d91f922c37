//! The optimal policy.

use crate::table::{Table, check_board};
use hognose_game::{Board, Direction, MakePolicy, Overlay, Policy, Position, Route, Unsupported};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The maximum number of cells of a board that is solved on the fly.
pub const ON_THE_FLY: usize = 25;

/// Fills the board for sure in the least expected number of steps. Rejects positions from which no
/// win is sure.
///
/// [`Optimal::default`] solves a board of at most [`ON_THE_FLY`] cells when its first game begins,
/// once for all games and threads; [`Optimal::by`] plays by an existing table.
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
#[derive(Clone, Debug, Default)]
pub struct Optimal {
    /// `None`: the table of the game's board, which is solved when it is first needed.
    given: Option<Arc<Table>>,
}

impl Optimal {
    /// Plays by a table, and rejects games on other boards.
    pub fn by(table: Arc<Table>) -> Optimal {
        Optimal { given: Some(table) }
    }
}

impl MakePolicy for Optimal {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let given = self.given.clone();
        let table = given.map_or_else(|| solved(position.board()), Ok)?;
        if table.best(position)?.is_none() {
            return Err(Unsupported(
                "no policy is sure to win from this position".into(),
            ));
        }
        Ok(Box::new(OptimalPolicy {
            table,
            route: Route::default(),
        }))
    }
}

/// Plays one game optimally.
struct OptimalPolicy {
    table: Arc<Table>,
    /// The remaining moves to the food.
    route: Route,
}

impl Policy for OptimalPolicy {
    fn act(&mut self, position: &Position) -> Direction {
        let next = self.route.next().or_else(|| {
            let (_, moves) = self.table.best(position).ok().flatten()?;
            self.route.begin(moves)
        });
        next.unwrap_or(position.heading())
    }

    fn overlay(&self) -> Overlay {
        self.route.overlay(Vec::new())
    }
}

/// The tables of small boards, each solved once for all games of this process.
static SOLVED: LazyLock<Mutex<HashMap<Board, Arc<Table>>>> = LazyLock::new(Mutex::default);

/// Returns the table of a small board, solving it if necessary.
fn solved(board: Board) -> Result<Arc<Table>, Unsupported> {
    check_board(board).map_err(|error| Unsupported(error.to_string()))?;
    if board.area() > ON_THE_FLY {
        return Err(Unsupported(format!(
            "{board} needs a table: hognose tablebase solve --board {board} --out FILE, then \
             optimal:FILE"
        )));
    }
    // Other threads that need a table wait here until it is solved.
    let mut solved = SOLVED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = solved.get(&board) {
        return Ok(Arc::clone(table));
    }
    let table = Table::solve(board, |_| ()).map_err(|error| Unsupported(error.to_string()))?;
    Ok(Arc::clone(solved.entry(board).or_insert(Arc::new(table))))
}
