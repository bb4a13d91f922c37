//! A network that values positions of duels, in plain arithmetic.

use super::encoder::InputSizes;
use hognose_game::duel::Seat;
use multiversion::multiversion;

/// A fully connected network with ReLU units that values positions of duels. It evaluates the
/// position from each seat with the same weights, and the value is the difference: swapping the
/// seats negates it.
///
/// Sums have a fixed order. Only the final hyperbolic tangent depends on the system.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueNetwork {
    sizes: InputSizes,
    /// The weights and biases of each layer, as given.
    given: Vec<(Vec<f32>, Vec<f32>)>,
    first: FirstLayer,
    rest: Vec<Layer>,
}

/// The first layer of a [`ValueNetwork`].
///
/// An input a of the own snake with weight v and the same input b of the other snake with weight w
/// give v a + w b for one seat and w a + v b for the other. These are p + q and p - q, with
/// p = (a + b) (v + w) / 2 and q = (a - b) (v - w) / 2: together, both seats take half the work.
#[derive(Clone, Debug, PartialEq)]
struct FirstLayer {
    blocks: Vec<FirstBlock>,
}

/// A block of units of a [`FirstLayer`].
#[derive(Clone, Debug, PartialEq)]
struct FirstBlock {
    /// For each input of one snake, the weights of the sum and of the difference of both snakes'
    /// inputs.
    seat: Vec<[[f32; BLOCK]; 2]>,
    /// The weights of each shared input.
    shared: Vec<[f32; BLOCK]>,
    bias: [f32; BLOCK],
}

/// Another layer of a [`ValueNetwork`].
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    inputs: usize,
    /// For each block of units, the weights from each input, followed by the biases.
    blocks: Vec<Vec<[f32; BLOCK]>>,
}

/// The number of units summed in parallel. Padding units of the last block have weights of 0.
const BLOCK: usize = 32;
/// The maximum number of units of a layer, and of inputs.
const MOST_UNITS: usize = 256;

impl ValueNetwork {
    /// Makes a network of layers, the last of which must have one unit. A layer is its weights,
    /// `[inputs, units]` in row-major order, and its biases `[units]`. Inputs are shares from 0 to
    /// 1.
    ///
    /// # Errors
    /// Fails if sizes don't match, or a number is not finite.
    pub fn new(
        sizes: InputSizes,
        layers: Vec<(Vec<f32>, Vec<f32>)>,
    ) -> Result<ValueNetwork, String> {
        let mut inputs = sizes.record();
        if inputs > MOST_UNITS {
            return Err(format!(
                "the number of inputs must be at most {MOST_UNITS}, got {inputs}"
            ));
        }
        for (weights, bias) in &layers {
            let units = bias.len();
            if !(1..=MOST_UNITS).contains(&units) || weights.len() != inputs * units {
                let got = weights.len();
                return Err(format!(
                    "a layer of {inputs} inputs and {units} units must have one weight for each \
                     pair, got {got}"
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

    /// Returns the sizes of its inputs.
    pub fn sizes(&self) -> InputSizes {
        self.sizes
    }

    /// Returns the weights and biases of each layer, as [`new`](Self::new) takes them.
    pub fn layers(&self) -> &[(Vec<f32>, Vec<f32>)] {
        &self.given
    }

    /// Returns the log-odds that the first seat wins an encoded position.
    pub fn logit(&self, record: &[u8]) -> f32 {
        logit(self, record)
    }

    /// Returns the value of an encoded position for the first seat: the probability of a win minus
    /// that of a loss, from -1 to 1.
    pub fn value(&self, record: &[u8]) -> f32 {
        value_of(self.logit(record))
    }
}

/// Converts log-odds of a win to the probability of a win minus that of a loss, from -1 to 1.
pub(super) fn value_of(logit: f32) -> f32 {
    (logit / 2.0).tanh()
}

/// Computes the log-odds. It is also compiled for wider registers, and chosen by the processor's
/// features; each sum has the same order, so the result is the same.
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

/// Converts an input to a share from 0 to 1.
#[inline(always)]
pub fn as_share(input: u8) -> f32 {
    f32::from(input) * SHARE
}

/// The share of an input of 1.
const SHARE: f32 = 1.0 / 255.0;

/// Splits a row of weights or biases into blocks.
fn in_blocks(row: &[f32]) -> impl Iterator<Item = [f32; BLOCK]> {
    row.chunks(BLOCK)
        .map(|part| std::array::from_fn(|unit| part.get(unit).copied().unwrap_or(0.0)))
}

/// Splits the weights from each input into blocks.
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
            // The sums over both inputs' sums and differences.
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

    /// Writes the outputs for both views, after applying ReLU to the inputs.
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
