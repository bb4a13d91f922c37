//! Games of a policy for the user to watch.

use crate::answer::{Answer, json, text};
use crate::choices::{maker, named, parse_rules, parse_seed};
use crate::history::History;
use crate::view::{facts, picture};
use crate::worth::{Judge, Opinion, judge_of};
use hognose_env::Reach;
use hognose_eval::{Evaluation, LimitedGame};
use hognose_game::{Origin, Overlay, Policy, Record};
use hognose_policies::NamedPolicy;
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// A policy's game, shown at one step. Showing a later step plays the game up to it.
#[wasm_bindgen]
pub struct Watch {
    named: NamedPolicy,
    policy: Box<dyn Policy>,
    history: History,
    reach: Reach,
    judge: Option<Judge>,
}

#[wasm_bindgen]
impl Watch {
    /// Creates the game of `hognose watch` with the same policy, rules, seed and number of the
    /// game. If the board must be solved first, `progress` receives the completed share, from 0 to
    /// 1.
    ///
    /// # Errors
    /// Fails if the policy, the rules or the seed are invalid, or if the policy refuses the game.
    #[wasm_bindgen(constructor)]
    pub fn new(
        policy: &str,
        rules: &str,
        seed: &str,
        game: u32,
        progress: &Function,
    ) -> Answer<Watch> {
        Watch::of(policy, rules, seed, game, &mut reporter(progress))
    }

    /// Shows a step, playing up to `most` more moves to reach it, and returns the step reached.
    ///
    /// # Errors
    /// Fails if the policy forfeits.
    pub fn look_at(&mut self, step: usize, most: usize) -> Answer<usize> {
        self.history.look_at(step);
        for _ in 0..most {
            if self.history.step() == step || self.history.game().end().is_some() {
                break;
            }
            self.play()?;
        }
        Ok(self.history.step())
    }

    /// Returns the picture of the game, optionally with the policy's cycle, its plan, and the
    /// reachable cells.
    ///
    /// # Errors
    /// Fails if the policy forfeits.
    pub fn picture(&mut self, cycle: bool, plan: bool, reach: bool) -> Answer<Vec<f32>> {
        // A plan or cycle that the policy makes with its next move is shown before the move.
        if (cycle || plan) && self.history.is_at_end() && self.history.game().end().is_none() {
            let step = self.history.step();
            self.play()?;
            self.history.look_at(step);
        }
        let overlay = if cycle || plan {
            self.history.overlay()
        } else {
            Overlay::default()
        };
        let shown = Overlay {
            cycle: if cycle { overlay.cycle } else { Vec::new() },
            plan: if plan { overlay.plan } else { Vec::new() },
        };
        Ok(picture(
            self.history.position(),
            &shown,
            reach.then_some(&mut self.reach),
        ))
    }

    /// Returns facts about the game at the shown step, as JSON.
    pub fn facts(&self) -> String {
        facts(&self.history)
    }

    /// Returns the value of each move at the shown step, as JSON; `null` at the end. A small board
    /// is solved first, and `progress` receives the completed share.
    pub fn worth(&mut self, progress: &Function) -> String {
        let position = self.history.position();
        json(
            &self
                .judge
                .get_or_insert_with(|| judge_of(position, &mut reporter(progress)))
                .worth(position),
        )
    }

    /// Returns the policy's own values of the moves at the shown step, as JSON; `null` at the end,
    /// and for policies without such values.
    pub fn opinion(&self) -> String {
        json(&Opinion::of(&self.named, self.history.position()))
    }

    /// Returns the record of the game up to the shown step.
    ///
    /// # Errors
    /// Never fails: the game itself made the moves.
    pub fn record(&self) -> Answer<String> {
        let moves = self.history.moves()[..self.history.step()].to_vec();
        let origin = Origin::Seed(self.history.position().rules());
        Record::new(origin, self.history.game().seed(), moves)
            .map(text)
            .map_err(text)
    }
}

impl Watch {
    /// Like [`new`](Self::new), for callers without JavaScript.
    ///
    /// # Errors
    /// Fails like `new`.
    pub fn of(
        policy: &str,
        rules: &str,
        seed: &str,
        game: u32,
        progress: &mut dyn FnMut(f64),
    ) -> Answer<Watch> {
        let rules = parse_rules(rules)?;
        let seed = parse_seed(seed)?;
        let evaluation = Evaluation::new(rules, seed, 1);
        let game = LimitedGame::new(evaluation.game(game as usize), evaluation.limits);
        let named = named(policy)?;
        let made = maker(&named, rules.board(), progress)?
            .make(game.position(), Evaluation::policy_seed(game.seed()));
        let policy = made.map_err(|error| format!("{policy} does not play this game: {error}"))?;
        let history = History::new(game, policy.overlay());
        Ok(Watch {
            named,
            policy,
            history,
            reach: Reach::new(rules.board()),
            judge: None,
        })
    }

    /// Plays the policy's next move.
    fn play(&mut self) -> Answer<()> {
        let direction = self.policy.try_act(self.history.position()).map_err(text)?;
        self.history.push(direction, self.policy.overlay());
        Ok(())
    }
}

/// Returns a callback that reports the completed share to a function of the page.
pub(crate) fn reporter(progress: &Function) -> impl FnMut(f64) {
    // Exceptions of the page's function are ignored.
    move |share| drop(progress.call1(&JsValue::NULL, &JsValue::from_f64(share)))
}
