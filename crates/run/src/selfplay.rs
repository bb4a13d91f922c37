//! Experiments with two snakes, trained by self-play.

use crate::error::RunError;
use crate::selection::{DuelSummary, Round, Selection, SelectionGames};
use hognose_agent::Score;
use hognose_duel::{Budget, DuelEncoder, Features, Selfplay, ValueFile};
use hognose_eval::MOST_GAMES;
use hognose_eval::tournament::{Schedule, ScheduleError, Tournament, TournamentError};
use hognose_game::Unsupported;
use hognose_game::duel::{DuelRules, MakeBot};
use hognose_game::rng::{self, Purpose};
use hognose_policies::{Catalog, NamedBot};
use hognose_selfplay::{SelfplayConfig, SelfplayTrainer, ValueMlp};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// The purpose of the seed of selection duels, which neither training nor the final tournament
/// plays.
const SELECTION: Purpose = Purpose::new("selection");

/// The depth, in moves of each snake, that agents search in selection and the final tournament.
const DEPTH: u32 = 1;

/// Returns the name of the bot that plays the best weights of a run's folder.
pub(crate) fn agent_name(folder: &Path) -> String {
    format!("selfplay:{}:{DEPTH}", folder.display())
}

/// An experiment with two snakes that learn by self-play. Every key except `duel` has a default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfplayExperiment {
    /// The seed of weights, games, random moves and sampling.
    #[serde(default)]
    pub seed: u64,
    /// The rules, by name or in full.
    #[serde(with = "named_rules")]
    pub duel: DuelRules,
    /// The network.
    #[serde(default)]
    pub network: ValueNetworkConfig,
    /// The training configuration.
    #[serde(default)]
    pub train: SelfplayConfig,
    /// The final tournament.
    #[serde(default)]
    pub evaluation: FinalTournament,
}

/// The network that values positions: fully connected layers with ReLU.
///
/// ```
/// use hognose_run::{Experiment, ValueNetworkConfig};
///
/// let text = "duel = \"ai-snakes-2020\"\nnetwork.hidden = [16]";
/// let small = ValueNetworkConfig { hidden: vec![16] };
/// assert!(matches!(Experiment::parse(text)?, Experiment::Selfplay(its) if its.network == small));
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ValueNetworkConfig {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
}

impl Default for ValueNetworkConfig {
    fn default() -> ValueNetworkConfig {
        ValueNetworkConfig {
            hidden: vec![64, 32],
        }
    }
}

/// The tournament after training, which compares the agent with other bots.
///
/// ```
/// use hognose_run::{Experiment, FinalTournament};
///
/// let short = FinalTournament {
///     bots: vec!["greedy".to_owned()],
///     games: 20,
///     ..FinalTournament::default()
/// };
/// let text = "duel = \"ai-snakes-2021\"\nevaluation = { bots = [\"greedy\"], games = 20 }";
/// assert!(matches!(Experiment::parse(text)?, Experiment::Selfplay(its) if its.evaluation == short));
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FinalTournament {
    /// Names of the other bots.
    pub bots: Vec<String>,
    /// Number of games per pair, which must be even.
    pub games: usize,
    /// The seed that the games are derived from.
    pub seed: u64,
}

impl Default for FinalTournament {
    fn default() -> FinalTournament {
        let bots = ["adder:4", "nega:4", "one-ply", "greedy"]
            .map(str::to_owned)
            .to_vec();
        FinalTournament {
            bots,
            games: 100,
            seed: 0,
        }
    }
}

impl SelfplayExperiment {
    /// Creates a trainer of this experiment before its first step, without threads.
    ///
    /// # Errors
    /// Fails if the experiment can't be trained.
    pub fn trainer(&self, catalog: &Catalog) -> Result<SelfplayTrainer<ValueMlp>, RunError> {
        let device = hognose_agent::device(catalog.device())?;
        let encoder =
            Features::new(self.duel).map_err(|error| RunError::Experiment(error.to_string()))?;
        let hidden = &self.network.hidden;
        let network = ValueMlp::new(encoder.sizes(), hidden, self.seed, &device)
            .map_err(RunError::Experiment)?;
        let bots = catalog.bots(&self.train.opponents.bots)?;
        let trainer = SelfplayTrainer::new(
            self.train.clone(),
            self.duel,
            Arc::new(encoder),
            bots.iter().map(NamedBot::maker).collect(),
            network,
            self.seed,
            &device,
        );
        Ok(trainer?)
    }

    pub(crate) fn check(&self, catalog: &Catalog) -> Result<(), RunError> {
        let bots = catalog.bots(&self.evaluation.bots)?;
        let names = bots.iter().map(|bot| bot.name().to_owned());
        let names = names.chain(["selfplay".to_owned()]);
        let schedule = Schedule::new(
            self.duel,
            names,
            self.evaluation.games,
            self.evaluation.seed,
        );
        let schedule =
            schedule.map_err(|error| RunError::Experiment(format!("evaluation: {error}")))?;
        check_length("evaluation.games", &schedule)?;
        for anchor in catalog.bots(&self.train.anchors)? {
            if anchor.depends_on_clock() {
                return Err(RunError::Experiment(format!(
                    "train.anchors: expected a budget in depth or positions, got {:?}",
                    anchor.name()
                )));
            }
            let schedule = self.against(&anchor, Round::First).map_err(|error| {
                RunError::Experiment(format!("train.evaluation_pairs: {error}"))
            })?;
            check_length("train.evaluation_pairs", &schedule)?;
        }
        Ok(())
    }

    /// Plays a round of the selection duels on `threads` threads. Neither training nor the final
    /// tournament plays these duels. `go_on` is polled during the duels; returns `None` if it stops
    /// them.
    ///
    /// # Errors
    /// Fails if the agent can't play them.
    pub fn select(
        &self,
        agent: &ValueFile,
        round: Round,
        catalog: &Catalog,
        threads: usize,
        go_on: &dyn Fn() -> ControlFlow<()>,
    ) -> Result<Option<Selection>, Unsupported> {
        let refused = |error: &dyn ToString| Unsupported(error.to_string());
        let anchors = catalog
            .bots(&self.train.anchors)
            .map_err(|error| refused(&error))?;
        let selfplay: Arc<dyn MakeBot> =
            Arc::new(Selfplay::new(agent.clone(), Budget::Depth(DEPTH)));
        let mut played = Vec::new();
        // Anchors do not play each other.
        for anchor in &anchors {
            let schedule = self
                .against(anchor, round)
                .map_err(|error| refused(&error))?;
            let mut tournament = Tournament::new(schedule);
            let bots = [Arc::clone(&selfplay), anchor.maker()];
            let ended = tournament.play(&bots, threads, |_| go_on());
            match ended {
                Ok(()) => played.extend(DuelSummary::new(&tournament, 0)),
                Err(TournamentError::Interrupted) => return Ok(None),
                Err(error) => return Err(refused(&error)),
            }
        }
        let count = played.len() as f64;
        let score = played.iter().map(|summary| summary.score).sum::<f64>() / count;
        let draws = played.iter().map(|summary| summary.draws).sum::<f64>() / count;
        let summary = DuelSummary {
            games: played.iter().map(|summary| summary.games).sum(),
            score,
            score_interval: None,
            draws,
            against: played
                .into_iter()
                .flat_map(|summary| summary.against)
                .collect(),
        };
        Ok(Some(Selection {
            score: Score::Duels { score, draws },
            games: SelectionGames::Duels(summary),
        }))
    }

    /// Returns a round of the selection duels against an anchor.
    fn against(&self, anchor: &NamedBot, round: Round) -> Result<Schedule, ScheduleError> {
        let names = ["selfplay".to_owned(), anchor.name().to_owned()];
        let games = round
            .games(self.train.evaluation_pairs)
            .len()
            .saturating_mul(2);
        let seed = rng::derive(self.seed, SELECTION, round as u64);
        Schedule::new(self.duel, names, games, seed)
    }
}

/// Checks that a key does not ask for impossibly many duels.
fn check_length(key: &str, schedule: &Schedule) -> Result<(), RunError> {
    match schedule.len() {
        ..=MOST_GAMES => Ok(()),
        duels => Err(RunError::Experiment(format!(
            "{key}: expected at most {MOST_GAMES} duels in total, got {duels}"
        ))),
    }
}

/// Serializes rules by name if they have one.
mod named_rules {
    use hognose_game::duel::DuelRules;
    use serde::de::{Error, MapAccess, Visitor, value::MapAccessDeserializer};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt;

    struct NameOrTable;

    impl<'de> Visitor<'de> for NameOrTable {
        type Value = DuelRules;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(
                f,
                "the name of rules ({}) or a table with all rules",
                DuelRules::NAMES.join(", ")
            )
        }

        fn visit_str<E: Error>(self, name: &str) -> Result<DuelRules, E> {
            DuelRules::named(name).map_err(E::custom)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DuelRules, A::Error> {
            DuelRules::deserialize(MapAccessDeserializer::new(map))
        }
    }

    pub(super) fn serialize<S: Serializer>(
        rules: &DuelRules,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match rules.name() {
            Some(name) => serializer.serialize_str(name),
            None => rules.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<DuelRules, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}
