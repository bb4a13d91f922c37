//! How well an agent played the selection games.

use serde::{Deserialize, Serialize};

/// How well an agent played the selection games. The best weights are chosen by it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Score {
    /// Games of one snake.
    Games {
        /// Share of games won. Over several boards it is a geometric mean, and no share of games.
        win_rate: f64,
        /// Mean length at the end, in cells; over several boards a geometric mean.
        mean_length: f64,
        /// Mean steps of the games won, over several boards a geometric mean; `None` where there is
        /// a board with none.
        mean_steps_won: Option<f64>,
        /// Mean steps of the games won, divided by the share of games won: as if the others took
        /// as long. `None` while fewer than half of the games are won, whose steps are those of a
        /// lucky few.
        #[serde(default)]
        steps_per_win: Option<f64>,
    },
    /// Duels against the anchors.
    Duels {
        /// Wins, and half of the draws, as a share of all.
        score: f64,
        /// Share of duels drawn.
        draws: f64,
    },
}

impl Score {
    /// Whether this score is better: of games if it needs fewer steps a win, or while few games are
    /// won, if snakes become longer. The share of wins alone would choose by luck: some hundred
    /// games can't tell 97 from 98 %.
    pub fn is_better_than(&self, other: &Score) -> bool {
        self.costs() < other.costs()
    }

    /// What is better if it is less; the second decides among equals.
    fn costs(&self) -> [f64; 2] {
        match *self {
            Score::Games {
                steps_per_win,
                mean_length,
                ..
            } => [steps_per_win.unwrap_or(f64::INFINITY), -mean_length],
            Score::Duels { score, .. } => [-score, 0.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_score_needs_fewer_steps_a_win() {
        let score = |mean_length, steps_per_win| Score::Games {
            win_rate: 0.5,
            mean_length,
            mean_steps_won: None,
            steps_per_win,
        };
        let ascending = [
            score(5.0, None),
            score(20.3, None),
            score(19.0, Some(170.0)),
            score(20.0, Some(170.0)),
            score(20.0, Some(160.0)),
        ];
        for (index, score) in ascending.iter().enumerate() {
            let worse = ascending.iter().filter(|other| score.is_better_than(other));
            assert_eq!(worse.count(), index, "{score:?}");
        }
    }
}
