//! The page in the browser: thin bindings of hognose to JavaScript.
//!
//! Each part of the page has a file here and one of the same name in `www/`. An object of a part
//! lives in a worker of the page, where it may take its time; `www/engine.js` calls it from there.
//! [`Watch`] is a game that a policy plays, [`Race`] has many games of several policies, [`Play`]
//! is a game that the user plays, with a [`Coach`], [`Duel`] is a game of two snakes, and `Learn`
//! an agent that learns.
//!
//! The page is built twice: without agents, which is small and loaded first, and with the feature
//! `agents`, which knows all that the other one knows, `Learn`, and the agents that it is given
//! ([`add_agent`]).
//!
//! The other files are shared by parts: `history` is a game that can be looked at from every step,
//! `view` says what the page shows of it, `tables` solves small boards, `worth` says what moves are
//! worth, `choices` what there is to choose from, `answer` what calls come to, and `agents` has
//! those that were fetched. `selection` has the games that tell how well an agent plays while it
//! learns, and `probe` compares agents here with agents elsewhere.
//!
//! Everything comes from the other crates: this one has no rules, no statistics and no pictures of
//! its own. Numbers for pictures are arrays; everything else that has parts is JSON. Errors are
//! texts for the user.

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

pub use agents::add_agent;
#[cfg(feature = "agents")]
pub use agents::probe_agent;
pub use choices::{behavior, policies};
pub use duel::{Duel, bots, duel_rules};
#[cfg(feature = "agents")]
pub use learn::Learn;
pub use play::{Coach, Play};
pub use race::Race;
pub use view::{colors, margin, seats};
pub use watch::Watch;
