//! How thick and in which colors pictures are painted. Lengths are in cells.

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
    /// The body of the second snake of a duel. People who see fewer colors tell it from the first, too.
    pub(crate) second_body: Color,
    /// The head of the second snake.
    pub(crate) second_head: Color,
}

/// On a white page, and where nothing is known of the page.
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
};

/// On a dark page.
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
/// How far the plans of a duel lie from the middle, so that one does not hide the other: the first snake's to the left
/// and up, the second's to the right and down.
pub(crate) const PLAN_SHIFTS: [f32; 2] = [-0.1, 0.1];
/// The diameter of a food.
pub(crate) const FOOD: f32 = 0.6;
/// The width of the lines of a number on a food.
pub(crate) const VALUE: f32 = 0.06;
/// The diameter of the head.
pub(crate) const HEAD: f32 = 0.76;
/// The empty border around the board.
pub(crate) const MARGIN: f32 = 0.25;
