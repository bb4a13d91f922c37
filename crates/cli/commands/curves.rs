//! `hognose curves`

use crate::error::{Error, Result};
use crate::outcome::Outcome;
use crate::output::say;
use crate::{files, plots};
use hognose_agent::Metric;
use hognose_plot::{self as plot, Band, Words};
use hognose_run::{EXPERIMENT, Experiment, Scalars};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Draw the learning curves of runs from their TensorBoard files
///
/// Runs that differ in their seeds alone make one curve: the median over the seeds, within the
/// least and the greatest.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders of runs, or folders that hold such
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Folder of the pictures, SVG and PNG
    #[arg(long, value_name = "DIR", default_value = "plots")]
    out: PathBuf,
}

/// A picture of one scalar.
struct Picture {
    metric: Metric,
    file: &'static str,
    title: &'static str,
    y: &'static str,
    scale: f64,
    /// Where the vertical axis ends, if not above the highest point.
    top: Option<f64>,
}

const PICTURES: [Picture; 5] = [
    Picture {
        metric: Metric::WinRate,
        file: "win-rate",
        title: "Games won",
        y: "selection games won (%)",
        scale: 100.0,
        top: Some(100.0),
    },
    Picture {
        metric: Metric::MeanLength,
        file: "mean-length",
        title: "Lengths at the end",
        y: "mean length of selection games (cells)",
        scale: 1.0,
        top: None,
    },
    Picture {
        metric: Metric::MeanStepsWon,
        file: "steps-when-won",
        title: "Steps to win",
        y: "mean steps of selection games won",
        scale: 1.0,
        top: None,
    },
    Picture {
        metric: Metric::DuelScore,
        file: "duel-score",
        title: "Score in duels",
        y: "score in selection duels",
        scale: 1.0,
        top: Some(1.0),
    },
    Picture {
        metric: Metric::DrawRate,
        file: "duel-draws",
        title: "Draws against oneself",
        y: "draws in training (% of duels against oneself)",
        scale: 100.0,
        top: Some(100.0),
    },
];

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut runs = Vec::new();
    for folder in &arguments.folders {
        let found = runs_in(folder)?;
        if found.is_empty() {
            return Err(Error::new(format!(
                "{}: expected a run, or a folder with runs",
                folder.display()
            )));
        }
        runs.extend(found);
    }
    // In the order in which they were named.
    let mut groups: Vec<((String, String), Vec<Scalars>)> = Vec::new();
    for run in runs {
        let key = (name(&run), group(&run)?);
        let scalars = hognose_run::scalars(&run)?;
        match groups.iter_mut().find(|group| group.0 == key) {
            Some((_, runs)) => runs.push(scalars),
            None => groups.push((key, vec![scalars])),
        }
    }
    let mut pictures = Vec::new();
    for Picture {
        metric,
        file,
        title,
        y,
        scale,
        top,
    } in PICTURES
    {
        let mut bands = Vec::new();
        for ((name, _), runs) in &groups {
            let mut values: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
            for run in runs {
                for (&step, &value) in run.get(metric.name()).into_iter().flatten() {
                    values.entry(step).or_default().push(scale * value);
                }
            }
            let points: Vec<[f64; 4]> = values
                .into_iter()
                .map(|(step, values)| spread(step, values))
                .collect();
            if !points.is_empty() {
                bands.push(Band {
                    name: format!("{name}: n = {}", runs.len()),
                    points,
                });
            }
        }
        if bands.is_empty() {
            continue;
        }
        let words = Words {
            title: title.into(),
            caption: "median over n training seeds, within the least and the greatest".into(),
            x: "environment steps (millions)".into(),
            y: y.into(),
        };
        pictures.push((file, plot::bands(&words, &bands, top)?));
    }
    if pictures.is_empty() {
        return Err(Error::new(
            "expected runs that have played their selection games, got none",
        ));
    }
    files::create_folder(&arguments.out)?;
    for (file, svg) in pictures {
        plots::write(&arguments.out, file, &svg)?;
    }
    say!("the pictures are in {}", arguments.out.display());
    Ok(Outcome::Done)
}

/// A name that runs share if they differ in their seeds alone.
fn group(run: &Path) -> Result<String> {
    Ok(Experiment::of_run(run, &[])?.group()?)
}

/// The folder itself, if it is a run's, or those right below that are.
fn runs_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_run = |folder: &Path| folder.join(EXPERIMENT).exists();
    if is_run(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let mut runs = files::list(folder)?;
    runs.retain(|run| is_run(run));
    Ok(runs)
}

/// A run's name without its seed: `6x6` of `runs/6x6-seed0` and of `6x6/seed0`.
fn name(run: &Path) -> String {
    let last = |path: &Path| {
        path.file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    };
    let own = last(run);
    match own.rsplit_once("seed") {
        Some(("", _)) => run.parent().map_or(own, last),
        Some((name, _)) => name.trim_end_matches('-').to_owned(),
        None => own,
    }
}

/// The point of a step: millions of steps, least, median, greatest.
fn spread(step: u64, mut values: Vec<f64>) -> [f64; 4] {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let middle = values.len() / 2;
    let median = (values[last - middle] + values[middle]) / 2.0;
    [step as f64 / 1e6, values[0], median, values[last]]
}
