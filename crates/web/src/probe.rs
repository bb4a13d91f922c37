//! What an agent makes of positions: the same ones in a page and in the test that compares both,
//! which has this file too.

use hognose_game::{Direction, Game, Rules, Status};
use hognose_policies::{Catalog, NamedPolicy};

/// The games whose positions are asked about.
const GAMES: u64 = 10;

/// What an agent makes of a position.
pub(crate) struct Probe {
    /// The highest Q-value of an allowed action; `None` for agents that choose among plans.
    pub(crate) value: Option<f64>,
    /// The move that it begins a game from there with.
    pub(crate) direction: Direction,
}

/// What an agent makes of all positions of some games that `certified` plays on the least of its
/// boards.
pub(crate) fn probe(agent: &NamedPolicy) -> Vec<Probe> {
    let boards = agent.boards().expect("agents are trained on boards");
    let rules = Rules::new(boards.least());
    let certified = Catalog::default()
        .policy("certified")
        .expect("certified is a solver")
        .single_player();
    let player = agent.single_player();
    let mut probes = Vec::new();
    for seed in 0..GAMES {
        let mut game = Game::new(rules, seed);
        let mut moves = certified
            .make(game.position(), 0)
            .expect("certified plays every board without a torus");
        while game.position().status() == Status::Ongoing {
            // Agents under the mask refuse positions from which they see no certain win.
            if let Ok(mut asked) = player.make(game.position(), 0) {
                let direction = asked.act(game.position());
                probes.push(Probe {
                    value: agent.value(game.position()),
                    direction,
                });
            }
            game.step(moves.act(game.position()));
        }
    }
    probes
}
