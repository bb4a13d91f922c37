//! A policy plays, and somebody watches.

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

/// A game that a policy plays. It is looked at from one step, and played as far as that takes.
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
    /// The game that `hognose watch` shows with the same policy, rules, seed and number of the
    /// game. `progress` hears from 0 to 1 how much is done where the board must be solved first.
    ///
    /// # Errors
    /// When there is no such policy, or these are no rules, or the policy does not play this game.
    #[wasm_bindgen(constructor)]
    pub fn new(
        policy: &str,
        rules: &str,
        seed: &str,
        game: u32,
        progress: &Function,
    ) -> Answer<Watch> {
        Watch::of(policy, rules, seed, game, &mut told(progress))
    }

    /// Looks at a step, and plays as far as it takes: at most so many moves more. Tells the step
    /// that is reached.
    ///
    /// # Errors
    /// When the policy gives the game up.
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

    /// The picture of the game, with what is to be shown of what the policy has in mind.
    ///
    /// # Errors
    /// When the policy gives the game up.
    pub fn picture(&mut self, cycle: bool, plan: bool, reach: bool) -> Answer<Vec<f32>> {
        // What the policy decides with its next move is shown before the move.
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

    /// What is known of the game at the step that is looked at, as JSON.
    pub fn facts(&self) -> String {
        facts(&self.history)
    }

    /// What each move is worth at the step that is looked at, as JSON; `null` at the end. A small
    /// board is solved for it, about which `progress` hears.
    pub fn worth(&mut self, progress: &Function) -> String {
        let position = self.history.position();
        json(
            &self
                .judge
                .get_or_insert_with(|| judge_of(position, &mut told(progress)))
                .worth(position),
        )
    }

    /// What the policy itself thinks of each move at the step that is looked at, as JSON; `null` at
    /// the end, and for policies that have no such values.
    pub fn opinion(&self) -> String {
        json(&Opinion::of(&self.named, self.history.position()))
    }

    /// The record of the game up to the step that is looked at.
    ///
    /// # Errors
    /// Never: the moves were made one by one.
    pub fn record(&self) -> Answer<String> {
        let moves = self.history.moves()[..self.history.step()].to_vec();
        let origin = Origin::Seed(self.history.position().rules());
        Record::new(origin, self.history.game().seed(), moves)
            .map(text)
            .map_err(text)
    }
}

impl Watch {
    /// As [`new`](Self::new), for callers without JavaScript.
    ///
    /// # Errors
    /// As there.
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

    /// Makes the policy's next move.
    fn play(&mut self) -> Answer<()> {
        let direction = self.policy.try_act(self.history.position()).map_err(text)?;
        self.history.push(direction, self.policy.overlay());
        Ok(())
    }
}

/// Tells a function of the page how much is done.
pub(crate) fn told(progress: &Function) -> impl FnMut(f64) {
    // What the page does with it changes nothing here.
    move |share| drop(progress.call1(&JsValue::NULL, &JsValue::from_f64(share)))
}
