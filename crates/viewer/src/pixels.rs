//! Paints drawings as pixels.

use crate::drawing::Drawing;
use crate::layers::{Layer, Line, layers};
use crate::legend::Legend;
use crate::style::{BODY, Color, HEAD, Ink, LIGHT, MARGIN, legend};
use embedded_graphics::Drawable;
use embedded_graphics::draw_target::DrawTarget;
use embedded_graphics::geometry::{OriginDimensions, Point, Size};
use embedded_graphics::mono_font::{MonoTextStyle, iso_8859_15::FONT_6X12};
use embedded_graphics::pixelcolor::{Rgb888, RgbColor};
use embedded_graphics::text::{Baseline, Text};
use hognose_game::duel::Seat;
use std::convert::Infallible;

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// The number of columns.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from the top left.
    pub bytes: Vec<u8>,
}

/// Paints a drawing as pixels, `side` times `side` per cell plus a border of a quarter of that. It
/// looks like the output of [`svg()`](crate::svg()) on a light page, except for the arrows and the
/// round corners of a cycle. The width and the height are even if the side is.
///
/// A legend adds two lines of 18 pixels below the board, and makes the picture at least 288 pixels
/// wide. Its letters are those of ISO 8859-15; others become `?`.
///
/// ```
/// use hognose_game::{Game, Overlay, Rules};
/// use hognose_viewer::{Drawing, pixels};
///
/// let game = Game::new(Rules::new("6x5".parse()?), 0);
/// let picture = pixels(&Drawing::new(game.position(), &Overlay::default()), 20);
/// assert_eq!((picture.width, picture.height), (6 * 20 + 10, 5 * 20 + 10));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn pixels(drawing: &Drawing, side: usize) -> Pixels {
    let board = drawing.board();
    let mut canvas = Canvas::new(
        [board.width(), board.height()],
        side,
        drawing.legend().is_some(),
    );
    for Layer { ink, width, lines } in layers(drawing) {
        canvas.paint(&lines, width, LIGHT.color(ink), ink != Ink::Frame);
    }
    if let Some(legend) = drawing.legend() {
        canvas.add_legend(legend);
    }
    canvas.pixels
}

/// The canvas to paint on.
struct Canvas {
    pixels: Pixels,
    side: usize,
    margin: usize,
    /// The width and the height of the board, including its border.
    board: [usize; 2],
    /// The fraction of each pixel covered by the current lines; 0 between layers.
    covered: Vec<f32>,
}

impl Canvas {
    fn new(cells: [usize; 2], side: usize, has_legend: bool) -> Canvas {
        let margin = (MARGIN * side as f32) as usize;
        let board = cells.map(|cells| side * cells + 2 * margin);
        let [width, height] = match has_legend {
            false => board,
            true => [board[0].max(legend::WIDTH), board[1] + 2 * legend::LINE],
        };
        let pixels = Pixels {
            width,
            height,
            bytes: LIGHT.ground.repeat(width * height),
        };
        Canvas {
            pixels,
            side,
            margin,
            board,
            covered: vec![0.0; width * height],
        }
    }

    /// Paints a legend below the board.
    fn add_legend(&mut self, legend: &Legend) {
        let snakes = [
            (LIGHT.body, LIGHT.head),
            (LIGHT.second_body, LIGHT.second_head),
        ];
        let font = &FONT_6X12;
        let room = self.pixels.width - legend::LETTERS - self.margin;
        let most = room / font.character_size.width as usize;
        let [red, green, blue] = LIGHT.text;
        let style = MonoTextStyle::new(font, Rgb888::new(red, green, blue));
        for (seat, (body, head)) in Seat::BOTH.into_iter().zip(snakes) {
            let middle = self.board[1] + legend::LINE * seat.index() + legend::LINE / 2;
            // Lines are given in cells of the board.
            let place = |pixels: usize| (pixels as f32 - self.margin as f32) / self.side as f32;
            let cell = legend::CELL as f32 / self.side as f32;
            let [tail, end] =
                [legend::TAIL, legend::TAIL + legend::CELL].map(|x| [place(x), place(middle)]);
            self.paint(&[[tail, end]], BODY * cell, body, false);
            self.paint(&[[end, end]], HEAD * cell, head, false);
            let at = Point::new(legend::LETTERS as i32, middle as i32);
            let text = legend.line(seat, most).concat();
            let Ok(_) = Text::with_baseline(&text, at, style, Baseline::Middle).draw(self);
        }
    }

    /// Paints lines with round ends, which overlap as one shape. `inside` clips what lies beyond
    /// the border.
    fn paint(&mut self, lines: &[Line], width: f32, color: Color, inside: bool) {
        let side = self.side as f32;
        let margin = self.margin;
        let Pixels {
            width: columns,
            height: rows,
            ..
        } = self.pixels;
        let edge = if inside { margin } else { 0 };
        let [right, bottom] = if inside {
            self.board.map(|end| end - margin)
        } else {
            [columns, rows]
        };
        let radius = side * width / 2.0;
        for line in lines {
            let [from, to] = line.map(|point| point.map(|place| margin as f32 + side * place));
            let range = |axis: usize, end: usize| {
                let low = from[axis].min(to[axis]) - radius - 1.0;
                let high = from[axis].max(to[axis]) + radius + 1.0;
                (low.max(edge as f32) as usize)..(high.ceil() as usize).min(end)
            };
            for y in range(1, bottom) {
                for x in range(0, right) {
                    let distance = distance([x as f32 + 0.5, y as f32 + 0.5], from, to);
                    let covered = &mut self.covered[y * columns + x];
                    *covered = covered.max((radius - distance + 0.5).clamp(0.0, 1.0));
                }
            }
        }
        for (pixel, covered) in self.pixels.bytes.chunks_exact_mut(3).zip(&mut self.covered) {
            if *covered > 0.0 {
                for (below, above) in pixel.iter_mut().zip(color) {
                    let below_left = (1.0 - *covered) * f32::from(*below);
                    *below = (below_left + *covered * f32::from(above)).round() as u8;
                }
                *covered = 0.0;
            }
        }
    }
}

/// The interface through which text is drawn.
impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = embedded_graphics::Pixel<Rgb888>>>(
        &mut self,
        pixels: I,
    ) -> Result<(), Infallible> {
        let Pixels {
            width,
            height,
            bytes,
        } = &mut self.pixels;
        for embedded_graphics::Pixel(Point { x, y }, color) in pixels {
            let inside =
                |place: i32, end: usize| usize::try_from(place).ok().filter(|&place| place < end);
            if let (Some(x), Some(y)) = (inside(x, *width), inside(y, *height)) {
                bytes[3 * (y * *width + x)..][..3].copy_from_slice(&[
                    color.r(),
                    color.g(),
                    color.b(),
                ]);
            }
        }
        Ok(())
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(self.pixels.width as u32, self.pixels.height as u32)
    }
}

/// Returns the distance of a point from a line that is horizontal, vertical, or a point.
fn distance(point: [f32; 2], from: [f32; 2], to: [f32; 2]) -> f32 {
    let away = |axis: usize| {
        let low = from[axis].min(to[axis]);
        let high = from[axis].max(to[axis]);
        point[axis] - point[axis].clamp(low, high)
    };
    away(0).hypot(away(1))
}
