//! Optimal play.

use crate::table::{Table, check_board};
use hognose_game::{Board, Direction, MakePolicy, Overlay, Policy, Position, Route, Unsupported};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The largest board that is solved on the fly, in cells.
pub const ON_THE_FLY: usize = 25;

/// Fills the board for sure in the least expected number of steps. It refuses positions from which
/// no win is sure.
///
/// By [`Optimal::default`] a board of at most [`ON_THE_FLY`] cells is solved when its first game
/// begins, once for all games and threads; [`Optimal::by`] plays by a table that is there already.
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
    /// `None`: the table of the game's board, which is solved where it is first needed.
    given: Option<Arc<Table>>,
}

impl Optimal {
    /// Plays by a table, and refuses games on other boards.
    pub fn by(table: Arc<Table>) -> Optimal {
        Optimal { given: Some(table) }
    }

    fn table(&self, board: Board) -> Result<Arc<Table>, Unsupported> {
        self.given.clone().map_or_else(|| solved(board), Ok)
    }
}

impl MakePolicy for Optimal {
    fn make(&self, position: &Position, _seed: u64) -> Result<Box<dyn Policy>, Unsupported> {
        let table = self.table(position.board())?;
        if table.best(position)?.is_none() {
            return Err(Unsupported(
                "no policy wins for sure from this position".into(),
            ));
        }
        Ok(Box::new(OptimalPolicy {
            table,
            route: Route::default(),
        }))
    }
}

/// Plays one game.
struct OptimalPolicy {
    table: Arc<Table>,
    /// The rest of the way to the food.
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

/// The table of a small board.
fn solved(board: Board) -> Result<Arc<Table>, Unsupported> {
    check_board(board).map_err(|error| Unsupported(error.to_string()))?;
    if board.area() > ON_THE_FLY {
        return Err(Unsupported(format!(
            "{board} takes a table: hognose tablebase solve --board {board} --out FILE, then \
             optimal:FILE"
        )));
    }
    // Whoever comes while another thread solves the board waits here for its table.
    let mut solved = SOLVED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = solved.get(&board) {
        return Ok(Arc::clone(table));
    }
    let table = Table::solve(board, |_| ()).map_err(|error| Unsupported(error.to_string()))?;
    Ok(Arc::clone(solved.entry(board).or_insert(Arc::new(table))))
}
