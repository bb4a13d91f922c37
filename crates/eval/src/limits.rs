//! When a game is cut off.

use hognose_game::Rules;

/// When a game is cut off: by starvation, after so many steps without food, or by the time limit,
/// after so many steps in all.
///
/// The rules of Snake know no limits, so a policy that runs in circles would play for ever.
///
/// ```
/// use hognose_eval::Limits;
/// use hognose_game::Rules;
///
/// let usual = Limits::new(Rules::new("6x6".parse()?));
/// assert_eq!(usual, Limits { starvation: Some(144), ..Limits::NONE });
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of steps without food after which a game is cut off, at least 1; `None` if hunger
    /// ends no game.
    pub starvation: Option<u32>,
    /// The number of steps without food for each cell of the snake after which a game is cut off,
    /// at least 1, if that is less; `None` if the length does not matter.
    pub starvation_per_cell: Option<u32>,
    /// The number of steps after which a game is cut off, at least 1; `None` if a game may last for
    /// any time.
    pub time_limit: Option<u32>,
}

impl Limits {
    /// No limits: a game goes on until it is won or lost.
    pub const NONE: Limits = Limits {
        starvation: None,
        starvation_per_cell: None,
        time_limit: None,
    };

    /// The usual limits: starvation after 4 x area steps without food, and no time limit.
    pub fn new(rules: Rules) -> Limits {
        Limits {
            starvation: Some(4 * rules.board().area() as u32),
            ..Limits::NONE
        }
    }

    /// The number of steps without food after which a game is cut off with a snake of this length.
    pub(crate) fn hunger(self, length: usize) -> u32 {
        let of_length = self
            .starvation_per_cell
            .map_or(u32::MAX, |steps| steps.saturating_mul(length as u32));
        self.starvation.unwrap_or(u32::MAX).min(of_length)
    }
}
