//! Positions as Python objects, and policies that play from them.

use crate::arrays::{shape, value_error};
use crate::evaluation::catalog;
use crate::forks::need_threads_of;
use hognose_env::{Encoder, Observation, StartPosition};
use hognose_game::{
    Board, Cause, Cell, Direction, Event, MakePolicy, Overlay, Policy, Rules, Status,
};
use hognose_viewer::{Drawing, Pixels, pixels, svg};
use numpy::{Element as NumpyElement, PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cell as its column and row.
pub(crate) type Place = (usize, usize);

/// A column and row from Python, possibly off the board.
pub(crate) type GivenPlace = (i64, i64);

/// An immutable position: a board, a snake and food.
#[pyclass(frozen, eq, hash, module = "hognose._hognose")]
#[derive(PartialEq, Eq)]
pub(crate) struct Position(pub(crate) hognose_game::Position);

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0.board(), self.0.heading()).hash(state);
        self.0.body().for_each(|cell| cell.hash(state));
        self.0.foods().hash(state);
    }
}

#[pymethods]
impl Position {
    /// Creates a position from its parts. The body goes from head to tail. A body of one cell needs
    /// a heading.
    #[new]
    #[pyo3(signature = (board, body, food=None, *, heading=None))]
    fn new(
        board: &str,
        body: Vec<GivenPlace>,
        food: Option<GivenPlace>,
        heading: Option<&str>,
    ) -> PyResult<Position> {
        let board: Board = board.parse().map_err(|error| value_error(&error))?;
        let heading = heading
            .map(str::parse)
            .transpose()
            .map_err(|error| value_error(&error))?;
        let body = body
            .into_iter()
            .map(|place| on_board(board, place))
            .collect::<PyResult<Vec<_>>>()?;
        let food = food.map(|place| on_board(board, place)).transpose()?;
        let start = StartPosition {
            board: None,
            body,
            heading,
            food,
        };
        start
            .position(Rules::new(board))
            .map(Position)
            .map_err(|error| value_error(&error))
    }

    /// The board, such as `10x10`.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// The columns and rows of the body, from head to tail.
    #[getter]
    fn body(&self) -> Vec<Place> {
        self.0
            .body()
            .map(|cell| place(self.0.board(), cell))
            .collect()
    }

    /// The columns and rows of the foods.
    #[getter]
    fn foods(&self) -> Vec<Place> {
        self.0
            .foods()
            .iter()
            .map(|&cell| place(self.0.board(), cell))
            .collect()
    }

    /// The direction of the last move: `up`, `right`, `down` or `left`.
    #[getter]
    fn heading(&self) -> String {
        self.0.heading().to_string()
    }

    /// `ongoing`, `won`, `wall` or `body`.
    #[getter]
    fn status(&self) -> &'static str {
        match self.0.status() {
            Status::Ongoing => "ongoing",
            Status::Won => "won",
            Status::Lost(cause) => word(cause),
        }
    }

    /// Returns the moves that do not lose at once: 0 up, 1 right, 2 down, 3 left.
    fn legal_moves(&self) -> Vec<usize> {
        self.0.legal_moves().iter().map(Direction::index).collect()
    }

    /// Returns the position after a move (0 up, 1 right, 2 down, 3 left), and what the move did:
    /// `moved`, `ate`, `won`, `wall` or `body`. Eaten food is not replaced.
    fn step(&self, direction: i64) -> PyResult<(Position, &'static str)> {
        let known = Direction::ALL
            .into_iter()
            .find(|known| known.index() as i64 == direction);
        let direction = known.ok_or_else(|| {
            PyValueError::new_err(format!("a move must be from 0 to 3, got {direction}"))
        })?;
        if self.0.status() != Status::Ongoing {
            return Err(PyValueError::new_err(format!(
                "the game is over: {}",
                self.0.status()
            )));
        }
        let mut after = self.0.clone();
        let event = match after.step(direction) {
            Event::Moved => "moved",
            Event::Ate => "ate",
            Event::Won => "won",
            Event::Lost(cause) => word(cause),
        };
        Ok((Position(after), event))
    }

    /// Returns this position with one food, at this column and row.
    fn with_food(&self, food: GivenPlace) -> PyResult<Position> {
        let [column, row] = on_board(self.0.board(), food)?;
        let food = self.0.board().cell(column, row);
        let position =
            hognose_game::Position::new(self.0.rules(), self.0.heading(), self.0.body(), [food]);
        position.map(Position).map_err(|error| value_error(&error))
    }

    /// Returns the observation of this position, with the mask of legal moves.
    #[pyo3(signature = (observation="features", dtype="float32"))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        observation: &str,
        dtype: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name: StrDeserializer<'_, Error> = observation.into_deserializer();
        let observation = Observation::deserialize(name).map_err(|error| value_error(&error))?;
        let mut encoder = Encoder::new(observation, self.0.board());
        match dtype {
            "uint8" => self.encoded::<u8>(py, &mut encoder),
            "float32" => self.encoded::<f32>(py, &mut encoder),
            _ => Err(PyValueError::new_err(format!(
                "dtype must be uint8 or float32, got {dtype}"
            ))),
        }
    }

    /// Draws the board as an RGB array.
    fn render<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        picture(py, &self.0)
    }

    /// Draws the board as SVG, for notebooks.
    fn _repr_svg_(&self) -> String {
        svg(&Drawing::new(&self.0, &Overlay::default()))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Position {}, length {}, {}>\n{}",
            self.0.board(),
            self.0.len(),
            self.0.status(),
            self.0
        )
    }

    /// Parses a position from JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Position> {
        serde_json::from_str(text)
            .map(Position)
            .map_err(|error| value_error(&error))
    }

    /// Returns the position as JSON, as in records and snapshots.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| value_error(&error))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((
            py.get_type::<Position>().getattr("from_json")?,
            (self.to_json()?,),
        ))
    }
}

impl Position {
    fn encoded<'py, T: hognose_env::Element + NumpyElement>(
        &self,
        py: Python<'py>,
        encoder: &mut Encoder,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut values = vec![T::default(); encoder.space().len()];
        encoder.encode(&self.0, self.0.legal_moves(), &mut values);
        Ok(PyArray1::from_vec(py, values)
            .reshape(shape(encoder.space()))?
            .into_any())
    }
}

/// Draws a position: see [`painted`].
pub(crate) fn picture<'py>(
    py: Python<'py>,
    position: &hognose_game::Position,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    painted(
        py,
        &Drawing::new(position, &Overlay::default()),
        position.board(),
    )
}

/// Returns a drawing of a board as an RGB array: rows x columns x 3. A cell has 24 x 24 pixels, or
/// fewer if a side has more than 40 cells. Width and height are even, as videos need.
pub(crate) fn painted<'py>(
    py: Python<'py>,
    drawing: &Drawing,
    board: Board,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let longer = board.width().max(board.height());
    let Pixels {
        width,
        height,
        bytes,
    } = pixels(drawing, (960 / longer / 4 * 4).clamp(4, 24));
    PyArray1::from_vec(py, bytes).reshape([height, width, 3])
}

fn word(cause: Cause) -> &'static str {
    match cause {
        Cause::Wall => "wall",
        Cause::Body => "body",
    }
}

/// Returns a column and row from Python if they are on the board.
pub(crate) fn on_board(board: Board, (column, row): GivenPlace) -> PyResult<[usize; 2]> {
    let inside = |value: i64, end: usize| usize::try_from(value).ok().filter(|&value| value < end);
    match (inside(column, board.width()), inside(row, board.height())) {
        (Some(column), Some(row)) => Ok([column, row]),
        _ => Err(PyValueError::new_err(format!(
            "({column}, {row}) is not on the board {board}"
        ))),
    }
}

pub(crate) fn place(board: Board, cell: Cell) -> Place {
    (board.column(cell), board.row(cell))
}

/// A named policy.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Solver(Arc<dyn MakePolicy>);

#[pymethods]
impl Solver {
    /// Looks up a policy.
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Solver> {
        need_threads_of(name)?;
        py.detach(|| -> PyResult<Solver> {
            let named = catalog(None)?
                .policy(name)
                .map_err(|error| value_error(&error))?;
            Ok(Solver(named.single_player()))
        })
    }

    /// Begins a game of this policy at a position. Its random choices follow from the seed.
    #[pyo3(signature = (position, seed=0))]
    fn begin(
        &self,
        py: Python<'_>,
        position: &Position,
        #[pyo3(from_py_with = checked_seed)] seed: u64,
    ) -> PyResult<Playing> {
        let made = py.detach(|| self.0.make(&position.0, seed));
        let policy = made.map_err(|error| value_error(&error))?;
        Ok(Playing {
            game: Mutex::new(Asked {
                policy,
                next: position.0.clone(),
            }),
            board: position.0.board(),
        })
    }
}

/// Checks a seed as the rest of the package does.
fn checked_seed(seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    seed.py()
        .import("hognose.games")?
        .call_method1("check_seed", (seed,))?
        .extract()
}

/// A policy in the middle of a game.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Playing {
    game: Mutex<Asked>,
    board: Board,
}

/// A policy, and the next position of its game without new food.
struct Asked {
    policy: Box<dyn Policy>,
    next: hognose_game::Position,
}

impl Asked {
    /// Returns the policy's move at the next position of its game.
    fn act(&mut self, position: &hognose_game::Position) -> PyResult<Direction> {
        let parts = |position: &hognose_game::Position| {
            (position.rules(), position.status(), position.heading())
        };
        let next = &self.next;
        let follows = parts(position) == parts(next)
            && position.body().eq(next.body())
            && next.foods().iter().all(|&food| position.is_food(food));
        if !follows {
            let expected = next.rules();
            let got = position.rules();
            return Err(PyValueError::new_err(format!(
                "expected the next position of this game on {expected}, where only food may be \
                 new:\n{next}\
                 got one on {got}:\n{position}"
            )));
        }
        if position.status() != Status::Ongoing {
            return Err(PyValueError::new_err(format!(
                "the game is over: {}",
                position.status()
            )));
        }
        let direction = self
            .policy
            .try_act(position)
            .map_err(|error| value_error(&error))?;
        self.next = position.clone();
        self.next.step(direction);
        Ok(direction)
    }
}

#[pymethods]
impl Playing {
    /// Returns the next move: 0 up, 1 right, 2 down, 3 left. Must be called at every position of
    /// the game, in order.
    fn act(&self, py: Python<'_>, position: &Position) -> PyResult<usize> {
        py.detach(|| self.game().act(&position.0))
            .map(Direction::index)
    }

    /// The moves that it plans from here; empty without a plan.
    #[getter]
    fn plan(&self) -> Vec<usize> {
        self.game()
            .policy
            .overlay()
            .plan
            .into_iter()
            .map(Direction::index)
            .collect()
    }

    /// The columns and rows of the cycle that it follows; empty without a cycle.
    #[getter]
    fn cycle(&self) -> Vec<Place> {
        self.game()
            .policy
            .overlay()
            .cycle
            .into_iter()
            .map(|cell| place(self.board, cell))
            .collect()
    }
}

impl Playing {
    fn game(&self) -> MutexGuard<'_, Asked> {
        self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
