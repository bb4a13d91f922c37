//! The budget of a search for one move.

#[cfg(not(target_family = "wasm"))]
use cpu_time::ThreadTime;
use std::{fmt, str::FromStr, time::Duration};
#[cfg(target_family = "wasm")]
use web_time::Instant as ThreadTime;

/// The budget of a search for one move: a depth, a number of joint positions, or CPU time. The
/// first two give the same games on every machine.
///
/// ```
/// use hognose_duel::Budget;
/// use std::time::Duration;
///
/// assert_eq!("4".parse::<Budget>()?, Budget::Depth(4));
/// assert_eq!("20kn".parse::<Budget>()?, Budget::Nodes(20_000));
/// assert_eq!("10ms".parse::<Budget>()?, Budget::Time(Duration::from_millis(10)));
/// # Ok::<(), hognose_duel::BudgetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// A number of moves of each snake.
    Depth(u32),
    /// A number of joint positions that the search steps to.
    Nodes(u64),
    /// CPU time of the thread.
    Time(Duration),
}

/// The maximum depth of a budget, in moves of each snake.
const DEEPEST: u32 = 64;

/// The error of a text that is not a budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a depth of 1..={DEEPEST} moves (4), positions (500n, 20kn or 2mn), or CPU time \
     (500us, 10ms or 1s), got {0:?}"
)]
pub struct BudgetError(String);

impl Budget {
    /// Returns whether moves depend on the speed of the machine.
    pub fn depends_on_clock(self) -> bool {
        matches!(self, Budget::Time(_))
    }

    /// Returns the depths of iterative deepening, in moves of each snake.
    pub fn depths(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Budget::Depth(depth) => 1..=depth,
            Budget::Nodes(_) | Budget::Time(_) => 1..=DEEPEST,
        }
    }
}

const UNITS: [(&str, u64); 3] = [("mn", 1_000_000), ("kn", 1000), ("n", 1)];
const TIMES: [(&str, u64); 3] = [("us", 1), ("ms", 1000), ("s", 1_000_000)];

impl FromStr for Budget {
    type Err = BudgetError;

    fn from_str(text: &str) -> Result<Budget, BudgetError> {
        let refused = || BudgetError(text.to_owned());
        let digits = text.find(|letter: char| !letter.is_ascii_digit());
        let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
        let number: u64 = number.parse().map_err(|_| refused())?;
        let scaled = |units: [(&str, u64); 3]| {
            let (_, scale) = units.into_iter().find(|&(known, _)| known == unit)?;
            number.checked_mul(scale)
        };
        let budget = match (unit, scaled(UNITS), scaled(TIMES)) {
            ("", ..) => Budget::Depth(u32::try_from(number).map_err(|_| refused())?),
            (_, Some(nodes), _) => Budget::Nodes(nodes),
            (_, None, Some(micros)) => Budget::Time(Duration::from_micros(micros)),
            _ => return Err(refused()),
        };
        if number == 0 || matches!(budget, Budget::Depth(depth) if depth > DEEPEST) {
            return Err(refused());
        }
        Ok(budget)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unit = |number: u64, units: &[(&str, u64)]| {
            let (name, scale) = units
                .iter()
                .find(|(_, scale)| number.is_multiple_of(*scale))
                .expect("1 divides all");
            write!(f, "{}{name}", number / scale)
        };
        match *self {
            Budget::Depth(depth) => write!(f, "{depth}"),
            Budget::Nodes(nodes) => unit(nodes, &UNITS),
            Budget::Time(time) => unit(time.as_micros() as u64, &[TIMES[2], TIMES[1], TIMES[0]]),
        }
    }
}

/// The remaining budget of one move.
#[derive(Debug)]
pub struct Meter {
    nodes: u64,
    most_nodes: u64,
    time: Option<(ThreadTime, Duration)>,
    /// The number of positions at which the meter next reads the clock.
    next_look: u64,
    is_spent: bool,
}

/// The target time between two readings of the clock, estimated from the positions so far.
const PAUSE: Duration = Duration::from_micros(20);
/// The maximum number of positions between two readings.
const MOST_POSITIONS: u64 = 64;

impl Meter {
    /// Starts a search under a budget.
    pub fn start(budget: Budget) -> Meter {
        let (most_nodes, time) = match budget {
            Budget::Depth(_) => (u64::MAX, None),
            Budget::Nodes(nodes) => (nodes, None),
            Budget::Time(time) => (u64::MAX, Some((ThreadTime::now(), time))),
        };
        let next_look = if time.is_some() { 1 } else { u64::MAX };
        Meter {
            nodes: 0,
            most_nodes,
            time,
            next_look,
            is_spent: false,
        }
    }

    /// Counts a joint position, and returns whether the search must end. The search must then
    /// discard the results of the unfinished depth.
    #[inline]
    pub fn count(&mut self) -> bool {
        self.nodes += 1;
        self.is_spent |= self.nodes > self.most_nodes;
        if self.nodes >= self.next_look {
            self.look();
        }
        self.is_spent
    }

    /// Reads the clock. If positions take long, as on large boards or with slow judges, the next
    /// reading comes after fewer of them.
    fn look(&mut self) {
        let Some((start, limit)) = self.time else {
            return;
        };
        let elapsed = start.elapsed();
        self.is_spent |= elapsed >= limit;
        let positions = u128::from(self.nodes) * PAUSE.as_nanos() / elapsed.as_nanos().max(1);
        self.next_look = self.nodes + (positions as u64).clamp(1, self.nodes.min(MOST_POSITIONS));
    }

    /// Returns the number of joint positions so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns whether the search must end.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_and_others_are_refused() {
        for text in [
            "1", "64", "500n", "20kn", "2mn", "1500n", "500us", "10ms", "1s", "1500ms",
        ] {
            assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "0",
            "0ms",
            "0n",
            "65",
            "4x",
            "-1",
            "1.5s",
            "ms",
            "99999999999999999999",
            "9999999999999999mn",
        ] {
            assert!(text.parse::<Budget>().is_err(), "{text}");
        }
    }

    /// The meter must end after few positions, too, since each may take long.
    #[test]
    fn a_meter_ends_with_the_first_position_after_its_time() {
        let mut meter = Meter::start(Budget::Time(Duration::from_millis(20)));
        let clock = ThreadTime::now();
        let count_after = |millis, meter: &mut Meter| {
            while clock.elapsed() < Duration::from_millis(millis) {}
            meter.count()
        };
        for millis in [5, 10, 15] {
            count_after(millis, &mut meter);
        }
        assert!(count_after(20, &mut meter));
    }

    #[test]
    fn a_meter_ends_after_its_nodes() {
        let mut meter = Meter::start(Budget::Nodes(3));
        assert_eq!([0; 4].map(|_| meter.count()), [false, false, false, true]);
        assert!(meter.is_spent() && meter.nodes() == 4);
    }
}
