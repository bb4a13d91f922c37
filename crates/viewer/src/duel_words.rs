//! Descriptions of duels in words: who is longer, who won, and why.

use crate::Legend;
use hognose_game::duel::{DuelCause, DuelPosition, Seat};

/// The names of both players of a duel, for descriptions of the duel.
///
/// ```
/// use hognose_game::duel::{DuelPosition, DuelRules, Seat};
/// use hognose_viewer::DuelNames;
///
/// let position = DuelPosition::start(DuelRules::ai_snakes_2020());
/// assert_eq!(DuelNames::you_and("nega", Seat::First).lead(&position), "both are the same length");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuelNames {
    names: [String; 2],
    /// The user's seat, if the user plays.
    you: Option<Seat>,
}

impl DuelNames {
    /// Creates the names of two bots, in seat order.
    pub fn bots(names: [String; 2]) -> DuelNames {
        DuelNames { names, you: None }
    }

    /// Creates the names of the user and a bot.
    pub fn you_and(bot: &str, you: Seat) -> DuelNames {
        DuelNames {
            names: Seat::BOTH.map(|seat| {
                if seat == you {
                    "you".to_owned()
                } else {
                    bot.to_owned()
                }
            }),
            you: Some(you),
        }
    }

    /// Creates names from the seats, for unknown players.
    pub fn seats() -> DuelNames {
        DuelNames::bots(Seat::BOTH.map(|seat| seat.to_string()))
    }

    /// Returns the name of a player.
    pub fn of(&self, seat: Seat) -> &str {
        &self.names[seat.index()]
    }

    /// Returns the legend: who plays, and how the duel ended for each. A player that gave up has
    /// lost.
    pub fn legend(&self, position: &DuelPosition, gave_up: [bool; 2]) -> Legend {
        let mut legend = Legend::new(self.names.clone(), position);
        for seat in Seat::BOTH {
            match [seat, seat.other()].map(|seat| gave_up[seat.index()]) {
                [true, _] => legend.results[seat.index()] = "gave up".to_owned(),
                [false, true] => legend.results[seat.index()] = "won".to_owned(),
                [false, false] => {}
            }
        }
        legend
    }

    /// Describes how a duel ended after `steps` steps.
    pub fn ending(&self, position: &DuelPosition, steps: usize) -> String {
        let why = self
            .why(position)
            .map_or(String::new(), |why| format!(": {why}"));
        let how = match position.outcome().map(|outcome| outcome.winner) {
            None => after("cut off", position, steps),
            Some(None) => after("draw", position, steps),
            Some(Some(winner)) => self.won(winner, position, steps),
        };
        how + &why
    }

    /// Describes that a player won after `steps` steps.
    pub fn won(&self, winner: Seat, position: &DuelPosition, steps: usize) -> String {
        after(&format!("{} won", self.of(winner)), position, steps)
    }

    /// Describes why a duel ended, if it did.
    fn why(&self, position: &DuelPosition) -> Option<String> {
        let outcome = position.outcome()?;
        let hit =
            |seat: Seat, cause: DuelCause| format!("{} {}", self.of(seat), self.words(seat, cause));
        let died = match outcome.causes {
            [Some(DuelCause::StepLimit), _] => {
                return Some("the step limit was reached".to_owned());
            }
            [Some(DuelCause::HeadOn), _] => "their heads met".to_owned(),
            [Some(first), Some(second)] => {
                format!("{}, {}", hit(Seat::First, first), hit(Seat::Second, second))
            }
            [Some(cause), None] => return Some(hit(Seat::First, cause)),
            [None, Some(cause)] => return Some(hit(Seat::Second, cause)),
            [None, None] => return None,
        };
        // Both died.
        Some(match outcome.winner {
            None => died,
            Some(winner) => {
                let was = if self.you == Some(winner) {
                    "were"
                } else {
                    "was"
                };
                format!("{died}, and {} {was} longer", self.of(winner))
            }
        })
    }

    /// Describes the last move of a snake.
    fn words(&self, seat: Seat, cause: DuelCause) -> &'static str {
        match cause {
            DuelCause::Wall => "hit a wall",
            DuelCause::OwnBody if self.you == Some(seat) => "hit your own body",
            DuelCause::OwnBody => "hit its own body",
            DuelCause::OtherBody => "hit the body of the other snake",
            DuelCause::HeadOn => "met the head of the other snake",
            DuelCause::StepLimit => "reached the step limit",
        }
    }

    /// Describes who is longer, and when food is redrawn.
    pub fn lead(&self, position: &DuelPosition) -> String {
        let lead = position.view(Seat::First).lead();
        let longer = if lead > 0 { Seat::First } else { Seat::Second };
        let is = if self.you == Some(longer) {
            "are"
        } else {
            "is"
        };
        let who = match lead {
            0 => "both are the same length".to_owned(),
            _ => format!("{} {is} longer by {}", self.of(longer), lead.abs()),
        };
        match position.rules().steps_to_redraw(position.hunger()) {
            Some(1) => format!("{who}; new food in 1 step if nobody eats"),
            Some(left) => format!("{who}; new food in {left} steps if nobody eats"),
            None => who,
        }
    }
}

/// Describes an event after `steps` steps, with both lengths.
fn after(what: &str, position: &DuelPosition, steps: usize) -> String {
    let [first, second] = Seat::BOTH.map(|seat| position.length(seat));
    let plural = if steps == 1 { "" } else { "s" };
    format!("{what} after {steps} step{plural}, lengths {first} and {second}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Direction;
    use hognose_game::duel::{DuelBody, DuelRules, Food};

    /// Returns a position after a step of snakes on these cells, heads first, with this food.
    fn stepped(
        rules: DuelRules,
        bodies: [&[(usize, usize)]; 2],
        food: (usize, usize),
        moves: [Direction; 2],
    ) -> DuelPosition {
        let cell = |&(column, row): &(usize, usize)| rules.board().cell(column, row);
        let bodies = bodies.map(|body| DuelBody {
            cells: body.iter().map(cell).collect(),
            growth: 0,
        });
        let mut position = DuelPosition::new(
            rules,
            bodies,
            [Food {
                cell: cell(&food),
                value: 1,
            }],
            0,
            3,
        )
        .unwrap();
        position.step(moves);
        position
    }

    #[test]
    fn words_tell_who_won_and_why() {
        let rules = DuelRules::ai_snakes_2021();
        let left: &[(usize, usize)] = &[(0, 2), (0, 3), (0, 4)];
        let middle: &[(usize, usize)] = &[(6, 2), (7, 2), (8, 2)];
        let facing: &[(usize, usize)] = &[(4, 2), (3, 2), (2, 2)];
        let bots = DuelNames::bots(["adder", "nega"].map(str::to_owned));
        let wall = stepped(
            rules,
            [left, middle],
            (9, 9),
            [Direction::Left, Direction::Left],
        );
        assert_eq!(
            bots.ending(&wall, 1),
            "nega won after 1 step, lengths 3 and 3: adder hit a wall"
        );
        let you = DuelNames::you_and("nega", Seat::First);
        assert_eq!(
            you.ending(&wall, 1),
            "nega won after 1 step, lengths 3 and 3: you hit a wall"
        );
        let both = stepped(
            rules,
            [left, middle],
            (9, 9),
            [Direction::Left, Direction::Right],
        );
        let same = DuelNames::bots(["adder", "adder #2"].map(str::to_owned));
        assert_eq!(
            same.ending(&both, 1),
            "draw after 1 step, lengths 3 and 3: adder hit a wall, adder #2 hit its own body"
        );
        let met = stepped(
            rules,
            [facing, middle],
            (9, 9),
            [Direction::Right, Direction::Left],
        );
        assert_eq!(
            DuelNames::seats().ending(&met, 1),
            "draw after 1 step, lengths 3 and 3: their heads met"
        );
        let ate = stepped(
            rules,
            [facing, &[(9, 3), (9, 4), (9, 5), (9, 6)]],
            (4, 1),
            [Direction::Up, Direction::Up],
        );
        assert_eq!(ate.outcome(), None);
        assert_eq!(
            bots.ending(&ate, 1),
            "cut off after 1 step, lengths 4 and 4"
        );
        assert_eq!(
            bots.lead(&ate),
            "both are the same length; new food in 11 steps if nobody eats"
        );
        let met = stepped(
            rules,
            [left, &[(1, 2), (2, 2), (3, 2), (4, 2)]],
            (9, 9),
            [Direction::Right, Direction::Left],
        );
        assert_eq!(
            you.ending(&met, 1),
            "nega won after 1 step, lengths 3 and 4: their heads met, and nega was longer"
        );
        assert_eq!(
            bots.legend(&wall, [false; 2]).results,
            ["lost: wall", "won"]
        );
        assert_eq!(bots.legend(&ate, [false; 2]).results, ["", ""]);
        assert_eq!(bots.legend(&ate, [true, false]).results, ["gave up", "won"]);
        assert_eq!(
            you.legend(&ate, [true, true]).results,
            ["gave up", "gave up"]
        );
        assert_eq!(you.legend(&ate, [true, true]).names, ["you", "nega"]);
        let hungry = stepped(
            rules,
            [facing, middle],
            (9, 9),
            [Direction::Up, Direction::Up],
        );
        assert_eq!(
            you.lead(&hungry),
            "both are the same length; new food in 7 steps if nobody eats"
        );
        let limit = rules
            .with_step_limit(1)
            .unwrap()
            .with_redraw_after(None)
            .unwrap();
        let limit = stepped(
            limit,
            [facing, &[(6, 2), (7, 2), (8, 2), (9, 2)]],
            (4, 1),
            [Direction::Down, Direction::Up],
        );
        assert_eq!(
            bots.ending(&limit, 1),
            "nega won after 1 step, lengths 3 and 4: the step limit was reached"
        );
        assert_eq!(
            DuelNames::you_and("nega", Seat::Second).lead(&limit),
            "you are longer by 1"
        );
    }
}
