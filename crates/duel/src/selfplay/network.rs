//! A network that values positions of duels, as plain arithmetic.

use super::encoder::InputSizes;
use hognose_game::duel::Seat;
use multiversion::multiversion;

/// A fully connected network with rectified units that values positions of duels. One half of it
/// looks at the position from each seat, with the same weights, and the value is the difference:
/// exchanging the seats negates it.
///
/// Sums are taken in a fixed order. Only the last function, the hyperbolic tangent, is the system's
/// own.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueNetwork {
    sizes: InputSizes,
    /// The weights and biases of each layer, as they were given.
    given: Vec<(Vec<f32>, Vec<f32>)>,
    first: FirstLayer,
    rest: Vec<Layer>,
}

/// The first layer of a [`ValueNetwork`].
///
/// An own input a with the weight v and the same input b of the other snake with the weight w make
/// v a + w b for one seat and w a + v b for the other. These are p + q and p - q, where p = (a + b)
/// (v + w) / 2 and q = (a - b) (v - w) / 2: so both seats together take half the work.
#[derive(Clone, Debug, PartialEq)]
struct FirstLayer {
    blocks: Vec<FirstBlock>,
}

/// A block of units of a [`FirstLayer`].
#[derive(Clone, Debug, PartialEq)]
struct FirstBlock {
    /// For each input that tells of one snake, the weights of what both have together, and of what
    /// one has more.
    seat: Vec<[[f32; BLOCK]; 2]>,
    /// The weights of each input that tells of both.
    shared: Vec<[f32; BLOCK]>,
    bias: [f32; BLOCK],
}

/// Another layer of a [`ValueNetwork`].
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    inputs: usize,
    /// For each block of units, the weights from each input, and at the end the biases.
    blocks: Vec<Vec<[f32; BLOCK]>>,
}

/// So many units are summed side by side. Units that fill the last block up have weights of 0.
const BLOCK: usize = 32;
/// The most units of a layer, and the most inputs.
const MOST_UNITS: usize = 256;

impl ValueNetwork {
    /// A network of these layers, the last of which has one unit. A layer is its weights, those
    /// from the first input first, and its biases, one for each unit. Inputs are shares, from 0 to
    /// 1.
    ///
    /// # Errors
    /// In words, when sizes do not fit, or a number is not finite.
    pub fn new(
        sizes: InputSizes,
        layers: Vec<(Vec<f32>, Vec<f32>)>,
    ) -> Result<ValueNetwork, String> {
        let mut inputs = sizes.record();
        if inputs > MOST_UNITS {
            return Err(format!(
                "there must be at most {MOST_UNITS} inputs, got {inputs}"
            ));
        }
        for (weights, bias) in &layers {
            let units = bias.len();
            if !(1..=MOST_UNITS).contains(&units) || weights.len() != inputs * units {
                let got = weights.len();
                return Err(format!(
                    "a layer of {inputs} inputs and {units} units must have as many weights, got \
                     {got}"
                ));
            }
            if !weights.iter().chain(bias).all(|number| number.is_finite()) {
                return Err("all weights must be finite".to_owned());
            }
            inputs = units;
        }
        let Some(((weights, bias), rest)) = layers.split_first().filter(|_| inputs == 1) else {
            return Err("the last layer must have one unit".to_owned());
        };
        let first = FirstLayer::new(sizes, weights, bias);
        let rest = rest
            .iter()
            .map(|(weights, bias)| Layer::new(weights, bias))
            .collect();
        Ok(ValueNetwork {
            sizes,
            given: layers,
            first,
            rest,
        })
    }

    /// The inputs that it takes.
    pub fn sizes(&self) -> InputSizes {
        self.sizes
    }

    /// The weights and biases of each layer, as [`new`](Self::new) takes them.
    pub fn layers(&self) -> &[(Vec<f32>, Vec<f32>)] {
        &self.given
    }

    /// The log-odds that the first seat wins an encoded position.
    pub fn logit(&self, record: &[u8]) -> f32 {
        logit(self, record)
    }

    /// The value of an encoded position for the first seat: the chance to win less that to lose,
    /// from -1 to 1.
    pub fn value(&self, record: &[u8]) -> f32 {
        value_of(self.logit(record))
    }
}

/// The chance to win less that to lose, from -1 to 1, of log-odds to win.
pub(super) fn value_of(logit: f32) -> f32 {
    (logit / 2.0).tanh()
}

/// It is compiled for wider registers as well, and the processor decides. Each sum is taken in the
/// same order, so the result is the same.
#[multiversion(targets("x86_64+avx2+avx512f", "x86_64+avx2"))]
fn logit(network: &ValueNetwork, record: &[u8]) -> f32 {
    let mut views = [[0.0; MOST_UNITS]; 2];
    let mut outputs = [[0.0; MOST_UNITS]; 2];
    let mut from = &mut views;
    let mut to = &mut outputs;
    network
        .first
        .run(network.sizes.view(record, Seat::First), from);
    for layer in &network.rest {
        layer.run(from, to);
        std::mem::swap(&mut from, &mut to);
    }
    from[0][0] - from[1][0]
}

/// An input as a share of all.
#[inline(always)]
pub fn as_share(input: u8) -> f32 {
    f32::from(input) * SHARE
}

/// What the least input that is not 0 is as a share of all.
const SHARE: f32 = 1.0 / 255.0;

/// A row of weights or biases in blocks.
fn in_blocks(row: &[f32]) -> impl Iterator<Item = [f32; BLOCK]> {
    row.chunks(BLOCK)
        .map(|part| std::array::from_fn(|unit| part.get(unit).copied().unwrap_or(0.0)))
}

/// The weights from each input, block by block.
fn rows_of_blocks(weights: &[f32], units: usize) -> Vec<Vec<[f32; BLOCK]>> {
    let mut blocks = vec![Vec::new(); units.div_ceil(BLOCK)];
    for row in weights.chunks_exact(units) {
        blocks
            .iter_mut()
            .zip(in_blocks(row))
            .for_each(|(block, row)| block.push(row));
    }
    blocks
}

impl FirstLayer {
    fn new(sizes: InputSizes, weights: &[f32], bias: &[f32]) -> FirstLayer {
        let rows = rows_of_blocks(weights, bias.len());
        FirstLayer {
            blocks: rows
                .into_iter()
                .zip(in_blocks(bias))
                .map(|(rows, bias)| {
                    let (snakes, shared) = rows.split_at(2 * sizes.seat);
                    let (own, other) = snakes.split_at(sizes.seat);
                    let half = |own: &[f32; BLOCK], other: &[f32; BLOCK], sign: f32| {
                        std::array::from_fn(|unit| (own[unit] + sign * other[unit]) / 2.0 * SHARE)
                    };
                    FirstBlock {
                        seat: own
                            .iter()
                            .zip(other)
                            .map(|(own, other)| [1.0, -1.0].map(|sign| half(own, other, sign)))
                            .collect(),
                        shared: shared
                            .iter()
                            .map(|row| row.map(|weight| weight * SHARE))
                            .collect(),
                        bias,
                    }
                })
                .collect(),
        }
    }

    /// Writes the outputs for both seats.
    #[inline(always)]
    fn run(&self, [first, second, shared]: [&[u8]; 3], outputs: &mut [[f32; MOST_UNITS]; 2]) {
        let [a, b] = outputs
            .each_mut()
            .map(|outputs| outputs.as_chunks_mut::<BLOCK>().0);
        for ((block, a), b) in self.blocks.iter().zip(a).zip(b) {
            // What both have together, and what the first has more.
            let mut sums = [[0.0; BLOCK]; 2];
            for ((weights, &own), &other) in block.seat.iter().zip(first).zip(second) {
                let own = i32::from(own);
                let other = i32::from(other);
                let together = (own + other) as f32;
                let more = (own - other) as f32;
                for unit in 0..BLOCK {
                    sums[0][unit] += together * weights[0][unit];
                    sums[1][unit] += more * weights[1][unit];
                }
            }
            let mut rest = block.bias;
            for (weights, &input) in block.shared.iter().zip(shared) {
                rest.iter_mut()
                    .zip(weights)
                    .for_each(|(sum, weight)| *sum += f32::from(input) * weight);
            }
            for unit in 0..BLOCK {
                let together = sums[0][unit] + rest[unit];
                (a[unit], b[unit]) = (together + sums[1][unit], together - sums[1][unit]);
            }
        }
    }
}

impl Layer {
    fn new(weights: &[f32], bias: &[f32]) -> Layer {
        let mut blocks = rows_of_blocks(weights, bias.len());
        blocks
            .iter_mut()
            .zip(in_blocks(bias))
            .for_each(|(block, bias)| block.push(bias));
        Layer {
            inputs: weights.len() / bias.len(),
            blocks,
        }
    }

    /// Writes the outputs for both views. Inputs are rectified here.
    #[inline(always)]
    fn run(&self, views: &mut [[f32; MOST_UNITS]; 2], outputs: &mut [[f32; MOST_UNITS]; 2]) {
        let [a, b] = views.each_mut().map(|view| {
            let view = &mut view[..self.inputs];
            view.iter_mut().for_each(|input| *input = input.max(0.0));
            &*view
        });
        let [first, second] = outputs.each_mut().map(|outputs| outputs.as_chunks_mut().0);
        for ((block, first), second) in self.blocks.iter().zip(first).zip(second) {
            let (bias, weights) = block.split_last().expect("the biases");
            let mut sums: [[f32; BLOCK]; 2] = [*bias; 2];
            for ((weights, a), b) in weights.iter().zip(a).zip(b) {
                for unit in 0..BLOCK {
                    sums[0][unit] += a * weights[unit];
                    sums[1][unit] += b * weights[unit];
                }
            }
            [*first, *second] = sums;
        }
    }
}
