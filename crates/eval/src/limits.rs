//! Limits of games.

use hognose_game::Rules;

/// The limits at which a game is cut off: starvation limits the steps without food, and the time
/// limit the total steps.
///
/// The rules of Snake have no limits, so a policy that runs in circles would play forever.
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
    /// Steps without food after which a game is cut off, at least 1; `None` for no starvation.
    pub starvation: Option<u32>,
    /// Steps without food per cell of the snake after which a game is cut off, at least 1, if that
    /// is less; `None` if the length does not matter.
    pub starvation_per_cell: Option<u32>,
    /// Steps after which a game is cut off, at least 1; `None` for no time limit.
    pub time_limit: Option<u32>,
}

impl Limits {
    /// No limits: a game continues until it is won or lost.
    pub const NONE: Limits = Limits {
        starvation: None,
        starvation_per_cell: None,
        time_limit: None,
    };

    /// Returns the usual limits: starvation after 4 x area steps without food, and no time limit.
    pub fn new(rules: Rules) -> Limits {
        Limits {
            starvation: Some(4 * rules.board().area() as u32),
            ..Limits::NONE
        }
    }

    /// Returns the steps without food after which a game with a snake of this length is cut off.
    pub(crate) fn hunger(self, length: usize) -> u32 {
        let of_length = self
            .starvation_per_cell
            .map_or(u32::MAX, |steps| steps.saturating_mul(length as u32));
        self.starvation.unwrap_or(u32::MAX).min(of_length)
    }
}
