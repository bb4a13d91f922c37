//! One game of a tournament.

use crate::tournament::Scheduled;
use hognose_game::duel::{Bot, Duel, DuelCause, DuelRules, HeadOn, MOST_GROWTH, MakeBot, Seat};
use hognose_game::{Direction, Unsupported};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A game of a tournament that has ended. Arrays are in seat order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedDuel {
    /// Its index in the tournament; see [`Schedule::game`](crate::tournament::Schedule::game).
    pub index: usize,
    /// The winner; `None` for a draw.
    pub winner: Option<Seat>,
    /// What ended the game for each snake; `None` if it was the other's death, or a forfeit.
    pub causes: [Option<DuelCause>; 2],
    /// Why each bot forfeited the game; `None` if it did not.
    #[serde(default, skip_serializing_if = "nobody_forfeited")]
    pub forfeits: [Option<String>; 2],
    /// The number of steps.
    pub steps: u32,
    /// The final lengths, including pending growth.
    pub lengths: [usize; 2],
    /// The foods that each snake ate.
    pub foods: [u64; 2],
    /// The joint positions that the search of each bot visited.
    pub nodes: [u64; 2],
    /// The illegal moves that each bot played although it had a legal one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub illegal: [u32; 2],
}

impl PlayedDuel {
    /// Checks that a game with these rules can have this result; fails with the contradiction.
    pub(crate) fn check(&self, rules: &DuelRules) -> Result<(), &'static str> {
        let PlayedDuel {
            winner,
            causes,
            forfeits,
            steps,
            lengths,
            foods,
            ..
        } = self;
        let limit = [Some(DuelCause::StepLimit); 2];
        let is_head_on_draw =
            rules.head_on() == HeadOn::Draw && *causes == [Some(DuelCause::HeadOn); 2];
        let winners: &[Option<Seat>] = match (forfeits.each_ref().map(Option::is_some), causes) {
            ([false, false], [None, None]) => return Err("no snake lost"),
            ([false, false], [_, None]) => &[Some(Seat::Second)],
            ([false, false], [None, _]) => &[Some(Seat::First)],
            ([false, false], _) if *causes == limit => &[Seat::longer(*lengths)],
            ([false, false], _) if is_head_on_draw => &[None],
            // The food of the last step counts, but the lengths don't include it.
            ([false, false], _) => &[None, Some(Seat::First), Some(Seat::Second)],
            ([true, false], [None, None]) => &[Some(Seat::Second)],
            ([false, true], [None, None]) => &[Some(Seat::First)],
            ([true, true], [None, None]) => &[None],
            _ => return Err("a forfeited game has a cause of death"),
        };
        let (lowest, highest) = rules.values().into_inner();
        let could_grow = Seat::BOTH.into_iter().all(|seat| {
            let start = u64::from(rules.start(seat).length);
            let eaten = foods[seat.index()];
            let least = eaten.saturating_mul(lowest.into()).min(MOST_GROWTH.into());
            let most = eaten.saturating_mul(highest.into());
            (start + least..=start.saturating_add(most)).contains(&(lengths[seat.index()] as u64))
        });
        match () {
            () if !winners.contains(winner) => Err("the winner does not match the way it ended"),
            () if (*causes == limit) != (causes.contains(&limit[0])) => {
                Err("the step limit ended it for only one snake")
            }
            () if *causes == limit && *steps != rules.step_limit() => {
                Err("it ended before the step limit")
            }
            () if *steps > rules.step_limit() => Err("it has more steps than the limit"),
            () if foods.iter().any(|&foods| foods > u64::from(*steps)) => {
                Err("a snake ate more foods than it made steps")
            }
            () if !could_grow => Err("a length does not match the foods eaten"),
            () => Ok(()),
        }
    }
}

fn is_zero(counts: &[u32; 2]) -> bool {
    *counts == [0; 2]
}

fn nobody_forfeited(forfeits: &[Option<String>; 2]) -> bool {
    *forfeits == [None, None]
}

/// How fast a bot played, which is not part of a tournament's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed {
    /// The number of decisions.
    pub decisions: u64,
    /// The joint positions that its searches visited.
    pub nodes: u64,
    /// The CPU time of its thread over all decisions, excluding the time of external programs.
    pub cpu: Duration,
    /// The wall time over all decisions.
    pub wall: Duration,
    /// The wall time of the slowest decision.
    pub slowest: Duration,
}

impl Speed {
    /// Returns the microseconds of CPU time per decision; `None` without decisions.
    pub fn micros_per_decision(&self) -> Option<f64> {
        self.micros(self.cpu)
    }

    /// Returns the microseconds of wall time per decision; `None` without decisions.
    pub fn wall_micros_per_decision(&self) -> Option<f64> {
        self.micros(self.wall)
    }

    fn micros(&self, all: Duration) -> Option<f64> {
        (self.decisions > 0).then(|| all.as_secs_f64() * 1e6 / self.decisions as f64)
    }

    /// Returns the positions per second of CPU time; `None` if the bot did not search.
    pub fn nodes_per_second(&self) -> Option<f64> {
        (self.nodes > 0).then(|| self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9))
    }

    pub(crate) fn add(&mut self, other: Speed) {
        self.decisions += other.decisions;
        self.nodes += other.nodes;
        self.cpu += other.cpu;
        self.wall += other.wall;
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Plays a game from its first step with bots of these makers, in seat order, and measures their
/// speeds; `None` if `stop` interrupted it. `receive` receives the moves of each step. Fails with the
/// number of a bot that refuses the game.
pub(crate) fn play_duel(
    game: &Scheduled,
    mut duel: Duel,
    makers: [&Arc<dyn MakeBot>; 2],
    speeds: [&mut Speed; 2],
    mut receive: impl FnMut([Direction; 2]),
    stop: impl Fn() -> bool,
) -> Result<Option<PlayedDuel>, (usize, Unsupported)> {
    let make = |seat: Seat| {
        let made = makers[seat.index()].make(duel.position(), seat, game.bot_seeds[seat.index()]);
        made.map_err(|reason| (game.bots[seat.index()], reason))
    };
    let mut bots: [Box<dyn Bot>; 2] = [make(Seat::First)?, make(Seat::Second)?];
    let mut measured = [Speed::default(); 2];
    let mut foods = [0; 2];
    let mut illegal = [0; 2];
    let forfeits = loop {
        if duel.position().outcome().is_some() {
            break [None, None];
        }
        if stop() {
            return Ok(None);
        }
        let answers = Seat::BOTH.map(|seat| {
            let bot = &mut bots[seat.index()];
            let speed = &mut measured[seat.index()];
            let (answer, [cpu, wall]) = clocked(|| bot.try_act(duel.position()));
            speed.add(Speed {
                decisions: 1,
                nodes: bot.thought().nodes,
                cpu,
                wall,
                slowest: wall,
            });
            answer
        });
        let moves: [Direction; 2] = match answers {
            [Ok(first), Ok(second)] => [first, second],
            answers => break answers.map(|answer| answer.err().map(|forfeit| forfeit.0)),
        };
        for seat in Seat::BOTH {
            let legal = duel.position().legal_moves(seat);
            let is_illegal = !legal.is_empty() && !legal.contains(moves[seat.index()]);
            illegal[seat.index()] += u32::from(is_illegal);
        }
        receive(moves);
        let event = duel.step(moves);
        foods
            .iter_mut()
            .zip(event.ate)
            .for_each(|(foods, ate)| *foods += u64::from(ate));
    };
    bots.iter_mut().for_each(|bot| bot.end(duel.position()));
    let outcome = duel.position().outcome();
    let winner = match &forfeits {
        [Some(_), None] => Some(Seat::Second),
        [None, Some(_)] => Some(Seat::First),
        _ => outcome.and_then(|outcome| outcome.winner),
    };
    let played = PlayedDuel {
        index: game.index,
        winner,
        causes: outcome.map_or([None; 2], |outcome| outcome.causes),
        forfeits,
        steps: duel.position().steps(),
        lengths: Seat::BOTH.map(|seat| duel.position().length(seat)),
        foods,
        nodes: measured.map(|speed| speed.nodes),
        illegal,
    };
    speeds
        .into_iter()
        .zip(measured)
        .for_each(|(speed, its)| speed.add(its));
    Ok(Some(played))
}

/// Runs a function, and returns its result with the CPU time and the wall time it took.
#[cfg(not(target_family = "wasm"))]
fn clocked<T>(run: impl FnOnce() -> T) -> (T, [Duration; 2]) {
    let began = std::time::Instant::now();
    let started = cpu_time::ThreadTime::now();
    let result = run();
    (result, [started.elapsed(), began.elapsed()])
}

/// Runs a function, and returns its result; WebAssembly has no such clocks.
#[cfg(target_family = "wasm")]
fn clocked<T>(run: impl FnOnce() -> T) -> (T, [Duration; 2]) {
    (run(), [Duration::ZERO; 2])
}
