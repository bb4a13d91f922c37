//! Pictures of tournaments.

use crate::error::Result;
use crate::plots;
use hognose_eval::tournament::{Ranking, Tournament};
use hognose_plot::{self as plot, Rated, Score, Words};
use std::path::Path;

/// Writes the pictures as SVG and PNG: ratings with intervals, and the matrix of scores.
pub(super) fn draw(folder: &Path, tournament: &Tournament, ranking: &Ranking) -> Result<()> {
    let schedule = tournament.schedule();
    let games = schedule.games();
    let seed = schedule.seed();
    let played = if tournament.is_finished() {
        String::new()
    } else {
        format!(" (only {} were played)", ranking.games)
    };
    let caption = format!(
        "{}; {games} games per pair, seed {seed}{played}",
        schedule.rules()
    );
    let rated: Vec<Rated> = ranking
        .bots
        .iter()
        .map(|row| Rated {
            name: row.bot.clone(),
            rating: row.rating,
            interval: row.rating_interval,
        })
        .collect();
    let words = Words {
        title: "Ratings".into(),
        caption: format!("{caption}; 95 % intervals by bootstrap over seeds"),
        x: format!("rating, {} is 0", ranking.anchor),
        y: String::new(),
    };
    plots::write(folder, "ratings", &plot::ratings(&words, &rated)?)?;
    let words = Words {
        title: "Score of the row against the column".into(),
        caption: format!("{caption}; a draw counts half; below: games won-lost-drawn"),
        ..Words::default()
    };
    let names: Vec<String> = ranking.bots.iter().map(|row| row.bot.clone()).collect();
    plots::write(
        folder,
        "scores",
        &plot::matrix(&words, &names, |row, column| {
            let (pair, side) =
                ranking.pair(ranking.bots[row].number, ranking.bots[column].number)?;
            let text = format!("{}-{}-{}", pair.wins[side], pair.wins[1 - side], pair.draws);
            Some(Score {
                share: pair.score_of(side).0,
                text,
            })
        })?,
    )
}
