//! Line widths and colors of pictures. Lengths are in cells.

/// A color: red, green, blue.
pub(crate) type Color = [u8; 3];

/// The colors of a picture.
pub(crate) struct Palette {
    pub(crate) ground: Color,
    pub(crate) grid: Color,
    pub(crate) cycle: Color,
    pub(crate) body: Color,
    pub(crate) plan: Color,
    pub(crate) food: Color,
    pub(crate) head: Color,
    /// The body of the second snake of a duel, distinguishable from the first with color blindness,
    /// too.
    pub(crate) second_body: Color,
    /// The head of the second snake.
    pub(crate) second_head: Color,
    /// The letters of a legend.
    pub(crate) text: Color,
    /// Marked cells, above only the background.
    pub(crate) mark: Color,
}

/// The purposes of colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The background, and numbers on foods.
    Ground,
    /// The dots of cells.
    Grid,
    /// The line around the board.
    Frame,
    Cycle,
    Body,
    Plan,
    Food,
    /// The head, and in a duel the plan of its snake.
    Head,
    SecondBody,
    /// The second head, and the plan of its snake.
    SecondHead,
    /// Marked cells.
    Mark,
}

impl Ink {
    /// All inks, each at its index.
    pub(crate) const ALL: [Ink; 11] = [
        Ink::Ground,
        Ink::Grid,
        Ink::Frame,
        Ink::Cycle,
        Ink::Body,
        Ink::Plan,
        Ink::Food,
        Ink::Head,
        Ink::SecondBody,
        Ink::SecondHead,
        Ink::Mark,
    ];
}

impl Palette {
    /// Returns the color of an ink.
    pub(crate) fn color(&self, ink: Ink) -> Color {
        match ink {
            Ink::Ground => self.ground,
            Ink::Grid | Ink::Frame => self.grid,
            Ink::Cycle => self.cycle,
            Ink::Body => self.body,
            Ink::Plan => self.plan,
            Ink::Food => self.food,
            Ink::Head => self.head,
            Ink::SecondBody => self.second_body,
            Ink::SecondHead => self.second_head,
            Ink::Mark => self.mark,
        }
    }
}

/// Returns a color in CSS notation.
pub(crate) fn hex([red, green, blue]: Color) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The palette for light or unknown pages.
pub(crate) const LIGHT: Palette = Palette {
    ground: [0xff, 0xff, 0xff],
    grid: [0xcf, 0xd8, 0xdc],
    cycle: [0xb0, 0xbe, 0xc5],
    body: [0x43, 0xa0, 0x47],
    plan: [0xf9, 0xa8, 0x25],
    food: [0xd3, 0x2f, 0x2f],
    head: [0x1b, 0x5e, 0x20],
    second_body: [0xab, 0x47, 0xbc],
    second_head: [0x4a, 0x14, 0x8c],
    text: [0x26, 0x32, 0x38],
    mark: [0xdc, 0xea, 0xf7],
};

/// The palette for dark pages.
pub(crate) const DARK: Palette = Palette {
    ground: [0x0d, 0x11, 0x17],
    grid: [0x37, 0x41, 0x4a],
    cycle: [0x54, 0x63, 0x6d],
    body: [0x38, 0x8e, 0x3c],
    plan: [0xff, 0xb7, 0x4d],
    food: [0xef, 0x53, 0x50],
    head: [0xa5, 0xd6, 0xa7],
    second_body: [0xab, 0x47, 0xbc],
    second_head: [0xe1, 0xbe, 0xe7],
    text: [0xcf, 0xd8, 0xdc],
    mark: [0x17, 0x2b, 0x40],
};

/// The diameter of the dot in the middle of each cell.
pub(crate) const GRID: f32 = 0.125;
/// The width of the line around the board.
pub(crate) const FRAME: f32 = 0.08;
/// The width of the line of a cycle.
pub(crate) const CYCLE: f32 = 0.08;
/// The width of the body.
pub(crate) const BODY: f32 = 0.6;
/// The width of the line of a plan.
pub(crate) const PLAN: f32 = 0.16;
/// The offset of the plans of a duel from the middle, so that neither hides the other: the first
/// snake's to the left and up, the second's to the right and down.
pub(crate) const PLAN_SHIFTS: [f32; 2] = [-0.1, 0.1];
/// The diameter of a food.
pub(crate) const FOOD: f32 = 0.6;
/// The width of the lines of a number on a food.
pub(crate) const VALUE: f32 = 0.06;
/// The diameter of the head.
pub(crate) const HEAD: f32 = 0.76;
/// The diameter of the mark of a cell.
pub(crate) const MARK: f32 = 0.5;
/// The empty border around the board.
pub(crate) const MARGIN: f32 = 0.25;

/// The layout of a legend, in pixels, independent of the size of cells.
pub(crate) mod legend {
    /// The height of a line.
    pub(crate) const LINE: usize = 18;
    /// The height of the letters.
    pub(crate) const LETTER: usize = 12;
    /// The minimum width of a picture with a legend, which leaves room for letters on narrow
    /// boards.
    pub(crate) const WIDTH: usize = 288;
    /// The size of a cell of a sample snake, which has two.
    pub(crate) const CELL: usize = 12;
    /// The position of the center of its tail.
    pub(crate) const TAIL: usize = 12;
    /// The position where the letters begin. Their right margin equals that of the board.
    pub(crate) const LETTERS: usize = 36;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What people see who lack one kind of cones, as linear red, green and blue: with all cones,
    /// then without the cones for red, for green, for blue (Machado, Oliveira and Fernandes, 2009).
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    fn apply(matrix: [[f64; 3]; 3], of: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| {
            row.iter()
                .zip(of)
                .map(|(weight, value)| weight * value)
                .sum()
        })
    }

    /// Returns a color as it is perceived: lightness, green to red, blue to yellow (CIELAB).
    fn seen(color: Color, sight: [[f64; 3]; 3]) -> [f64; 3] {
        let linear = color.map(|part| match f64::from(part) / 255.0 {
            dark @ ..=0.04045 => dark / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        });
        let to_xyz = [
            [0.4124, 0.3576, 0.1805],
            [0.2126, 0.7152, 0.0722],
            [0.0193, 0.1192, 0.9505],
        ];
        let [x, y, z] = apply(
            to_xyz,
            apply(sight, linear).map(|part| part.clamp(0.0, 1.0)),
        );
        let [x, y, z] = [x / 0.9505, y, z / 1.089].map(|part| match part {
            0.008856.. => part.cbrt(),
            _ => 7.787 * part + 16.0 / 116.0,
        });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Colors this far apart are distinguished at a glance; 2 is about the smallest visible
    /// difference.
    const FAR: f64 = 25.0;

    #[test]
    fn everybody_can_distinguish_both_snakes() {
        for palette in [LIGHT, DARK] {
            let Palette {
                ground,
                body,
                head,
                second_body,
                second_head,
                ..
            } = palette;
            let pairs = [
                (body, second_body),
                (head, second_head),
                (body, second_head),
                (head, second_body),
            ];
            let grounds = [body, head, second_body, second_head].map(|color| (color, ground));
            for (a, b) in pairs.into_iter().chain(grounds) {
                for sight in SIGHTS {
                    let a = seen(a, sight);
                    let b = seen(b, sight);
                    let apart = a
                        .iter()
                        .zip(b)
                        .map(|(a, b)| (a - b).powi(2))
                        .sum::<f64>()
                        .sqrt();
                    assert!(apart > FAR, "{apart}: {a:?} {b:?}");
                }
            }
        }
    }
}
