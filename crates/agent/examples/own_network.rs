//! A custom network: two 3x3 convolutions and a layer of Q-values learn 4x4 briefly, and the policy
//! is saved to a file and loaded again.
//!
//!     cargo run --release -p hognose-agent --example own_network

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};
use hognose_agent::{
    AgentSpec, QNetwork, Solvers, TrainConfig, Trainer, load_policy_with, save_policy,
};
use hognose_env::{EnvConfig, Observation, Space};
use hognose_game::{Board, Rules};

/// Convolutions over the planes of an observation, then Q-values from their features and the
/// scalars.
#[derive(Module, Debug)]
struct Convolutions {
    layers: Vec<Conv2d>,
    q: Linear,
    planes: [usize; 3],
}

impl Convolutions {
    fn new(
        Space { planes, scalars }: Space,
        channels: [usize; 2],
        actions: usize,
        device: &Device,
    ) -> Convolutions {
        let layer = |inputs, outputs| {
            Conv2dConfig::new([inputs, outputs], [3, 3])
                .with_padding(PaddingConfig2d::Same)
                .init(device)
        };
        let features = channels[1] * planes[1] * planes[2] + scalars;
        let layers = vec![
            layer(planes[0], channels[0]),
            layer(channels[0], channels[1]),
        ];
        Convolutions {
            layers,
            q: LinearConfig::new(features, actions).init(device),
            planes,
        }
    }
}

impl QNetwork for Convolutions {
    fn q_values(&self, observations: Tensor<2>) -> Tensor<2> {
        let [batch, values] = observations.dims();
        let [depth, rows, columns] = self.planes;
        let seen = observations
            .clone()
            .slice([0..batch, 0..depth * rows * columns]);
        let seen = seen.reshape([batch, depth, rows, columns]);
        let features = self
            .layers
            .iter()
            .fold(seen, |x, layer| relu(layer.forward(x)));
        let scalars = observations.slice([0..batch, depth * rows * columns..values]);
        self.q
            .forward(Tensor::cat(vec![features.flatten(1, 3), scalars], 1))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let observation = Observation::Egocentric;
    let env = EnvConfig {
        observation,
        ..EnvConfig::new(Rules::new(Board::new(4, 4)?))
    };
    let config = TrainConfig {
        total_steps: 25_600,
        learning_starts: 2_000,
        batch_size: 64,
        ..TrainConfig::default()
    };
    let spec = AgentSpec::new(&env, &config);
    let device = hognose_agent::device("cpu")?;
    let channels = [8, 8];
    let network = Convolutions::new(spec.inputs(), channels, spec.outputs(), &device);
    let description = serde_json::to_value(channels)?;
    let mut trainer = Trainer::new(
        config,
        env,
        &Solvers::default(),
        network,
        description,
        0,
        &device,
    )?;
    while !trainer.finished() {
        trainer.round()?;
        if let Some(learned) = trainer.gradient_step() {
            println!("{:>6} steps, loss {:.3}", trainer.step(), learned.loss);
        }
    }
    let file = std::env::temp_dir().join("own-network.safetensors");
    save_policy(&file, &trainer.agent(), &channels)?;
    let agent = load_policy_with(&file, &device, |spec: &AgentSpec, channels| {
        Ok(Convolutions::new(
            spec.inputs(),
            channels,
            spec.outputs(),
            &device,
        ))
    })?;
    println!(
        "{} holds an agent of {}",
        file.display(),
        agent.spec().board
    );
    Ok(())
}
