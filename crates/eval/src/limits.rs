//! When a game is cut off.

use hognose_game::Rules;

/// When a game is cut off: by starvation, after so many steps without food, or by the time limit, after so many steps
/// in all.
///
/// The rules of Snake know no limits, so a policy that runs in circles would play for ever.
///
/// ```
/// use hognose_eval::Limits;
/// use hognose_game::Rules;
///
/// let usual = Limits::new(Rules::new("6x6".parse()?));
/// assert_eq!(usual, Limits { starvation: Some(144), time_limit: None });
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of steps without food after which a game is cut off, at least 1; `None` if hunger ends no game.
    pub starvation: Option<u32>,
    /// The number of steps after which a game is cut off, at least 1; `None` if a game may last for any time.
    pub time_limit: Option<u32>,
}

impl Limits {
    /// No limits: a game goes on until it is won or lost.
    pub const NONE: Limits = Limits { starvation: None, time_limit: None };

    /// The usual limits: starvation after 4 x area steps without food, and no time limit.
    pub fn new(rules: Rules) -> Limits {
        Limits { starvation: Some(4 * rules.board().area() as u32), time_limit: None }
    }
}
