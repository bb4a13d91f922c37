//! The agents that are part of the binary, and of the Python package, which has this file too.

use hognose_policies::EmbeddedAgent;

/// The agents, as `dqn:NAME` and `dqn-safe:NAME` name them.
pub(crate) const AGENTS: &[EmbeddedAgent] = &[
    EmbeddedAgent {
        name: "quickstart-6x6",
        policy: include_bytes!("../../checkpoints/quickstart-6x6/policy.safetensors"),
    },
    EmbeddedAgent { name: "10x10-plans", policy: include_bytes!("../../checkpoints/10x10-plans/policy.safetensors") },
];
