//! The agents for duels that are part of the binary, and of the Python package, which has this file
//! too.

use hognose_policies::EmbeddedAgent;

/// The agents for duels, as `selfplay:NAME` names them.
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
