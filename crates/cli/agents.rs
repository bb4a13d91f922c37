//! The agents that are part of the binary, and of the Python package, which has this file too.

use hognose_policies::EmbeddedAgent;

/// The agents, as `dqn:NAME` and `dqn-safe:NAME` name them, the strongest first.
pub(crate) const AGENTS: &[EmbeddedAgent] = &[
    EmbeddedAgent {
        name: "every-board-plans",
        bytes: include_bytes!("../../checkpoints/every-board-plans/policy.safetensors"),
    },
    EmbeddedAgent {
        name: "quickstart-6x6",
        bytes: include_bytes!("../../checkpoints/quickstart-6x6/policy.safetensors"),
    },
];
