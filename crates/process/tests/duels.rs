//! Programs that play duels, or misbehave in them. The latter are shell scripts, so these tests run
//! on Unix.
#![cfg(unix)]

use hognose_game::duel::{Bot, Duel, DuelPosition, DuelRules, MakeBot, Seat};
use hognose_game::{Direction, Forfeit};
use hognose_process::Programs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Long enough for every program, except those that must be late.
const LIMIT: Duration = Duration::from_secs(20);
const SHORT_LIMIT: Duration = Duration::from_millis(300);
/// Answers every position with the first legal move.
const FIRST_LEGAL: &str = r#"while read -r line; do case "$line" in
    *position*) step=${line#*\"step\":}; move=${line#*\"legal\":[\"};
    echo "{\"step\":${step%%,*},\"move\":\"${move%%\"*}\"}";; esac; done"#;
/// Answers the first position, and reads the next one.
const ONE_ANSWER: &str =
    r#"read -r line; read -r line; echo '{"step":0,"move":"down"}'; read -r line;"#;

fn programs(script: &str, limit: Duration) -> Programs {
    Programs::new(
        &format!("sh -c {}", shlex::try_quote(script).unwrap()),
        limit,
    )
    .unwrap()
}

fn duel() -> Duel {
    Duel::new(DuelRules::ai_snakes_2021(), 7)
}

fn bot(programs: &Programs, seat: Seat) -> Box<dyn Bot> {
    programs.make(duel().position(), seat, 1).unwrap()
}

/// Plays a duel to its end, and reports it to the bots.
fn play(mut duel: Duel, mut bots: [Box<dyn Bot>; 2]) -> DuelPosition {
    while duel.position().outcome().is_none() {
        let moves = Seat::BOTH.map(|seat| {
            let direction = bots[seat.index()].try_act(duel.position()).unwrap();
            let legal = duel.position().legal_moves(seat);
            assert!(
                legal.contains(direction) || legal.is_empty(),
                "{direction} of the {seat} snake"
            );
            direction
        });
        duel.step(moves);
    }
    bots.iter_mut().for_each(|bot| bot.end(duel.position()));
    duel.position().clone()
}

/// Returns why a program forfeits at this step; before, it plays against a snake that goes straight
/// on.
fn reason(programs: &Programs, step: usize) -> String {
    let mut duel = duel();
    let mut bot = bot(programs, Seat::Second);
    for _ in 0..step {
        let its = bot.try_act(duel.position()).unwrap();
        duel.step([Direction::Up, its]);
    }
    let Forfeit(reason) = bot.try_act(duel.position()).unwrap_err();
    assert_eq!(
        bot.try_act(duel.position()),
        Err(Forfeit(reason.clone())),
        "a program that forfeits receives no more lines"
    );
    reason
}

/// The example bots play the same duels. Python and JavaScript must be installed; Java is tested if
/// it is there.
#[test]
fn examples_play_legally_and_eat() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut commands = vec!["python3 EXAMPLES/bot.py", "node EXAMPLES/bot.js"];
    if Command::new("javac").arg("--version").output().is_ok() {
        commands.push("java EXAMPLES/Bot.java");
    }
    let ends = commands.into_iter().map(|command| {
        let command = command.replace("EXAMPLES", examples.to_str().unwrap());
        let programs = Programs::new(&command, LIMIT).unwrap();
        let duels = (0..5).map(|seed| {
            let rules = DuelRules::ai_snakes_2021()
                .with_foods(3)
                .unwrap()
                .with_step_limit(300)
                .unwrap();
            let duel = Duel::new(rules, seed);
            let bots = Seat::BOTH.map(|seat| programs.make(duel.position(), seat, seed).unwrap());
            play(duel, bots)
        });
        duels.collect::<Vec<_>>()
    });
    let ends: Vec<_> = ends.collect();
    ends[1..]
        .iter()
        .for_each(|other| assert_eq!(ends[0], *other));
    let cells: usize = ends[0]
        .iter()
        .flat_map(|end| Seat::BOTH.map(|seat| end.length(seat)))
        .sum();
    assert!(
        cells > 5 * 2 * 5,
        "expected more than 100 cells of 10 snakes, got {cells}"
    );
}

/// Players for one snake can play duels without changes.
#[test]
fn players_of_one_snake_play_duels() {
    let player = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/player.py");
    let programs = Programs::new(&format!("python3 {}", player.display()), LIMIT).unwrap();
    let end = play(duel(), Seat::BOTH.map(|seat| bot(&programs, seat)));
    assert!(end.outcome().is_some());
}

/// One process plays one duel after another, and receives for each its seat, its own seed, and the
/// end.
#[test]
fn a_process_plays_many_duels() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let script = format!("tee -a {} | {FIRST_LEGAL}", received.display());
    let (programs, other) = (programs(&script, LIMIT), programs(FIRST_LEGAL, LIMIT));
    let seed = 0xdead_beef_dead_beef;
    let first = programs.make(duel().position(), Seat::First, seed).unwrap();
    let end = play(
        Duel::new(DuelRules::ai_snakes_2021(), 123_456_789),
        [first, bot(&other, Seat::Second)],
    );
    let second = programs
        .make(duel().position(), Seat::Second, seed)
        .unwrap();
    let mut left = bot(&other, Seat::First);
    left.try_act(duel().position()).unwrap();
    drop(left);
    drop(second);
    let mut second = programs
        .make(duel().position(), Seat::Second, seed)
        .unwrap();
    second.try_act(duel().position()).unwrap();
    second.end(duel().position());
    drop((second, programs));
    let received = std::fs::read_to_string(received).unwrap();
    let kinds: Vec<&str> = received
        .lines()
        .map(|line| line.split('"').nth(3).unwrap())
        .collect();
    let long = [
        vec!["start"],
        vec!["position"; end.steps() as usize],
        vec!["end"],
    ]
    .concat();
    assert_eq!(
        kinds,
        [long, vec!["start", "position", "end"]].concat(),
        "{received}"
    );
    let lines: Vec<&str> = received.lines().collect();
    assert!(
        lines[0].contains(r#""seat":"first""#)
            && lines[0].contains(&format!(r#""seed":{}"#, seed >> 11))
    );
    assert!(
        !received.contains("123456789"),
        "the duel's seed must stay secret"
    );
    let result = &lines[end.steps() as usize + 1];
    let expected = match end.outcome().unwrap().winner {
        Some(Seat::First) => "won",
        Some(Seat::Second) => "lost",
        None => "drawn",
    };
    assert!(
        result.contains(&format!(r#""result":"{expected}","steps":{}"#, end.steps())),
        "{result}"
    );
    assert!(
        lines
            .last()
            .unwrap()
            .contains(r#""result":"stopped","steps":1,"cause":null,"length":3"#),
        "{received}"
    );
}

#[test]
fn misbehavior_forfeits() {
    let hurried = |script: &str| programs(script, SHORT_LIMIT);
    let one = ONE_ANSWER;
    assert!(
        reason(&hurried(&format!("{one} exit 3")), 1)
            .starts_with("the program ended (exit status: 3)")
    );
    assert!(
        reason(&hurried(&format!("{one} kill -SEGV $$")), 1)
            .starts_with("the program ended (signal: 11")
    );
    assert!(reason(&hurried(&format!("{one} echo hello; cat")), 1).contains("got \"hello\""));
    assert_eq!(
        reason(&hurried(&format!("{one} sleep 60")), 1),
        "no answer to step 1 within 0.3 s (--move-limit allows more)"
    );
    let ahead = format!(r#"{one} echo '{{"step":2,"move":"up"}}'; cat"#);
    assert_eq!(
        reason(&hurried(&ahead), 1),
        "expected an answer to step 1, got one to step 2"
    );
    let other_game = format!(
        r#"{one} echo '{{"step":0,"move":"up"}}'; echo '{{"step":1,"move":"sideways"}}'; cat"#
    );
    assert!(reason(&hurried(&other_game), 1).contains("unknown variant `sideways`"));
}

/// A program that falls silent is ended, with all processes that it started.
#[test]
fn silent_programs_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let alive = folder.path().join("alive");
    let child = format!(
        "(while :; do touch {}; sleep 0.05; done) &",
        alive.display()
    );
    let programs = programs(&format!("{child} {ONE_ANSWER} sleep 100"), SHORT_LIMIT);
    assert_eq!(
        reason(&programs, 1),
        "no answer to step 1 within 0.3 s (--move-limit allows more)"
    );
    std::thread::sleep(Duration::from_millis(200));
    std::fs::remove_file(&alive).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!alive.exists(), "the child of the program must end");
}
