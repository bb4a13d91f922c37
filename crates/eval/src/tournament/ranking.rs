//! Rankings of tournaments.

use crate::places::rank_by;
use crate::stats::{self, Interval};
use crate::tournament::rating::{Points, rating_intervals, ratings};
use crate::tournament::{PlayedDuel, Scheduled, Tournament};
use hognose_game::duel::{DuelCause, Seat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The bot whose rating is 0, if it plays.
const ANCHOR: &str = "greedy";

/// The results of a tournament. Intervals are 95 % intervals by bootstrap over rounds, which
/// resamples the games of a seed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The number of games.
    pub games: usize,
    /// The bot whose rating is 0: `greedy` if it plays, otherwise the first.
    pub anchor: String,
    /// The bots, highest rating first.
    pub bots: Vec<Ranked>,
    /// All pairs of bots that have met, in the order of the schedule.
    pub pairs: Vec<PairResult>,
    /// The results of both seats over all games.
    pub seats: SeatResult,
}

/// The results of a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Its place, from 1. Equal ratings share a place.
    pub place: usize,
    /// The bot.
    pub bot: String,
    /// Its number in the schedule.
    pub number: usize,
    /// The number of its games.
    pub games: usize,
    /// Games won.
    pub wins: usize,
    /// Games lost.
    pub losses: usize,
    /// Games drawn.
    pub draws: usize,
    /// Wins divided by wins plus losses, as the competition counted; `None` if all games were
    /// drawn.
    pub winning_ratio: Option<f64>,
    /// The share of points, where a draw counts half. `None` without games.
    pub score: Option<f64>,
    /// The interval of the score.
    pub score_interval: Option<Interval>,
    /// Its rating on the scale of Elo; see [`ratings`].
    pub rating: f64,
    /// The interval of the rating.
    pub rating_interval: Option<Interval>,
    /// Why its games ended.
    pub ends: DuelEnds,
    /// The reason of its first forfeit; `None` if there was none.
    pub forfeit: Option<String>,
    /// The illegal moves that it played although it had a legal one.
    #[serde(default)]
    pub illegal: u64,
    /// Mean steps of its games.
    pub mean_steps: Option<f64>,
    /// Mean foods eaten per game.
    pub mean_foods: Option<f64>,
    /// Its mean final length, in cells.
    pub mean_length: Option<f64>,
    /// The joint positions that its search visited per step of its games.
    pub nodes_per_step: Option<f64>,
    /// Whether its moves depend on the clock, so that games may differ on another machine.
    pub depends_on_clock: bool,
}

/// Why the games of a bot ended. A win counts under the cause of the opponent's death, every other
/// game under the bot's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelEnds {
    /// A snake left the board.
    pub wall: Tally,
    /// A snake entered its own body.
    pub own_body: Tally,
    /// A snake entered the other's body.
    pub other_body: Tally,
    /// Heads met.
    pub head_on: Tally,
    /// The step limit was reached.
    pub step_limit: Tally,
    /// A bot forfeited the game.
    pub forfeit: Tally,
}

/// Games that ended for the same reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: usize,
    /// Games lost.
    pub losses: usize,
    /// Games drawn.
    pub draws: usize,
}

/// The results of the games between two bots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairResult {
    /// Both bots.
    pub bots: [String; 2],
    /// Their numbers in the schedule.
    pub numbers: [usize; 2],
    /// The number of games.
    pub games: usize,
    /// The games that each won.
    pub wins: [usize; 2],
    /// Games drawn.
    pub draws: usize,
    /// The share of points of the first bot, where a draw counts half.
    pub score: f64,
    /// The interval of this score.
    pub score_interval: Option<Interval>,
}

/// The results of both seats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeatResult {
    /// The games that each seat won.
    pub wins: [usize; 2],
    /// Games drawn.
    pub draws: usize,
    /// The share of points of the first seat; `None` without games.
    pub score: Option<f64>,
    /// The interval of this score.
    pub score_interval: Option<Interval>,
}

impl Ranking {
    /// Returns the results between two bots, given by their numbers, and the index of `bot` in the
    /// pair; `None` if they have not met.
    pub fn pair(&self, bot: usize, opponent: usize) -> Option<(&PairResult, usize)> {
        self.pairs.iter().find_map(|pair| match pair.numbers {
            numbers if numbers == [bot, opponent] => Some((pair, 0)),
            numbers if numbers == [opponent, bot] => Some((pair, 1)),
            _ => None,
        })
    }
}

impl PairResult {
    /// Returns the score of the bot with this index in the pair, 0 or 1, and its interval.
    pub fn score_of(&self, which: usize) -> (f64, Option<Interval>) {
        match which {
            0 => (self.score, self.score_interval),
            _ => (
                1.0 - self.score,
                self.score_interval.map(|Interval { low, high }| Interval {
                    low: 1.0 - high,
                    high: 1.0 - low,
                }),
            ),
        }
    }
}

impl Tournament {
    /// Ranks the bots by the games played so far.
    pub fn ranking(&self) -> Ranking {
        let schedule = self.schedule();
        let players = self.schedule().bots().len();
        let anchor = schedule
            .bots()
            .iter()
            .position(|bot| bot == ANCHOR)
            .unwrap_or(0);
        let games: Vec<Game<'_>> = self
            .duels()
            .iter()
            .map(|duel| Game {
                scheduled: schedule.game(duel.index),
                duel,
            })
            .collect();
        let mut rounds: BTreeMap<usize, Points> = BTreeMap::new();
        for game in &games {
            let points = rounds
                .entry(game.scheduled.round)
                .or_insert_with(|| Points::new(players));
            for seat in Seat::BOTH {
                points.add(
                    game.bot(seat),
                    game.bot(seat.other()),
                    game.half_points(seat) as f64 / 2.0,
                );
            }
        }
        let rounds: Vec<Points> = rounds.into_values().collect();
        let mut all = Points::new(players);
        rounds.iter().for_each(|round| all.add_all(round));
        let ratings = ratings(&all, anchor);
        let intervals = rating_intervals(&rounds, anchor, schedule.seed());
        let mut bots: Vec<Ranked> = (0..players)
            .map(|bot| {
                // Without rounds there are no intervals.
                let interval = intervals.get(bot).copied().flatten();
                self.ranked(bot, &games, ratings[bot], interval)
            })
            .collect();
        rank_by(
            &mut bots,
            |a, b| b.rating.total_cmp(&a.rating),
            |bot, place| bot.place = place,
        );
        let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b]));
        Ranking {
            games: games.len(),
            anchor: schedule.label(anchor),
            bots,
            pairs: pairs.filter_map(|pair| self.pair(pair, &games)).collect(),
            seats: self.seats(&games),
        }
    }

    fn ranked(
        &self,
        bot: usize,
        games: &[Game<'_>],
        rating: f64,
        rating_interval: Option<Interval>,
    ) -> Ranked {
        let own: Vec<(&Game<'_>, Seat)> = games
            .iter()
            .filter_map(|game| Some((game, game.seat_of(bot)?)))
            .collect();
        let mut ends = DuelEnds::default();
        own.iter().for_each(|(game, seat)| ends.count(game, *seat));
        let Results {
            tally,
            score,
            score_interval,
        } = self.results(own.iter().copied());
        let Tally {
            wins,
            losses,
            draws,
        } = tally;
        let total = |value: fn(&PlayedDuel, usize) -> u64| {
            own.iter()
                .map(|(game, seat)| value(game.duel, seat.index()))
                .sum::<u64>()
        };
        let mean = |value| (!own.is_empty()).then(|| total(value) as f64 / own.len() as f64);
        let steps = total(|duel, _| duel.steps.into());
        Ranked {
            place: 0,
            bot: self.schedule().label(bot),
            number: bot,
            games: own.len(),
            wins,
            losses,
            draws,
            winning_ratio: (wins + losses > 0).then(|| wins as f64 / (wins + losses) as f64),
            score,
            score_interval,
            rating,
            rating_interval,
            ends,
            forfeit: own
                .iter()
                .find_map(|(game, seat)| game.duel.forfeits[seat.index()].clone()),
            illegal: total(|duel, seat| duel.illegal[seat].into()),
            mean_steps: mean(|duel, _| duel.steps.into()),
            mean_foods: mean(|duel, seat| duel.foods[seat]),
            mean_length: mean(|duel, seat| duel.lengths[seat] as u64),
            nodes_per_step: (steps > 0)
                .then(|| total(|duel, seat| duel.nodes[seat]) as f64 / steps as f64),
            depends_on_clock: self.depends_on_clock(bot),
        }
    }

    /// Returns the results between two bots; `None` if they have not met.
    fn pair(&self, numbers: [usize; 2], games: &[Game<'_>]) -> Option<PairResult> {
        let [a, b] = numbers;
        let met = games.iter().filter_map(|game| {
            game.seat_of(b)?;
            Some((game, game.seat_of(a)?))
        });
        let Results {
            tally,
            score,
            score_interval,
        } = self.results(met);
        Some(PairResult {
            bots: numbers.map(|bot| self.schedule().label(bot)),
            numbers,
            games: tally.games(),
            wins: [tally.wins, tally.losses],
            draws: tally.draws,
            score: score?,
            score_interval,
        })
    }

    fn seats(&self, games: &[Game<'_>]) -> SeatResult {
        let Results {
            tally,
            score,
            score_interval,
        } = self.results(games.iter().map(|game| (game, Seat::First)));
        SeatResult {
            wins: [tally.wins, tally.losses],
            draws: tally.draws,
            score,
            score_interval,
        }
    }

    /// Returns the results of these seats in these games.
    fn results<'a>(&self, games: impl Iterator<Item = (&'a Game<'a>, Seat)>) -> Results {
        let mut tally = Tally::default();
        let mut rounds: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (game, seat) in games {
            let half_points = game.half_points(seat);
            tally.add(half_points);
            let sums = rounds.entry(game.scheduled.round).or_default();
            *sums = (sums.0 + half_points, sums.1 + 2);
        }
        let rounds: Vec<(usize, usize)> = rounds.into_values().collect();
        let half_points = 2 * tally.wins + tally.draws;
        let games = tally.games();
        Results {
            tally,
            score: (games > 0).then(|| half_points as f64 / (2 * games) as f64),
            score_interval: stats::bootstrap_interval(&rounds, self.schedule().seed()),
        }
    }
}

/// The results of a seat in some games.
struct Results {
    tally: Tally,
    /// The share of points; `None` without games.
    score: Option<f64>,
    score_interval: Option<Interval>,
}

impl Tally {
    fn games(&self) -> usize {
        self.wins + self.losses + self.draws
    }

    fn add(&mut self, half_points: usize) {
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }
}

/// A game that was played, and its schedule.
struct Game<'a> {
    scheduled: Scheduled,
    duel: &'a PlayedDuel,
}

impl Game<'_> {
    fn bot(&self, seat: Seat) -> usize {
        self.scheduled.bots[seat.index()]
    }

    fn seat_of(&self, bot: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.bot(seat) == bot)
    }

    /// Returns 2 for a win, 1 for a draw, 0 for a loss.
    fn half_points(&self, seat: Seat) -> usize {
        match self.duel.winner {
            None => 1,
            Some(winner) if winner == seat => 2,
            Some(_) => 0,
        }
    }
}

impl DuelEnds {
    /// Returns all reasons of ending, with their names.
    pub fn all(&self) -> [(&'static str, Tally); 6] {
        let DuelEnds {
            wall,
            own_body,
            other_body,
            head_on,
            step_limit,
            forfeit,
        } = *self;
        [
            ("wall", wall),
            ("own body", own_body),
            ("other body", other_body),
            ("head-on", head_on),
            ("step limit", step_limit),
            ("forfeit", forfeit),
        ]
    }

    fn count(&mut self, game: &Game<'_>, seat: Seat) {
        let half_points = game.half_points(seat);
        let whose = if half_points == 2 { seat.other() } else { seat };
        let tally = match game.duel.causes[whose.index()] {
            Some(DuelCause::Wall) => &mut self.wall,
            Some(DuelCause::OwnBody) => &mut self.own_body,
            Some(DuelCause::OtherBody) => &mut self.other_body,
            Some(DuelCause::HeadOn) => &mut self.head_on,
            Some(DuelCause::StepLimit) => &mut self.step_limit,
            None => &mut self.forfeit,
        };
        tally.add(half_points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Schedule;
    use hognose_game::duel::DuelRules;

    /// Returns a tournament of three bots and two rounds, with two games missing. For each pair and
    /// round: the winners of the game and the return game, and how each ended.
    fn example() -> Tournament {
        let bots = ["a", "greedy", "c"].map(str::to_owned);
        let schedule = Schedule::new(DuelRules::ai_snakes_2020(), bots, 4, 3).unwrap();
        let duel = |index, winner, causes, foods| PlayedDuel {
            index,
            winner,
            causes,
            forfeits: [None, None],
            illegal: [0; 2],
            steps: 10 * (index as u32 + 1),
            lengths: [3, 4],
            foods,
            nodes: [100, 0],
        };
        let first = Some(Seat::First);
        let second = Some(Seat::Second);
        let wall = Some(DuelCause::Wall);
        let own = Some(DuelCause::OwnBody);
        let head = Some(DuelCause::HeadOn);
        let limit = Some(DuelCause::StepLimit);
        let forfeit = |mut duel: PlayedDuel, seats: &[usize]| {
            seats
                .iter()
                .for_each(|&seat| duel.forfeits[seat] = Some(format!("reason {}", duel.index)));
            duel
        };
        let duels = vec![
            duel(0, first, [None, wall], [1, 0]), // a beats greedy
            duel(1, None, [head, head], [0, 0]),  // greedy and a draw
            duel(2, first, [head, head], [2, 0]), // a beats c
            duel(3, second, [own, None], [0, 3]), // a beats c, with the second seat
            forfeit(duel(4, second, [None, None], [0, 0]), &[0]), // greedy forfeits against c
            forfeit(duel(5, None, [None, None], [0, 0]), &[0, 1]), // c and greedy forfeit
            duel(6, second, [limit, limit], [0, 1]), // greedy beats a
            duel(8, first, [None, own], [1, 1]),  // a beats c
        ];
        Tournament::from_duels(schedule, duels).unwrap()
    }

    fn of<'a>(ranking: &'a Ranking, bot: &str) -> &'a Ranked {
        ranking.bots.iter().find(|row| row.bot == bot).unwrap()
    }

    #[test]
    fn hand_worked_games() {
        let ranking = example().ranking();
        assert_eq!((ranking.games, ranking.anchor.as_str()), (8, "greedy"));
        let a = of(&ranking, "a");
        let greedy = of(&ranking, "greedy");
        let c = of(&ranking, "c");
        let counts = |row: &Ranked| (row.games, row.wins, row.losses, row.draws);
        assert_eq!(
            [a, greedy, c].map(counts),
            [(6, 4, 1, 1), (5, 1, 2, 2), (5, 1, 3, 1)]
        );
        assert_eq!(
            [a, greedy, c].map(|row| row.winning_ratio),
            [Some(4.0 / 5.0), Some(1.0 / 3.0), Some(1.0 / 4.0)]
        );
        assert_eq!(
            [a, greedy, c].map(|row| row.score),
            [Some(4.5 / 6.0), Some(2.0 / 5.0), Some(1.5 / 5.0)]
        );
        assert_eq!(
            (a.mean_foods, c.mean_foods),
            (Some(7.0 / 6.0), Some(1.0 / 5.0))
        );
        assert_eq!(c.mean_steps, Some((30 + 40 + 50 + 60 + 90) as f64 / 5.0));
        assert_eq!(greedy.mean_length, Some((4 + 3 + 3 + 4 + 4) as f64 / 5.0));
        assert_eq!(
            greedy.nodes_per_step,
            Some(200.0 / (10 + 20 + 50 + 60 + 70) as f64)
        );
        assert_eq!(
            [a, greedy, c].map(|row| row.forfeit.as_deref()),
            [None, Some("reason 4"), Some("reason 5")]
        );
        let tally = |wins, losses, draws| Tally {
            wins,
            losses,
            draws,
        };
        let ends = DuelEnds {
            wall: tally(1, 0, 0),
            own_body: tally(2, 0, 0),
            other_body: tally(0, 0, 0),
            head_on: tally(1, 0, 1),
            step_limit: tally(0, 1, 0),
            forfeit: tally(0, 0, 0),
        };
        assert_eq!(a.ends, ends);
        assert_eq!(
            (c.ends.forfeit, greedy.ends.forfeit),
            (tally(1, 0, 1), tally(0, 1, 1))
        );
        assert_eq!(
            ranking.seats,
            SeatResult {
                wins: [3, 3],
                draws: 2,
                score: Some(0.5),
                ..ranking.seats
            }
        );
        let pairs: Vec<_> = ranking
            .pairs
            .iter()
            .map(|pair| (pair.numbers, pair.wins, pair.draws, pair.score))
            .collect();
        assert_eq!(
            pairs,
            [
                ([0, 1], [1, 1], 1, 0.5),
                ([0, 2], [3, 0], 0, 1.0),
                ([1, 2], [0, 1], 1, 0.25)
            ]
        );
        let score = |bot, opponent| {
            ranking
                .pair(bot, opponent)
                .map(|(pair, which)| pair.score_of(which).0)
        };
        assert_eq!(
            [score(1, 2), score(2, 1), score(2, 0), score(0, 0)],
            [Some(0.25), Some(0.75), Some(0.0), None]
        );
    }

    #[test]
    fn bots_are_placed_by_their_ratings() {
        let ranking = example().ranking();
        assert_eq!(of(&ranking, "greedy").rating, 0.0);
        assert_eq!(ranking.bots[0].bot, "a");
        assert!(
            ranking
                .bots
                .windows(2)
                .all(|two| two[0].rating > two[1].rating && two[0].place < two[1].place)
        );
        let none = Tournament::new(example().schedule().clone()).ranking();
        assert!(
            none.bots
                .iter()
                .all(|row| row.place == 1 && row.games == 0 && row.score.is_none())
        );
        assert!(none.games == 0 && none.pairs.is_empty());
    }

    /// The games of a round are resampled together: if one bot wins both, they count as one.
    #[test]
    fn intervals_are_over_rounds() {
        let schedule = Schedule::new(
            DuelRules::ai_snakes_2020(),
            ["a", "b"].map(str::to_owned),
            160,
            0,
        )
        .unwrap();
        let duel = |index: usize, alike: bool| PlayedDuel {
            index,
            // One bot wins the four games of every second round and the other those of the others;
            // or each wins two games of every round.
            winner: Some(if alike && (index / 4 + index).is_multiple_of(2) {
                Seat::First
            } else {
                Seat::Second
            }),
            causes: [Some(DuelCause::Wall); 2],
            forfeits: [None, None],
            illegal: [0; 2],
            steps: 1,
            lengths: [3, 3],
            foods: [0, 0],
            nodes: [0, 0],
        };
        let interval = |alike| {
            let duels = (0..160).map(|index| duel(index, alike)).collect();
            let ranking = Tournament::from_duels(schedule.clone(), duels)
                .unwrap()
                .ranking();
            (
                ranking.pairs[0].score,
                ranking.pairs[0].score_interval.unwrap(),
            )
        };
        let (score, alike) = interval(true);
        let wilson = stats::wilson(20, 40);
        assert_eq!(score, 0.5);
        assert!(
            (alike.low - wilson.low).abs() < 0.04 && (alike.high - wilson.high).abs() < 0.04,
            "{alike:?}"
        );
        let (score, balanced) = interval(false);
        // Every round is even, which Wilson's interval over rounds can't distinguish from chance.
        assert_eq!((score, balanced), (0.5, wilson));
    }
}
