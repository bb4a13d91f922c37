//! The pictures of a document.

use super::document::{Document, Shown};
use super::played::{PlayedCases, values};
use super::rows::form;
use crate::error::Result;
use crate::plots;
use hognose_plot::{self as plot, Curve, Sample, Words};
use std::path::Path;

/// Writes the pictures of a document: its figures as histograms, its scans as curves.
pub(super) fn draw(document: &Document, games: &PlayedCases<'_>, out: &Path) -> Result<()> {
    for figure in &document.figures {
        let sample = |name: &String| {
            Some(Sample {
                name: name.clone(),
                values: values(figure.what, games.of(name)?),
            })
        };
        let samples: Vec<Sample> = figure
            .cases
            .iter()
            .filter_map(sample)
            .filter(|sample| !sample.values.is_empty())
            .collect();
        if samples.is_empty() {
            continue;
        }
        let counts: Vec<String> = samples
            .iter()
            .map(|sample| format!("{} n = {}", sample.name, sample.values.len()))
            .collect();
        let normal = if figure.normal {
            "; curves: normal density with the sample's mean and sd"
        } else {
            ""
        };
        let words = Words {
            title: figure.title.clone(),
            caption: format!(
                "{}, {}: {}{normal}",
                document.title,
                figure.place,
                counts.join(", ")
            ),
            x: match figure.what {
                Shown::Steps => "steps per game".into(),
                Shown::StepsWon => "steps to win".into(),
                Shown::Length => "final length (cells)".into(),
            },
            y: "games per bin".into(),
        };
        plots::write(
            out,
            &figure.file,
            &plot::histogram(&words, &samples, figure.normal)?,
        )?;
    }
    for scan in &document.scans {
        let Some(first) = games.of(&scan.case(scan.values[0].0).name) else {
            continue;
        };
        let published = scan
            .values
            .iter()
            .map(|&(number, value)| (f64::from(number), value))
            .collect();
        let curves = [
            Curve {
                name: "measured".into(),
                points: scan
                    .numbers()
                    .filter_map(|number| {
                        Some((
                            f64::from(number),
                            scan.what
                                .estimate(games.of(&scan.case(number).name)?)?
                                .value,
                        ))
                    })
                    .collect(),
                dots: false,
            },
            Curve {
                name: "published".into(),
                points: published,
                dots: true,
            },
        ];
        let words = Words {
            title: scan.name.clone(),
            caption: format!(
                "{}, {}: n = {} games per measured point",
                document.title,
                scan.place,
                first.len()
            ),
            x: scan.x.clone(),
            y: form(scan.what).name.into(),
        };
        plots::write(out, &scan.file, &plot::curves(&words, &curves)?)?;
    }
    Ok(())
}
