//! A game that can be shown at every step.

use hognose_eval::LimitedGame;
use hognose_game::{Cell, Direction, Overlay, Position};

/// A game up to its last step so far, with its policy's cycles and plans, shown at one step.
///
/// Going back replays moves from the nearest earlier copy of the game. There are at most [`KEPT`]
/// copies, so a game needs little more memory than its moves.
pub(crate) struct History {
    /// The game at the shown step.
    game: LimitedGame,
    step: usize,
    moves: Vec<Direction>,
    /// Copies of the game at step 0 and every `spacing` steps.
    kept: Vec<LimitedGame>,
    spacing: usize,
    /// The policy's cycles and plans, with the steps at which they changed. A plan shortened by its
    /// next move counts as unchanged.
    cycles: Vec<(usize, Vec<Cell>)>,
    plans: Vec<(usize, Vec<Direction>)>,
}

/// The maximum number of copies.
const KEPT: usize = 256;

impl History {
    /// Creates a game before its first move, with the policy's cycle and plan.
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

    /// Returns the game at the shown step.
    pub(crate) fn game(&self) -> &LimitedGame {
        &self.game
    }

    /// Returns the position at the shown step.
    pub(crate) fn position(&self) -> &Position {
        self.game.position()
    }

    /// Returns the shown step.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// Returns all moves so far.
    pub(crate) fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Returns whether the shown step is the last one so far.
    pub(crate) fn is_at_end(&self) -> bool {
        self.step == self.moves.len()
    }

    /// Adds a move at the end, and the policy's cycle and plan after it.
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

    /// Keeps a copy of the game. If there are too many copies, drops every second one.
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

    /// Shows a step, or the last one if there are fewer.
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

    /// Removes the moves after the shown step.
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

    /// Returns the policy's cycle and plan at the shown step. If it has none, they come from after
    /// its next move.
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

    /// Returns the policy's cycle and plan after `step` moves.
    fn thought(&self, step: usize) -> Overlay {
        let (_, cycle) = last_until(&self.cycles, step);
        let (since, plan) = last_until(&self.plans, step);
        Overlay {
            cycle: cycle.clone(),
            plan: plan.iter().skip(step - since).copied().collect(),
        }
    }
}

/// Returns the last entry up to a step; the first entry has step 0.
fn last_until<T>(entries: &[(usize, T)], step: usize) -> &(usize, T) {
    &entries[entries.partition_point(|(since, _)| *since <= step) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hognose_eval::Limits;
    use hognose_game::{Game, Rules};
    use hognose_policies::Catalog;

    /// Every step shows the same as during the game, in whatever order steps are shown.
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

    /// A long game keeps few copies, and still shows every step correctly.
    #[test]
    fn long_games_keep_few_copies() {
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
