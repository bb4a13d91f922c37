//! The page in the browser: thin bindings of hognose to JavaScript.
//!
//! Each part of the page has a file here and one of the same name in `www/`. The object of a part
//! lives in a worker of the page, where calls may take long; `www/engine.js` makes these calls.
//! [`Watch`] is a game that a policy plays, [`Race`] has many games of several policies, [`Play`]
//! is a game that the user plays, with a [`Coach`], [`Duel`] is a game of two snakes, and `Learn`
//! an agent that learns.
//!
//! The page is built twice: a small build without agents, which is loaded first, and a build with
//! the feature `agents`, which adds `Learn` and fetched agents ([`add_agent`]).
//!
//! The parts share the other files: `history` is a game that can be shown at every step, `view`
//! describes it for the page, `tables` solves small boards, `worth` evaluates moves, `choices`
//! lists policies and parses input, `answer` has the results of calls, and `agents` stores fetched
//! agents. `selection` evaluates an agent while it learns, and `probe` compares agents here with
//! agents elsewhere.
//!
//! Everything else comes from the other crates: this one has no rules, statistics or pictures of
//! its own. Pictures are arrays of numbers; other structured data is JSON. Errors are messages for
//! the user.

mod agents;
mod answer;
mod choices;
mod duel;
mod history;
#[cfg(feature = "agents")]
mod learn;
mod play;
#[cfg(feature = "agents")]
mod probe;
mod race;
#[cfg(feature = "agents")]
mod selection;
mod tables;
mod view;
mod watch;
mod worth;

pub use agents::{add_agent, add_duel_agent};
#[cfg(feature = "agents")]
pub use agents::{describe_agent, probe_agent};
pub use choices::{behavior, policies, refusals};
pub use duel::{Duel, bots, duel_rules};
#[cfg(feature = "agents")]
pub use learn::Learn;
pub use play::{Coach, Play};
pub use race::Race;
pub use view::{colors, margin, seats};
pub use watch::Watch;
