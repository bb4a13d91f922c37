//! Histograms, curves, bands and frontiers, and the page around each picture.

use SeriesLabelPosition::{LowerLeft, LowerRight, UpperLeft, UpperRight};
use hognose_eval::stats::{self, Histogram, Moments};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use resvg::{tiny_skia, usvg};
use std::sync::Arc;

/// The texts of a picture.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The text above the picture.
    pub title: String,
    /// The text below the picture: the source and number of the data.
    pub caption: String,
    /// The quantity on the horizontal axis, with its unit.
    pub x: String,
    /// The quantity on the vertical axis, with its unit.
    pub y: String,
}

/// Named values.
///
/// ```
/// use hognose_plot::{Sample, Words, histogram};
///
/// let words = Words {
///     title: "Steps to win".into(),
///     x: "steps".into(),
///     y: "games per bin".into(),
///     ..Words::default()
/// };
/// let sample = Sample {
///     name: "hamiltonian".into(),
///     values: vec![310.0, 335.0, 351.0],
/// };
/// assert!(histogram(&words, &[sample], true)?.contains("hamiltonian: n = 3"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sample {
    /// The name in the legend.
    pub name: String,
    /// The values.
    pub values: Vec<f64>,
}

/// A named curve.
///
/// ```
/// use hognose_plot::{Curve, Words, curves};
///
/// let curve = Curve {
///     name: "certified".into(),
///     points: vec![(1.0, 4.0), (2.0, 3.5)],
///     dots: false,
/// };
/// assert!(curves(&Words::default(), &[curve])?.starts_with("<svg"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// The points (x, y), in the order in which they are connected.
    pub points: Vec<(f64, f64)>,
    /// Whether points are drawn as dots instead of being connected.
    pub dots: bool,
}

/// A named curve with its spread.
///
/// ```
/// use hognose_plot::{Band, Words, bands};
///
/// let band = Band {
///     name: "three seeds".into(),
///     points: vec![[0.0, 10.0, 20.0, 30.0], [1.0, 80.0, 90.0, 95.0]],
/// };
/// assert!(bands(&Words::default(), &[band], Some(100.0))?.starts_with("<svg"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Band {
    /// The name in the legend.
    pub name: String,
    /// The points: [x, least, middle and greatest value].
    pub points: Vec<[f64; 4]>,
}

/// A named point.
///
/// ```
/// use hognose_plot::{Spot, Words, frontier};
///
/// let spot = Spot { name: "killer".into(), x: 2.5, y: 210.0, counts: true };
/// assert!(frontier(&Words::default(), &[spot])?.contains("killer"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spot {
    /// The text next to it.
    pub name: String,
    /// The x coordinate; must be positive, since the axis is logarithmic.
    pub x: f64,
    /// The y coordinate.
    pub y: f64,
    /// Whether it counts for the frontier; otherwise it is hollow.
    pub counts: bool,
}

/// Why a picture can't be drawn.
#[derive(Debug, thiserror::Error)]
#[error("can't draw {title:?}: {reason}")]
pub struct PlotError {
    title: String,
    reason: String,
}

/// The size with a one-line caption; further lines increase the height.
pub(crate) const SIZE: (u32, u32) = (960, 560);
pub(crate) const CAPTION_HEIGHT: u32 = 34;
const CAPTION_LINE: u32 = 17;
/// The maximum number of letters in a caption line, a title and a name, even in a wide font.
const CAPTION_LETTERS: usize = 120;
const TITLE_LETTERS: usize = 80;
const NAME_LETTERS: usize = 48;
/// PNG pixels per SVG unit.
const PNG_SCALE: f32 = 1.5;
/// The palette of Okabe and Ito (2008), which color-blind readers can distinguish.
pub(crate) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(64, 64, 64),
];

/// Draws a histogram of each sample, optionally with the normal density of the sample's mean and
/// standard deviation. Vertical lines mark the means.
///
/// # Errors
/// Fails if no sample has a value.
pub fn histogram(words: &Words, samples: &[Sample], normal: bool) -> Result<String, PlotError> {
    let values: Vec<&[f64]> = samples.iter().map(|sample| &sample.values[..]).collect();
    let histograms = Histogram::of_samples(&values, 50).ok_or_else(|| nothing(words))?;
    let &Histogram {
        start,
        width,
        ref counts,
    } = histograms.first().ok_or_else(|| nothing(words))?;
    let bins = counts.len();
    let moments: Vec<Option<Moments>> = samples
        .iter()
        .map(|sample| Moments::of(&sample.values))
        .collect();
    let tallest = histograms
        .iter()
        .flat_map(|histogram| &histogram.counts)
        .max()
        .copied()
        .unwrap_or(1) as f64;
    let label = |(sample, moments): (&Sample, &Option<Moments>)| match moments {
        Some(Moments { n, mean, sd }) => format!(
            "{}: n = {n}, mean {mean:.1}, sd {sd:.1}",
            short(&sample.name)
        ),
        None => format!("{}: n = {}", short(&sample.name), sample.values.len()),
    };
    let labels: Vec<String> = samples.iter().zip(&moments).map(label).collect();
    let mut ranges = (start..start + width * bins as f64, 0.0..1.1 * tallest);
    let words = &Words {
        y: format!("{} (width {width})", words.y),
        ..words.clone()
    };
    let bars = histograms
        .iter()
        .flat_map(|histogram| (0..).zip(&histogram.counts));
    let tops: Vec<(f64, f64)> = bars
        .map(|(bin, &count)| (start + width * f64::from(bin), count as f64))
        .collect();
    let corner = place_legend(&[UpperRight, UpperLeft], &labels, &tops, &mut ranges, true);
    let top = ranges.1.end;
    svg(words, ranges, corner, |chart| {
        for (index, (label, histogram)) in labels.iter().zip(&histograms).enumerate() {
            let color = PALETTE[index % PALETTE.len()];
            let bars = histogram
                .counts
                .iter()
                .enumerate()
                .filter(|&(_, &count)| count > 0)
                .map(|(bin, &count)| {
                    let left = start + width * bin as f64;
                    Rectangle::new(
                        [(left, 0.0), (left + width, count as f64)],
                        color.mix(0.55).filled(),
                    )
                });
            chart
                .draw_series(bars)?
                .label(label)
                .legend(move |at| square(at, color));
            let Some(Moments { n, mean, sd }) = moments[index] else {
                continue;
            };
            chart.draw_series(LineSeries::new(
                [(mean, 0.0), (mean, top)],
                color.stroke_width(2),
            ))?;
            if normal && sd > 0.0 {
                let height = n as f64 * width / (sd * (2.0 * std::f64::consts::PI).sqrt());
                let points = (0..=400).map(|i| start + width * bins as f64 * f64::from(i) / 400.0);
                let density =
                    points.map(|x| (x, height * (-0.5 * ((x - mean) / sd).powi(2)).exp()));
                chart.draw_series(LineSeries::new(density, color.stroke_width(2)))?;
            }
        }
        Ok(())
    })
}

/// Draws the empirical distribution of each sample.
///
/// # Errors
/// Fails if no sample has a value.
pub fn distribution(words: &Words, samples: &[Sample]) -> Result<String, PlotError> {
    let stairs = |values: &[f64]| {
        let mut share = 0.0;
        let steps = stats::distribution(values).into_iter();
        steps
            .flat_map(|(x, next)| [(x, std::mem::replace(&mut share, next)), (x, next)])
            .collect::<Vec<_>>()
    };
    let curves: Vec<Curve> = samples
        .iter()
        .map(|sample| Curve {
            name: format!("{}: n = {}", short(&sample.name), sample.values.len()),
            points: stairs(&sample.values),
            dots: false,
        })
        .collect();
    curves_svg(words, &curves, Some(1.0))
}

/// Draws curves with common axes; the vertical one starts at 0.
///
/// # Errors
/// Fails if no curve has a point.
pub fn curves(words: &Words, curves: &[Curve]) -> Result<String, PlotError> {
    curves_svg(words, curves, None)
}

/// Draws curves with their spread and common axes; the vertical one ends at `top`, or above the
/// highest point.
///
/// # Errors
/// Fails if no band has a point.
pub fn bands(words: &Words, bands: &[Band], top: Option<f64>) -> Result<String, PlotError> {
    let points = bands.iter().flat_map(|band| &band.points);
    let points: Vec<(f64, f64)> = points
        .flat_map(|&[x, low, _, high]| [(x, low), (x, high)])
        .collect();
    let labels: Vec<String> = bands.iter().map(|band| short(&band.name)).collect();
    let (ranges, corner) = axes(&points, top, &labels).ok_or_else(|| nothing(words))?;
    svg(words, ranges, corner, |chart| {
        for (index, band) in bands.iter().enumerate() {
            let color = PALETTE[index % PALETTE.len()];
            let below = band.points.iter().map(|&[x, low, _, _]| (x, low));
            let above = band.points.iter().rev().map(|&[x, _, _, high]| (x, high));
            chart.draw_series([Polygon::new(
                below.chain(above).collect::<Vec<_>>(),
                color.mix(0.2),
            )])?;
            let middle: Vec<(f64, f64)> = band
                .points
                .iter()
                .map(|&[x, _, middle, _]| (x, middle))
                .collect();
            // A single point has no line.
            let single = middle
                .iter()
                .filter(|_| middle.len() == 1)
                .map(|&point| Circle::new(point, 6, color.filled()));
            chart.draw_series(single)?;
            let line = chart.draw_series(LineSeries::new(middle, color.stroke_width(2)))?;
            line.label(&labels[index])
                .legend(move |at| square(at, color));
        }
        Ok(())
    })
}

/// Returns axes for points, from 0 upward, and a corner for a legend with these labels; `None`
/// without points.
fn axes(
    points: &[(f64, f64)],
    top: Option<f64>,
    labels: &[String],
) -> Option<(Ranges, SeriesLabelPosition)> {
    let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    let (low, high) = range(&xs)?;
    let highest = 1.05
        * points
            .iter()
            .map(|point| point.1)
            .fold(f64::MIN_POSITIVE, f64::max);
    let margin = match high - low {
        width if width > 0.0 => 0.02 * width,
        _ if high != 0.0 => 0.5 * high.abs(),
        _ => 1.0,
    };
    let mut ranges = (low - margin..high + margin, 0.0..top.unwrap_or(highest));
    let corners = [UpperRight, UpperLeft, LowerRight, LowerLeft];
    let corner = place_legend(&corners, labels, points, &mut ranges, top.is_none());
    Some((ranges, corner))
}

/// Draws curves with common logarithmic axes; all coordinates must be positive.
///
/// # Errors
/// Fails if no curve has a point.
pub fn log_curves(words: &Words, curves: &[Curve]) -> Result<String, PlotError> {
    let curves: Vec<Curve> = curves
        .iter()
        .map(|curve| Curve {
            points: curve
                .points
                .iter()
                .map(|(x, y)| (x.log10(), y.log10()))
                .collect(),
            ..curve.clone()
        })
        .collect();
    let points = points_of(&curves);
    let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let (left, right) = range(&xs).ok_or_else(|| nothing(words))?;
    let (low, high) = range(&ys).ok_or_else(|| nothing(words))?;
    let mut ranges = (left - 0.1..right + 0.1, low - 0.1..high + 0.1);
    let labels = labels_of(&curves);
    let corners = [UpperLeft, LowerRight, UpperRight, LowerLeft];
    let corner = place_legend(&corners, &labels, &points, &mut ranges, true);
    svg_with(words, ranges, Some(corner), [&power; 2], |chart| {
        draw_curves(chart, &curves, &labels)
    })
}

fn curves_svg(words: &Words, curves: &[Curve], top: Option<f64>) -> Result<String, PlotError> {
    let labels = labels_of(curves);
    let (ranges, corner) = axes(&points_of(curves), top, &labels).ok_or_else(|| nothing(words))?;
    svg(words, ranges, corner, |chart| {
        draw_curves(chart, curves, &labels)
    })
}

fn points_of(curves: &[Curve]) -> Vec<(f64, f64)> {
    curves
        .iter()
        .flat_map(|curve| &curve.points)
        .copied()
        .collect()
}

fn labels_of(curves: &[Curve]) -> Vec<String> {
    curves.iter().map(|curve| short(&curve.name)).collect()
}

fn draw_curves(chart: &mut Chart<'_, '_>, curves: &[Curve], labels: &[String]) -> Drawn {
    for (index, curve) in curves.iter().enumerate() {
        let color = PALETTE[index % PALETTE.len()];
        let points = curve.points.iter().copied();
        let drawn = match curve.dots || points.len() == 1 {
            true => chart.draw_series(points.map(|point| Circle::new(point, 6, color.filled())))?,
            false => chart.draw_series(LineSeries::new(points, color.stroke_width(2)))?,
        };
        drawn
            .label(&labels[index])
            .legend(move |at| square(at, color));
    }
    Ok(())
}

/// Draws named points with a logarithmic horizontal axis, and the frontier of those that count: the
/// points with no other point both further left and lower.
///
/// # Errors
/// Fails if there are no points.
pub fn frontier(words: &Words, spots: &[Spot]) -> Result<String, PlotError> {
    let spots: Vec<Spot> = spots
        .iter()
        .map(|spot| Spot {
            x: spot.x.log10(),
            ..spot.clone()
        })
        .collect();
    let xs: Vec<f64> = spots.iter().map(|spot| spot.x).collect();
    let ys: Vec<f64> = spots.iter().map(|spot| spot.y).collect();
    let (left, right) = range(&xs).ok_or_else(|| nothing(words))?;
    let (low, high) = range(&ys).ok_or_else(|| nothing(words))?;
    let across = 0.08 * (right - left) + 0.1;
    let up = 0.08 * (high - low) + 1.0;
    let ranges = (
        left - across..right + 3.0 * across,
        (low - up).max(0.0)..high + up,
    );
    let mut best: Vec<(f64, f64)> = spots
        .iter()
        .filter(|spot| spot.counts)
        .map(|spot| (spot.x, spot.y))
        .collect();
    best.sort_by(|a, b| a.partial_cmp(b).expect("coordinates are numbers"));
    let mut lowest = f64::INFINITY;
    best.retain(|&(_, y)| {
        let lower = y < lowest;
        lowest = lowest.min(y);
        lower
    });
    svg_with(words, ranges, None, [&power, &number], |chart| {
        chart.draw_series(LineSeries::new(best, PALETTE[4].stroke_width(3)))?;
        let (across, down) = chart.plotting_area().get_pixel_range();
        let mut boxes: Vec<[i32; 4]> = Vec::new();
        for spot in &spots {
            let at = chart.backend_coord(&(spot.x, spot.y));
            boxes.push([at.0 - 6, at.1 - 6, at.0 + 6, at.1 + 6]);
        }
        for spot in &spots {
            let style = if spot.counts {
                PALETTE[0].filled()
            } else {
                PALETTE[6].stroke_width(1)
            };
            chart.draw_series([Circle::new((spot.x, spot.y), 5, style)])?;
            // Next to the point, where there is no other point or name.
            let at = chart.backend_coord(&(spot.x, spot.y));
            let name = short(&spot.name);
            let width = 7 * name.chars().count() as i32;
            let height = 16;
            let places = [
                (9, -8),
                (-9 - width, -8),
                (-width / 2, -25),
                (-width / 2, 9),
                (9, -24),
                (9, 8),
            ];
            let places = places
                .into_iter()
                .chain([(-9 - width, -24), (-9 - width, 8)]);
            let framed =
                |&(x, y): &(i32, i32)| [at.0 + x, at.1 + y, at.0 + x + width, at.1 + y + height];
            let inner: Vec<(i32, i32)> = places
                .filter(|place| {
                    let [left, top, right, bottom] = framed(place);
                    across.contains(&left)
                        && across.contains(&right)
                        && down.contains(&top)
                        && down.contains(&bottom)
                })
                .collect();
            let place = inner
                .iter()
                .copied()
                .find(|place| {
                    let a = framed(place);
                    boxes
                        .iter()
                        .all(|b| a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3])
                })
                .or(inner.first().copied())
                .unwrap_or((9, -8));
            boxes.push(framed(&place));
            let text = Text::new(name, place, ("sans-serif", 14).into_font());
            chart.draw_series([EmptyElement::at((spot.x, spot.y)) + text])?;
        }
        Ok(())
    })
}

/// Returns the corner where a legend covers the fewest points, the first of equals. If it covers
/// some and the vertical axis may grow, makes room above all points.
fn place_legend(
    corners: &[SeriesLabelPosition],
    labels: &[String],
    points: &[(f64, f64)],
    ranges: &mut Ranges,
    grows: bool,
) -> SeriesLabelPosition {
    let longest = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    // The library's layout in a picture of this size, with a margin.
    let across = ((80.0 + 7.0 * longest as f64) / 840.0).min(1.0);
    let up = ((30.0 + 19.0 * labels.len() as f64) / 415.0).min(0.8);
    let (x, y) = &*ranges;
    let covered = |corner: &SeriesLabelPosition| {
        let inside = |&&(px, py): &&(f64, f64)| {
            let right = (px - x.start) / (x.end - x.start);
            let above = (py - y.start) / (y.end - y.start);
            let side = if matches!(corner, UpperLeft | LowerLeft) {
                right < across
            } else {
                right > 1.0 - across
            };
            side && if matches!(corner, UpperLeft | UpperRight) {
                above > 1.0 - up
            } else {
                above < up
            }
        };
        points.iter().filter(inside).count()
    };
    let corner = corners
        .iter()
        .min_by_key(|corner| covered(corner))
        .cloned()
        .unwrap_or(UpperRight);
    if covered(&corner) == 0 || !grows {
        return corner;
    }
    let height = y.end - y.start;
    ranges.1.end = y.start + height / (1.0 - up);
    UpperRight
}

type Ranges = (std::ops::Range<f64>, std::ops::Range<f64>);

pub(crate) fn range<'a>(values: impl IntoIterator<Item = &'a f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |range, &value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

pub(crate) fn nothing(words: &Words) -> PlotError {
    PlotError {
        title: words.title.clone(),
        reason: "there is no value to show".into(),
    }
}

fn square((x, y): (i32, i32), color: RGBColor) -> Rectangle<(i32, i32)> {
    Rectangle::new([(x, y - 6), (x + 14, y + 6)], color.filled())
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub(crate) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws a picture with axes, legend and caption on a light background, which dark pages show as a
/// card.
fn svg(
    words: &Words,
    ranges: Ranges,
    corner: SeriesLabelPosition,
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Drawn,
) -> Result<String, PlotError> {
    svg_with(words, ranges, Some(corner), [&number; 2], draw)
}

/// Draws a picture with axes and caption, a legend if it is given a corner, and custom labels on
/// the horizontal and the vertical axis.
fn svg_with(
    words: &Words,
    (x, y): Ranges,
    legend: Option<SeriesLabelPosition>,
    [x_label, y_label]: [&dyn Fn(&f64) -> String; 2],
    draw: impl FnOnce(&mut Chart<'_, '_>) -> Drawn,
) -> Result<String, PlotError> {
    page(words, |area, shrunk| {
        let mut chart = ChartBuilder::on(area)
            .caption(&words.title, ("sans-serif", 22.0 * shrunk))
            .margin(16)
            .margin_right(28)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&words.x)
            .y_desc(&words.y)
            .axis_desc_style(("sans-serif", 17))
            .label_style(("sans-serif", 15))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .x_label_formatter(&x_label)
            .y_label_formatter(&y_label)
            .draw()?;
        draw(&mut chart)?;
        if let Some(corner) = legend {
            chart
                .configure_series_labels()
                .position(corner)
                .background_style(WHITE)
                .border_style(BLACK.mix(0.3))
                .label_font(("sans-serif", 15))
                .draw()?;
        }
        Ok(())
    })
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws a white page with its caption; `draw` receives the area above the caption, and the factor
/// that shrinks the title to fit.
pub(crate) fn page(
    words: &Words,
    draw: impl FnOnce(&Area<'_>, f64) -> Drawn,
) -> Result<String, PlotError> {
    let mut text = String::new();
    let lines = wrapped(&words.caption);
    let picture = || -> Drawn {
        let size = (
            SIZE.0,
            SIZE.1 + CAPTION_LINE * lines.len().saturating_sub(1) as u32,
        );
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&WHITE)?;
        let (area, caption) = root.split_vertically(SIZE.1 - CAPTION_HEIGHT);
        for (index, line) in (0..).zip(&lines) {
            let at = (24, 6 + CAPTION_LINE as i32 * index);
            caption.draw(&Text::new(
                line.as_str(),
                at,
                ("sans-serif", 15).into_font().color(&BLACK.mix(0.7)),
            ))?;
        }
        let shrunk = (TITLE_LETTERS as f64 / words.title.chars().count().max(1) as f64).min(1.0);
        draw(&area, shrunk)?;
        root.present()
    };
    picture().map_err(|error| PlotError {
        title: words.title.clone(),
        reason: error.to_string(),
    })?;
    Ok(text)
}

/// Returns the lines of a caption, broken between words, or within words that are longer than a
/// line.
fn wrapped(caption: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in caption.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for part in letters.chunks(CAPTION_LETTERS) {
            let part: String = part.iter().collect();
            match lines.last_mut() {
                Some(line)
                    if line.chars().count() + 1 + part.chars().count() <= CAPTION_LETTERS =>
                {
                    line.push(' ');
                    line.push_str(&part);
                }
                _ => lines.push(part),
            }
        }
    }
    lines
}

/// Shortens a name to leave room for others.
fn short(name: &str) -> String {
    shortened(name, NAME_LETTERS)
}

/// Shortens a name to at most `most` letters: keeps its beginning and more of its end.
pub(crate) fn shortened(name: &str, most: usize) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= most {
        return name.to_owned();
    }
    let start = most / 3;
    let end = letters.len() + 1 + start - most;
    letters[..start]
        .iter()
        .chain(&['…'])
        .chain(&letters[end..])
        .collect()
}

/// Formats a number for an axis, with no more digits than needed.
pub(crate) fn number(value: &f64) -> String {
    trimmed(format!("{value:.4}"))
}

/// Formats a place on a logarithmic axis.
fn power(place: &f64) -> String {
    significant(10f64.powf(*place))
}

/// Formats a number with two significant digits.
fn significant(value: f64) -> String {
    let digits = (1 - value.log10().floor() as i32).max(0) as usize;
    trimmed(format!("{value:.digits$}"))
}

/// Removes trailing zeros from a fraction.
fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Converts an SVG picture to PNG bytes.
///
/// # Errors
/// Fails if the text is not an SVG picture.
pub fn png(svg: &str) -> Result<Vec<u8>, PlotError> {
    let error = |reason: String| PlotError {
        title: "PNG".into(),
        reason,
    };
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_source(usvg::fontdb::Source::Binary(Arc::new(
        epaint_default_fonts::UBUNTU_LIGHT,
    )));
    let family = fonts
        .faces()
        .next()
        .map(|face| face.families[0].0.clone())
        .expect("the font has a name");
    fonts.set_sans_serif_family(family);
    let options = usvg::Options {
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|reason| error(reason.to_string()))?;
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|side| (side * PNG_SCALE) as u32);
    let mut pixels = tiny_skia::Pixmap::new(width, height)
        .ok_or_else(|| error("the picture is empty".into()))?;
    resvg::render(
        &tree,
        tiny_skia::Transform::from_scale(PNG_SCALE, PNG_SCALE),
        &mut pixels.as_mut(),
    );
    pixels
        .encode_png()
        .map_err(|reason| error(reason.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns x, whether it is centered, the font size, and the number of letters for each text
    /// element of a picture.
    fn texts(svg: &str) -> Vec<(f64, bool, f64, usize)> {
        let attribute = |tag: &str, name: &str| {
            let value = tag
                .split(&format!(" {name}=\""))
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            value.to_owned()
        };
        let parts = svg
            .split("<text")
            .skip(1)
            .filter(|part| !part.contains("rotate"));
        parts
            .map(|part| {
                let (tag, rest) = part.split_once('>').unwrap();
                let text = rest.split("</text>").next().unwrap().trim();
                let number = |name| attribute(tag, name).parse::<f64>().unwrap();
                let letters = text.replace("&apos;", "'").chars().count();
                (
                    number("x"),
                    attribute(tag, "text-anchor") == "middle",
                    number("font-size"),
                    letters,
                )
            })
            .collect()
    }

    /// Runs with a single evaluation have one point each.
    #[test]
    fn single_points_are_visible() {
        let words = Words {
            title: "one".into(),
            caption: "one".into(),
            x: "steps".into(),
            y: "wins".into(),
        };
        let band = Band {
            name: "run".into(),
            points: vec![[0.256, 50.0, 60.0, 70.0]],
        };
        let curve = Curve {
            name: "run".into(),
            points: vec![(0.256, 60.0)],
            dots: false,
        };
        for svg in [
            bands(&words, &[band], None).unwrap(),
            curves(&words, std::slice::from_ref(&curve)).unwrap(),
            log_curves(&words, &[curve]).unwrap(),
        ] {
            assert_eq!(svg.matches("<circle").count(), 1, "{svg}");
        }
    }

    /// No text crosses the edges, even if the caption, the title and the names are long.
    #[test]
    fn long_words_stay_in_the_picture() {
        let long = "a/folder/with/a/long/name/".repeat(9);
        let words = Words {
            title: format!("{} {}", "A title of many words ".repeat(4), &long[..40]),
            caption: format!(
                "{}, {long}: n = 10000",
                "a document that has a long name".repeat(6)
            ),
            x: "steps".into(),
            y: "games".into(),
        };
        let name = || format!("dqn:{long}seed0");
        let sample = Sample {
            name: name(),
            values: vec![1.0, 2.0, 3.0],
        };
        let curve = Curve {
            name: name(),
            points: vec![(1.0, 2.0)],
            dots: false,
        };
        let band = Band {
            name: name(),
            points: vec![[1.0, 2.0, 3.0, 4.0]],
        };
        let spots: Vec<Spot> = (0..4)
            .map(|i| Spot {
                name: name(),
                x: 10f64.powi(i),
                y: f64::from(i),
                counts: true,
            })
            .collect();
        let pictures = [
            histogram(&words, std::slice::from_ref(&sample), true),
            distribution(&words, &[sample]),
            curves(&words, std::slice::from_ref(&curve)),
            log_curves(&words, &[curve]),
            bands(&words, &[band], Some(100.0)),
            frontier(&words, &spots),
            frontier(&words, &spots[..1]),
        ];
        for picture in pictures {
            let picture = picture.unwrap();
            for (x, middle, size, letters) in texts(&picture) {
                // In a wide font, letters are on average 0.6 times as wide as high.
                let width = 0.6 * size * letters as f64;
                let left = if middle { x - width / 2.0 } else { x };
                assert!(
                    left >= 0.0 && left + width <= f64::from(SIZE.0),
                    "{letters} letters from {left} in {picture}"
                );
            }
            assert!(png(&picture).unwrap().starts_with(b"\x89PNG"));
        }
        assert_eq!(short(&name()).chars().count(), NAME_LETTERS);
        assert_eq!(
            (shortened("abcdefgh", 6), shortened("abcdef", 6)),
            ("ab…fgh".to_owned(), "abcdef".to_owned())
        );
        assert_eq!(wrapped("a caption"), ["a caption"]);
        assert!(wrapped(&words.caption).len() > 2 && wrapped("").is_empty());
    }
}
