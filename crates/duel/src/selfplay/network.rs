//! A network that values positions of duels, as plain arithmetic.

use super::encoder::InputSizes;
use hognose_game::duel::Seat;

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
const BLOCK: usize = 16;
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
    #[inline]
    pub fn logit(&self, record: &[u8]) -> f32 {
        self.half(record, Seat::First) - self.half(record, Seat::Second)
    }

    /// The value of an encoded position for the first seat: the chance to win less that to lose, from -1 to 1.
    #[inline]
    pub fn value(&self, record: &[u8]) -> f32 {
        (self.logit(record) / 2.0).tanh()
    }

    /// The output for the view of a seat.
    #[inline]
    fn half(&self, record: &[u8], seat: Seat) -> f32 {
        let mut inputs = Inputs::NONE;
        for part in self.sizes.view(record, seat) {
            for &input in part {
                inputs.push(as_share(input));
            }
        }
        let mut outputs = [0.0; MOST_UNITS];
        let (last, hidden) = self.layers.split_last().expect("there is a last layer");
        for layer in hidden {
            layer.run(&inputs, &mut outputs);
            inputs.clear();
            for &output in &outputs[..layer.units] {
                inputs.push(output.max(0.0));
            }
        }
        last.run(&inputs, &mut outputs);
        outputs[0]
    }
}

/// An input as a share of all.
#[inline]
pub fn as_share(input: u8) -> f32 {
    f32::from(input) * (1.0 / 255.0)
}

/// The inputs of a layer that are not 0, with their numbers.
struct Inputs {
    numbers: [u16; MOST_UNITS],
    values: [f32; MOST_UNITS],
    seen: u16,
    count: usize,
}

impl Inputs {
    const NONE: Inputs = Inputs { numbers: [0; MOST_UNITS], values: [0.0; MOST_UNITS], seen: 0, count: 0 };

    #[inline]
    fn clear(&mut self) {
        (self.seen, self.count) = (0, 0);
    }

    #[inline]
    fn push(&mut self, value: f32) {
        self.numbers[self.count] = self.seen;
        self.values[self.count] = value;
        self.seen += 1;
        self.count += usize::from(value != 0.0);
    }
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

    #[inline]
    fn run(&self, inputs: &Inputs, outputs: &mut [f32; MOST_UNITS]) {
        let (numbers, values) = (&inputs.numbers[..inputs.count], &inputs.values[..inputs.count]);
        for (block, outputs) in self.blocks.iter().zip(outputs.as_chunks_mut().0) {
            let mut sums: [f32; BLOCK] = block[self.inputs];
            for (&number, &value) in numbers.iter().zip(values) {
                let weights = &block[usize::from(number)];
                for unit in 0..BLOCK {
                    sums[unit] += value * weights[unit];
                }
            }
            *outputs = sums;
        }
    }
}
