//! The agents for duels that are part of the binary, and of the Python package, which has this file
//! too.

use hognose_duel::EmbeddedDuelAgent;

/// The agents for duels, as `selfplay:NAME` names them.
pub(crate) const DUEL_AGENTS: &[EmbeddedDuelAgent] = &[
    EmbeddedDuelAgent {
        name: "2021",
        bytes: include_bytes!("../../checkpoints/duel-2021/policy.safetensors"),
    },
    EmbeddedDuelAgent {
        name: "2020",
        bytes: include_bytes!("../../checkpoints/duel-2020/policy.safetensors"),
    },
];
