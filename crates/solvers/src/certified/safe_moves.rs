//! Moves that can't lose the game.

use super::candidate::Candidate;
use super::certificate::{Certificate, of_another};
use super::planner::Planner;
use crate::grid::{Grid, NONE, tail_to_head};
use hognose_game::rng::{self, Purpose};
use hognose_game::{Allowed, Direction, Event, MakeFilter, MoveFilter, Position, Unsupported, Way};
use std::sync::Arc;

const SAFE_WAYS: Purpose = Purpose::new("safe ways");
/// The effort of the search for a path; more gains little.
const EFFORT: usize = 1;
/// The number of paths tried after a move that leaves the body without a certificate.
const TRIES: u64 = 4;
/// The whole state when no win is certain.
const LOST: u16 = u16::MAX;

/// A filter of moves for any player that allows those after which a win is still certain, because
/// the body has a certificate, or a path to the food is found after which it has one.
///
/// Whatever the player chooses, the game can't be lost. After as many steps without food as the
/// board has cells, the filter allows only the planned path, so that the game also ends.
///
/// After a move that was not allowed, and from a position without a known certificate, all legal
/// moves are allowed.
///
/// ```
/// use hognose_game::{Board, Game, MoveFilter, Rules};
/// use hognose_solvers::SafeMoves;
///
/// let mut game = Game::new(Rules::new(Board::new(6, 6)?), 1);
/// let mut filter = SafeMoves::default();
/// filter.reset(game.position())?;
/// let direction = filter
///     .allowed(game.position())
///     .moves
///     .iter()
///     .next()
///     .expect("some move keeps the win certain");
/// filter.commit(direction);
/// game.step(direction);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SafeMoves {
    planner: Option<Planner>,
    /// What makes a win certain, if it is.
    sure: Option<Sure>,
    /// For each direction, what makes a win certain after that move.
    after: [Option<Sure>; 4],
    length: usize,
    hungry: usize,
}

/// A path to the food, the next cell last, and a certificate of the body after it, or of the
/// current body if there is no path.
#[derive(Clone, Debug)]
struct Sure {
    certificate: Certificate,
    path: Vec<u16>,
    outlook: u32,
}

impl SafeMoves {
    /// Returns a maker of these filters.
    pub fn maker() -> MakeFilter {
        Arc::new(|| Box::new(SafeMoves::default()))
    }

    /// Returns the next move of the current path, planning one if there is none; `None` if no win
    /// is certain.
    fn at_hand(&mut self, position: &Position) -> Option<Direction> {
        let planner = self.planner.as_mut()?;
        let sure = self.sure.as_mut()?;
        if sure.path.is_empty()
            && let Some(planned) = Sure::planned(planner, position, &sure.certificate)
        {
            *sure = planned;
        }
        let head = position.head().0;
        let next = sure
            .path
            .last()
            .copied()
            .unwrap_or_else(|| sure.certificate.next(head, position, 1));
        Some(planner.grid().direction(head, next))
    }

    /// Returns what makes a win certain after a move, and the way to the food that begins with this
    /// move.
    fn sure_after(
        &mut self,
        position: &Position,
        direction: Direction,
        at_hand: Direction,
    ) -> Option<(Sure, Option<Way>)> {
        let planner = self.planner.as_mut()?;
        let Sure {
            certificate,
            path,
            outlook,
        } = self.sure.as_ref()?;
        let mut after = position.clone();
        let event = after.step(direction);
        let sure = match (event, path.split_last()) {
            (_, Some((_, rest))) if direction == at_hand => Sure {
                certificate: certificate.clone(),
                path: rest.to_vec(),
                outlook: *outlook,
            },
            (Event::Moved, _) => Sure::after(planner, certificate, &after)?,
            _ => {
                let end = planner.eat_next(position, after.head(), certificate)?;
                Sure {
                    path: Vec::new(),
                    ..Sure::by(end)
                }
            }
        };
        let way = Way {
            steps: 1 + sure.path.len() as u16,
            outlook: sure.outlook,
        };
        let eats = event != Event::Moved || !sure.path.is_empty();
        Some((sure, eats.then_some(way)))
    }
}

impl MoveFilter for SafeMoves {
    fn reset(&mut self, position: &Position) -> Result<(), Unsupported> {
        self.sure = None;
        self.after = [const { None }; 4];
        (self.length, self.hungry) = (position.len(), 0);
        let planner = Planner::on(position.board(), &mut self.planner, 0.0, false);
        self.sure = Some(Sure::along(planner.first_certificate(position)?, position));
        Ok(())
    }

    fn allowed(&mut self, position: &Position) -> Allowed {
        if position.len() != self.length {
            (self.length, self.hungry) = (position.len(), 0);
        }
        self.after = [const { None }; 4];
        let Some(at_hand) = self.at_hand(position) else {
            return position.legal_moves().into();
        };
        let patient = self.hungry < position.board().area();
        let open = if patient {
            position.legal_moves()
        } else {
            [at_hand].into_iter().collect()
        };
        let mut allowed = Allowed::default();
        for direction in open.iter() {
            let Some((sure, way)) = self.sure_after(position, direction, at_hand) else {
                continue;
            };
            allowed.moves.insert(direction);
            allowed.ways[direction.index()] = way;
            self.after[direction.index()] = Some(sure);
        }
        allowed
    }

    fn commit(&mut self, direction: Direction) {
        self.hungry += 1;
        self.sure = self.after[direction.index()].take();
    }

    fn state(&self) -> Vec<u16> {
        let Some(Sure {
            certificate,
            path,
            outlook,
        }) = &self.sure
        else {
            return vec![LOST];
        };
        let numbers = [
            self.length as u16,
            u16::try_from(self.hungry).unwrap_or(u16::MAX),
            *outlook as u16,
            (outlook >> 16) as u16,
            path.len() as u16,
        ];
        numbers
            .into_iter()
            .chain(path.iter().copied())
            .chain(certificate.to_numbers())
            .collect()
    }

    fn restore(&mut self, position: &Position, state: &[u16]) -> Result<(), Unsupported> {
        if state == [LOST] {
            self.sure = None;
            return Ok(());
        }
        let grid = Grid::new(position.board());
        let read = || {
            let (&[length, hungry, low, high, path], rest) = state.split_first_chunk()?;
            let (path, certificate) = rest.split_at_checked(path.into())?;
            let sure = Sure {
                certificate: Certificate::from_numbers(&grid, certificate)?,
                path: path.to_vec(),
                outlook: u32::from(high) << 16 | u32::from(low),
            };
            sure.wins_from(&grid, position)
                .then_some((length, hungry, sure))
        };
        let (length, hungry, sure) = read().ok_or_else(of_another)?;
        (self.length, self.hungry) = (length.into(), hungry.into());
        self.sure = Some(sure);
        self.after = [const { None }; 4];
        Planner::on(position.board(), &mut self.planner, 0.0, false);
        Ok(())
    }
}

impl Sure {
    /// Finds a certain win after a move that does not eat.
    fn after(planner: &mut Planner, base: &Certificate, position: &Position) -> Option<Sure> {
        let body: Vec<u16> = tail_to_head(position).collect();
        let Some(certificate) = planner.certify(base, &body) else {
            return planner.reach(position, base, TRIES).map(Sure::by);
        };
        Sure::planned(planner, position, &certificate)
            .or_else(|| Some(Sure::along(certificate, position)))
    }

    /// Plans a path by a search that starts from a certificate of the body. `None` without food, or
    /// if a single cell would go straight back, which players that choose turns can't do.
    fn planned(
        planner: &mut Planner,
        position: &Position,
        certificate: &Certificate,
    ) -> Option<Sure> {
        if position.foods().is_empty() {
            return None;
        }
        let mut draws = rng::keyed(0, SAFE_WAYS, 0);
        let best = planner.plan(position, EFFORT, certificate, &mut draws);
        (!goes_back(position, best.path[0])).then(|| Sure::by(best))
    }

    /// Returns whether the path leads from a position to food, and the certificate wins after it.
    fn wins_from(&self, grid: &Grid, position: &Position) -> bool {
        let mut after = position.clone();
        for (&cell, left) in self.path.iter().rev().zip((0..self.path.len()).rev()) {
            let head = after.head().0;
            if cell == NONE || !grid.neighbors(head).contains(&cell) {
                return false;
            }
            let event = after.step(grid.direction(head, cell));
            if matches!(event, Event::Lost(_)) || (event == Event::Moved) != (left > 0) {
                return false;
            }
        }
        self.certificate.wins_from(&after)
    }

    /// Follows a certificate of the body. A single cell lies on the cycle in both directions: picks
    /// the one that does not lead straight back.
    fn along(mut certificate: Certificate, position: &Position) -> Sure {
        if position.len() == 1
            && goes_back(position, certificate.next(position.head().0, position, 1))
        {
            certificate.reverse();
        }
        Sure {
            certificate,
            path: Vec::new(),
            outlook: 0,
        }
    }

    /// Converts a plan.
    fn by(plan: &Candidate) -> Sure {
        Sure {
            certificate: plan.certificate.clone(),
            path: plan.path.iter().rev().copied().collect(),
            outlook: plan.outlook(),
        }
    }
}

fn goes_back(position: &Position, next: u16) -> bool {
    let back = position
        .board()
        .neighbor(position.head(), position.heading().opposite());
    back.is_some_and(|back| back.0 == next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certified::plans::tests::boards;
    use hognose_game::{Directions, Game, Rules, Status};

    /// A state after a step on a path to the food matches no other food and few other bodies.
    #[test]
    fn a_state_of_another_position_is_refused() {
        let starts = Rules::new("4x4".parse().unwrap()).bodies(4);
        let mut game = Game::from_position(starts[0].clone(), 5);
        let mut safe = SafeMoves::default();
        safe.reset(game.position()).unwrap();
        let way = safe
            .allowed(game.position())
            .ways
            .iter()
            .position(|way| way.is_some_and(|way| way.steps > 1));
        let direction = Direction::from_index(way.expect("the food is not next to the head"));
        safe.commit(direction);
        game.step(direction);
        let state = safe.state();
        let mut refused = 0;
        for (start, seed) in starts.iter().zip(0..) {
            let start = Game::from_position(start.clone(), seed).position().clone();
            let mut other = SafeMoves::default();
            let Ok(()) = other.reset(&start) else {
                continue;
            };
            let before = other.state();
            if other.restore(&start, &state).is_err() {
                refused += 1;
                assert_eq!(other.state(), before);
            }
        }
        assert!(
            refused > starts.len() * 3 / 4,
            "{refused} of {}",
            starts.len()
        );
        SafeMoves::default()
            .restore(game.position(), &state)
            .unwrap();
    }

    #[test]
    fn no_choice_of_safe_moves_loses() {
        for board in boards() {
            for seed in 0..6 {
                let mut game = Game::new(Rules::new(board), seed);
                let mut safe = SafeMoves::default();
                safe.reset(game.position()).unwrap();
                let mut draws = rng::keyed(seed, Purpose::new("choices"), 0);
                let mut way: Option<Way> = None;
                while game.position().status() == Status::Ongoing {
                    let allowed = safe.allowed(game.position());
                    // Another filter continues identically from its state.
                    let mut other = SafeMoves::default();
                    assert!(other.restore(game.position(), &[]).is_err());
                    other.restore(game.position(), &safe.state()).unwrap();
                    assert_eq!(other.allowed(game.position()), allowed);
                    safe = other;
                    let Allowed { moves, ways } = allowed;
                    assert_eq!(
                        moves.without(game.position().legal_moves()),
                        Directions::EMPTY
                    );
                    assert_ne!(moves.turn_bits(game.position().heading()), 0);
                    // The previous path still makes the win certain.
                    if let Some(Way { steps, outlook }) = way {
                        assert!(
                            ways.contains(&Some(Way {
                                steps: steps - 1,
                                outlook
                            })),
                            "{:?}",
                            game.position()
                        );
                    }
                    let choice = rng::below(&mut draws, moves.len() as u64) as usize;
                    let direction = moves.iter().nth(choice).unwrap();
                    safe.commit(direction);
                    let event = game.step(direction);
                    way = ways[direction.index()].filter(|_| event == Event::Moved);
                    assert!(way.is_none_or(|way| way.steps > 1), "{:?}", game.position());
                }
                assert_eq!(
                    game.position().status(),
                    Status::Won,
                    "{:?}",
                    game.position()
                );
            }
        }
    }
}
