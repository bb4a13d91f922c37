//! Pixels are those of the SVG picture.

use hognose_game::{Direction, Overlay, Position, Rules};
use hognose_viewer::{Drawing, pixels, svg};
use resvg::{tiny_skia, usvg};

/// A torus with a body and a plan across its border, and foods in corners.
#[test]
fn pixels_are_those_of_the_svg_picture() {
    let rules = Rules::new("7x5-torus".parse().unwrap()).with_foods(2).unwrap();
    let cells = |cells: &[(usize, usize)]| {
        cells.iter().map(|&(column, row)| rules.board().cell(column, row)).collect::<Vec<_>>()
    };
    let body = cells(&[(1, 2), (0, 2), (6, 2), (6, 3), (6, 4), (5, 4)]);
    let position = Position::new(rules, Direction::Right, body, cells(&[(6, 0), (0, 4)])).unwrap();
    let overlay =
        Overlay { cycle: Vec::new(), plan: vec![Direction::Up, Direction::Up, Direction::Up, Direction::Left] };
    let drawing = Drawing::new(&position, &overlay);
    let painted = pixels(&drawing, 24);
    let tree = usvg::Tree::from_str(&svg(&drawing), &usvg::Options::default()).unwrap();
    let mut expected = tiny_skia::Pixmap::new(painted.width as u32, painted.height as u32).unwrap();
    assert_eq!(tree.size().to_int_size().dimensions(), (expected.width(), expected.height()));
    resvg::render(&tree, tiny_skia::Transform::identity(), &mut expected.as_mut());
    let expected: Vec<u8> = expected.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let apart: Vec<u8> = painted.bytes.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).collect();
    let mean = apart.iter().map(|&apart| f64::from(apart)).sum::<f64>() / apart.len() as f64;
    // The edges of lines may differ a little.
    assert!(mean < 1.0 && apart.iter().filter(|&&apart| apart > 60).count() < apart.len() / 200, "{mean}");
}
