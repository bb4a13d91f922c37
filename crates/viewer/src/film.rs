//! What a moving picture of a game shows, whatever paints it.

use crate::legend::Legend;
use crate::seen::{Seen, SeenFood, SeenSnake};
use hognose_game::duel::DuelPosition;
use hognose_game::{Board, Cell, Direction, Overlay, Position};

/// A moving picture of a game: a picture of each position, and how one becomes the next. Like a
/// [`Drawing`](crate::Drawing) it knows no file formats.
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
    /// The snake, or those of both seats in order.
    pub(crate) snakes: Vec<FilmedSnake>,
    /// Each has room for one food: where it lies from which step on, or that none does.
    pub(crate) foods: Vec<Vec<(usize, Option<SeenFood>)>>,
    pub(crate) cycles: Vec<Shown<Vec<Cell>>>,
    /// Who plays a duel, and how it ended after the last step.
    pub(crate) legend: Option<Legend>,
}

/// A moving picture of a duel.
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

/// What a snake does.
#[derive(Clone, Debug)]
pub(crate) struct FilmedSnake {
    /// The cells that the head visits one after another. The body at the start comes first, its
    /// tail before all.
    pub(crate) way: Vec<Cell>,
    /// The part of the way that the body covers after each step.
    pub(crate) bodies: Vec<Body>,
    /// Each begins at the head, with the move that is made.
    pub(crate) plans: Vec<Shown<Plan>>,
    /// Whether there was a plan at the last position.
    planned: bool,
}

/// Places on the way: the first is 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) tail: usize,
    pub(crate) head: usize,
}

/// What is shown from one step until another.
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
    /// A film that shows one position, and what the policy has in mind there.
    pub fn new(position: &Position, overlay: &Overlay) -> Film {
        Film::of(&Seen::of_game(position, overlay))
    }

    /// Adds the next position of the game, and what the policy has in mind there.
    pub fn add(&mut self, position: &Position, overlay: &Overlay) {
        self.show(&Seen::of_game(position, overlay));
    }

    /// The number of steps: one less than that of positions.
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
        // A policy makes up its mind at the step's begin: what it has in mind after the step is
        // shown during it.
        self.add_cycle(self.steps() - 1, seen.cycle);
    }

    /// Takes away foods that are gone, and puts new ones where there is room.
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

    /// The cycle is shown from a step until now.
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
    /// A film that shows one position of a duel, and the moves from there on that each player
    /// plans.
    pub fn new(position: &DuelPosition, plans: &[Vec<Direction>; 2]) -> DuelFilm {
        DuelFilm(Film::of(&Seen::of_duel(position, plans)))
    }

    /// Adds the next position of the duel, and the moves from there on that each player plans.
    pub fn add(&mut self, position: &DuelPosition, plans: &[Vec<Direction>; 2]) {
        self.0.show(&Seen::of_duel(position, plans));
    }

    /// The film with lines below it that say who plays, and after the last step how it ended.
    pub fn with_legend(self, legend: Legend) -> DuelFilm {
        DuelFilm(Film {
            legend: Some(legend),
            ..self.0
        })
    }

    /// The film, as painters take it.
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

    /// Adds what the snake looks like after the next step.
    fn add(&mut self, board: Board, snake: &SeenSnake<'_>) {
        let last = self.bodies.last().expect("there is a first position").head;
        // In a step that ends a game by a collision, the snake stays.
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

    /// The plan is shown during the last step. It may be what is left of the plan of before.
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

/// What is shown at every time until the last step, and where nothing is.
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
