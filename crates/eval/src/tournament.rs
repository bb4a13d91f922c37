//! Tournaments of bots in duels of two snakes: every pair plays the same seeds, each seed with both
//! seat assignments.
//!
//! A [`Schedule`] defines the games, and a [`Tournament`] plays them on several threads until it is
//! finished or stopped. Its [`Ranking`] summarizes them: scores, [`ratings`](rating), the matrix of
//! pairs, and why games ended. All of it depends only on the schedule and the bots. Times are kept
//! separately, as [`Speed`].

mod play;
mod played;
mod ranking;
pub mod rating;
mod schedule;

pub use play::{Tournament, TournamentError, TournamentProgress, record_duel};
pub use played::{PlayedDuel, Speed};
pub use ranking::{DuelEnds, PairResult, Ranked, Ranking, SeatResult, Tally};
pub use schedule::{Schedule, ScheduleError, Scheduled, own_name};
