//! Paints films as animated SVG.

use crate::drawing::{crosses_border, joint};
use crate::film::{Film, FilmedSnake, Plan, Shown, throughout};
use crate::seen::SeenFood;
use crate::svg::{arrow, border, center, class_of, framed, number, through};
use crate::track::Track;
use hognose_game::duel::Seat;
use hognose_game::{Board, Cell, Direction};

/// The number of seconds that the last picture stays.
const PAUSE: f64 = 2.5;

/// Paints a film as an animated SVG picture with `fps` steps per second. It restarts after a short
/// pause. After each step it looks like the position painted by [`svg()`](crate::svg()); between
/// steps it moves evenly.
///
/// It contains no script. Viewers without support for animations show the last position.
///
/// ```
/// use hognose_game::{Direction, Game, Overlay, Rules};
/// use hognose_viewer::{Film, animation};
///
/// let mut game = Game::new(Rules::new("6x6".parse()?), 0);
/// let mut film = Film::new(game.position(), &Overlay::default());
/// game.step(Direction::Up);
/// film.add(game.position(), &Overlay::default());
/// assert!(animation(&film, 15.0).contains("<animate "));
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
pub fn animation(film: &Film, fps: f64) -> String {
    let clock = Clock {
        steps: film.steps(),
        fps,
    };
    let is_duel = film.snakes.len() == 2;
    let [mut bodies, mut all_plans, mut heads] = [const { String::new() }; 3];
    for (seat, filmed) in Seat::BOTH.into_iter().zip(&film.snakes) {
        let class = |class| class_of(class, seat, is_duel);
        let id = if is_duel {
            format!("way-{seat}")
        } else {
            "way".to_owned()
        };
        let way = way(film.board, &filmed.way);
        bodies += &body(&way, filmed, &clock, &class("body"), &id);
        all_plans += &plans(film, &filmed.plans, &clock, &class("plan"));
        heads += &head(&way, filmed, &clock, &class("head"), &id);
    }
    let results = clock.at_the_end();
    let legend = film
        .legend
        .as_ref()
        .map(|legend| (legend, results.as_str()));
    let layers = [
        cycles(film, &clock),
        bodies,
        all_plans,
        foods(film, &clock),
        heads,
    ]
    .concat();
    framed(film.board, is_duel, legend, &layers)
}

/// Returns the path of a head.
fn way(board: Board, cells: &[Cell]) -> Track {
    let mut way = Track::new(board, cells[0]);
    for pair in cells.windows(2) {
        way.go(joint(board, pair[0], pair[1]).expect("consecutive cells are neighbors"));
    }
    // Browsers don't paint a dash of length 0 at the very end of a path, so extend it, unseen.
    let (_, beside) = board
        .neighbors(cells[cells.len() - 1])
        .next()
        .expect("a board has at least two cells");
    way.jump(beside);
    way
}

/// Paints the body: the part of the head's path that starts at the tail.
fn body(way: &Track, snake: &FilmedSnake, clock: &Clock, class: &str, id: &str) -> String {
    let bodies = snake.bodies.iter().enumerate();
    let parts = bodies.map(|(step, body)| {
        (
            step,
            Part {
                start: body.tail,
                length: body.head - body.tail,
            },
        )
    });
    format!(
        "<g{class}{}<g id=\"{id}\">\n{}</g></g>\n",
        clock.dash(way, parts),
        way.paths()
    )
}

/// Paints the head: the end of the body.
fn head(way: &Track, snake: &FilmedSnake, clock: &Clock, class: &str, id: &str) -> String {
    let heads = snake.bodies.iter().enumerate().map(|(step, body)| {
        (
            step,
            Part {
                start: body.head,
                length: 0,
            },
        )
    });
    format!(
        "<use{class} href=\"#{id}\"{}</use>\n",
        clock.dash(way, heads)
    )
}

/// Paints the plans of a snake as one track, one after another.
fn plans(film: &Film, plans: &[Shown<Plan>], clock: &Clock, class: &str) -> String {
    let Some(first) = plans.first() else {
        return String::new();
    };
    let mut track = Track::new(film.board, first.what.start);
    let mut starts = Vec::new();
    for plan in plans {
        track.jump(plan.what.start);
        starts.push(track.length());
        plan.what
            .moves
            .iter()
            .for_each(|&direction| track.go(direction));
    }
    let nowhere = Part {
        start: track.length() + 1,
        length: 0,
    };
    let mut starts = starts.into_iter();
    let parts = throughout(plans, film.steps())
        .into_iter()
        .flat_map(|shown| {
            let (begin, end) = match shown.what.zip(shown.what.and_then(|_| starts.next())) {
                Some((plan, start)) => {
                    let length = plan.moves.len();
                    let steps = shown.until - shown.from;
                    (
                        Part { start, length },
                        Part {
                            start: start + steps,
                            length: length - steps,
                        },
                    )
                }
                None => (nowhere, nowhere),
            };
            [(shown.from, begin), (shown.until, end)]
        });
    format!(
        "<g{class}{}{}</g>\n",
        clock.dash(&track, parts),
        track.paths()
    )
}

/// Paints the cycles, one at a time.
fn cycles(film: &Film, clock: &Clock) -> String {
    if film.cycles.is_empty() {
        return String::new();
    }
    let lines = throughout(&film.cycles, film.steps())
        .into_iter()
        .map(|shown| {
            (
                shown.from,
                shown
                    .what
                    .map_or(NOTHING.to_owned(), |cycle| line_along(film.board, cycle)),
            )
        });
    format!(
        "<marker id=\"tip\" orient=\"auto\" markerUnits=\"userSpaceOnUse\" overflow=\"visible\">\
         <path class=\"cycle\" d=\"M0 0{}\"/></marker>\n<path class=\"cycle\" \
                       marker-mid=\"url(#tip)\"{}</path>\n",
        arrow(Direction::Right),
        clock.lines(&lines.collect::<Vec<_>>())
    )
}

/// Returns the line along a cycle, with a corner at each border between cells. It passes through
/// the first cell twice, so that it includes the first corner.
fn line_along(board: Board, cycle: &[Cell]) -> String {
    let next = |index: usize| (index + 1) % cycle.len();
    let to = |index: usize| joint(board, cycle[index], cycle[next(index)]);
    let mut line = String::new();
    let mut goes_on = false;
    for before in (0..cycle.len()).chain([0]) {
        let cell = next(before);
        let (Some(from), Some(to)) = (to(before), to(cell)) else {
            goes_on = false;
            continue;
        };
        if !goes_on || crosses_border(board, cycle[before], from) {
            line += &border(board, cycle[cell], from);
        }
        line += &through(from, to);
        goes_on = true;
    }
    if line.is_empty() {
        NOTHING.to_owned()
    } else {
        line
    }
}

/// Paints the foods: for each that is on the board at a time, a line of a single point, and its
/// value as a number.
fn foods(film: &Film, clock: &Clock) -> String {
    let layer =
        |class: &str, room: &[(usize, Option<SeenFood>)], line: &dyn Fn(SeenFood) -> String| {
            let line = |food: Option<SeenFood>| food.map(line).filter(|line| !line.is_empty());
            let lines = room
                .iter()
                .map(|&(step, food)| (step, line(food).unwrap_or(NOTHING.to_owned())));
            format!(
                "<path class=\"{class}\"{}</path>\n",
                clock.lines(&lines.collect::<Vec<_>>())
            )
        };
    let has_value =
        |(_, food): &(usize, Option<SeenFood>)| food.is_some_and(|food| food.value.is_some());
    let points = film
        .foods
        .iter()
        .map(|room| layer("food", room, &|food| center(film.board, food.cell) + "h0"));
    let values = film
        .foods
        .iter()
        .filter(|room| room.iter().any(has_value))
        .map(|room| {
            layer("value", room, &|food| {
                food.value
                    .map(|value| number(film.board, food.cell, value))
                    .unwrap_or_default()
            })
        });
    points.chain(values).collect()
}

/// A line that shows nothing.
const NOTHING: &str = "M0 0";

/// A part of a track.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    length: usize,
}

/// The timing of steps.
struct Clock {
    steps: usize,
    fps: f64,
}

impl Clock {
    /// Returns the dashes that show a part of a track, which changes evenly between the given
    /// steps: attributes of an element that is still open, and their animations.
    fn dash(&self, track: &Track, parts: impl Iterator<Item = (usize, Part)>) -> String {
        let parts: Vec<(usize, Part)> = parts.collect();
        let beyond = track.length() + 2;
        let dashes = bends(parts.iter().map(|&(step, part)| (step, part.length)));
        let offsets = bends(parts.iter().map(|&(step, part)| (step, part.start)));
        let dashes: Vec<(usize, String)> = dashes
            .into_iter()
            .map(|(step, length)| (step, format!("{length} {beyond}")))
            .collect();
        let offsets: Vec<(usize, String)> = offsets
            .into_iter()
            .map(|(step, start)| (step, format!("-{start}")))
            .collect();
        format!(
            " stroke-dasharray=\"{}\" stroke-dashoffset=\"{}\">\n{}{}",
            last(&dashes),
            last(&offsets),
            self.animate("stroke-dasharray", "linear", &dashes),
            self.animate("stroke-dashoffset", "linear", &offsets)
        )
    }

    /// Returns a line that changes abruptly after the given steps: an attribute of an element that
    /// is still open, and its animation.
    fn lines(&self, lines: &[(usize, String)]) -> String {
        format!(
            " d=\"{}\">\n{}",
            last(lines),
            self.animate("d", "discrete", lines)
        )
    }

    /// Returns an animation that hides an element until the last step.
    fn at_the_end(&self) -> String {
        let shown = [(0, "hidden".to_owned()), (self.steps, "visible".to_owned())];
        self.animate(
            "visibility",
            "discrete",
            if self.steps == 0 { &shown[1..] } else { &shown },
        )
    }

    fn animate(&self, attribute: &str, mode: &str, values: &[(usize, String)]) -> String {
        let mut times: Vec<String> = values.iter().map(|&(step, _)| self.time(step)).collect();
        let mut texts: Vec<&str> = values.iter().map(|(_, text)| text.as_str()).collect();
        times.push("1".to_owned());
        texts.push(last(values));
        format!(
            "<animate attributeName=\"{attribute}\" calcMode=\"{mode}\" dur=\"{}s\" \
             repeatCount=\"indefinite\"\n\
             keyTimes=\"{}\"\nvalues=\"{}\"/>\n",
            self.duration(),
            times.join(";"),
            texts.join(";")
        )
    }

    /// Returns the seconds until the animation restarts.
    fn duration(&self) -> f64 {
        ((self.steps as f64 / self.fps + PAUSE) * 1000.0).round() / 1000.0
    }

    /// Returns the fraction of the duration that has passed after `step` steps.
    fn time(&self, step: usize) -> String {
        let share = format!("{:.7}", step as f64 / self.fps / self.duration());
        share.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

fn last(values: &[(usize, String)]) -> &str {
    &values.last().expect("there is a first value").1
}

/// Returns the values without those that lie evenly between their neighbors.
fn bends(values: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for value in values {
        if let [.., before, middle] = kept[..] {
            let rise = |a: (usize, usize), b: (usize, usize)| (b.0 - a.0, b.1 as i64 - a.1 as i64);
            let ((steps, up), (all_steps, all_up)) = (rise(before, middle), rise(before, value));
            if up * all_steps as i64 == all_up * steps as i64 && steps > 0 && all_steps > steps {
                kept.pop();
            }
        }
        kept.push(value);
    }
    kept
}
