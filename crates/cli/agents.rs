//! The agents embedded in the binary, and in the Python package, which includes this file.

use hognose_policies::EmbeddedAgent;

/// The agents that `dqn:NAME` and `dqn-safe:NAME` refer to, strongest first.
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
