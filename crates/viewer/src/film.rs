//! The contents of an animated picture of a game, independent of how it is painted.

use crate::legend::Legend;
use crate::seen::{Seen, SeenFood, SeenSnake};
use hognose_game::duel::DuelPosition;
use hognose_game::{Board, Cell, Direction, Overlay, Position};

/// An animated picture of a game: a picture of each position, and the transitions between them.
/// Like a [`Drawing`](crate::Drawing), it is independent of file formats.
///
/// ```
/// use hognose_game::{Direction, Game, Overlay, Rules};
/// use hognose_viewer::Film;
///
/// let mut game = Game::new(Rules::new("6x6".parse()?), 0);
/// let mut film = Film::new(game.position(), &Overlay::default());
/// game.step(Direction::Up);
/// film.add(game.position(), &Overlay::default());
/// assert_eq!(film.steps(), 1);
/// # Ok::<(), hognose_game::BoardError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Film {
    pub(crate) board: Board,
    /// The snake, or the snakes of both seats in order.
    pub(crate) snakes: Vec<FilmedSnake>,
    /// Each list holds one food at a time: the steps at which it changes, and the food or `None`
    /// from there.
    pub(crate) foods: Vec<Vec<(usize, Option<SeenFood>)>>,
    pub(crate) cycles: Vec<Shown<Vec<Cell>>>,
    /// The players of a duel, and how it ended after the last step.
    pub(crate) legend: Option<Legend>,
}

/// An animated picture of a duel.
///
/// ```
/// use hognose_game::Direction;
/// use hognose_game::duel::{Duel, DuelRules};
/// use hognose_viewer::{DuelFilm, animation};
///
/// let mut duel = Duel::new(DuelRules::ai_snakes_2021(), 0);
/// let mut film = DuelFilm::new(duel.position(), &Default::default());
/// duel.step([Direction::Up, Direction::Down]);
/// film.add(duel.position(), &Default::default());
/// assert!(animation(film.as_film(), 15.0).contains("<animate "));
/// ```
#[derive(Clone, Debug)]
pub struct DuelFilm(Film);

/// The movements of a snake.
#[derive(Clone, Debug)]
pub(crate) struct FilmedSnake {
    /// The cells that the head visits in order, preceded by the body at the start, tail first.
    pub(crate) way: Vec<Cell>,
    /// The part of the path that the body covers after each step.
    pub(crate) bodies: Vec<Body>,
    /// Plans, each starting at the head with the move that is made.
    pub(crate) plans: Vec<Shown<Plan>>,
    /// Whether there was a plan in the last position.
    planned: bool,
}

/// Indices of cells in the path, from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) tail: usize,
    pub(crate) head: usize,
}

/// Something that is shown from one step until another.
#[derive(Clone, Debug)]
pub(crate) struct Shown<T> {
    pub(crate) what: T,
    pub(crate) from: usize,
    pub(crate) until: usize,
}

/// Moves from a cell.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) start: Cell,
    pub(crate) moves: Vec<Direction>,
}

impl Film {
    /// Creates a film of one position and the policy's plan there.
    pub fn new(position: &Position, overlay: &Overlay) -> Film {
        Film::of(&Seen::of_game(position, overlay))
    }

    /// Adds the next position of the game and the policy's plan there.
    pub fn add(&mut self, position: &Position, overlay: &Overlay) {
        self.show(&Seen::of_game(position, overlay));
    }

    /// Returns the number of steps, which is one less than the number of positions.
    pub fn steps(&self) -> usize {
        self.snakes[0].bodies.len() - 1
    }

    fn of(seen: &Seen<'_>) -> Film {
        let snakes = seen.snakes.iter().map(FilmedSnake::new).collect();
        let mut film = Film {
            board: seen.board,
            snakes,
            foods: Vec::new(),
            cycles: Vec::new(),
            legend: None,
        };
        film.add_foods(&seen.foods);
        film.add_cycle(0, seen.cycle);
        film
    }

    fn show(&mut self, seen: &Seen<'_>) {
        for (filmed, snake) in self.snakes.iter_mut().zip(&seen.snakes) {
            filmed.add(self.board, snake);
        }
        self.add_foods(&seen.foods);
        // A policy decides at the beginning of a step: its plan after the step is shown during the
        // step.
        self.add_cycle(self.steps() - 1, seen.cycle);
    }

    /// Removes foods that are gone, and adds new ones to free lists.
    fn add_foods(&mut self, foods: &[SeenFood]) {
        let now = self.steps();
        let last = |room: &Vec<(usize, Option<SeenFood>)>| room.last().and_then(|&(_, food)| food);
        for room in &mut self.foods {
            if last(room).is_some_and(|food| !foods.contains(&food)) {
                room.push((now, None));
            }
        }
        for &food in foods {
            if self.foods.iter().any(|room| last(room) == Some(food)) {
                continue;
            }
            match self.foods.iter_mut().find(|room| last(room).is_none()) {
                Some(room) => room.push((now, Some(food))),
                None => self.foods.push(vec![(now, Some(food))]),
            }
        }
    }

    /// Shows the cycle from a step until now.
    fn add_cycle(&mut self, from: usize, cycle: &[Cell]) {
        let until = self.steps();
        match self.cycles.last_mut() {
            Some(last) if last.until == from && last.what == cycle => last.until = until,
            _ if cycle.is_empty() => {}
            _ => self.cycles.push(Shown {
                what: cycle.to_vec(),
                from,
                until,
            }),
        }
    }
}

impl DuelFilm {
    /// Creates a film of one position of a duel and each player's planned moves from there.
    pub fn new(position: &DuelPosition, plans: &[Vec<Direction>; 2]) -> DuelFilm {
        DuelFilm(Film::of(&Seen::of_duel(position, plans)))
    }

    /// Adds the next position of the duel and each player's planned moves from there.
    pub fn add(&mut self, position: &DuelPosition, plans: &[Vec<Direction>; 2]) {
        self.0.show(&Seen::of_duel(position, plans));
    }

    /// Adds lines below the film that show who plays and, after the last step, how it ended.
    pub fn with_legend(self, legend: Legend) -> DuelFilm {
        DuelFilm(Film {
            legend: Some(legend),
            ..self.0
        })
    }

    /// Returns the film in the form that painters take.
    pub fn as_film(&self) -> &Film {
        &self.0
    }
}

impl FilmedSnake {
    fn new(snake: &SeenSnake<'_>) -> FilmedSnake {
        FilmedSnake {
            way: snake.body.iter().rev().copied().collect(),
            bodies: vec![Body {
                tail: 0,
                head: snake.body.len() - 1,
            }],
            plans: Vec::new(),
            planned: !snake.plan.is_empty(),
        }
    }

    /// Adds the snake after the next step.
    fn add(&mut self, board: Board, snake: &SeenSnake<'_>) {
        let last = self.bodies.last().expect("there is a first position").head;
        // In a step that ends the game by a collision, the snake stays in place.
        let moved = self.way[last] != snake.body[0];
        if moved {
            self.way.push(snake.body[0]);
        }
        let head = self.way.len() - 1;
        self.bodies.push(Body {
            tail: head + 1 - snake.body.len(),
            head,
        });
        let planned = std::mem::replace(&mut self.planned, !snake.plan.is_empty());
        if moved && (planned || self.planned) {
            let start = self.way[last];
            let mut cell = start;
            let moves = std::iter::once(snake.heading).chain(snake.plan.iter().copied());
            let moves = moves
                .take_while(|&direction| {
                    let next = board.neighbor(cell, direction);
                    cell = next.unwrap_or(cell);
                    next.is_some()
                })
                .collect();
            self.add_plan(start, moves);
        }
    }

    /// Shows a plan during the last step. It may be the rest of the previous plan.
    fn add_plan(&mut self, start: Cell, moves: Vec<Direction>) {
        let until = self.bodies.len() - 1;
        let from = until - 1;
        match self.plans.last_mut() {
            Some(last) if last.until == from && last.what.moves[from - last.from..] == moves => {
                last.until = until
            }
            _ => self.plans.push(Shown {
                what: Plan { start, moves },
                from,
                until,
            }),
        }
    }
}

/// Returns what is shown at every time until the last step, including gaps.
pub(crate) fn throughout<T>(shown: &[Shown<T>], steps: usize) -> Vec<Shown<Option<&T>>> {
    let mut all = Vec::new();
    let mut end = 0;
    for Shown { what, from, until } in shown {
        if end < *from {
            all.push(Shown {
                what: None,
                from: end,
                until: *from,
            });
        }
        all.push(Shown {
            what: Some(what),
            from: *from,
            until: *until,
        });
        end = *until;
    }
    if end < steps {
        all.push(Shown {
            what: None,
            from: end,
            until: steps,
        });
    }
    all
}
