//! The best response to a bot.

use super::blocks::{BLOCK, in_order};
use super::error::ExactError;
use super::positions::{After, Positions, mean};
use hognose_game::Direction;
use hognose_game::duel::{Bot, MakeBot, Mixture, Seat};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A bot's distance from optimal play, in games from the start of the rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NashConv {
    /// The best opponent's mean result, by the seat in which it plays: a win is worth 1, a draw 0
    /// and a loss -1. It knows the bot, but not its random draws or foods that have not appeared.
    pub best: [f64; 2],
    /// The number of positions that can occur against the bot, by the seat of the opponent.
    /// Positions after different numbers of steps count separately.
    pub asked: [u64; 2],
}

impl NashConv {
    /// Returns the sum of both seats' gains from best responses if the bot plays both (Lanctot et
    /// al., 2017). It is 0 for optimal play and at most 2, if the start is fair.
    pub fn sum(&self) -> f64 {
        self.best[0] + self.best[1]
    }
}

/// Checks at the start of the rules that [`nash_conv`] supports a bot.
///
/// # Errors
/// Fails if the bot's moves don't depend only on the position, or it does not support these rules.
pub fn check_bot(positions: &Positions, bot: &dyn MakeBot) -> Result<(), ExactError> {
    let start = positions.position(positions.starts()?.next().expect("there is a start"), 0);
    let mixture = bot.make(&start, Seat::First, 0)?.mixture(&start);
    if bot.depends_on_clock() || mixture.is_none() {
        Err(ExactError::Remembers)
    } else {
        Ok(())
    }
}

/// Computes the best opponent's result against a bot in each seat: visits all games that can occur,
/// and goes back from their ends.
///
/// Calls `goes_on` after each step of the forward and backward pass of both seats: 4 times the step
/// limit. If it breaks, returns `None`.
///
/// # Errors
/// Fails if the bot's moves don't depend only on the position, or it does not support these rules.
pub fn nash_conv(
    positions: &Positions,
    bot: &dyn MakeBot,
    threads: usize,
    mut goes_on: impl FnMut() -> ControlFlow<()>,
) -> Result<Option<NashConv>, ExactError> {
    check_bot(positions, bot)?;
    let mut best = [0.0; 2];
    let mut asked = [0; 2];
    for me in Seat::BOTH {
        let mut games = Games {
            positions,
            bot,
            me,
            mixtures: Mixtures::default(),
            layers: Vec::new(),
        };
        if games.play(threads, &mut goes_on)?.is_break() {
            return Ok(None);
        }
        asked[me.index()] = games.layers.iter().map(|layer| layer.len() as u64).sum();
        match games.go_back(&mut goes_on)? {
            Some(value) => best[me.index()] = value,
            None => return Ok(None),
        }
    }
    Ok(Some(NashConv { best, asked }))
}

/// All games that can occur between the seat `me` and a bot.
struct Games<'a> {
    positions: &'a Positions,
    bot: &'a dyn MakeBot,
    me: Seat,
    mixtures: Mixtures,
    /// By step: the states that can occur, each with the number of the bot's mixture.
    layers: Vec<Vec<(u32, u32)>>,
}

impl Games<'_> {
    /// Asks the bot for its mixtures in all states that can occur, step by step.
    fn play(
        &mut self,
        threads: usize,
        goes_on: &mut impl FnMut() -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ExactError> {
        let mut states: Vec<u32> = self.positions.starts()?.collect();
        for steps in 0..self.positions.rules().step_limit() {
            let mixtures = self.ask(&states, steps, threads)?;
            let layer: Vec<(u32, u32)> = states
                .iter()
                .zip(mixtures)
                .map(|(&state, mixture)| (state, self.mixtures.number(mixture)))
                .collect();
            let mut reached = Marks::new(self.positions.states());
            for &(state, mixture) in &layer {
                let after = self.positions.after(state);
                for mine in self.positions.choices(state)[self.me.index()].iter() {
                    for (others, _) in self.mixtures.moves(mixture) {
                        match after(self.me.joint(mine, others)) {
                            After::Ends(_) => {}
                            After::Goes(next) => reached.insert(next),
                            After::Draws(pair) => self
                                .positions
                                .drawn(pair)
                                .for_each(|next| reached.insert(next)),
                        }
                    }
                }
            }
            states = reached.all();
            self.layers.push(layer);
            if goes_on().is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the bot's mixtures in these states after `steps` steps.
    fn ask(&self, states: &[u32], steps: u32, threads: usize) -> Result<Vec<Mixture>, ExactError> {
        let seat = self.me.other();
        let blocks: Result<Vec<_>, _> = in_order(threads, states.chunks(BLOCK), || {
            let mut bot: Option<Box<dyn Bot>> = None;
            move |states: &[u32]| {
                let ask = |&state: &u32| {
                    let position = self.positions.position(state, steps);
                    if bot.is_none() {
                        bot = Some(self.bot.make(&position, seat, 0)?);
                    }
                    let mixture = bot.as_mut().and_then(|bot| bot.mixture(&position));
                    mixture.ok_or(ExactError::Remembers)
                };
                states
                    .iter()
                    .map(ask)
                    .collect::<Result<Vec<Mixture>, ExactError>>()
            }
        })
        .into_iter()
        .collect();
        Ok(blocks?.concat())
    }

    /// Returns the mean result of `me` from the start with best play, or `None` if `goes_on`
    /// breaks.
    fn go_back(
        &self,
        goes_on: &mut impl FnMut() -> ControlFlow<()>,
    ) -> Result<Option<f64>, ExactError> {
        let sign = self.me.joint(1.0, -1.0)[0];
        let states = self.positions.states() as u32;
        let mut values: Vec<f64> = (0..states)
            .map(|state| sign * f64::from(self.positions.points(state)))
            .collect();
        let mut before = vec![f64::NAN; values.len()];
        for layer in self.layers.iter().rev() {
            for &(state, mixture) in layer {
                let after = self.positions.after(state);
                let mine = self.positions.choices(state)[self.me.index()];
                before[state as usize] = mine
                    .iter()
                    .map(|mine| {
                        let worth = |(others, share): (Direction, f64)| {
                            share
                                * match after(self.me.joint(mine, others)) {
                                    After::Ends(points) => sign * f64::from(points),
                                    After::Goes(next) => values[next as usize],
                                    After::Draws(pair) => mean(self.positions.drawn(pair), &values),
                                }
                        };
                        self.mixtures.moves(mixture).map(worth).sum::<f64>()
                    })
                    .fold(f64::NEG_INFINITY, f64::max);
            }
            std::mem::swap(&mut values, &mut before);
            if goes_on().is_break() {
                return Ok(None);
            }
        }
        Ok(Some(mean(self.positions.starts()?, &values)))
    }
}

/// The distinct mixtures of a bot, by number; most bots have few.
#[derive(Default)]
struct Mixtures {
    numbers: HashMap<Mixture, u32>,
    /// By number: the moves with positive probability, and their probabilities.
    moves: Vec<Vec<(Direction, f64)>>,
}

impl Mixtures {
    fn number(&mut self, mixture: Mixture) -> u32 {
        *self.numbers.entry(mixture).or_insert_with(|| {
            let share = |direction| mixture.weight(direction) as f64 / mixture.sum() as f64;
            let moves = Direction::ALL
                .into_iter()
                .filter(|&direction| mixture.weight(direction) > 0);
            self.moves.push(
                moves
                    .map(|direction| (direction, share(direction)))
                    .collect(),
            );
            self.moves.len() as u32 - 1
        })
    }

    fn moves(&self, number: u32) -> impl Iterator<Item = (Direction, f64)> + '_ {
        self.moves[number as usize].iter().copied()
    }
}

struct Marks(Vec<u64>);

impl Marks {
    fn new(states: usize) -> Marks {
        Marks(vec![0; states.div_ceil(64)])
    }

    fn insert(&mut self, state: u32) {
        self.0[state as usize / 64] |= 1 << (state % 64);
    }

    /// Returns all states, in order.
    fn all(&self) -> Vec<u32> {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64)
                .filter(move |bit| bits >> bit & 1 == 1)
                .map(move |bit| word as u32 * 64 + bit)
        };
        self.0
            .iter()
            .enumerate()
            .filter(|(_, bits)| **bits != 0)
            .flat_map(bits)
            .collect()
    }
}
