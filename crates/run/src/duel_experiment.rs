//! Experiments with two snakes.

use crate::error::RunError;
use crate::subject::Players;
use hognose_agent::{SelfplayConfig, SelfplayTrainer, ValueMlp};
use hognose_duel::{DuelEncoder, Features};
use hognose_game::duel::DuelRules;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that learning duels by self-play depends on. Every key but `duel` has a default.
///
/// ```
/// use hognose_run::{DuelExperiment, Subject};
///
/// let experiment =
///     DuelExperiment::parse("seed = 7\nduel = \"ai-snakes-2021\"\ntrain.lambda = 0.9")?;
/// assert_eq!((experiment.seed, experiment.train.lambda), (7, 0.9));
/// assert_eq!(experiment.with("train.lambda=0.8")?.train.lambda, 0.8);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelExperiment {
    /// Decides weights, games, random moves and sampling.
    #[serde(default)]
    pub seed: u64,
    /// The rules, by name or in full.
    #[serde(with = "named_rules")]
    pub duel: DuelRules,
    /// The network.
    #[serde(default)]
    pub network: ValueNetworkConfig,
    /// How it learns.
    #[serde(default)]
    pub train: SelfplayConfig,
    /// The tournament at the end.
    #[serde(default)]
    pub evaluation: FinalTournament,
}

/// The network that values positions: fully connected layers with ReLU.
///
/// ```
/// use hognose_run::{DuelExperiment, Subject, ValueNetworkConfig};
///
/// let experiment = DuelExperiment::parse("duel = \"ai-snakes-2020\"\nnetwork.hidden = [16]")?;
/// assert_eq!(experiment.network, ValueNetworkConfig { hidden: vec![16] });
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

/// The tournament at the end of training, which tells how well the agent plays beside bots.
///
/// ```
/// use hognose_run::{DuelExperiment, FinalTournament, Subject};
///
/// let short = FinalTournament {
///     bots: vec!["greedy".to_owned()],
///     games: 20,
///     ..FinalTournament::default()
/// };
/// let text = "duel = \"ai-snakes-2021\"\nevaluation = { bots = [\"greedy\"], games = 20 }";
/// assert_eq!(DuelExperiment::parse(text)?.evaluation, short);
/// # Ok::<(), hognose_run::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FinalTournament {
    /// Bots beside the agent, by name.
    pub bots: Vec<String>,
    /// The games of each pair, an even number.
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

impl DuelExperiment {
    /// Whether the text of an experiment file tells of two snakes.
    pub fn is_told_by(text: &str) -> bool {
        text.parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("duel"))
    }

    /// A trainer of this experiment before its first step, without threads.
    ///
    /// # Errors
    /// When the experiment can't be trained.
    pub fn trainer(&self, players: &Players) -> Result<SelfplayTrainer<ValueMlp>, RunError> {
        let DuelExperiment {
            seed,
            duel,
            network,
            train,
            ..
        } = self;
        let device = hognose_agent::device(&players.device)?;
        let encoder =
            Features::new(*duel).map_err(|refusal| RunError::Experiment(refusal.to_string()))?;
        let network = ValueMlp::new(encoder.sizes(), &network.hidden, *seed, &device)
            .map_err(RunError::Experiment)?;
        let bots = players
            .bots()
            .bots(&train.opponents.bots)?
            .iter()
            .map(|bot| bot.maker())
            .collect();
        Ok(SelfplayTrainer::new(
            train.clone(),
            *duel,
            Arc::new(encoder),
            bots,
            network,
            *seed,
            &device,
        )?)
    }
}

/// Rules by name where they have one.
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
                "the name of rules ({}) or a table with all of them",
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
