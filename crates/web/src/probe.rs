//! An agent's results at fixed positions, to compare the page with other machines. The test that
//! compares them includes this file, too.

use hognose_game::{Direction, Game, Rules, Status};
use hognose_policies::{Catalog, NamedPolicy};

/// The number of games whose positions are probed.
const GAMES: u64 = 10;

/// An agent's result at a position.
pub(crate) struct Probe {
    /// The highest Q-value of an allowed action; `None` for agents that choose among plans.
    pub(crate) value: Option<f64>,
    /// Its first move in a game from this position.
    pub(crate) direction: Direction,
}

/// Returns an agent's results at all positions of some games of `certified` on the agent's smallest
/// board.
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
            // Agents with the mask of safe moves refuse positions without a known certain win.
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
