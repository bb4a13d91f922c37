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

/// Draw learning curves of runs from their TensorBoard files
///
/// Runs that differ only in their seeds form one curve: the median over the seeds, with the minimum
/// and the maximum.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run folders, or folders that contain runs
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Folder for the pictures (SVG and PNG)
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
    /// The end of the vertical axis; by default the highest point.
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
        title: "Final lengths",
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
        title: "Draws in self-play",
        y: "draws in training (% of self-play duels)",
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
    // Groups keep the order of the arguments.
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
            caption: "median over n training seeds, with minimum and maximum".into(),
            x: "environment steps (millions)".into(),
            y: y.into(),
        };
        pictures.push((file, plot::bands(&words, &bands, top)?));
    }
    if pictures.is_empty() {
        return Err(Error::new(
            "expected runs with finished selection games, got none",
        ));
    }
    files::create_folder(&arguments.out)?;
    for (file, svg) in pictures {
        plots::write(&arguments.out, file, &svg)?;
    }
    say!("the pictures are in {}", arguments.out.display());
    Ok(Outcome::Done)
}

/// Returns a name shared by runs that differ only in their seeds.
fn group(run: &Path) -> Result<String> {
    Ok(Experiment::of_run(run, &[])?.group()?)
}

/// Returns the folder itself if it is a run, otherwise the runs directly inside it.
fn runs_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_run = |folder: &Path| folder.join(EXPERIMENT).exists();
    if is_run(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let mut runs = files::list(folder)?;
    runs.retain(|run| is_run(run));
    Ok(runs)
}

/// Returns a run's name without its seed: `6x6` for `runs/6x6-seed0` and for `6x6/seed0`.
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

/// Returns the point of a step: millions of steps, minimum, median, maximum.
fn spread(step: u64, mut values: Vec<f64>) -> [f64; 4] {
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let middle = values.len() / 2;
    let median = (values[last - middle] + values[middle]) / 2.0;
    [step as f64 / 1e6, values[0], median, values[last]]
}
