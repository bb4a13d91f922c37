//! The legend below a picture of a duel.

use hognose_game::duel::{DuelPosition, Seat};

/// The players of a duel, and the result for each: a line for each snake below a picture.
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::{Duel, DuelRules};
/// use hognose_viewer::{Drawing, Legend, svg};
///
/// let mut duel = Duel::new(DuelRules::ai_snakes_2021(), 0);
/// // Straight back into its own body.
/// duel.step([Direction::Down, Direction::Down]);
/// let legend = Legend::new(["adder", "nega"].map(str::to_owned), duel.position());
/// assert_eq!(legend.results, ["lost: own body", "won"]);
/// let drawing = Drawing::of_duel(duel.position(), &Default::default()).with_legend(legend);
/// assert!(svg(&drawing).contains("lost: own body"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legend {
    /// The names of the players, in seat order.
    pub names: [String; 2],
    /// The result for each player, in a few words; empty while the duel goes on.
    pub results: [String; 2],
}

impl Legend {
    /// Creates the legend of players with these names, in seat order, for a position of their duel.
    pub fn new(names: [String; 2], position: &DuelPosition) -> Legend {
        Legend {
            names,
            results: Seat::BOTH.map(|seat| result(position, seat)),
        }
    }

    /// Returns the name of a seat, and the result with a leading space. Together they have at most
    /// `most` letters: longer texts are cut at the end, the name first.
    pub(crate) fn line(&self, seat: Seat, most: usize) -> [String; 2] {
        let [name, result] = [&self.names, &self.results].map(|texts| texts[seat.index()].as_str());
        let result = if result.is_empty() {
            String::new()
        } else {
            format!(" {result}")
        };
        let left = most
            .saturating_sub(result.chars().count())
            .max(most.min(LEAST_NAME));
        let name = cut(name, left);
        let result = cut(&result, most - name.chars().count());
        [name, result]
    }
}

/// The number of letters of a name that are kept, however long the result.
const LEAST_NAME: usize = 6;

/// Cuts a text to at most `most` letters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(2))
        .chain("..".chars().take(most))
        .collect()
}

/// Returns the result of a duel for a seat. `by length` means that the longer snake won, since the
/// game ended for both.
fn result(position: &DuelPosition, seat: Seat) -> String {
    let Some(outcome) = position.outcome() else {
        return String::new();
    };
    let how = match outcome.winner {
        None => "drew",
        Some(winner) if winner == seat => "won",
        Some(_) => "lost",
    };
    match (
        outcome.causes[seat.index()],
        outcome.causes[seat.other().index()],
    ) {
        (None, _) => how.to_owned(),
        (Some(cause), Some(_)) if outcome.winner.is_some() => format!("{how} by length: {cause}"),
        (Some(cause), _) => format!("{how}: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_game::Direction::{self, Down, Left, Right, Up};
    use hognose_game::duel::{DuelBody, DuelRules, Food, HeadOn};

    /// Returns the results after a step of snakes on these cells, heads first.
    fn results(
        rules: DuelRules,
        bodies: [&[(usize, usize)]; 2],
        moves: [Direction; 2],
    ) -> [String; 2] {
        let cell = |&(column, row): &(usize, usize)| rules.board().cell(column, row);
        let bodies = bodies.map(|body| DuelBody {
            cells: body.iter().map(cell).collect(),
            growth: 0,
        });
        let food = Food {
            cell: cell(&(13, 13)),
            value: 1,
        };
        let mut position = DuelPosition::new(rules, bodies, [food], 0, 3).unwrap();
        position.step(moves);
        Legend::new(["a", "b"].map(str::to_owned), &position).results
    }

    #[test]
    fn results_show_both_causes() {
        let rules = DuelRules::ai_snakes_2021();
        let left: &[(usize, usize)] = &[(0, 2), (0, 3), (0, 4)];
        let middle: &[(usize, usize)] = &[(6, 2), (7, 2), (8, 2), (9, 2)];
        let facing: &[(usize, usize)] = &[(4, 2), (3, 2), (2, 2)];
        assert_eq!(results(rules, [left, middle], [Up, Left]), ["", ""]);
        assert_eq!(
            results(rules, [left, middle], [Left, Left]),
            ["lost: wall", "won"]
        );
        let both = ["lost by length: wall", "won by length: own body"];
        assert_eq!(results(rules, [left, middle], [Left, Right]), both);
        let head_on = ["lost by length: head-on", "won by length: head-on"];
        assert_eq!(results(rules, [facing, middle], [Right, Left]), head_on);
        let drawn = rules.with_head_on(HeadOn::Draw);
        assert_eq!(
            results(drawn, [facing, middle], [Right, Left]),
            ["drew: head-on", "drew: head-on"]
        );
        let last = rules.with_step_limit(1).unwrap();
        let limit = ["lost by length: step limit", "won by length: step limit"];
        assert_eq!(results(last, [facing, middle], [Down, Down]), limit);
    }

    #[test]
    fn lines_are_cut_where_they_are_too_long() {
        let legend = Legend {
            names: ["nega", "exec:python3 bot.py"].map(str::to_owned),
            results: [const { String::new() }; 2],
        };
        let line = |legend: &Legend, seat, most| legend.line(seat, most).concat();
        assert_eq!(line(&legend, Seat::First, 9), "nega");
        assert_eq!(line(&legend, Seat::Second, 9), "exec:py..");
        let ended = Legend {
            results: ["lost: wall", "won"].map(str::to_owned),
            ..legend
        };
        assert_eq!(line(&ended, Seat::First, 15), "nega lost: wall");
        assert_eq!(line(&ended, Seat::Second, 15), "exec:pyth.. won");
        for most in 0..40 {
            assert!(
                Seat::BOTH
                    .iter()
                    .all(|&seat| line(&ended, seat, most).chars().count() <= most),
                "{most}"
            );
        }
    }
}
