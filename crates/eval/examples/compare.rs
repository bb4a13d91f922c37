//! Compares two solvers on identical seeds: each plays the same games, so that the interval of the
//! difference is narrower than those of the means.

use hognose_eval::{Evaluation, Summary, evaluate};
use hognose_game::{MakePolicy, Player, Rules};
use hognose_solvers::{Certified, Shortcut};
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Evaluation {
        threads: 2,
        ..Evaluation::new(Rules::new("6x6".parse()?), 0, 200)
    };
    let play = |solver: Arc<dyn MakePolicy>| {
        evaluate(
            || Player::Single(solver.clone()),
            &config,
            |_| ControlFlow::Continue(()),
        )
    };
    let shortcut = play(Arc::new(Shortcut::default()))?;
    let certified = play(Arc::new(Certified::default()))?;

    let board = config.rules.board();
    for (name, played) in [("shortcut", &shortcut), ("certified", &certified)] {
        let summary = Summary::new(name, board, played);
        println!(
            "{name}: {:.1} steps to win",
            summary.mean_steps_won.unwrap_or(f64::NAN)
        );
    }
    let paired = Summary::new("certified", board, &certified)
        .paired_with("shortcut", &shortcut.episodes, &certified.episodes)
        .paired
        .expect("it has just been paired");
    if let (Some(mean), Some(interval)) = (paired.steps_won, paired.steps_won_interval) {
        println!(
            "certified - shortcut, over {} games: {mean:.1} steps [{:.1}, {:.1}]",
            paired.both_won, interval.low, interval.high
        );
    }
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
