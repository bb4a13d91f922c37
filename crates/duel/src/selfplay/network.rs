//! A network that values positions of duels, as plain arithmetic.

use super::encoder::InputSizes;
use hognose_game::duel::Seat;
use multiversion::multiversion;

/// A fully connected network with rectified units that values positions of duels. One half of it looks at the position
/// from each seat, with the same weights, and the value is the difference: exchanging the seats negates it.
///
/// Sums are taken in a fixed order. Only the last function, the hyperbolic tangent, is the system's own.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueNetwork {
    sizes: InputSizes,
    layers: Vec<Layer>,
}

/// A layer of a [`ValueNetwork`].
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    inputs: usize,
    units: usize,
    /// For each block of units, the weights from each input, and at the end the biases. Units that fill the last block
    /// up have weights of 0.
    blocks: Vec<Vec<[f32; BLOCK]>>,
}

/// So many units are summed side by side.
const BLOCK: usize = 32;
/// The most units of a layer, and the most inputs.
const MOST_UNITS: usize = 256;

impl ValueNetwork {
    /// A network of these layers, the last of which has one unit. A layer is its weights, those from the first input
    /// first, and its biases, one for each unit. Inputs are shares, from 0 to 1.
    ///
    /// # Errors
    /// In words, when sizes do not fit, or a number is not finite.
    pub fn new(sizes: InputSizes, layers: Vec<(Vec<f32>, Vec<f32>)>) -> Result<ValueNetwork, String> {
        let mut inputs = sizes.record();
        if inputs > MOST_UNITS {
            return Err(format!("there must be at most {MOST_UNITS} inputs, got {inputs}"));
        }
        let mut built = Vec::new();
        for (weights, bias) in layers {
            let units = bias.len();
            if !(1..=MOST_UNITS).contains(&units) || weights.len() != inputs * units {
                let got = weights.len();
                return Err(format!(
                    "a layer of {inputs} inputs and {units} units must have as many weights, got {got}"
                ));
            }
            if !weights.iter().chain(&bias).all(|number| number.is_finite()) {
                return Err("all weights must be finite".to_owned());
            }
            built.push(Layer::new(&weights, &bias));
            inputs = units;
        }
        match built.last() {
            Some(Layer { units: 1, .. }) => Ok(ValueNetwork { sizes, layers: built }),
            _ => Err("the last layer must have one unit".to_owned()),
        }
    }

    /// The inputs that it takes.
    pub fn sizes(&self) -> InputSizes {
        self.sizes
    }

    /// The weights and biases of each layer, as [`new`](Self::new) takes them.
    pub fn layers(&self) -> impl Iterator<Item = (Vec<f32>, Vec<f32>)> {
        self.layers.iter().map(|layer| {
            let row = |input: usize| layer.blocks.iter().flat_map(move |block| block[input]).take(layer.units);
            ((0..layer.inputs).flat_map(row).collect(), row(layer.inputs).collect())
        })
    }

    /// The log-odds that the first seat wins an encoded position.
    pub fn logit(&self, record: &[u8]) -> f32 {
        logit(self, record)
    }

    /// The value of an encoded position for the first seat: the chance to win less that to lose, from -1 to 1.
    pub fn value(&self, record: &[u8]) -> f32 {
        (self.logit(record) / 2.0).tanh()
    }
}

/// It is compiled for wider registers as well, and the processor decides. Each sum is taken in the same order, so the
/// result is the same.
#[multiversion(targets("x86_64+avx2+avx512f", "x86_64+avx2"))]
fn logit(network: &ValueNetwork, record: &[u8]) -> f32 {
    let (mut views, mut outputs) = ([[0.0; MOST_UNITS]; 2], [[0.0; MOST_UNITS]; 2]);
    let (mut from, mut to) = (&mut views, &mut outputs);
    for (view, seat) in from.iter_mut().zip(Seat::BOTH) {
        let mut rest = view.as_mut_slice();
        for part in network.sizes.view(record, seat) {
            let (shares, others) = rest.split_at_mut(part.len());
            shares.iter_mut().zip(part).for_each(|(share, &input)| *share = as_share(input));
            rest = others;
        }
    }
    for layer in &network.layers {
        layer.run(from, to);
        std::mem::swap(&mut from, &mut to);
    }
    from[0][0] - from[1][0]
}

/// An input as a share of all.
#[inline(always)]
pub fn as_share(input: u8) -> f32 {
    f32::from(input) * (1.0 / 255.0)
}

impl Layer {
    fn new(weights: &[f32], bias: &[f32]) -> Layer {
        let (units, inputs) = (bias.len(), weights.len() / bias.len());
        let block = |first: usize| {
            let row = |row: &[f32]| std::array::from_fn(|unit| row.get(first + unit).copied().unwrap_or(0.0));
            weights.chunks_exact(units).chain([bias]).map(row).collect()
        };
        Layer { inputs, units, blocks: (0..units).step_by(BLOCK).map(block).collect() }
    }

    /// Writes the outputs for both views. Inputs are rectified here, which changes nothing for shares.
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
