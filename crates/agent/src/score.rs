//! How well an agent played the selection games.

use serde::{Deserialize, Serialize};

/// How well an agent played the selection games, by which the best weights are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Score {
    /// Games of one snake.
    Games {
        /// Fraction of games won; over several boards, the arithmetic mean.
        win_rate: f64,
        /// Mean final length, in cells; over several boards, the geometric mean.
        mean_length: f64,
        /// Mean steps of the games won; over several boards, the geometric mean. `None` if no game
        /// was won on some board.
        mean_steps_won: Option<f64>,
        /// Mean steps of the games won, divided by the fraction of games won, as if the other games
        /// took as long. `None` while fewer than half of the games are won, when the mean is that
        /// of a lucky few.
        #[serde(default)]
        steps_per_win: Option<f64>,
    },
    /// Duels against the anchors.
    Duels {
        /// Wins plus half of the draws, as a fraction of all.
        score: f64,
        /// Fraction of duels drawn.
        draws: f64,
    },
}

impl Score {
    /// Returns whether this score is better than `other`. Scores of games compare steps per win or,
    /// while few games are won, final lengths: a few hundred games can't tell a win rate of 97 %
    /// from 98 %, so the win rate alone would choose by luck.
    pub fn is_better_than(&self, other: &Score) -> bool {
        self.costs() < other.costs()
    }

    /// Returns the costs to minimize; the second breaks ties.
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
