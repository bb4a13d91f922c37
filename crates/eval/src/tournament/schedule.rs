//! Which games a tournament has.

use hognose_game::duel::{DuelRules, Seat};
use hognose_game::rng::{self, Purpose};
use serde::{Deserialize, Serialize};

/// Every pair of bots plays, and ratings are drawn again and again: more bots would take long.
const MOST_BOTS: usize = 64;

const TOURNAMENT: Purpose = Purpose::new("tournament");
const BOT: Purpose = Purpose::new("bot of a tournament");

/// Which games a tournament has: in each *round*, every pair of bots plays one seed twice, with exchanged seats. So each
/// of them has both starts, and the same foods from each of them: two equal bots without randomness share the points of
/// a round, whatever the starts and the foods. (If the foods were turned by half a turn together with the seats, each
/// bot would only meet the same game again.)
///
/// A game follows from the rules, the seed, its round and its two bots. So two bots play the same games in every
/// tournament of a seed, whoever else takes part, and a longer tournament begins with the games of a shorter one.
///
/// ```
/// use hognose_eval::tournament::Schedule;
/// use hognose_game::duel::{DuelRules, Seat};
///
/// let bots = ["greedy", "search", "random"].map(str::to_owned);
/// let schedule = Schedule::new(DuelRules::ai_snakes_2021(), bots, 4, 0)?;
/// assert_eq!(schedule.len(), 3 * 4);
/// let (game, return_game) = (schedule.game(0), schedule.game(1));
/// assert_eq!((game.bots, return_game.bots), ([0, 1], [1, 0]));
/// assert_eq!(game.seed, return_game.seed);
/// # Ok::<(), hognose_eval::tournament::ScheduleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ScheduleText")]
pub struct Schedule {
    rules: DuelRules,
    seed: u64,
    games: usize,
    bots: Vec<String>,
}

#[derive(Deserialize)]
struct ScheduleText {
    rules: DuelRules,
    seed: u64,
    games: usize,
    bots: Vec<String>,
}

/// A game of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its number in the tournament, from 0.
    pub index: usize,
    /// Its round, from 0: the number of its seed.
    pub round: usize,
    /// The bots by their numbers, seats in order.
    pub bots: [usize; 2],
    /// The seed that its foods follow from.
    pub seed: u64,
    /// The seeds of the bots, seats in order.
    pub bot_seeds: [u64; 2],
}

/// Why there is no such tournament.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// There is nobody to play against.
    #[error("expected at least two bots, got {0}")]
    Bots(usize),
    /// The games can't be played with both seats.
    #[error("the number of games of each pair must be even and at least 2, since seats are exchanged, got {0}")]
    Games(usize),
    /// There are more bots than a tournament is meant for.
    #[error("expected at most {MOST_BOTS} bots, got {0}")]
    TooManyBots(usize),
    /// There are more games than a computer can count.
    #[error("expected fewer games: {bots} bots with {games} games of each pair are too many")]
    TooMany {
        /// How many bots.
        bots: usize,
        /// How many games of each pair.
        games: usize,
    },
}

impl Schedule {
    /// The schedule of these bots, each pair with so many games.
    ///
    /// # Errors
    /// When there are fewer than two bots or more than 64, or the number of games is odd or 0.
    pub fn new(
        rules: DuelRules,
        bots: impl IntoIterator<Item = String>,
        games: usize,
        seed: u64,
    ) -> Result<Schedule, ScheduleError> {
        let schedule = Schedule { rules, seed, games, bots: bots.into_iter().collect() };
        let bots = schedule.bots.len();
        match bots.checked_mul(bots).and_then(|square| square.checked_mul(games)) {
            _ if bots < 2 => Err(ScheduleError::Bots(bots)),
            _ if bots > MOST_BOTS => Err(ScheduleError::TooManyBots(bots)),
            _ if games == 0 || !games.is_multiple_of(2) => Err(ScheduleError::Games(games)),
            None => Err(ScheduleError::TooMany { bots, games }),
            Some(_) => Ok(schedule),
        }
    }

    /// The rules of all games.
    pub fn rules(&self) -> &DuelRules {
        &self.rules
    }

    /// What the seeds of games and bots are derived from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The names of the bots.
    pub fn bots(&self) -> &[String] {
        &self.bots
    }

    /// What a bot is called in tables: its name, and the how manieth of this name it is if there are several, as in
    /// `greedy #2`.
    pub fn label(&self, bot: usize) -> String {
        let name = &self.bots[bot];
        match self.bots[..bot].iter().filter(|other| *other == name).count() {
            0 => name.clone(),
            before => format!("{name} #{}", before + 1),
        }
    }

    /// The games of each pair of bots.
    pub fn games(&self) -> usize {
        self.games
    }

    /// The games in all.
    #[expect(clippy::len_without_is_empty, reason = "there is always a game")]
    pub fn len(&self) -> usize {
        self.pairs() * self.games
    }

    /// The game of a number, rounds in order, and in a round the pairs in order.
    pub fn game(&self, index: usize) -> Scheduled {
        let (round, in_round) = (index / (2 * self.pairs()), index % (2 * self.pairs()));
        let (pair, exchanged) = (in_round / 2, in_round % 2 == 1);
        let (a, b) = self.pair(pair);
        let game = 2 * round as u64 + u64::from(exchanged);
        Scheduled {
            index,
            round,
            bots: if exchanged { [b, a] } else { [a, b] },
            seed: rng::derive(self.seed, TOURNAMENT, round as u64),
            bot_seeds: Seat::BOTH.map(|seat| rng::derive(self.seed, BOT, 2 * game + seat.index() as u64)),
        }
    }

    /// How many pairs of bots there are.
    fn pairs(&self) -> usize {
        self.bots.len() * (self.bots.len() - 1) / 2
    }

    /// The bots of a pair: all pairs with the first bot come first, then those of the second with later ones.
    fn pair(&self, mut pair: usize) -> (usize, usize) {
        let mut first = 0;
        loop {
            let its = self.bots.len() - 1 - first;
            if pair < its {
                return (first, first + 1 + pair);
            }
            pair -= its;
            first += 1;
        }
    }
}

impl TryFrom<ScheduleText> for Schedule {
    type Error = ScheduleError;

    fn try_from(text: ScheduleText) -> Result<Schedule, ScheduleError> {
        Schedule::new(text.rules, text.bots, text.games, text.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn schedule(bots: usize, games: usize) -> Schedule {
        Schedule::new(DuelRules::ai_snakes_2020(), (0..bots).map(|bot| bot.to_string()), games, 5).unwrap()
    }

    #[test]
    fn every_pair_plays_each_seed_with_both_seats() {
        let schedule = schedule(4, 6);
        let mut played: BTreeMap<([usize; 2], usize), Vec<Scheduled>> = BTreeMap::new();
        for index in 0..schedule.len() {
            let game = schedule.game(index);
            assert_eq!(game.index, index);
            played.entry((game.bots, game.round)).or_default().push(game);
        }
        assert_eq!(played.len(), 4 * 3 * 3);
        for (([a, b], round), games) in &played {
            let (game, return_game) = (games[0], played[&([*b, *a], *round)][0]);
            assert!(games.len() == 1 && game.seed == return_game.seed);
            assert_ne!(game.bot_seeds, return_game.bot_seeds);
        }
        let seeds: std::collections::BTreeSet<u64> = played.values().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), 3);
    }

    /// The games of two bots do not depend on who else plays, nor on how many games there are.
    #[test]
    fn games_belong_to_two_bots_and_a_round() {
        let (small, large) = (schedule(2, 4), schedule(5, 8));
        for index in 0..small.len() {
            let game = small.game(index);
            let mut games = (0..large.len()).map(|index| large.game(index));
            let same = games.find(|other| (other.round, other.bots) == (game.round, game.bots)).unwrap();
            assert_eq!((same.seed, same.bot_seeds), (game.seed, game.bot_seeds));
        }
    }

    #[test]
    fn bots_of_one_name_are_numbered() {
        let bots = ["a", "b", "a", "a"].map(str::to_owned);
        let schedule = Schedule::new(DuelRules::ai_snakes_2020(), bots, 2, 0).unwrap();
        assert_eq!([0, 1, 2, 3].map(|bot| schedule.label(bot)), ["a", "b", "a #2", "a #3"]);
    }

    #[test]
    fn what_is_no_tournament_is_refused() {
        let error = |bots: usize, games| {
            let bots = (0..bots).map(|bot| bot.to_string());
            Schedule::new(DuelRules::ai_snakes_2020(), bots, games, 0).unwrap_err()
        };
        assert_eq!((error(1, 2), error(0, 2)), (ScheduleError::Bots(1), ScheduleError::Bots(0)));
        assert_eq!((error(2, 3), error(2, 0)), (ScheduleError::Games(3), ScheduleError::Games(0)));
        assert_eq!(error(3, usize::MAX - 1), ScheduleError::TooMany { bots: 3, games: usize::MAX - 1 });
    }
}
