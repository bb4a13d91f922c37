//! A game that can be looked at from every step.

use hognose_eval::LimitedGame;
use hognose_game::{Cell, Direction, Overlay, Position};

/// A game from its first step to the last one so far, with what its policy had in mind, looked at
/// from one step.
///
/// Going back replays moves from the nearest game that was kept. At most [`KEPT`] are, so the
/// memory of a game is little more than its moves.
pub(crate) struct History {
    /// The game at the step that is looked at.
    game: LimitedGame,
    step: usize,
    moves: Vec<Direction>,
    /// The games at step 0 and at every `spacing` steps.
    kept: Vec<LimitedGame>,
    spacing: usize,
    /// What the policy had in mind, by the step at which it changed otherwise than by a move that
    /// was planned.
    cycles: Vec<(usize, Vec<Cell>)>,
    plans: Vec<(usize, Vec<Direction>)>,
}

/// The most games that are kept.
const KEPT: usize = 256;

impl History {
    /// A game before its first move, when its policy has this in mind.
    pub(crate) fn new(game: LimitedGame, overlay: Overlay) -> History {
        let kept = vec![game.clone()];
        let cycles = vec![(0, overlay.cycle)];
        let plans = vec![(0, overlay.plan)];
        History {
            game,
            step: 0,
            moves: Vec::new(),
            kept,
            spacing: 64,
            cycles,
            plans,
        }
    }

    /// The game at the step that is looked at.
    pub(crate) fn game(&self) -> &LimitedGame {
        &self.game
    }

    /// What there is to see.
    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    /// The step that is looked at.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// The moves so far.
    pub(crate) fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Whether nothing comes after the step that is looked at.
    pub(crate) fn is_at_end(&self) -> bool {
        self.step == self.moves.len()
    }

    /// Makes a move at the end of the game so far, after which the policy has this in mind.
    pub(crate) fn push(&mut self, direction: Direction, overlay: Overlay) {
        debug_assert!(self.is_at_end(), "moves are made at the end");
        self.moves.push(direction);
        self.forward();
        let thought = self.thought(self.step);
        if thought.cycle != overlay.cycle {
            self.cycles.push((self.step, overlay.cycle));
        }
        if thought.plan != overlay.plan {
            self.plans.push((self.step, overlay.plan));
        }
        if self.step == self.kept.len() * self.spacing {
            self.keep();
        }
    }

    /// Keeps the game at this step, and half as many others where there are too many.
    fn keep(&mut self) {
        self.kept.push(self.game.clone());
        if self.kept.len() > KEPT {
            let mut index = 0;
            self.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.spacing *= 2;
        }
    }

    /// Looks at a step, or at the last one if there are fewer.
    pub(crate) fn look_at(&mut self, step: usize) {
        let step = step.min(self.moves.len());
        if step < self.step {
            let kept = step / self.spacing;
            self.game = self.kept[kept].clone();
            self.step = kept * self.spacing;
        }
        while self.step < step {
            self.forward();
        }
    }

    /// Takes back the moves after the step that is looked at.
    pub(crate) fn cut(&mut self) {
        self.moves.truncate(self.step);
        self.kept.truncate(self.step / self.spacing + 1);
        self.cycles.retain(|(since, _)| *since <= self.step);
        self.plans.retain(|(since, _)| *since <= self.step);
    }

    fn forward(&mut self) {
        self.game.step(self.moves[self.step]);
        self.step += 1;
    }

    /// What the policy has in mind at the step that is looked at. What it decides with its next
    /// move belongs to it.
    pub(crate) fn overlay(&self) -> Overlay {
        let mut overlay = self.thought(self.step);
        if let Some(&direction) = self.moves.get(self.step) {
            let next = self.thought(self.step + 1);
            if overlay.plan.is_empty() && !next.plan.is_empty() {
                overlay.plan = [&[direction], &next.plan[..]].concat();
            }
            if overlay.cycle.is_empty() {
                overlay.cycle = next.cycle;
            }
        }
        overlay
    }

    /// What the policy had in mind after so many moves.
    fn thought(&self, step: usize) -> Overlay {
        let (_, cycle) = last_until(&self.cycles, step);
        let (since, plan) = last_until(&self.plans, step);
        Overlay {
            cycle: cycle.clone(),
            plan: plan.iter().skip(step - since).copied().collect(),
        }
    }
}

/// The last entry that was written until a step; the first one is of step 0.
fn last_until<T>(entries: &[(usize, T)], step: usize) -> &(usize, T) {
    &entries[entries.partition_point(|(since, _)| *since <= step) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_eval::Limits;
    use hognose_game::{Game, Rules};
    use hognose_policies::Catalog;

    /// Whatever step is looked at, and from wherever: what is shown is what was there when the game
    /// was played.
    #[test]
    fn every_step_is_as_it_was_played() {
        for (name, board) in [
            ("certified", "8x8"),
            ("hamiltonian", "12x12"),
            ("phc", "6x6"),
            ("greedy", "7x7"),
        ] {
            let rules = Rules::new(board.parse().unwrap());
            let start = LimitedGame::new(Game::new(rules, 3), Limits::new(rules));
            let mut policy = Catalog::default()
                .policy(name)
                .unwrap()
                .single_player()
                .make(start.position(), 0)
                .unwrap();
            let mut history = History::new(start.clone(), policy.overlay());
            let mut played = vec![(start.position().clone(), policy.overlay())];
            while history.game().end().is_none() {
                let direction = policy.act(history.position());
                history.push(direction, policy.overlay());
                played.push((history.position().clone(), policy.overlay()));
            }
            assert!(history.kept.len() <= KEPT, "{name}");
            let steps = [0, 5, 64, 63, 1, 700, 333, 334, usize::MAX, 9, 65];
            for step in steps
                .into_iter()
                .chain(0..played.len())
                .chain((0..played.len()).rev())
            {
                history.look_at(step);
                let (position, overlay) = &played[step.min(played.len() - 1)];
                assert_eq!(
                    (history.position(), &history.thought(history.step())),
                    (position, overlay),
                    "{name} {step}"
                );
            }
        }
    }

    /// A long game keeps few games, and a step of it is still found.
    #[test]
    fn long_games_keep_few_games() {
        let rules = Rules::new("8x8".parse().unwrap());
        let position = Position::new(
            rules,
            Direction::Right,
            [rules.board().cell(6, 6)],
            [rules.board().cell(0, 0)],
        );
        let mut history = History::new(
            LimitedGame::new(Game::from_position(position.unwrap(), 0), Limits::NONE),
            Overlay::default(),
        );
        let around = [
            Direction::Right,
            Direction::Down,
            Direction::Left,
            Direction::Up,
        ];
        let head = |history: &History| history.position().head();
        let mut heads = vec![head(&history)];
        for step in 0..100_000 {
            history.push(around[step % 4], Overlay::default());
            heads.push(head(&history));
        }
        assert!(
            history.kept.len() <= KEPT && history.spacing == 512,
            "{}",
            history.spacing
        );
        for step in [99_999, 0, 512, 511, 70_001, 70_000, 3] {
            history.look_at(step);
            assert_eq!(
                (head(&history), history.game().steps()),
                (heads[step], step as u64)
            );
        }
        history.cut();
        assert_eq!((history.moves().len(), history.kept.len()), (3, 1));
    }
}
