//! Evaluates views with a trained network.

use crate::network::{Network, QNetwork};
use crate::network_view::{Inputs, NetworkView};
use crate::spec::AgentSpec;
use burn::tensor::{Device, Tensor, TensorData};
use hognose_game::{Position, Unsupported};
use std::cell::RefCell;

/// Rows of a forward pass. The number is fixed, and short batches are padded, so that a move does
/// not depend on how many games are played side by side.
const ROWS: usize = 64;
/// Rows of a forward pass over plans, which come in smaller batches.
const ROWS_OF_PLANS: usize = 16;

/// A trained network and everything needed to evaluate it.
#[derive(Debug)]
pub(crate) struct Estimator<N> {
    pub(crate) spec: AgentSpec,
    pub(crate) network: N,
    device: Device,
    inputs: RefCell<Inputs>,
}

impl<N: QNetwork> Clone for Estimator<N> {
    fn clone(&self) -> Estimator<N> {
        Estimator::new(self.spec, self.network.clone(), self.device.clone())
    }
}

impl<N: QNetwork> Estimator<N> {
    pub(crate) fn new(spec: AgentSpec, network: N, device: Device) -> Estimator<N> {
        let inputs = RefCell::new(Inputs::new(&spec));
        Estimator {
            spec,
            network: network.valid(),
            device: device.inner(),
            inputs,
        }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn check_board(&self, position: &Position) -> Result<(), Unsupported> {
        let range = self.spec.range();
        let board = position.board();
        if range.contains(board) {
            Ok(())
        } else {
            Err(Unsupported(format!(
                "the agent was trained on {range} and can't play {board}"
            )))
        }
    }

    /// Returns the network's outputs for views, [`AgentSpec::outputs`] each, averaged with those
    /// for their mirror images if the agent uses both.
    pub(crate) fn outputs(&self, views: &[NetworkView<'_>]) -> Vec<f32> {
        let mut outputs = self.outputs_as_they_are(views);
        if self.spec.both_images {
            let positions: Vec<Position> =
                views.iter().map(|view| view.position.mirrored()).collect();
            let images = views.iter().zip(&positions);
            let images = images.map(|(view, position)| NetworkView {
                position,
                allowed: view.allowed.mirrored(),
                ..*view
            });
            let of_images = self.outputs_as_they_are(&images.collect::<Vec<_>>());
            let count = self.spec.outputs();
            let action = self.spec.action;
            for (row, of_image) in outputs
                .chunks_exact_mut(count)
                .zip(of_images.chunks_exact(count))
            {
                for (index, output) in row.iter_mut().enumerate() {
                    let mirrored = if count == 1 {
                        0
                    } else {
                        action.mirrored(index as u8).into()
                    };
                    *output = (*output + of_image[mirrored]) / 2.0;
                }
            }
        }
        outputs
    }

    /// Returns the network's outputs for views, [`AgentSpec::outputs`] each.
    fn outputs_as_they_are(&self, views: &[NetworkView<'_>]) -> Vec<f32> {
        let mut inputs = self.inputs.borrow_mut();
        views
            .chunks(self.rows_at_once())
            .flat_map(|views| self.forward(inputs.rows(views)))
            .collect()
    }

    /// Returns the network's outputs for rows as [`Inputs`] writes them, [`AgentSpec::outputs`]
    /// each.
    pub(crate) fn outputs_of_rows(&self, rows: &[f32]) -> Vec<f32> {
        let values = self.spec.inputs().len();
        assert_eq!(
            rows.len() % values,
            0,
            "expected rows of {values} values, got {} values",
            rows.len()
        );
        rows.chunks(self.rows_at_once() * values)
            .flat_map(|rows| self.forward(rows.to_vec()))
            .collect()
    }

    /// Runs a forward pass of at most [`rows_at_once`](Self::rows_at_once) rows.
    fn forward(&self, mut rows: Vec<f32>) -> Vec<f32> {
        let at_once = self.rows_at_once();
        let values = self.spec.inputs().len();
        let filled = rows.len() / values;
        rows.resize(at_once * values, 0.0);
        let rows = Tensor::from_data(TensorData::new(rows, [at_once, values]), &self.device);
        let mut outputs = self
            .network
            .q_values(rows)
            .into_data()
            .try_into_vec::<f32>()
            .expect("Q-values are f32");
        outputs.truncate(filled * self.spec.outputs());
        outputs
    }

    fn rows_at_once(&self) -> usize {
        if self.spec.plans.is_some() {
            ROWS_OF_PLANS
        } else {
            ROWS
        }
    }
}

impl Estimator<Network> {
    /// Returns what the network computes for each view.
    pub(crate) fn insights(&self, views: &[NetworkView<'_>]) -> Vec<Insight> {
        let mut inputs = self.inputs.borrow_mut();
        let insight = |view: &NetworkView<'_>| {
            let row = inputs.rows(std::slice::from_ref(view));
            let data = TensorData::new(row.clone(), [1, row.len()]);
            let (hidden, terms) = self.network.layers(Tensor::from_data(data, &self.device));
            let values = |layer: Tensor<2>| {
                let data = layer.into_data();
                data.try_into_vec::<f32>().expect("values are f32")
            };
            Insight {
                input: row,
                hidden: hidden.into_iter().map(values).collect(),
                terms: values(terms),
            }
        };
        views.iter().map(insight).collect()
    }
}

/// What a network computes on its way to a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Insight {
    /// The input: the observation and, if the network sees ways, three more scalars.
    pub input: Vec<f32>,
    /// The outputs of each hidden layer.
    pub hidden: Vec<Vec<f32>>,
    /// What each unit of the last hidden layer adds to the value.
    pub terms: Vec<f32>,
}
