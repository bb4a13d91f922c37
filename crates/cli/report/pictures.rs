//! Pictures of reports.

use super::Report;
use crate::error::Result;
use crate::plots;
use hognose_eval::{End, Played, Summary};
use hognose_plot::{self as plot, Curve, Sample, Spot, Words};
use std::path::Path;

/// Writes the pictures of evaluations on several boards: steps to win and time for a decision
/// against the cells.
pub(crate) fn draw_boards(reports: &[Report], folder: &Path) -> Result<()> {
    let steps = by_cells(reports, |summary| summary.mean_steps_won);
    let time = by_cells(reports, |summary| Some(1e6 / summary.decisions_per_second));
    let pictures = [
        (
            "steps-by-cells",
            "Steps to win",
            "mean steps of the games won",
            steps,
        ),
        (
            "time-by-cells",
            "Time for a decision",
            "microseconds per decision, one core",
            time,
        ),
    ];
    let [first, ..] = reports else {
        return Ok(());
    };
    for (file, title, y, curves) in pictures {
        if !curves.is_empty() {
            let words = Words {
                caption: format!(
                    "Games of seed {} on each board: {}",
                    first.seed, first.games
                ),
                ..first.words(title, "cells of the board", y)
            };
            plots::write(folder, file, &plot::log_curves(&words, &curves)?)?;
        }
    }
    Ok(())
}

/// Returns a curve of each policy's values on boards, named with its exponent: the power of the
/// cells that fits the values best (least squares of logarithms).
fn by_cells(reports: &[Report], value: fn(&Summary) -> Option<f64>) -> Vec<Curve> {
    let names = reports.first().into_iter().flat_map(Report::names);
    let curves = names.map(|name| {
        let mut points: Vec<(f64, f64)> = reports
            .iter()
            .filter_map(|report| Some((report.board.area() as f64, value(report.of(name)?)?)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Curve {
            name: exponent(&points)
                .map_or(name.to_owned(), |power| format!("{name}: cells^{power:.2}")),
            points,
            dots: false,
        }
    });
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

/// Returns the slope of a line through the logarithms of points; `None` if they have the same x.
fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let points = points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let x_mean = points.clone().map(|(x, _)| x).sum::<f64>() / n;
    let spread: f64 = points.clone().map(|(x, _)| (x - x_mean).powi(2)).sum();
    let common: f64 = points.map(|(x, y)| (x - x_mean) * y).sum();
    (spread > 1e-9).then(|| common / spread)
}

impl Report {
    /// Writes the pictures as SVG and PNG: steps to win as histogram and distribution, final
    /// lengths, the cost of a food at each length, steps against time and, if requested, regret.
    pub(crate) fn draw(&self, folder: &Path) -> Result<()> {
        let steps = self.samples(|played| {
            let won = played
                .episodes
                .iter()
                .filter(|episode| episode.end == End::Won);
            won.map(|episode| episode.steps as f64).collect()
        });
        if !steps.is_empty() {
            let words = |y: &str| self.words("Steps to win", "steps of a game won", y);
            plots::write(
                folder,
                "steps-to-win",
                &plot::histogram(&words("games per bin"), &steps, true)?,
            )?;
            let distribution = plot::distribution(&words("share of games won"), &steps)?;
            plots::write(folder, "steps-to-win-distribution", &distribution)?;
        }
        let lengths = self.samples(|played| {
            played
                .episodes
                .iter()
                .map(|episode| episode.length as f64)
                .collect()
        });
        let words = self.words("Final lengths", "final length (cells)", "games per bin");
        plots::write(
            folder,
            "lengths",
            &plot::histogram(&words, &lengths, false)?,
        )?;
        let words = self.words(
            "Cost of a food",
            "length before eating (cells)",
            "mean steps per food",
        );
        plots::write(
            folder,
            "cost-by-length",
            &plot::curves(&words, &self.costs())?,
        )?;
        let spots = self.spots();
        if !spots.is_empty() {
            let x = "microseconds per decision, one core";
            let words = self.words("Steps against time", x, "mean steps of the games won");
            plots::write(folder, "frontier", &plot::frontier(&words, &spots)?)?;
        }
        if !self.regrets.is_empty() {
            let y = "expected steps lost per game";
            let words = self.words("Where steps are lost", "length (cells)", y);
            plots::write(
                folder,
                "regret-by-length",
                &plot::curves(&words, &self.regrets_by_length())?,
            )?;
        }
        Ok(())
    }

    /// Returns the labels of a picture; the caption states the origin of the numbers.
    fn words(&self, title: &str, x: &str, y: &str) -> Words {
        let caption = format!(
            "{}, {} games of seed {} each",
            self.rules, self.games, self.seed
        );
        Words {
            title: title.into(),
            caption,
            x: x.into(),
            y: y.into(),
        }
    }

    /// Returns values of each policy's games; policies without values are omitted.
    fn samples(&self, values: fn(&Played) -> Vec<f64>) -> Vec<Sample> {
        let samples = self.names().zip(&self.played);
        let samples = samples.map(|(name, played)| Sample {
            name: name.to_owned(),
            values: values(played),
        });
        samples.filter(|sample| !sample.values.is_empty()).collect()
    }

    /// Returns each policy's mean steps per food, by length.
    fn costs(&self) -> Vec<Curve> {
        self.names()
            .zip(&self.played)
            .map(|(name, played)| {
                let costs = played.costs.iter().enumerate();
                let points =
                    costs.filter_map(|(length, cost)| Some((length as f64, cost.mean_and_sd()?.0)));
                Curve {
                    name: name.to_owned(),
                    points: points.collect(),
                    dots: false,
                }
            })
            .collect()
    }

    /// Returns the steps that each policy loses, by length.
    fn regrets_by_length(&self) -> Vec<Curve> {
        let asked = self.names().zip(&self.regrets);
        let curves = asked.map(|(name, regret)| {
            let steps = regret.steps_by_length.iter().enumerate().skip(1);
            let points = steps
                .map(|(length, &steps)| (length as f64, steps))
                .collect();
            Curve {
                name: format!("{name}: n = {}", regret.games),
                points,
                dots: false,
            }
        });
        curves.collect()
    }

    /// Returns the time per decision and the steps to win of each policy that won.
    fn spots(&self) -> Vec<Spot> {
        let spots = self.policies.iter().filter_map(|summary| {
            let all = summary.ends.won == self.games;
            let share = 100.0 * summary.ends.won as f64 / self.games as f64;
            let name = if all {
                summary.name.clone()
            } else {
                format!("{} ({share:.0} % won)", summary.name)
            };
            Some(Spot {
                name,
                x: 1e6 / summary.decisions_per_second,
                y: summary.mean_steps_won?,
                counts: all,
            })
        });
        spots.collect()
    }
}
