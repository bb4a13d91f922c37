//! One game of a tournament.

use crate::tournament::Scheduled;
use hognose_game::duel::{Bot, Duel, DuelCause, DuelRules, HeadOn, MOST_GROWTH, MakeBot, Seat};
use hognose_game::{Direction, Unsupported};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// A game of a tournament that has ended. Lists have the seats in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedDuel {
    /// Its number in the tournament; see [`Schedule::game`](crate::tournament::Schedule::game).
    pub index: usize,
    /// Who won; `None`: it was drawn.
    pub winner: Option<Seat>,
    /// What ended the game of each snake; `None`: it was the other's death, or a forfeit.
    pub causes: [Option<DuelCause>; 2],
    /// Why a bot gave the game up, in words; `None` if it did not.
    #[serde(default, skip_serializing_if = "nobody_forfeited")]
    pub forfeits: [Option<String>; 2],
    /// The steps that it had.
    pub steps: u32,
    /// The lengths at the end, with growth that is pending.
    pub lengths: [usize; 2],
    /// The foods that each snake ate.
    pub foods: [u64; 2],
    /// The joint positions that the searches of each bot stepped to.
    pub nodes: [u64; 2],
}

impl PlayedDuel {
    /// Whether a game by these rules may have come to this; else what contradicts what.
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
            ([false, false], [None, None]) => return Err("nobody lost it"),
            ([false, false], [_, None]) => &[Some(Seat::Second)],
            ([false, false], [None, _]) => &[Some(Seat::First)],
            ([false, false], _) if *causes == limit => &[Seat::longer(*lengths)],
            ([false, false], _) if is_head_on_draw => &[None],
            // Food of the last step counts, which the lengths do not have.
            ([false, false], _) => &[None, Some(Seat::First), Some(Seat::Second)],
            ([true, false], [None, None]) => &[Some(Seat::Second)],
            ([false, true], [None, None]) => &[Some(Seat::First)],
            ([true, true], [None, None]) => &[None],
            _ => return Err("a game that was given up has a cause"),
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
            () if !winners.contains(winner) => Err("the winner is not the one that its end tells"),
            () if (*causes == limit) != (causes.contains(&limit[0])) => {
                Err("the step limit ended it for one snake")
            }
            () if *causes == limit && *steps != rules.step_limit() => {
                Err("it ended before the step limit")
            }
            () if *steps > rules.step_limit() => Err("it has more steps than the limit"),
            () if foods.iter().any(|&foods| foods > u64::from(*steps)) => {
                Err("a snake ate more foods than it made steps")
            }
            () if !could_grow => Err("a length is not what the foods make it"),
            () => Ok(()),
        }
    }
}

fn nobody_forfeited(forfeits: &[Option<String>; 2]) -> bool {
    *forfeits == [None, None]
}

/// How fast a bot played. It is no part of what a tournament comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed {
    /// Its decisions.
    pub decisions: u64,
    /// The joint positions that its searches stepped to.
    pub nodes: u64,
    /// The CPU time of its thread, all decisions together. What programs take is not in it.
    pub cpu: Duration,
}

impl Speed {
    /// Microseconds of CPU time for a decision; `None` without any.
    pub fn micros_per_decision(&self) -> Option<f64> {
        (self.decisions > 0).then(|| self.cpu.as_secs_f64() * 1e6 / self.decisions as f64)
    }

    /// Positions for each second of CPU time; `None` if it did not search.
    pub fn nodes_per_second(&self) -> Option<f64> {
        (self.nodes > 0).then(|| self.nodes as f64 / self.cpu.as_secs_f64().max(1e-9))
    }

    pub(crate) fn add(&mut self, other: Speed) {
        self.decisions += other.decisions;
        self.nodes += other.nodes;
        self.cpu += other.cpu;
    }
}

/// Plays a game from its first step on with bots of these makers, seats in order, and counts how
/// fast they are; `None` if `stop` broke it off. `hear` is told the moves of each step. Fails with
/// the seat of a bot that refuses the game.
pub(crate) fn play_duel(
    game: &Scheduled,
    mut duel: Duel,
    makers: [&Arc<dyn MakeBot>; 2],
    speeds: [&mut Speed; 2],
    mut hear: impl FnMut([Direction; 2]),
    stop: impl Fn() -> bool,
) -> Result<Option<PlayedDuel>, (Seat, Unsupported)> {
    let make = |seat: Seat| {
        let made = makers[seat.index()].make(duel.position(), seat, game.bot_seeds[seat.index()]);
        made.map_err(|reason| (seat, reason))
    };
    let mut bots: [Box<dyn Bot>; 2] = [make(Seat::First)?, make(Seat::Second)?];
    let mut measured = [Speed::default(); 2];
    let mut foods = [0; 2];
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
            let (answer, cpu) = clocked(|| bot.try_act(duel.position()));
            speed.add(Speed {
                decisions: 1,
                nodes: bot.thought().nodes,
                cpu,
            });
            answer
        });
        let moves: [Direction; 2] = match answers {
            [Ok(first), Ok(second)] => [first, second],
            answers => break answers.map(|answer| answer.err().map(|forfeit| forfeit.0)),
        };
        hear(moves);
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
    };
    speeds
        .into_iter()
        .zip(measured)
        .for_each(|(speed, its)| speed.add(its));
    Ok(Some(played))
}

/// What a function returns, and the CPU time that it took.
#[cfg(not(target_family = "wasm"))]
fn clocked<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let started = cpu_time::ThreadTime::now();
    let result = run();
    (result, started.elapsed())
}

/// What a function returns. WebAssembly has no clock that counts CPU time.
#[cfg(target_family = "wasm")]
fn clocked<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    (run(), Duration::ZERO)
}
