//! Pixels equal those of the SVG picture.

use hognose_game::duel::{Duel, DuelBody, DuelPosition, DuelRules, Food};
use hognose_game::{Board, Cell, Direction, Overlay, Position, Rules};
use hognose_viewer::{Drawing, Legend, Pixels, pixels, svg};
use resvg::{tiny_skia, usvg};

fn cells(board: Board, cells: &[(usize, usize)]) -> Vec<Cell> {
    cells
        .iter()
        .map(|&(column, row)| board.cell(column, row))
        .collect()
}

/// Paints a drawing in both ways. Letters are left out of the SVG picture, since no font is loaded.
fn compare(drawing: &Drawing) {
    let painted = pixels(drawing, 24);
    let tree = usvg::Tree::from_str(&svg(drawing), &usvg::Options::default()).unwrap();
    let mut expected = tiny_skia::Pixmap::new(painted.width as u32, painted.height as u32).unwrap();
    assert_eq!(
        tree.size().to_int_size().dimensions(),
        (expected.width(), expected.height())
    );
    resvg::render(
        &tree,
        tiny_skia::Transform::identity(),
        &mut expected.as_mut(),
    );
    let expected: Vec<u8> = expected
        .pixels()
        .iter()
        .flat_map(|p| [p.red(), p.green(), p.blue()])
        .collect();
    let apart: Vec<u8> = painted
        .bytes
        .iter()
        .zip(&expected)
        .map(|(a, b)| a.abs_diff(*b))
        .collect();
    let mean = apart.iter().map(|&apart| f64::from(apart)).sum::<f64>() / apart.len() as f64;
    // The edges of lines may differ a little.
    assert!(
        mean < 1.0 && apart.iter().filter(|&&apart| apart > 60).count() < apart.len() / 200,
        "{mean}"
    );
}

/// A torus with a body and a plan across its border, and foods in corners.
#[test]
fn pixels_are_those_of_the_svg_picture() {
    let rules = Rules::new("7x5-torus".parse().unwrap())
        .with_foods(2)
        .unwrap();
    let body = cells(
        rules.board(),
        &[(1, 2), (0, 2), (6, 2), (6, 3), (6, 4), (5, 4)],
    );
    let position = Position::new(
        rules,
        Direction::Right,
        body,
        cells(rules.board(), &[(6, 0), (0, 4)]),
    )
    .unwrap();
    let overlay = Overlay {
        cycle: Vec::new(),
        plan: vec![Direction::Up, Direction::Up, Direction::Up, Direction::Left],
    };
    compare(&Drawing::new(&position, &overlay));
}

/// Two snakes, plans that run side by side, and foods of different values.
#[test]
fn pixels_of_a_duel_are_those_of_the_svg_picture() {
    let rules = DuelRules::ai_snakes_2021()
        .on("8x6-torus".parse().unwrap())
        .unwrap();
    let board = rules.board();
    let rules = rules.with_foods(3).unwrap().with_values(1..=200).unwrap();
    let first = DuelBody {
        cells: cells(board, &[(1, 2), (0, 2), (7, 2), (7, 3), (7, 4)]),
        growth: 0,
    };
    let second = DuelBody {
        cells: cells(board, &[(4, 3), (4, 4), (3, 4), (2, 4)]),
        growth: 1,
    };
    let foods = cells(board, &[(4, 1), (0, 0), (6, 5)])
        .into_iter()
        .zip([7, 26, 138]);
    let foods = foods.map(|(cell, value)| Food { cell, value });
    let position = DuelPosition::new(rules, [first, second], foods, 3, 2).unwrap();
    let plans = [
        vec![
            Direction::Right,
            Direction::Right,
            Direction::Right,
            Direction::Up,
        ],
        vec![Direction::Up; 4],
    ];
    compare(&Drawing::of_duel(&position, &plans));
}

fn legend(names: [&str; 2]) -> Legend {
    Legend {
        names: names.map(str::to_owned),
        results: ["", "won"].map(str::to_owned),
    }
}

/// Besides its letters, a legend has the same samples of both snakes in both pictures.
#[test]
fn samples_of_a_legend_are_those_of_the_svg_picture() {
    for rules in ["8x6", "14x14"].map(|board| {
        DuelRules::ai_snakes_2021()
            .on(board.parse().unwrap())
            .unwrap()
    }) {
        let start = Duel::new(rules, 0);
        let none = Legend {
            results: Default::default(),
            ..legend([""; 2])
        };
        compare(&Drawing::of_duel(start.position(), &Default::default()).with_legend(none));
    }
}

/// Letters are below the board and within the picture, whatever the names; and only text has their
/// color.
#[test]
fn letters_lie_below_the_board() {
    let rules = DuelRules::ai_snakes_2021()
        .on("8x6".parse().unwrap())
        .unwrap();
    let drawing = Drawing::of_duel(Duel::new(rules, 0).position(), &Default::default());
    let without = pixels(&drawing.clone().with_legend(legend([""; 2])), 24);
    let long = "exec:python3 /a/folder/with/a/long/name/player.py";
    let mut pictures: Vec<Pixels> = Vec::new();
    for names in [["adder:4", "nega"], ["nega", "adder:4"], [long, "größer"]] {
        let with = pixels(&drawing.clone().with_legend(legend(names)), 24);
        assert_eq!((with.width, with.height), (288, 6 * 24 + 12 + 36));
        let apart = with
            .bytes
            .iter()
            .zip(&without.bytes)
            .enumerate()
            .filter(|(_, (a, b))| a != b);
        let places: Vec<usize> = apart.map(|(index, _)| index / 3).collect();
        assert!(
            places
                .iter()
                .all(|place| place / 288 >= 6 * 24 + 12 && (36..282).contains(&(place % 288)))
        );
        assert!(!places.is_empty() && !pictures.contains(&with));
        pictures.push(with);
    }
}
