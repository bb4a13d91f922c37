//! Reads animated pictures from their text, and compares them with the positions of the game.

mod duels;

use hognose_game::rng::{self, Generator, Purpose};
use hognose_game::{
    Board, Cell, Direction, Game, MakePolicy, Overlay, Policy, Position, Rules, Start, Status,
};
use hognose_solvers::{Certified, Random, Shortcut};
use hognose_viewer::{Film, animation};
use roxmltree::{Document, Node};

const FPS: f64 = 15.0;
/// The maximum error of a length, in cells: the times in the text are rounded.
const NEAR: f64 = 0.02;

/// Returns the value of an attribute at a time, given in steps, according to SMIL: interpolated
/// between the value whose time has come and the next.
fn value(node: Node<'_, '_>, attribute: &str, time: f64) -> Vec<f64> {
    let animate = animation_of(node, attribute);
    let (texts, index, between) = texts_at(animate, time);
    let numbers = |text: &str| {
        text.split(' ')
            .map(|number| number.parse().unwrap())
            .collect::<Vec<f64>>()
    };
    let this = numbers(texts[index]);
    let next = numbers(texts[(index + 1).min(texts.len() - 1)]);
    assert_eq!(animate.attribute("calcMode"), Some("linear"));
    this.iter()
        .zip(&next)
        .map(|(this, next)| this + between * (next - this))
        .collect()
}

/// Returns the path of an element at a time, given in steps.
fn path_at<'a>(node: Node<'a, '_>, time: f64) -> &'a str {
    let animate = animation_of(node, "d");
    assert_eq!(animate.attribute("calcMode"), Some("discrete"));
    let (texts, index, _) = texts_at(animate, time);
    texts[index]
}

fn animation_of<'a, 'input>(node: Node<'a, 'input>, attribute: &str) -> Node<'a, 'input> {
    let is_it = |node: &Node<'_, '_>| node.attribute("attributeName") == Some(attribute);
    let animate = node
        .children()
        .filter(|child| child.has_tag_name("animate"))
        .find(is_it)
        .unwrap();
    assert_eq!(animate.attribute("repeatCount"), Some("indefinite"));
    animate
}

/// Returns the values of an animation, the index of the last one whose time has come, and the
/// fraction of the time to the next one that has passed.
fn texts_at<'a>(animate: Node<'a, '_>, time: f64) -> (Vec<&'a str>, usize, f64) {
    let list = |name| {
        animate
            .attribute(name)
            .unwrap()
            .split(';')
            .collect::<Vec<&str>>()
    };
    let duration: f64 = animate
        .attribute("dur")
        .unwrap()
        .strip_suffix('s')
        .unwrap()
        .parse()
        .unwrap();
    let times: Vec<f64> = list("keyTimes")
        .iter()
        .map(|time| time.parse().unwrap())
        .collect();
    let texts = list("values");
    assert_eq!(
        (times.len(), times[0], times.last()),
        (texts.len(), 0.0, Some(&1.0))
    );
    assert!(times.is_sorted());
    let now = time / FPS / duration;
    let index = times.iter().rposition(|&time| time <= now).unwrap();
    let between = times
        .get(index + 1)
        .map_or(0.0, |next| (now - times[index]) / (next - times[index]));
    (texts, index, between)
}

/// Returns the commands of a path with their numbers.
fn commands(path: &str) -> Vec<(&str, Vec<f64>)> {
    let starts: Vec<usize> = path
        .match_indices(|c: char| c.is_ascii_alphabetic())
        .map(|(index, _)| index)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([path.len()]);
    let command = |(&start, end): (&usize, usize)| {
        (
            &path[start..=start],
            path[start + 1..end]
                .split(' ')
                .map(|number| number.parse().unwrap())
                .collect(),
        )
    };
    starts.iter().zip(ends).map(command).collect()
}

/// Returns the corners of a path in order, each with the length up to there.
fn corners(path: &str) -> Vec<(f64, [f64; 2])> {
    let mut length = 0.0;
    let mut at = [0.0, 0.0];
    let corner = |(command, numbers): (&str, Vec<f64>)| {
        let to = match (command, &numbers[..]) {
            ("M" | "L", &[x, y]) => [x, y],
            ("h", &[dx]) => [at[0] + dx, at[1]],
            ("v", &[dy]) => [at[0], at[1] + dy],
            other => panic!("{other:?}"),
        };
        if command != "M" {
            length += (to[0] - at[0]).abs() + (to[1] - at[1]).abs();
        }
        at = to;
        (length, at)
    };
    commands(path).into_iter().map(corner).collect()
}

/// A picture and its board.
struct Picture<'a, 'input> {
    document: &'a Document<'input>,
    board: Board,
}

impl<'a, 'input> Picture<'a, 'input> {
    fn classed(&self, class: &str) -> impl Iterator<Item = Node<'a, 'input>> {
        self.document
            .descendants()
            .filter(move |node| node.attribute("class") == Some(class))
    }

    /// Returns the cell with this center.
    fn cell(&self, [x, y]: [f64; 2]) -> Option<Cell> {
        assert_eq!((x.fract(), y.fract()), (0.0, 0.0));
        let inside = |place: f64, side: usize| {
            (place >= 0.0 && place < side as f64).then_some(place as usize)
        };
        Some(self.board.cell(
            inside(x, self.board.width())?,
            inside(y, self.board.height())?,
        ))
    }

    /// Returns the cells whose centers the dash of a line covers at a time, in order.
    fn dash(&self, class: &str, paths: &[Vec<(f64, [f64; 2])>], time: f64) -> Vec<Cell> {
        let line = self.classed(class).last().unwrap();
        let offset = value(line, "stroke-dashoffset", time)[0];
        let dashes = value(line, "stroke-dasharray", time);
        let start = -offset;
        // The next dash begins beyond the end of every path, and the previous one ends before its
        // beginning.
        assert!(
            start + dashes[0] + dashes[1] > paths.last().unwrap().last().unwrap().0 + 1.0
                && start <= dashes[1]
        );
        let covered = |length: f64| length >= start - NEAR && length <= start + dashes[0] + NEAR;
        let mut cells: Vec<(f64, Cell)> = Vec::new();
        for &(length, place) in paths
            .iter()
            .flatten()
            .filter(|&&(length, _)| covered(length))
        {
            cells.extend(self.cell(place).map(|cell| (length, cell)));
        }
        cells.sort_by(|a, b| a.0.total_cmp(&b.0));
        cells.dedup();
        cells.into_iter().map(|(_, cell)| cell).collect()
    }

    fn foods(&self, time: f64) -> Vec<Cell> {
        let paths = self
            .classed("food")
            .map(|food| path_at(food, time))
            .filter(|path| path.ends_with("h0"));
        let mut foods: Vec<Cell> = paths
            .map(|path| self.cell(corners(path)[0].1).unwrap())
            .collect();
        foods.sort();
        foods
    }

    /// Returns the cells that the line of the cycle passes through, from border to border. The last
    /// cell equals the first.
    fn cycle(&self, time: f64) -> Vec<Cell> {
        let Some(line) = self
            .classed("cycle")
            .find(|node| node.attribute("marker-mid").is_some())
        else {
            return Vec::new();
        };
        let mut at = [0.0, 0.0];
        let mut cells = Vec::new();
        for (command, numbers) in commands(path_at(line, time)) {
            let (middle, to) = match (command, &numbers[..]) {
                ("M", &[x, y]) => (None, [x, y]),
                ("h", &[dx]) => (Some([at[0] + dx / 2.0, at[1]]), [at[0] + dx, at[1]]),
                ("v", &[dy]) => (Some([at[0], at[1] + dy / 2.0]), [at[0], at[1] + dy]),
                ("q", &[x, y, dx, dy]) => (Some([at[0] + x, at[1] + y]), [at[0] + dx, at[1] + dy]),
                other => panic!("{other:?}"),
            };
            cells.extend(middle.map(|middle| self.cell(middle).unwrap()));
            at = to;
        }
        if let Some(again) = cells.pop() {
            assert_eq!(cells.first(), Some(&again));
            // The line begins with the second cell of the policy's cycle.
            cells.rotate_right(1);
        }
        cells
    }
}

/// Returns every path below the elements of a class.
fn paths(picture: &Picture<'_, '_>, class: &str) -> Vec<Vec<(f64, [f64; 2])>> {
    let below = picture
        .classed(class)
        .flat_map(|group| group.descendants())
        .filter(|node| node.has_tag_name("path"));
    below
        .map(|path| corners(path.attribute("d").unwrap()))
        .collect()
}

/// Plays a game and compares its picture with it at every step.
fn check(rules: Rules, seed: u64, policy: &dyn MakePolicy, most_steps: usize) -> Status {
    let board = rules.board();
    let mut game = Game::new(rules, seed);
    let mut policy = policy.make(game.position(), seed).unwrap();
    let mut seen: Vec<(Position, Overlay)> = vec![(game.position().clone(), policy.overlay())];
    let mut film = Film::new(game.position(), &policy.overlay());
    while game.position().status() == Status::Ongoing && film.steps() < most_steps {
        let direction = policy.act(game.position());
        game.step(direction);
        film.add(game.position(), &policy.overlay());
        seen.push((game.position().clone(), policy.overlay()));
    }
    let svg = animation(&film, FPS);
    let document = Document::parse(&svg).unwrap();
    let picture = Picture {
        document: &document,
        board,
    };
    let way = paths(&picture, "body");
    let plans = paths(&picture, "plan");
    let mut plans_seen = 0;
    for (step, (position, overlay)) in seen.iter().enumerate() {
        let time = step as f64;
        let body: Vec<Cell> = position.body().rev().collect();
        assert_eq!(picture.dash("body", &way, time), body, "step {step}");
        assert_eq!(
            picture.dash("head", &way, time),
            [position.head()],
            "step {step}"
        );
        let mut foods = position.foods().to_vec();
        foods.sort();
        assert_eq!(picture.foods(time + 1e-3), foods, "step {step}");
        if step == 0 {
            continue;
        }
        // Halfway between two steps, head and tail are halfway.
        let [before, after] = [step - 1, step].map(|step| seen[step].0.len() as f64);
        let line = picture.classed("body").next().unwrap();
        let length = value(line, "stroke-dasharray", time - 0.5)[0];
        assert!(
            (length - ((before + after) / 2.0 - 1.0)).abs() < NEAR,
            "step {step}: {length}"
        );
        // The policy's plan is shown until the next step begins.
        let shortly_before = time - 1e-3;
        assert_eq!(picture.cycle(shortly_before), overlay.cycle, "step {step}");
        let lost = matches!(position.status(), Status::Lost(_));
        let mut plan = vec![position.head()];
        for &direction in overlay.plan.iter().filter(|_| !lost) {
            plan.push(board.neighbor(*plan.last().unwrap(), direction).unwrap());
        }
        let shown = if plans.is_empty() {
            Vec::new()
        } else {
            picture.dash("plan", &plans, shortly_before)
        };
        match plan.len() {
            1 => assert!(shown.is_empty() || shown == plan, "step {step}: {shown:?}"),
            _ => {
                assert_eq!(shown, plan, "step {step}");
                plans_seen += 1;
            }
        }
    }
    let expected = seen.iter().skip(1).filter(|(position, overlay)| {
        !overlay.plan.is_empty() && !matches!(position.status(), Status::Lost(_))
    });
    assert_eq!(plans_seen, expected.count());
    // Viewers without support for animations show the last position.
    let line = picture.classed("body").next().unwrap();
    for attribute in ["stroke-dashoffset", "stroke-dasharray"] {
        let at_last = value(line, attribute, film.steps() as f64 + 1.0);
        let plain = line
            .attribute(attribute)
            .unwrap()
            .split(' ')
            .map(|number| number.parse().unwrap());
        assert_eq!(plain.collect::<Vec<f64>>(), at_last);
    }
    game.position().status()
}

/// A policy that changes its mind at random: sometimes it has no plan or no cycle, or deviates from
/// its plan.
struct Fickle(Generator, Overlay);

impl Policy for Fickle {
    fn act(&mut self, position: &Position) -> Direction {
        let Fickle(draws, mind) = self;
        let mut below = |n: usize| rng::below(draws, n as u64) as usize;
        let legal: Vec<Direction> = position.legal_moves().iter().collect();
        let planned = (!mind.plan.is_empty())
            .then(|| mind.plan.remove(0))
            .filter(|direction| legal.contains(direction));
        if let Some(direction) = planned.filter(|_| below(4) > 0) {
            return direction;
        }
        let direction = if legal.is_empty() {
            position.heading()
        } else {
            legal[below(legal.len())]
        };
        let board = position.board();
        mind.plan.clear();
        let mut cell = board.neighbor(position.head(), direction);
        for _ in 0..below(6) {
            let next = Direction::from_index(below(4));
            let Some(to) = cell.and_then(|cell| board.neighbor(cell, next)) else {
                break;
            };
            cell = Some(to);
            mind.plan.push(next);
        }
        // The cells around a corner, or none.
        let square = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(column, row)| board.cell(column, row));
        mind.cycle = if below(2) == 0 {
            Vec::new()
        } else {
            square.to_vec()
        };
        direction
    }

    fn overlay(&self) -> Overlay {
        self.1.clone()
    }
}

#[test]
fn a_moving_picture_shows_every_position() {
    let rules = |board: &str| Rules::new(board.parse().unwrap());
    let fickle = |_: &Position, seed: u64| {
        Ok(Box::new(Fickle(
            rng::keyed(seed, Purpose::new("fickle"), 0),
            Overlay::default(),
        )) as Box<dyn Policy>)
    };
    let mut ends = Vec::new();
    for seed in 0..5 {
        for board in ["5x5", "4x3-torus", "2x3-torus"] {
            let rules = rules(board).with_foods(1 + seed as u16 % 3).unwrap();
            ends.push(check(rules, seed, &fickle, 200));
            ends.push(check(rules, seed, &Random, 200));
        }
        let long = Start::Random {
            length: 4,
            margin: 0,
        };
        ends.push(check(
            rules("6x6").with_start(long).unwrap(),
            seed,
            &Certified::default(),
            usize::MAX,
        ));
        ends.push(check(
            rules("4x4-torus"),
            seed,
            &Certified::default(),
            usize::MAX,
        ));
        ends.push(check(rules("8x8"), seed, &Shortcut::default(), usize::MAX));
    }
    ends.push(check(rules("8x8"), 0, &Shortcut::default(), 50));
    let lost = |status: &Status| matches!(status, Status::Lost(_));
    assert!(
        ends.contains(&Status::Won) && ends.contains(&Status::Ongoing) && ends.iter().any(lost)
    );
}

#[test]
fn a_picture_of_one_position_stands_still() {
    check(Rules::new("6x6".parse().unwrap()), 0, &Random, 0);
}
