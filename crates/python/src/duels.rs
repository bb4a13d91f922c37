//! Duels behind NumPy arrays, and tournaments in which Python functions may play.

use crate::arrays::{
    Arrays, Environments, Finished, Rows, from_json, locked, read_snapshot, value_error,
    whole_numbers,
};
use crate::evaluation::{Failure, Reporter, catalog, go_on, take};
use crate::forks::need_threads_of;
use crate::positions::painted;
use hognose_env::{
    ActionKind, Autoreset, Batch, DuelEnvConfig, DuelReward, DuelSnapshot, DuelVectorEnv, Element,
    Encoder, LearnerSeat, Observation, StepError,
};
use hognose_eval::tournament::{Ranking, Schedule, Tournament};
use hognose_game::duel::{Bot, DuelPosition, DuelRules, DuelRulesError, HeadOn, MakeBot, Seat};
use hognose_game::{Board, Direction, Forfeit, Unsupported};
use hognose_policies::BOTS;
use hognose_viewer::{Drawing, Legend};
use numpy::{
    Element as NumpyElement, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Returns the name and description of each built-in bot.
#[pyfunction]
pub(crate) fn bots() -> Vec<(&'static str, &'static str)> {
    BOTS.iter()
        .map(|known| (known.name, known.description))
        .collect()
}

/// The configuration of [`Duels`], as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    rules: Rules,
    view: View,
    reward: DuelReward,
    autoreset: Autoreset,
    /// The learner's seat against an opponent.
    seat: LearnerSeat,
}

impl Config {
    /// Returns the configuration without the opponent.
    fn env_config(&self) -> PyResult<DuelEnvConfig> {
        Ok(DuelEnvConfig {
            rules: self.rules.rules().map_err(|error| value_error(&error))?,
            observation: self.view.observation,
            action: self.view.action,
            reward: self.reward,
            autoreset: self.autoreset,
        })
    }

    /// Returns the maker of the opponent, if there is one, and the learner's seat.
    fn bot(
        &self,
        opponent: Option<&Bound<'_, PyAny>>,
        failure: &Failure,
        held: &Held,
    ) -> PyResult<Option<(Arc<dyn MakeBot>, LearnerSeat)>> {
        opponent
            .map(|bot| Ok((maker(bot, &self.view, failure, held)?, self.seat)))
            .transpose()
    }
}

/// Named rules, and changes to them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    name: String,
    board: Option<Board>,
    foods: Option<u16>,
    values: Option<(u8, u8)>,
    head_on: Option<HeadOn>,
    /// `null` means that food is never redrawn.
    #[serde(default, deserialize_with = "present")]
    redraw_after: Option<Option<u16>>,
    step_limit: Option<u32>,
}

/// Deserializes a key that is present, so that `null` differs from a missing key.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<u16>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl Rules {
    fn rules(&self) -> Result<DuelRules, DuelRulesError> {
        let mut rules = DuelRules::named(&self.name)?;
        if let Some(board) = self.board {
            rules = rules.on(board)?;
        }
        if let Some(foods) = self.foods {
            rules = rules.with_foods(foods)?;
        }
        if let Some((lowest, highest)) = self.values {
            rules = rules.with_values(lowest..=highest)?;
        }
        if let Some(head_on) = self.head_on {
            rules = rules.with_head_on(head_on);
        }
        if let Some(redraw_after) = self.redraw_after {
            rules = rules.with_redraw_after(redraw_after)?;
        }
        if let Some(step_limit) = self.step_limit {
            rules = rules.with_step_limit(step_limit)?;
        }
        Ok(rules)
    }
}

/// Seat, causes by seat, lengths by seat.
type LastEpisode = (usize, [String; 2], [usize; 2]);

/// The duels, and the arrays that each step fills.
#[pyclass(frozen, module = "hognose._hognose")]
pub(crate) struct Duels {
    rows: Rows<DuelVectorEnv>,
    /// The number of rows of each duel.
    learners: usize,
    /// The name of the opponent of the next episodes, if there is one. Pictures of episodes that
    /// began before the last change show no name.
    opponent: Mutex<Option<String>>,
    /// The exception that an opponent raised, if it is a Python function.
    failure: Failure,
    /// The opponents that are Python functions, for Python's garbage collector: those of the last
    /// configuration, and those of episodes that began earlier.
    held: Held,
    /// The arrays, with one row for each player: two per duel, or one against an opponent.
    #[pyo3(get)]
    arrays: Py<Arrays>,
}

#[pymethods]
impl Duels {
    /// Creates duels. `opponent` is None, the name of a bot, or a Python function of (observations,
    /// masks).
    #[new]
    fn new(
        py: Python<'_>,
        config: &str,
        num_duels: usize,
        seed: u64,
        threads: usize,
        opponent: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Duels> {
        let config: Config = from_json(config)?;
        let failure = Failure::default();
        let held = Held::default();
        let bot = config.bot(opponent.as_ref(), &failure, &held)?;
        let env = DuelVectorEnv::new(config.env_config()?, num_duels, seed)
            .and_then(|env| env.with_threads(threads))
            .and_then(|env| match bot {
                Some((maker, learner)) => env.against(maker, learner),
                None => Ok(env),
            })
            .map_err(|error| value_error(&error))?;
        let rows = env.num_rows();
        let arrays = Arrays::new(py, rows, env.space(), env.num_actions(), &config.view.dtype)?;
        Ok(Duels {
            rows: Rows::new(env, num_duels, rows),
            learners: rows / num_duels,
            opponent: Mutex::new(opponent.as_ref().map(name_of)),
            failure,
            held,
            arrays: Py::new(py, arrays)?,
        })
    }

    /// Visits the functions that may be asked: an opponent may refer to its environment. Python's
    /// collector never waits, so functions in use are left out, and stay.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(held) = self.held.try_lock() else {
            return Ok(());
        };
        for function in held.iter().filter_map(|function| function.try_lock().ok()) {
            visit.call(&*function)?;
        }
        Ok(())
    }

    /// Lets go of the functions.
    fn __clear__(&self) {
        let held = self.held.try_lock().map(|held| held.clone());
        for function in held.unwrap_or_default() {
            // Its destructor may run Python code, so no lock is held when it is dropped.
            let cleared = function
                .try_lock()
                .ok()
                .and_then(|mut function| function.take());
            drop(cleared);
        }
    }

    /// Changes the rules, the rewards and the opponent of the next episodes. The arguments are those
    /// of `new`.
    fn configure(&self, config: &str, opponent: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let config: Config = from_json(config)?;
        // Functions that no episode asks any more; their destructors may run Python code.
        let unused: Vec<Shared> = locked(&self.held)
            .extract_if(.., |function| Arc::strong_count(function) == 1)
            .collect();
        drop(unused);
        let bot = config.bot(opponent.as_ref(), &self.failure, &self.held)?;
        let mut inner = self.rows.lock()?;
        inner
            .env
            .configure(config.env_config()?, bot)
            .map_err(|error| value_error(&error))?;
        *locked(&self.opponent) = opponent.as_ref().map(name_of);
        Ok(())
    }

    /// Reseeds a duel, and begins the first episode of that seed.
    fn reseed(&self, duel: usize, seed: u64) -> PyResult<()> {
        self.rows.at(duel)?.env.reseed_one(duel, seed);
        Ok(())
    }

    /// Returns the seed of duel `duel` if all duels are seeded with `seed`.
    #[staticmethod]
    fn seed_of(seed: u64, duel: usize) -> u64 {
        DuelVectorEnv::seed_of(seed, duel)
    }

    /// Begins the next episode of a duel.
    fn restart(&self, duel: usize) -> PyResult<()> {
        self.rows.at(duel)?.env.restart(duel);
        Ok(())
    }

    /// Fills the arrays of observations and masks without a step.
    fn observe(&self, py: Python<'_>) -> PyResult<()> {
        self.arrays.get().observe(py, &self.rows)
    }

    /// Steps every duel, fills all arrays, and returns the rows whose episodes ended.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<usize>> {
        let stepped = self.arrays.get().step(py, &self.rows, actions);
        stepped.map_err(|error| take(&self.failure).unwrap_or(error))
    }

    /// Returns whether the episode of a duel has ended and waits for a reset.
    fn has_ended(&self, duel: usize) -> PyResult<bool> {
        Ok(self.rows.at(duel)?.env.has_ended(duel))
    }

    /// Returns the seat, 0 or 1, of a row in its current episode.
    fn seat(&self, row: usize) -> PyResult<usize> {
        Ok(self.rows.at(row / self.learners)?.env.player(row).1.index())
    }

    /// Returns the last finished episode of a row, if any: its seat, and by seat the causes of the
    /// end (empty for a survivor) and the lengths.
    fn last_episode(&self, row: usize) -> PyResult<Option<LastEpisode>> {
        let inner = self.rows.at(row / self.learners)?;
        Ok(inner.env.last_episode(row).map(|episode| {
            let causes = episode
                .outcome
                .causes
                .map(|cause| cause.map_or(String::new(), |cause| cause.to_string()));
            (episode.seat.index(), causes, episode.lengths)
        }))
    }

    /// Returns the bodies by seat, from head to tail, and the foods, as cell numbers.
    fn snakes(&self, duel: usize) -> PyResult<([Vec<u16>; 2], Vec<u16>)> {
        let inner = self.rows.at(duel)?;
        let position = inner.env.duel(duel).position();
        let bodies =
            Seat::BOTH.map(|seat| position.snake(seat).body().map(|cell| cell.0).collect());
        Ok((
            bodies,
            position.foods().iter().map(|food| food.cell.0).collect(),
        ))
    }

    /// Returns the full state of a duel, including its future foods and episodes, as bytes.
    fn snapshot(&self, duel: usize) -> PyResult<Vec<u8>> {
        let snapshot = self
            .rows
            .at(duel)?
            .env
            .snapshot(duel)
            .map_err(|error| value_error(&error))?;
        serde_json::to_vec(&snapshot).map_err(|error| value_error(&error))
    }

    /// Restores a duel from a snapshot.
    fn restore(&self, py: Python<'_>, duel: usize, snapshot: &[u8]) -> PyResult<()> {
        py.detach(|| -> PyResult<()> {
            let snapshot: DuelSnapshot = read_snapshot(snapshot)?;
            self.rows
                .at(duel)?
                .env
                .restore(duel, &snapshot)
                .map_err(|error| value_error(&error))
        })
    }

    /// Draws the board as text: `A` and `a` for the head and body of the first snake, `B` and `b`
    /// for the second, `*` for food, `.` for a free cell.
    fn text(&self, duel: usize) -> PyResult<String> {
        Ok(self.rows.at(duel)?.env.duel(duel).position().to_string())
    }

    /// Draws the board, with a legend below it, as an RGB array: rows x columns x 3.
    fn picture<'py>(&self, py: Python<'py>, duel: usize) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let inner = self.rows.at(duel)?;
        let position = inner.env.duel(duel).position();
        let opponent = locked(&self.opponent);
        let names = match &*opponent {
            None => ["snake_0", "snake_1"],
            Some(opponent) => {
                let now = inner.env.has_current_config(duel);
                let opponent = if now { opponent } else { "opponent" };
                inner.env.player(duel).1.joint("learner", opponent)
            }
        };
        let legend = Legend::new(names.map(str::to_owned), position);
        let drawing = Drawing::of_duel(position, &Default::default()).with_legend(legend);
        painted(py, &drawing, position.board())
    }
}

impl Environments for DuelVectorEnv {
    fn step<T: Element>(
        &mut self,
        actions: &[u8],
        batch: &mut Batch<'_, T>,
    ) -> Result<(), StepError> {
        DuelVectorEnv::step(self, actions, batch)
    }

    fn observe<T: Element>(&mut self, batch: &mut Batch<'_, T>) -> Result<(), StepError> {
        DuelVectorEnv::observe(self, batch)
    }

    fn finished(&self, row: usize) -> Option<Finished> {
        let episode = DuelVectorEnv::last_episode(self, row)?;
        let ended_by = match episode.outcome.winner {
            None => "drawn",
            Some(winner) if winner == episode.seat => "won",
            Some(_) => "lost",
        };
        let length = episode.lengths[episode.seat.index()];
        Some(Finished {
            reward: episode.reward,
            steps: episode.steps,
            length,
            ended_by,
            board: None,
        })
    }
}

/// What a player sees and answers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct View {
    observation: Observation,
    action: ActionKind,
    dtype: String,
}

/// The configuration of [`tournament`], as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TournamentConfig {
    rules: Rules,
    games: usize,
    seed: u64,
    threads: usize,
    view: View,
}

/// The result of a tournament, as JSON.
#[derive(Serialize)]
pub(crate) struct Written<'a> {
    ranking: Ranking,
    #[serde(flatten)]
    tournament: &'a Tournament,
}

impl Written<'_> {
    pub(crate) fn new(tournament: &Tournament) -> Written<'_> {
        Written {
            ranking: tournament.ranking(),
            tournament,
        }
    }
}

/// Plays a tournament of named bots and returns the JSON that `hognose duel --json` prints. Each
/// bot is a name in the catalog or a Python function. `report` receives the number of duels that have
/// ended.
#[pyfunction]
#[pyo3(signature = (bots, config, report=None))]
pub(crate) fn tournament(
    py: Python<'_>,
    bots: Vec<(String, Bound<'_, PyAny>)>,
    config: &str,
    report: Option<Py<PyAny>>,
) -> PyResult<String> {
    let config: TournamentConfig = from_json(config)?;
    let rules = config.rules.rules().map_err(|error| value_error(&error))?;
    let failure = Failure::default();
    let held = Held::default();
    let makers = bots
        .iter()
        .map(|(_, bot)| maker(bot, &config.view, &failure, &held))
        .collect::<PyResult<Vec<_>>>()?;
    let names = bots.into_iter().map(|(name, _)| name);
    let schedule = Schedule::new(rules, names, config.games, config.seed)
        .map_err(|error| value_error(&error))?;
    let mut tournament = Tournament::new(schedule);
    let report = &mut Reporter::new(report);
    play_tournament(
        py,
        &mut tournament,
        &makers,
        config.threads,
        &failure,
        report,
    )?;
    serde_json::to_string(&Written::new(&tournament)).map_err(|error| value_error(&error))
}

/// The configuration of [`record_duel`], as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordedDuel {
    rules: Rules,
    seed: u64,
    /// The number of the duel, from 0.
    game: usize,
    view: View,
}

/// Plays one duel of a tournament of two named bots. Returns its record, and a message for each bot
/// that forfeited. Bots are given as in [`tournament`].
#[pyfunction]
pub(crate) fn record_duel(
    py: Python<'_>,
    bots: [(String, Bound<'_, PyAny>); 2],
    config: &str,
) -> PyResult<(String, Vec<String>)> {
    let RecordedDuel {
        rules,
        seed,
        game,
        view,
    } = from_json(config)?;
    let rules = rules.rules().map_err(|error| value_error(&error))?;
    let failure = Failure::default();
    let held = Held::default();
    let makers = bots
        .iter()
        .map(|(_, bot)| maker(bot, &view, &failure, &held))
        .collect::<PyResult<Vec<_>>>()?;
    // A schedule also defines the games after its last one.
    let schedule = Schedule::new(rules, bots.into_iter().map(|(name, _)| name), 2, seed);
    let schedule = schedule.map_err(|error| value_error(&error))?;
    let played = py.detach(|| {
        hognose_eval::tournament::record_duel(&schedule, game, &makers, || {
            go_on(&failure).is_break()
        })
    });
    if let Some(error) = take(&failure) {
        return Err(error);
    }
    let (played, record) = played
        .map_err(|error| value_error(&error))?
        .expect("only a failure stops a duel");
    let bots = schedule.game(game).bots.map(|bot| schedule.label(bot));
    let pairs = bots.iter().zip(&played.forfeits);
    let forfeits =
        pairs.filter_map(|(bot, forfeit)| Some(format!("{bot} forfeited: {}", forfeit.as_ref()?)));
    Ok((record.to_string(), forfeits.collect()))
}

/// Plays a tournament while other Python threads run. Stops at Ctrl-C, or when a Python function
/// raises an exception.
pub(crate) fn play_tournament(
    py: Python<'_>,
    tournament: &mut Tournament,
    makers: &[Arc<dyn MakeBot>],
    threads: usize,
    failure: &Failure,
    report: &mut Reporter,
) -> PyResult<()> {
    let mut interrupted = None;
    let played = py.detach(|| {
        tournament.play(makers, threads, |progress| {
            if report
                .games((progress.played.len(), progress.games))
                .is_break()
            {
                return ControlFlow::Break(());
            }
            let failed = locked(failure).is_some();
            interrupted = Python::attach(|py| py.check_signals()).err();
            if failed || interrupted.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
    });
    match take(failure).or(report.failure.take()).or(interrupted) {
        Some(error) => Err(error),
        None => played.map_err(|error| value_error(&error)),
    }
}

/// Returns the name of a bot in pictures.
fn name_of(bot: &Bound<'_, PyAny>) -> String {
    bot.extract().unwrap_or("opponent".to_owned())
}

/// Returns the maker of a named bot, or of bots that call a Python function, which is then held.
fn maker(
    bot: &Bound<'_, PyAny>,
    view: &View,
    failure: &Failure,
    held: &Held,
) -> PyResult<Arc<dyn MakeBot>> {
    if let Ok(name) = bot.extract::<String>() {
        need_threads_of(&name)?;
        let named = catalog(None)?.bot(&name);
        return Ok(named.map_err(|error| value_error(&error))?.maker());
    }
    if bot.is_callable() {
        let function = Arc::new(Mutex::new(Some(bot.clone().unbind())));
        locked(held).push(Arc::clone(&function));
        return Ok(Arc::new(Functions {
            function,
            view: view.clone(),
            failure: Arc::clone(failure),
        }));
    }
    let got = bot.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a bot must be a name or a function, got {got}"
    )))
}

/// A Python function, which all its bots share. `None` once Python has collected it as garbage.
type Shared = Arc<Mutex<Option<Py<PyAny>>>>;

/// The functions that an object owns.
type Held = Mutex<Vec<Shared>>;

/// A factory of bots that call a Python function.
struct Functions {
    function: Shared,
    view: View,
    failure: Failure,
}

/// A bot that calls a Python function with (observations, masks) of one row and gets one action.
struct Function<T> {
    function: Shared,
    encoder: Encoder,
    seen: Vec<T>,
    shape: Vec<usize>,
    action: ActionKind,
    seat: Seat,
    failure: Failure,
}

impl MakeBot for Functions {
    fn make(
        &self,
        position: &DuelPosition,
        seat: Seat,
        _: u64,
    ) -> Result<Box<dyn Bot>, Unsupported> {
        match self.view.dtype.as_str() {
            "uint8" => Ok(Box::new(Function::<u8>::new(self, position.board(), seat))),
            _ => Ok(Box::new(Function::<f32>::new(self, position.board(), seat))),
        }
    }

    /// Returns false, since a function may keep state.
    fn repeats(&self) -> bool {
        false
    }
}

impl<T: Element> Function<T> {
    fn new(functions: &Functions, board: Board, seat: Seat) -> Function<T> {
        let Functions {
            function,
            view,
            failure,
        } = functions;
        let encoder = Encoder::for_duels(view.observation, board);
        Function {
            function: Arc::clone(function),
            shape: std::iter::once(1)
                .chain(crate::arrays::shape(encoder.space()))
                .collect(),
            seen: vec![T::ZERO; encoder.space().len()],
            encoder,
            action: view.action,
            seat,
            failure: Arc::clone(failure),
        }
    }
}

impl<T: Element + NumpyElement> Function<T> {
    fn ask(&mut self, py: Python<'_>, position: &DuelPosition) -> PyResult<Direction> {
        let view = position.view(self.seat);
        let legal = view.legal_moves();
        let heading = view.me().heading();
        self.encoder.encode(view, legal, &mut self.seen);
        let observations = PyArray1::from_slice(py, &self.seen).reshape(self.shape.clone())?;
        let count = self.action.count();
        let bits = self.action.bits(legal, heading);
        let mask = (0..count)
            .map(|action| bits == 0 || bits >> action & 1 == 1)
            .collect();
        let masks = PyArray2::from_vec2(py, &[mask])?;
        let function = locked(&self.function)
            .as_ref()
            .map(|function| function.clone_ref(py))
            .ok_or_else(|| PyRuntimeError::new_err("the bot has been collected as garbage"))?;
        let answer = whole_numbers("bot", &function.bind(py).call1((observations, masks))?)?;
        let answer = answer
            .call_method0("tolist")?
            .extract::<Vec<i64>>()
            .ok()
            .filter(|answer| answer.len() == 1);
        let answer = answer
            .ok_or_else(|| PyValueError::new_err("the bot must return an array of 1 action"))?[0];
        match u8::try_from(answer) {
            Ok(action) if usize::from(action) < count => Ok(self.action.direction(action, heading)),
            _ => Err(PyValueError::new_err(format!(
                "the bot's actions must be from 0 to {}, got {answer}",
                count - 1
            ))),
        }
    }
}

impl<T: Element + NumpyElement> Bot for Function<T> {
    fn act(&mut self, position: &DuelPosition) -> Direction {
        self.try_act(position)
            .unwrap_or_else(|_| position.snake(self.seat).heading())
    }

    fn try_act(&mut self, position: &DuelPosition) -> Result<Direction, Forfeit> {
        Python::attach(|py| {
            self.ask(py, position).map_err(|error| {
                let forfeit = Forfeit(error.to_string());
                locked(&self.failure).get_or_insert(error);
                forfeit
            })
        })
    }
}
