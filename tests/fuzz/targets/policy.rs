//! Policy files. The first byte selects the format of the rest: the bytes of a file, or the
//! description of one of several kinds of agents, to which the checksum is added here, since
//! mutations never hit it. Policies that load play.

#![no_main]

#[path = "shared/files.rs"]
mod files;
#[path = "shared/sealed.rs"]
mod sealed;
#[path = "shared/tiny.rs"]
mod tiny;

use hognose_game::{Choice, Direction, Game, Player, Rules, Status};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::sync::LazyLock;

static WHOLE: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.safetensors");
    let bytes = |experiment: hognose_run::DqnExperiment| {
        let trainer = experiment.trainer("cpu").unwrap();
        hognose_agent::save_policy(&path, &trainer.agent(), &experiment.network).unwrap();
        fs::read(&path).unwrap()
    };
    tiny::experiments().map(bytes).collect()
});

fuzz_target!(|input: &[u8]| {
    let Some((&kind, bytes)) = input.split_first() else {
        return;
    };
    let file = match (WHOLE.get(usize::from(kind % 4)), std::str::from_utf8(bytes)) {
        (None, _) => bytes.to_vec(),
        (Some(whole), Ok(state)) => sealed::with_state(whole, state),
        (Some(_), Err(_)) => return,
    };
    files::with("policy.safetensors", &file, |folder| {
        let Ok(agent) = hognose_agent::load_policy(folder, &hognose_agent::device("cpu").unwrap())
        else {
            return;
        };
        let rules = Rules::new(agent.spec().board);
        // Plans on large boards take long.
        if rules.board().area() <= 256 {
            play(&hognose_policies::player(&agent), rules);
        }
    });
});

/// Plays a few moves, if the policy can play the board.
fn play(player: &Player, rules: Rules) {
    let mut game = Game::new(rules, 0);
    let mut single = match player {
        Player::Single(maker) => maker.make(game.position(), 0).ok(),
        Player::Batch(policy, _) if policy.check(game.position()).is_err() => return,
        Player::Batch(..) => None,
    };
    for _ in 0..8 {
        let position = game.position();
        if position.status() != Status::Ongoing {
            return;
        }
        let direction = match (player, &mut single) {
            (Player::Batch(policy, make_filter), _) => {
                let mut filter = make_filter();
                if filter.reset(position).is_err() {
                    return;
                }
                let mut choices = [Choice {
                    direction: Direction::Up,
                    forbidden: false,
                }];
                policy.act_all(&[position], &[filter.allowed(position)], &mut choices);
                choices[0].direction
            }
            (Player::Single(_), Some(policy)) => policy.act(position),
            (Player::Single(_), None) => return,
        };
        game.step(direction);
    }
}
