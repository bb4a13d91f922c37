//! Schedules of tournaments.

use hognose_game::duel::{Duel, DuelRules, Seat};
use hognose_game::rng::{self, Purpose};
use serde::{Deserialize, Serialize};

/// The maximum number of bots: every pair plays, and ratings are recomputed for each bootstrap
/// sample.
const MOST_BOTS: usize = 64;

const TOURNAMENT: Purpose = Purpose::new("tournament");
const BOT: Purpose = Purpose::new("bot of a tournament");

/// The schedule of a tournament. In each *round*, every pair of bots plays one seed four times.
/// Games come in pairs: the second game swaps the seats and rotates the foods by 180 degrees, so it
/// is an exact image of the first, and each bot plays the same game from the other seat. In the
/// second pair of a round the other bot has the first seat, so each bot meets what the other one
/// met. Equal bots without randomness therefore share the points of a round, whatever the foods.
///
/// This requires that the two starts are rotations of each other by 180 degrees. With other starts
/// the foods stay in place, and a round is two games with swapped seats; equal bots then share the
/// points as well. An odd number of game pairs omits the second pair of the last round.
///
/// A game depends only on the rules, the seed, its round and its two bots. Two bots therefore play
/// the same games in every tournament with a seed, whoever else takes part, and a longer tournament
/// begins with the games of a shorter one.
///
/// ```
/// use hognose_eval::tournament::Schedule;
/// use hognose_game::duel::{DuelRules, Seat};
///
/// let bots = ["greedy", "search", "random"].map(str::to_owned);
/// let schedule = Schedule::new(DuelRules::ai_snakes_2021(), bots, 4, 0)?;
/// assert_eq!(schedule.len(), 3 * 4);
/// let (game, image) = (schedule.game(0), schedule.game(1));
/// assert_eq!((game.bots, image.bots), ([0, 1], [1, 0]));
/// let [first, second] = [game, image].map(|game| schedule.duel(&game).position().clone());
/// assert_eq!(second.half_turned().with_seats_swapped(), first);
/// # Ok::<(), hognose_eval::tournament::ScheduleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ScheduleText")]
pub struct Schedule {
    rules: DuelRules,
    seed: u64,
    games: usize,
    /// Whether foods are rotated, so that a round has four games.
    turned_foods: bool,
    bots: Vec<String>,
}

#[derive(Deserialize)]
struct ScheduleText {
    rules: DuelRules,
    seed: u64,
    games: usize,
    /// Absent in the first format version, which rotated no foods.
    #[serde(default)]
    turned_foods: bool,
    bots: Vec<String>,
}

/// A game of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its index in the tournament, from 0.
    pub index: usize,
    /// Its round, from 0, which determines the seed.
    pub round: usize,
    /// The numbers of the bots, in seat order.
    pub bots: [usize; 2],
    /// The seed of the foods.
    pub seed: u64,
    /// Whether the foods are rotated by 180 degrees.
    pub turned_foods: bool,
    /// The seeds of the bots, in seat order.
    pub bot_seeds: [u64; 2],
}

/// An error of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// There are fewer than two bots.
    #[error("expected at least two bots, got {0}")]
    Bots(usize),
    /// The number of games does not allow both seat assignments.
    #[error(
        "the number of games per pair must be even and at least 2, since seats are swapped, \
         got {0}"
    )]
    Games(usize),
    /// The second game of a pair would not be an image of the first.
    #[error("rotated foods need starts that are rotations of each other by 180 degrees: {0}")]
    TurnedFoods(DuelRules),
    /// There are too many bots.
    #[error("expected at most {MOST_BOTS} bots, got {0}")]
    TooManyBots(usize),
    /// Two bots have the same name of their own.
    #[error("expected a name that no other bot has, got {0:?}")]
    Taken(String),
    /// There are too many games to count.
    #[error("expected fewer games: {bots} bots with {games} games per pair are too many")]
    TooMany {
        /// The number of bots.
        bots: usize,
        /// Games per pair.
        games: usize,
    },
}

impl Schedule {
    /// Creates a schedule of these bots with `games` games per pair.
    ///
    /// # Errors
    /// Fails if there are fewer than two bots or more than 64, or if the number of games is odd or
    /// 0.
    pub fn new(
        rules: DuelRules,
        bots: impl IntoIterator<Item = String>,
        games: usize,
        seed: u64,
    ) -> Result<Schedule, ScheduleError> {
        let schedule = Schedule {
            rules,
            seed,
            games,
            turned_foods: rules.starts_are_half_turns(),
            bots: bots.into_iter().collect(),
        };
        let mut own_names = schedule.bots.iter().filter_map(|bot| own_name(bot).0);
        let is_taken = |name: &&str| {
            let bots = schedule.bots.iter();
            bots.filter(|bot| shown(bot) == *name).count() > 1
        };
        if let Some(taken) = own_names.find(is_taken) {
            return Err(ScheduleError::Taken(taken.to_owned()));
        }
        let bots = schedule.bots.len();
        match bots
            .checked_mul(bots)
            .and_then(|square| square.checked_mul(games))
        {
            _ if bots < 2 => Err(ScheduleError::Bots(bots)),
            _ if bots > MOST_BOTS => Err(ScheduleError::TooManyBots(bots)),
            _ if games == 0 || !games.is_multiple_of(2) => Err(ScheduleError::Games(games)),
            None => Err(ScheduleError::TooMany { bots, games }),
            Some(_) => Ok(schedule),
        }
    }

    /// Returns this schedule with another number of games per pair.
    ///
    /// # Errors
    /// Fails if the number is odd or 0.
    pub fn with_games(&self, games: usize) -> Result<Schedule, ScheduleError> {
        let other = Schedule::new(self.rules, self.bots.iter().cloned(), games, self.seed)?;
        Ok(Schedule {
            turned_foods: self.turned_foods,
            ..other
        })
    }

    /// Returns the rules of all games.
    pub fn rules(&self) -> &DuelRules {
        &self.rules
    }

    /// Returns the seed that the seeds of games and bots are derived from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the bots as they were given: each by its name, or as `OWN_NAME=BOT`.
    pub fn bots(&self) -> &[String] {
        &self.bots
    }

    /// Returns the name of a bot in tables: its own name if it was given one, else numbered from
    /// the second bot of the same name on, as in `greedy #2`.
    pub fn label(&self, bot: usize) -> String {
        let name = shown(&self.bots[bot]);
        let before = self.bots[..bot].iter();
        match before.filter(|other| shown(other) == name).count() {
            0 => name.to_owned(),
            before => format!("{name} #{}", before + 1),
        }
    }

    /// Returns the number of games per pair of bots.
    pub fn games(&self) -> usize {
        self.games
    }

    /// Returns the total number of games.
    #[expect(clippy::len_without_is_empty, reason = "there is always a game")]
    pub fn len(&self) -> usize {
        self.pairs() * self.games
    }

    /// Returns the game with this index: two games of each pair of bots, in order of pairs, then
    /// two more games of each, and so on.
    pub fn game(&self, index: usize) -> Scheduled {
        // Every pair of bots plays two games, then two more.
        let nth = index / (2 * self.pairs());
        let among = index % (2 * self.pairs());
        let pair = among / 2;
        let exchanged = among % 2 == 1;
        let (a, b) = self.pair(pair);
        let (round, turned_foods) = match self.turned_foods {
            true => (nth / 2, exchanged == nth.is_multiple_of(2)),
            false => (nth, false),
        };
        let game = 2 * nth as u64 + u64::from(exchanged);
        Scheduled {
            index,
            round,
            bots: if exchanged { [b, a] } else { [a, b] },
            seed: rng::derive(self.seed, TOURNAMENT, round as u64),
            turned_foods,
            bot_seeds: Seat::BOTH
                .map(|seat| rng::derive(self.seed, BOT, 2 * game + seat.index() as u64)),
        }
    }

    /// Returns a game before its first step.
    pub fn duel(&self, game: &Scheduled) -> Duel {
        let new = if game.turned_foods {
            Duel::with_turned_foods
        } else {
            Duel::new
        };
        new(self.rules, game.seed)
    }

    /// Returns whether foods are rotated, so that a round has four games, and the second game of a
    /// pair is the image of the first.
    pub fn turns_foods(&self) -> bool {
        self.turned_foods
    }

    /// Returns a checksum, as text, of everything that determines the games except their number.
    pub(crate) fn check(&self) -> String {
        let text = format!(
            "{}; {}; {}; {:?}",
            self.rules, self.seed, self.turned_foods, self.bots
        );
        format!("{:016x}", rng::fnv1a(rng::FNV_START, text.as_bytes()))
    }

    /// Returns the number of pairs of bots.
    fn pairs(&self) -> usize {
        self.bots.len() * (self.bots.len() - 1) / 2
    }

    /// Returns the bots of a pair. Pairs are ordered by their first bot, then by their second.
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
        let ScheduleText {
            rules,
            seed,
            games,
            turned_foods,
            bots,
        } = text;
        if turned_foods && !rules.starts_are_half_turns() {
            return Err(ScheduleError::TurnedFoods(rules));
        }
        Ok(Schedule {
            turned_foods,
            ..Schedule::new(rules, bots, games, seed)?
        })
    }
}

/// Splits `NAME=BOT` into a name of letters, digits, `-` and `_` for tables, and the bot. A bot
/// without a name of its own is returned whole.
pub fn own_name(bot: &str) -> (Option<&str>, &str) {
    let is_word = |name: &str| {
        let mut letters = name.chars();
        !name.is_empty()
            && letters.all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
    };
    match bot.split_once('=') {
        Some((name, bot)) if is_word(name) => (Some(name), bot),
        _ => (None, bot),
    }
}

fn shown(bot: &str) -> &str {
    own_name(bot).0.unwrap_or(bot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::duel::DuelStart;
    use std::collections::BTreeMap;

    fn schedule(bots: usize, games: usize) -> Schedule {
        Schedule::new(
            DuelRules::ai_snakes_2020(),
            (0..bots).map(|bot| bot.to_string()),
            games,
            5,
        )
        .unwrap()
    }

    #[test]
    fn every_pair_plays_each_seed_with_both_seats() {
        let schedule = schedule(4, 6);
        let mut played: BTreeMap<([usize; 2], usize), Vec<Scheduled>> = BTreeMap::new();
        for index in 0..schedule.len() {
            let game = schedule.game(index);
            assert_eq!(game.index, index);
            played
                .entry((game.bots, game.round))
                .or_default()
                .push(game);
        }
        assert_eq!(played.len(), 4 * 3 * 2);
        for (([a, b], round), games) in &played {
            let returns = &played[&([*b, *a], *round)];
            // The last round has only half of its games.
            assert_eq!(
                (games.len(), returns.len()),
                if *round == 0 { (2, 2) } else { (1, 1) }
            );
            for (game, image) in games.iter().zip(returns) {
                assert_eq!((game.seed, image.seed), (games[0].seed, games[0].seed));
                assert_ne!(
                    (game.turned_foods, game.bot_seeds),
                    (image.turned_foods, image.bot_seeds)
                );
                let [duel, image] =
                    [game, image].map(|game| schedule.duel(game).position().clone());
                assert_eq!(image.half_turned().with_seats_swapped(), duel);
            }
            assert_eq!(
                games
                    .iter()
                    .filter(|game| game.turned_foods != (a < b))
                    .count(),
                1
            );
        }
        let seeds: std::collections::BTreeSet<u64> =
            played.values().map(|games| games[0].seed).collect();
        assert_eq!(seeds.len(), 2);
    }

    /// The games of two bots depend neither on who else plays nor on the number of games.
    #[test]
    fn games_belong_to_two_bots_and_a_round() {
        let small = schedule(2, 4);
        let large = schedule(5, 8);
        for index in 0..small.len() {
            let game = small.game(index);
            let mut games = (0..large.len()).map(|index| large.game(index));
            let same = games
                .find(|other| {
                    game.round == other.round
                        && game.bots == other.bots
                        && game.turned_foods == other.turned_foods
                })
                .unwrap();
            assert_eq!((same.seed, same.bot_seeds), (game.seed, game.bot_seeds));
        }
    }

    /// With unequal starts foods stay in place, and old tournaments without rotated foods continue
    /// unchanged.
    #[test]
    fn foods_are_turned_where_starts_are() {
        let rules = DuelRules::ai_snakes_2021();
        let starts = [
            DuelStart {
                column: 4,
                ..rules.start(Seat::First)
            },
            rules.start(Seat::Second),
        ];
        let unfair = rules.with_board(rules.board(), starts).unwrap();
        let schedule = |rules| Schedule::new(rules, ["a", "b"].map(str::to_owned), 2, 5).unwrap();
        assert!(schedule(rules).turns_foods() && !schedule(unfair).turns_foods());
        let written = serde_json::to_string(&schedule(rules)).unwrap();
        let read = |text: &str| serde_json::from_str::<Schedule>(text);
        assert_eq!(read(&written).unwrap(), schedule(rules));
        let old = read(&written.replace("\"turned_foods\":true,", "")).unwrap();
        assert!(!old.turns_foods() && !old.with_games(4).unwrap().game(7).turned_foods);
        let wrong = serde_json::to_string(&schedule(unfair))
            .unwrap()
            .replace("foods\":false", "foods\":true");
        let error = read(&wrong).unwrap_err().to_string();
        assert!(
            error.starts_with("rotated foods need starts that are rotations of each other"),
            "{error}"
        );
    }

    #[test]
    fn bots_of_one_name_are_numbered() {
        let bots = ["a", "b", "a", "a"].map(str::to_owned);
        let schedule = Schedule::new(DuelRules::ai_snakes_2020(), bots, 2, 0).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|bot| schedule.label(bot)),
            ["a", "b", "a #2", "a #3"]
        );
    }

    #[test]
    fn bots_may_have_names_of_their_own() {
        let schedule = |bots: [&str; 3]| {
            Schedule::new(DuelRules::ai_snakes_2020(), bots.map(str::to_owned), 2, 0)
        };
        let command = "exec:python3 bot.py --depth=3";
        let named = schedule(["hare=exec:bot a=b", command, "Tor_2-x=adder:4"]).unwrap();
        let labels = [0, 1, 2].map(|bot| named.label(bot));
        assert_eq!(labels, ["hare", command, "Tor_2-x"]);
        assert_eq!(own_name(&named.bots()[0]), (Some("hare"), "exec:bot a=b"));
        for bots in [["a=greedy", "a=search", "b"], ["b", "b=search", "a"]] {
            let error = schedule(bots).unwrap_err().to_string();
            assert!(
                error.starts_with("expected a name that no other bot has, got "),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_tournament_is_refused() {
        let error = |bots: usize, games| {
            let bots = (0..bots).map(|bot| bot.to_string());
            Schedule::new(DuelRules::ai_snakes_2020(), bots, games, 0).unwrap_err()
        };
        assert_eq!(
            (error(1, 2), error(0, 2)),
            (ScheduleError::Bots(1), ScheduleError::Bots(0))
        );
        assert_eq!(
            (error(2, 3), error(2, 0)),
            (ScheduleError::Games(3), ScheduleError::Games(0))
        );
        assert_eq!(
            error(3, usize::MAX - 1),
            ScheduleError::TooMany {
                bots: 3,
                games: usize::MAX - 1
            }
        );
    }
}
