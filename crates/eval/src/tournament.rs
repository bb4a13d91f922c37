//! Tournaments of bots that play duels of two snakes: every pair plays the same seeds, each seed
//! from both seats.
//!
//! A [`Schedule`] says which games are played, and a [`Tournament`] plays them on several threads,
//! as long as it is let. Its [`Ranking`] says what they come to: scores, [`ratings`](rating), the
//! matrix of pairs, and why games ended. All of it follows from the schedule and the bots alone.
//! Times are kept apart, as [`Speed`].

mod play;
mod played;
mod ranking;
pub mod rating;
mod schedule;

pub use play::{Tournament, TournamentError, TournamentProgress, record_duel};
pub use played::{PlayedDuel, Speed};
pub use ranking::{DuelEnds, PairResult, Ranked, Ranking, SeatResult, Tally};
pub use schedule::{Schedule, ScheduleError, Scheduled};
