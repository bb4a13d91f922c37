//! The acting half of a round: duels played in parallel.

use crate::config::SelfplayConfig;
use crate::next_moves::{NextMoves, Valuer};
use hognose_agent::parts::unit;
use hognose_duel::{DuelEncoder, ValueNetwork};
use hognose_game::duel::{Bot, Duel, DuelBody, DuelPosition, DuelRules, MakeBot, Seat};
use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{Direction, Unsupported};
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const GAMES: Purpose = Purpose::new("training");
const STARTS: Purpose = Purpose::new("starts");
const OPPONENTS: Purpose = Purpose::new("opponents");
const MOVES: Purpose = Purpose::new("exploration");
const KEPT: Purpose = Purpose::new("kept positions");

/// In a late start, at most one food per this number of steps counts as eaten.
const STEPS_PER_FOOD: u32 = 5;

/// The player of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Player {
    /// The learner.
    Learner,
    /// An older version of the learner, by its number.
    Older(usize),
    /// A bot, by its number.
    Bot(usize),
}

/// The settings that all training duels share.
pub(crate) struct Setting {
    pub(crate) rules: DuelRules,
    pub(crate) encoder: Arc<dyn DuelEncoder>,
    pub(crate) bots: Vec<Arc<dyn MakeBot>>,
    /// The share of duels that start late.
    pub(crate) late_starts: f64,
    pub(crate) seed: u64,
}

impl Setting {
    /// Returns the start of the duel with an index. In a late start, some foods count as eaten,
    /// each by either snake.
    fn start(&self, index: u64) -> DuelPosition {
        let draws = &mut rng::keyed(self.seed, STARTS, index);
        if unit(draws) >= self.late_starts {
            return DuelPosition::start(self.rules);
        }
        let steps = rng::below(draws, self.rules.step_limit().into()) as u32;
        let mut bodies = Seat::BOTH.map(|seat| DuelBody {
            cells: self.rules.body(seat).collect(),
            growth: 0,
        });
        let free =
            self.rules.board().area() - bodies.iter().map(|body| body.cells.len()).sum::<usize>();
        let most = u64::from(steps / STEPS_PER_FOOD).min(free as u64);
        for _ in 0..rng::below(draws, most + 1) {
            bodies[rng::below(draws, 2) as usize].growth += 1;
        }
        DuelPosition::new(self.rules, bodies, [], steps, 0)
            .expect("the start of the rules is a valid position")
    }
}

/// The parts of the learner that a step of a duel needs.
#[derive(Clone, Copy)]
pub(crate) struct Learner<'a> {
    pub(crate) network: &'a ValueNetwork,
    pub(crate) older: &'a [ValueNetwork],
    pub(crate) config: &'a SelfplayConfig,
}

/// An ongoing duel.
pub(crate) struct TrainingDuel {
    pub(crate) index: u64,
    pub(crate) players: [Player; 2],
    duel: Duel,
    bots: [Option<Box<dyn Bot>>; 2],
    pub(crate) moves: Vec<[Direction; 2]>,
    pub(crate) visits: Vec<Visit>,
    /// The encoded position before new food appeared, if any did in the last step.
    unknown: Option<Vec<u8>>,
}

/// A visited position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Visit {
    record: Vec<u8>,
    /// The encoded position before new food appeared, if any did.
    unknown: Option<Vec<u8>>,
    /// The value of the next moves' matrix game for the first seat.
    pub(crate) value: f32,
}

/// A duel that has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FinishedDuel {
    /// Positions with their targets for the first seat.
    pub(crate) positions: Vec<(Vec<u8>, f32)>,
    pub(crate) end: DuelEnd,
}

/// The end of a training duel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DuelEnd {
    pub(crate) players: [Player; 2],
    pub(crate) winner: Option<Seat>,
    pub(crate) steps: u32,
    /// Whether it started late.
    pub(crate) began_late: bool,
}

impl TrainingDuel {
    /// Starts the duel with an index.
    pub(crate) fn start(
        setting: &Setting,
        config: &SelfplayConfig,
        older: usize,
        index: u64,
    ) -> Result<TrainingDuel, Unsupported> {
        let draws = &mut rng::keyed(setting.seed, OPPONENTS, index);
        let opponent = match unit(draws) {
            share if share < config.opponents.scripted => Some(Player::Bot(rng::below(
                draws,
                setting.bots.len() as u64,
            ) as usize)),
            share if share < config.opponents.scripted + config.opponents.older && older > 0 => {
                Some(Player::Older(rng::below(draws, older as u64) as usize))
            }
            _ => None,
        };
        let players = opponent.map_or([Player::Learner; 2], |opponent| {
            let seat = if rng::below(draws, 2) == 0 {
                Seat::First
            } else {
                Seat::Second
            };
            seat.joint(Player::Learner, opponent)
        });
        TrainingDuel::with_players(setting, players, index)
    }

    /// Starts the duel with an index between these players.
    pub(crate) fn with_players(
        setting: &Setting,
        players: [Player; 2],
        index: u64,
    ) -> Result<TrainingDuel, Unsupported> {
        let seed = rng::derive(setting.seed, GAMES, index);
        let duel = Duel::from_position(setting.start(index), seed);
        let bot = |seat: Seat| match players[seat.index()] {
            Player::Bot(bot) => setting.bots[bot]
                .make(duel.position(), seat, rng::derive(seed, MOVES, 0))
                .map(Some),
            _ => Ok(None),
        };
        let bots = [bot(Seat::First)?, bot(Seat::Second)?];
        Ok(TrainingDuel {
            index,
            players,
            duel,
            bots,
            moves: Vec::new(),
            visits: Vec::new(),
            unknown: None,
        })
    }

    /// Takes a step. If the duel ends, returns the positions visited in it.
    pub(crate) fn step(&mut self, setting: &Setting, learner: Learner<'_>) -> Option<FinishedDuel> {
        let encoder = &*setting.encoder;
        let config = learner.config;
        let mut position = self.duel.position().clone();
        let mut scratch = vec![0; encoder.sizes().record()];
        let next = NextMoves::look(
            &mut position,
            Valuer {
                encoder,
                network: learner.network,
            },
            &mut scratch,
        );
        let draws = &mut rng::keyed(
            rng::derive(setting.seed, MOVES, self.index),
            MOVES,
            self.moves.len() as u64,
        );
        let moves = Seat::BOTH.map(|seat| match self.players[seat.index()] {
            Player::Learner => {
                let (moves, probabilities) = next.of(seat);
                if unit(draws) < config.random_moves {
                    moves[rng::below(draws, moves.len() as u64) as usize]
                } else {
                    drawn(moves, probabilities, draws)
                }
            }
            Player::Older(older) => {
                let valuer = Valuer {
                    encoder,
                    network: &learner.older[older],
                };
                let next = NextMoves::look(&mut position, valuer, &mut scratch);
                let (moves, probabilities) = next.of(seat);
                drawn(moves, probabilities, draws)
            }
            Player::Bot(_) => self.bots[seat.index()]
                .as_mut()
                .expect("its bot was made")
                .act(self.duel.position()),
        });
        self.advance(encoder, position, moves, next.solution.value as f32);
        if !self.is_decided(setting) {
            return None;
        }
        self.bots
            .iter_mut()
            .flatten()
            .for_each(|bot| bot.end(self.duel.position()));
        Some(self.finish(setting, config))
    }

    /// Records the position, and takes the step. `position` is the current position, and `value`
    /// its value for the first seat.
    fn advance(
        &mut self,
        encoder: &dyn DuelEncoder,
        mut position: DuelPosition,
        moves: [Direction; 2],
        value: f32,
    ) {
        let encoded = |position: &DuelPosition| {
            let mut record = vec![0; encoder.sizes().record()];
            encoder.encode(position, &mut record);
            record
        };
        let record = encoded(&position);
        let unknown = self.unknown.take();
        self.visits.push(Visit {
            record,
            unknown,
            value,
        });
        self.moves.push(moves);
        let event = self.duel.step(moves);
        if event.outcome.is_none() && (event.ate != [false; 2] || event.redrawn) {
            position.step(moves);
            self.unknown = Some(encoded(&position));
        }
    }

    /// Replays a saved duel. Bots choose their moves again, since they may remember positions.
    /// Returns `None` if the moves don't fit this duel.
    pub(crate) fn replay(
        &mut self,
        setting: &Setting,
        moves: &[[Direction; 2]],
        values: impl Iterator<Item = f32>,
    ) -> Option<()> {
        for (&moves, value) in moves.iter().zip(values) {
            for (bot, played) in self.bots.iter_mut().zip(moves) {
                let is_same = bot
                    .as_mut()
                    .is_none_or(|bot| bot.act(self.duel.position()) == played);
                is_same.then_some(())?;
            }
            self.advance(
                &*setting.encoder,
                self.duel.position().clone(),
                moves,
                value,
            );
            if self.is_decided(setting) {
                return None;
            }
        }
        Some(())
    }

    /// Returns whether the duel has ended, or a seat is certain to win it.
    fn is_decided(&self, setting: &Setting) -> bool {
        self.duel.position().outcome().is_some() || self.winner(setting).is_some()
    }

    /// Returns the seat that won or is certain to win, or `None` if the duel is drawn or undecided.
    fn winner(&self, setting: &Setting) -> Option<Seat> {
        let position = self.duel.position();
        match position.outcome() {
            Some(outcome) => outcome.winner,
            None => setting.encoder.certain_winner(position),
        }
    }

    /// Returns the visited positions, with lambda-returns (Sutton and Barto, 2018, section 12.1)
    /// over the values of the next moves as targets.
    fn finish(&mut self, setting: &Setting, config: &SelfplayConfig) -> FinishedDuel {
        let winner = self.winner(setting);
        let mut worth = match winner {
            None => 0.0,
            Some(Seat::First) => 1.0,
            Some(Seat::Second) => -1.0,
        };
        let visits = std::mem::take(&mut self.visits);
        let mut valued: Vec<(Visit, f32)> = Vec::with_capacity(visits.len());
        for visit in visits.into_iter().rev() {
            worth = (1.0 - config.lambda) * f64::from(visit.value) + config.lambda * worth;
            valued.push((visit, worth as f32));
        }
        // Sample without replacement: swap each kept position with one of the rest.
        let draws = &mut rng::keyed(setting.seed, KEPT, self.index);
        if valued.len() > config.positions_per_game {
            for place in 0..config.positions_per_game {
                let other = place + rng::below(draws, (valued.len() - place) as u64) as usize;
                valued.swap(place, other);
            }
            valued.truncate(config.positions_per_game);
        }
        let mut positions = Vec::with_capacity(valued.len());
        for (visit, worth) in valued {
            positions.extend(visit.unknown.map(|record| (record, worth)));
            positions.push((visit.record, worth));
        }
        let steps = self.moves.len() as u32;
        let began_late = self.duel.position().steps() > steps;
        FinishedDuel {
            positions,
            end: DuelEnd {
                players: self.players,
                winner,
                steps,
                began_late,
            },
        }
    }
}

/// All duels of a training run.
pub(crate) struct Duels {
    pub(crate) setting: Setting,
    pub(crate) games: Vec<TrainingDuel>,
}

impl Duels {
    pub(crate) fn new(setting: Setting, config: &SelfplayConfig) -> Result<Duels, Unsupported> {
        // Fail now if a bot refuses these rules.
        let start = setting.start(0);
        for bot in &setting.bots {
            bot.make(&start, Seat::First, 0)?;
        }
        let games = (0..config.num_envs as u64)
            .map(|index| TrainingDuel::start(&setting, config, 0, index))
            .collect::<Result<_, _>>()?;
        Ok(Duels { setting, games })
    }

    /// Takes `steps` steps of each duel, and starts new duels when some end. Returns those that
    /// ended, in the order of `games`. `in_parallel` spreads the duels over the threads of the
    /// current pool.
    pub(crate) fn act(
        &mut self,
        learner: Learner<'_>,
        steps: usize,
        in_parallel: bool,
    ) -> Vec<FinishedDuel> {
        let Duels { setting, games } = self;
        let count = games.len() as u64;
        let act = |duel: &mut TrainingDuel| {
            let mut finished = Vec::new();
            for _ in 0..steps {
                if let Some(ended) = duel.step(setting, learner) {
                    finished.push(ended);
                    let next = TrainingDuel::start(
                        setting,
                        learner.config,
                        learner.older.len(),
                        duel.index + count,
                    );
                    *duel = next.expect("its bots accepted these rules before");
                }
            }
            finished
        };
        let finished: Vec<Vec<FinishedDuel>> = if in_parallel {
            games.par_iter_mut().map(act).collect()
        } else {
            games.iter_mut().map(act).collect()
        };
        finished.into_iter().flatten().collect()
    }
}

fn drawn(moves: &[Direction], probabilities: &[f64], draws: &mut Generator) -> Direction {
    let mut rest = unit(draws);
    let chosen = probabilities.iter().position(|&probability| {
        rest -= probability;
        rest < 0.0
    });
    // Rounding may leave a remainder at the end.
    let last = || {
        probabilities
            .iter()
            .rposition(|&probability| probability > 0.0)
    };
    moves[chosen.or_else(last).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_duel::Features;
    use hognose_game::Board;

    /// On any board and at any late start, the snakes have room for what they have eaten.
    #[test]
    fn late_starts_leave_room_to_grow() {
        for (columns, rows) in [(5, 5), (14, 14)] {
            let rules = DuelRules::ai_snakes_2021()
                .on(Board::new(columns, rows).unwrap())
                .unwrap();
            let encoder = Arc::new(Features::new(rules).unwrap());
            let setting = Setting {
                rules,
                encoder,
                bots: Vec::new(),
                late_starts: 0.75,
                seed: 1,
            };
            let starts: Vec<DuelPosition> = (0..1000).map(|index| setting.start(index)).collect();
            let late: Vec<&DuelPosition> =
                starts.iter().filter(|start| start.steps() > 0).collect();
            assert!((700..800).contains(&late.len()), "{}", late.len());
            let lengths = |start: &DuelPosition| Seat::BOTH.map(|seat| start.length(seat));
            assert!(
                late.iter()
                    .all(|start| lengths(start).iter().sum::<usize>() <= rules.board().area())
            );
            assert!(
                late.iter()
                    .any(|start| lengths(start)[0] > lengths(start)[1] + 2)
            );
            assert!(
                late.iter()
                    .any(|start| lengths(start)[1] > lengths(start)[0] + 2)
            );
        }
    }
}
