//! Pictures of tournaments: ratings with intervals, and the matrix of scores.

use crate::charts::{
    Area, CAPTION_HEIGHT, Drawn, PALETTE, PlotError, SIZE, Words, nothing, number, page, range,
    shortened,
};
use hognose_eval::Interval;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A named rating.
///
/// ```
/// use hognose_plot::{Rated, Words, ratings};
///
/// let rated = Rated { name: "greedy".into(), rating: 0.0, interval: None };
/// assert!(ratings(&Words::default(), &[rated])?.contains("greedy"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rated {
    /// The name of the player.
    pub name: String,
    /// The rating.
    pub rating: f64,
    /// Its interval.
    pub interval: Option<Interval>,
}

/// The score of one player against another.
///
/// ```
/// use hognose_plot::{Score, Words, matrix};
///
/// let won = Score { share: 0.75, text: "3-1-0".into() };
/// let lost = Score { share: 0.25, text: "1-3-0".into() };
/// let names = ["adder", "greedy"].map(str::to_owned);
/// let picture = matrix(&Words::default(), &names, |row, column| match (row, column) {
///     (0, 1) => Some(won.clone()),
///     (1, 0) => Some(lost.clone()),
///     _ => None,
/// });
/// assert!(picture?.contains("3-1-0"));
/// # Ok::<(), hognose_plot::PlotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Score {
    /// The share of points, from 0 to 1.
    pub share: f64,
    /// The text below it.
    pub text: String,
}

/// The width for names on the left.
const NAMES: i32 = 270;
/// The height for names above columns, which are written from bottom to top.
const HEADS: i32 = 190;
/// The width of a letter, even in a wide font.
const LETTER: i32 = 9;
/// The distance between a name and what is next to it.
const GAP: i32 = 10;
const NUMBERS: i32 = 190;
const MARGIN: i32 = 24;
/// The height of the title.
const TITLE: i32 = 52;
/// The height of an axis with its numbers and name.
const AXIS: i32 = 56;
/// The maximum height of a row.
const ROW: i32 = 60;

/// Draws a row for each player: the rating as a point, its interval as a line, and both as numbers.
///
/// # Errors
/// Fails if there are no players.
pub fn ratings(words: &Words, rated: &[Rated]) -> Result<String, PlotError> {
    let ends = rated.iter().flat_map(|row| {
        let Interval { low, high } = row.interval.unwrap_or(Interval {
            low: row.rating,
            high: row.rating,
        });
        [row.rating, low, high]
    });
    let (low, high) = range(&ends.collect::<Vec<f64>>()).ok_or_else(|| nothing(words))?;
    let margin = 0.04 * (high - low) + 5.0;
    let low = low - margin;
    let high = high + margin;
    card(words, |area, (width, height)| {
        let left = MARGIN + NAMES;
        let right = width - MARGIN - NUMBERS;
        let row_height = ((height - TITLE - AXIS) / rated.len() as i32).min(ROW);
        let bottom = TITLE + row_height * rated.len() as i32;
        let x = |rating: f64| {
            left + ((rating - low) / (high - low) * f64::from(right - left)).round() as i32
        };
        for tick in ticks(low, high) {
            area.draw(&line(
                [(x(tick), TITLE), (x(tick), bottom)],
                BLACK.mix(0.12).stroke_width(1),
            ))?;
            label(
                area,
                &number(&tick),
                (x(tick), bottom + 6),
                15,
                (HPos::Center, VPos::Top),
            )?;
        }
        label(
            area,
            &words.x,
            ((left + right) / 2, bottom + 30),
            17,
            (HPos::Center, VPos::Top),
        )?;
        for (row, rated) in (0..).zip(rated) {
            let y = TITLE + row * row_height + row_height / 2;
            label(
                area,
                &fitting(&rated.name, NAMES),
                (left - GAP, y),
                15,
                (HPos::Right, VPos::Center),
            )?;
            let color = PALETTE[0];
            let mut text = format!("{:.0}", rated.rating);
            if let Some(Interval { low, high }) = rated
                .interval
                .filter(|interval| interval.low < interval.high)
            {
                area.draw(&line(
                    [(x(low), y), (x(high), y)],
                    color.mix(0.5).stroke_width(4),
                ))?;
                text = format!("{text} [{low:.0}, {high:.0}]");
            }
            area.draw(&Circle::new((x(rated.rating), y), 6, color.filled()))?;
            label(area, &text, (right + 14, y), 15, (HPos::Left, VPos::Center))?;
        }
        Ok(())
    })
}

/// Draws the scores of rows against columns, as numbers on colors: better scores are bluer, worse
/// ones redder.
///
/// # Errors
/// Fails if there are no players.
pub fn matrix(
    words: &Words,
    names: &[String],
    score: impl Fn(usize, usize) -> Option<Score>,
) -> Result<String, PlotError> {
    if names.is_empty() {
        return Err(nothing(words));
    }
    card(words, |area, (width, height)| {
        let n = names.len() as i32;
        // Names above columns are written from bottom to top if they are wider than the column.
        let across = ((width - 2 * MARGIN - NAMES) / n).min(130);
        let longest = names
            .iter()
            .map(|name| LETTER * fitting(name, HEADS).chars().count() as i32)
            .max()
            .unwrap_or(0);
        let turned = longest > across;
        let heads = if turned { longest + 2 * GAP } else { 28 };
        let down = ((height - TITLE - heads - MARGIN) / n).min(70);
        let left = MARGIN + NAMES;
        let top = TITLE + heads;
        for (row, name) in (0..).zip(names) {
            let middle = |step: i32, index: i32| step * index + step / 2;
            let beside = (left - GAP, top + middle(down, row));
            label(
                area,
                &fitting(name, NAMES),
                beside,
                15,
                (HPos::Right, VPos::Center),
            )?;
            let at = (left + middle(across, row), top - GAP);
            let head = fitting(name, HEADS);
            if turned {
                let style = ("sans-serif", 15)
                    .into_font()
                    .transform(FontTransform::Rotate270)
                    .color(&BLACK);
                area.draw(&Text::new(
                    head,
                    at,
                    style.pos(Pos::new(HPos::Left, VPos::Center)),
                ))?;
            } else {
                label(area, &head, at, 15, (HPos::Center, VPos::Bottom))?;
            }
            for column in 0..n {
                let x = left + across * column;
                let y = top + down * row;
                let corners = [(x + 1, y + 1), (x + across - 1, y + down - 1)];
                let Some(Score { share, text }) = score(row as usize, column as usize) else {
                    area.draw(&Rectangle::new(corners, BLACK.mix(0.06).filled()))?;
                    continue;
                };
                let color = if share < 0.5 { PALETTE[1] } else { PALETTE[0] };
                area.draw(&Rectangle::new(
                    corners,
                    color.mix((2.0 * share - 1.0).abs() * 0.6).filled(),
                ))?;
                let middle = (x + across / 2, y + down / 2);
                let both = down >= 40;
                let above = if both { middle.1 - 9 } else { middle.1 };
                label(
                    area,
                    &format!("{share:.2}"),
                    (middle.0, above),
                    16,
                    (HPos::Center, VPos::Center),
                )?;
                if both {
                    label(
                        area,
                        &text,
                        (middle.0, middle.1 + 11),
                        12,
                        (HPos::Center, VPos::Center),
                    )?;
                }
            }
        }
        Ok(())
    })
}

/// Draws a white card with title and caption; `draw` receives the area between them and its size.
fn card(
    words: &Words,
    draw: impl FnOnce(&Area<'_>, (i32, i32)) -> Drawn,
) -> Result<String, PlotError> {
    page(words, |area, shrunk| {
        let at = (SIZE.0 as i32 / 2, 16);
        label(
            area,
            &words.title,
            at,
            (22.0 * shrunk) as i32,
            (HPos::Center, VPos::Top),
        )?;
        draw(area, (SIZE.0 as i32, (SIZE.1 - CAPTION_HEIGHT) as i32))
    })
}

/// Shortens a name to fit.
fn fitting(name: &str, room: i32) -> String {
    shortened(name, ((room - GAP) / LETTER) as usize)
}

fn line(points: [(i32, i32); 2], style: impl Into<ShapeStyle>) -> PathElement<(i32, i32)> {
    PathElement::new(points, style)
}

fn label(area: &Area<'_>, text: &str, at: (i32, i32), size: i32, (h, v): (HPos, VPos)) -> Drawn {
    let style = ("sans-serif", size)
        .into_font()
        .color(&BLACK)
        .pos(Pos::new(h, v));
    area.draw(&Text::new(text, at, style))
}

/// Returns about six round numbers between two numbers.
fn ticks(low: f64, high: f64) -> impl Iterator<Item = f64> {
    let rough = ((high - low) / 6.0).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    ((low / step).ceil() as i64..=(high / step).floor() as i64)
        .map(move |index| index as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::png;

    fn names(n: usize) -> Vec<String> {
        let long = "exec:python3 /a/folder/with/a/long/name/player.py --with options --and more";
        (0..n)
            .map(|index| {
                if index == 1 {
                    long.to_owned()
                } else {
                    format!("adder:{index}")
                }
            })
            .collect()
    }

    /// Returns the left, top, right and bottom of every text in a picture, with letters of width
    /// `LETTER` at size 15.
    fn extents(svg: &str) -> Vec<(String, [f64; 4])> {
        let extent = |part: &str| {
            let (tag, rest) = part.split_once('>').unwrap();
            let attribute = |name: &str| {
                tag.split(&format!(" {name}=\""))
                    .nth(1)
                    .unwrap()
                    .split('"')
                    .next()
                    .unwrap()
            };
            let number = |name| attribute(name).parse::<f64>().unwrap();
            let text = rest.split("</text>").next().unwrap().trim().to_owned();
            let width =
                f64::from(LETTER) * number("font-size") / 15.0 * text.chars().count() as f64;
            let before = match attribute("text-anchor") {
                "start" => 0.0,
                "middle" => width / 2.0,
                _ => width,
            };
            let x = number("x");
            let y = number("y");
            let extent = match tag.contains("rotate(270") {
                true => [x, y + before - width, x, y + before],
                false => [x - before, y, x - before + width, y],
            };
            (text, extent)
        };
        svg.split("<text").skip(1).map(extent).collect()
    }

    /// Names stay between the edges and below the title, even if they are long.
    #[test]
    fn long_names_stay_in_the_picture() {
        let words = Words {
            title: "t".into(),
            caption: "c".into(),
            x: "rating".into(),
            y: String::new(),
        };
        for n in [2, 3, 9, 20] {
            let long: Vec<String> = (0..n)
                .map(|bot| format!("exec:python3 {}{bot}.py", "folder/".repeat(9)))
                .collect();
            let rated: Vec<Rated> = long
                .iter()
                .map(|name| Rated {
                    name: name.clone(),
                    rating: 1.0,
                    interval: None,
                })
                .collect();
            for (kind, picture) in [ratings(&words, &rated), matrix(&words, &long, |_, _| None)]
                .into_iter()
                .enumerate()
            {
                let texts = extents(&picture.unwrap());
                let names: Vec<&(String, [f64; 4])> = texts
                    .iter()
                    .filter(|(text, _)| text.ends_with(".py"))
                    .collect();
                assert_eq!(names.len(), n * (kind + 1));
                for (text, [left, top, right, bottom]) in names {
                    let inside = *left >= 0.0
                        && *top >= 40.0
                        && *right <= f64::from(SIZE.0)
                        && *bottom <= f64::from(SIZE.1);
                    assert!(inside, "{text}: {left} {top} {right} {bottom}");
                }
            }
        }
    }

    #[test]
    fn pictures_fit_many_players() {
        let words = Words {
            title: "t".into(),
            caption: "c".into(),
            x: "rating".into(),
            y: String::new(),
        };
        for n in [1, 2, 5, 12, 25] {
            let rated: Vec<Rated> = (0..)
                .zip(names(n))
                .map(|(index, name)| {
                    let rating = 100.0 - 30.0 * f64::from(index);
                    Rated {
                        name,
                        rating,
                        interval: Some(Interval {
                            low: rating - 20.0,
                            high: rating + 25.0,
                        }),
                    }
                })
                .collect();
            let scored = |row: usize, column: usize| {
                let share = 0.5 + 0.4 * (row as f64 - column as f64) / n as f64;
                (row != column).then(|| Score {
                    share,
                    text: "10-5-3".into(),
                })
            };
            for picture in [
                ratings(&words, &rated).unwrap(),
                matrix(&words, &names(n), scored).unwrap(),
            ] {
                assert_eq!(
                    picture.matches("adder:0").count(),
                    if picture.contains("[80, 125]") { 1 } else { 2 }
                );
                assert!(png(&picture).unwrap().starts_with(b"\x89PNG"));
            }
        }
        assert!(ratings(&words, &[]).is_err() && matrix(&words, &[], |_, _| None).is_err());
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(
            ticks(-12.0, 431.0).collect::<Vec<_>>(),
            [0.0, 100.0, 200.0, 300.0, 400.0]
        );
        assert_eq!(
            ticks(-5.0, 5.0).collect::<Vec<_>>(),
            [-4.0, -2.0, 0.0, 2.0, 4.0]
        );
    }
}
