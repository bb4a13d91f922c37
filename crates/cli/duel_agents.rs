//! The agents for duels embedded in the binary, and in the Python package, which includes this
//! file.

use hognose_policies::EmbeddedAgent;

/// The agents for duels that `selfplay:NAME` refers to.
pub(crate) const DUEL_AGENTS: &[EmbeddedAgent] = &[
    EmbeddedAgent {
        name: "2021",
        bytes: include_bytes!("../../checkpoints/duel-2021/policy.safetensors"),
    },
    EmbeddedAgent {
        name: "2020",
        bytes: include_bytes!("../../checkpoints/duel-2020/policy.safetensors"),
    },
];
