//! Numbers drawn as lines, so that every painter can show them without a font.

/// A horizontal or vertical line between two points.
pub(crate) type Stroke = [[f32; 2]; 2];

/// The width of a digit.
const WIDTH: f32 = 0.12;
/// The height of a digit.
const HEIGHT: f32 = 0.28;
/// The distance between the left sides of adjacent digits.
const PITCH: f32 = 0.2;

/// The bars of each digit: top, upper right, lower right, bottom, lower left, upper left, middle.
const BARS: [&[usize]; 10] = [
    &[0, 1, 2, 3, 4, 5],
    &[1, 2],
    &[0, 1, 6, 4, 3],
    &[0, 1, 6, 2, 3],
    &[5, 6, 1, 2],
    &[0, 5, 6, 2, 3],
    &[0, 5, 6, 4, 3, 2],
    &[0, 1, 2],
    &[0, 1, 2, 3, 4, 5, 6],
    &[0, 1, 2, 3, 5, 6],
];

/// Returns the lines of a number centered at (0, 0), in cells. Three digits fit on a food.
pub(crate) fn strokes(number: u8) -> Vec<Stroke> {
    let digits: Vec<usize> = number
        .to_string()
        .bytes()
        .map(|digit| usize::from(digit - b'0'))
        .collect();
    let start = -(PITCH * (digits.len() - 1) as f32 + WIDTH) / 2.0;
    let lines = digits.iter().enumerate().flat_map(|(place, &digit)| {
        let left = start + PITCH * place as f32;
        BARS[digit].iter().map(move |&bar| stroke(left, bar))
    });
    lines.collect()
}

/// Returns a bar of a digit with this left side.
fn stroke(left: f32, bar: usize) -> Stroke {
    let right = left + WIDTH;
    let top = -HEIGHT / 2.0;
    let bottom = HEIGHT / 2.0;
    match bar {
        0 => [[left, top], [right, top]],
        1 => [[right, top], [right, 0.0]],
        2 => [[right, 0.0], [right, bottom]],
        3 => [[left, bottom], [right, bottom]],
        4 => [[left, 0.0], [left, bottom]],
        5 => [[left, top], [left, 0.0]],
        _ => [[left, 0.0], [right, 0.0]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seven bars show ten different digits, within the area of a food.
    #[test]
    fn numbers_differ_and_fit() {
        let all: Vec<Vec<Stroke>> = (0..=u8::MAX).map(strokes).collect();
        for (number, lines) in all.iter().enumerate() {
            assert!(
                lines.iter().flatten().all(|[x, y]| x.hypot(*y) < 0.3),
                "{number}"
            );
            assert!(all[..number].iter().all(|other| other != lines), "{number}");
        }
    }
}
