//! Programs that play, or misbehave. The latter are shell scripts, and /proc shows whether they
//! have ended, so these tests run on Linux.
#![cfg(target_os = "linux")]

use hognose_game::{Direction, Forfeit, Game, MakePolicy, Policy, Position, Rules, Status};
use hognose_process::{CommandError, FIRST_ANSWER, NoLine, Program, Programs};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Long enough for every program, except those that must be late.
const LIMIT: Duration = Duration::from_secs(20);
const SHORT_LIMIT: Duration = Duration::from_millis(300);
/// Reads a line into `$line`.
const READ: &str = "read -r line;";
/// Reads the start line and the first position, and answers it.
const FIRST: &str = r#"read -r line; read -r line; echo '{"step":0,"move":"down"}';"#;

/// Returns a command that runs a script.
fn shell(script: &str) -> String {
    format!("sh -c {}", shlex::try_quote(script).unwrap())
}

fn programs(script: &str) -> Programs {
    Programs::new(&shell(script), LIMIT).unwrap()
}

fn hurried_programs(script: &str) -> Programs {
    Programs::new(&shell(script), SHORT_LIMIT).unwrap()
}

fn game() -> Game {
    Game::new(Rules::new("6x6".parse().unwrap()), 7)
}

fn policy(programs: &Programs) -> Box<dyn Policy> {
    programs.make(game().position(), 1).unwrap()
}

/// Returns why a program forfeits at this step; before, it answers in time.
fn reason(programs: &Programs, step: usize) -> String {
    let mut policy = policy(programs);
    let position = game();
    for _ in 0..step {
        policy.try_act(position.position()).unwrap();
    }
    let Forfeit(reason) = policy.try_act(position.position()).unwrap_err();
    assert_eq!(
        policy.try_act(position.position()),
        Err(Forfeit(reason.clone())),
        "a program that forfeits receives no more lines"
    );
    reason
}

/// Plays a game to its end or for 1000 moves, all of them legal.
fn play(policy: &mut dyn Policy, mut game: Game) -> Position {
    for _ in 0..1000 {
        let direction = policy.try_act(game.position()).unwrap();
        let legal = game.position().legal_moves();
        assert!(
            legal.contains(direction) || legal.is_empty(),
            "{direction} in\n{}",
            game.position()
        );
        game.step(direction);
        if game.position().status() != Status::Ongoing {
            break;
        }
    }
    game.into_position()
}

/// Returns whether a process with this id is alive.
fn lives(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(") ")
            .next()
            .is_some_and(|state| state.starts_with('Z'))
    })
}

/// Waits until a process has ended.
fn is_gone(id: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(5);
    while lives(id) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    !lives(id)
}

/// The example players in Python and JavaScript play the same games. Both languages must be
/// installed.
#[test]
fn examples_play_legally_and_eat() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let ends = ["python3 EXAMPLES/player.py", "node EXAMPLES/player.js"].map(|command| {
        let command = command.replace("EXAMPLES", examples.to_str().unwrap());
        let programs = Programs::new(&command, LIMIT).unwrap();
        let games = (0..5).map(|seed| {
            let game = Game::new(Rules::new("6x6".parse().unwrap()), seed);
            let mut policy = programs.make(game.position(), seed).unwrap();
            play(&mut *policy, game)
        });
        games.collect::<Vec<_>>()
    });
    assert_eq!(ends[0], ends[1]);
    let cells: usize = ends[0].iter().map(Position::len).sum();
    assert!(
        cells > 5 * 10,
        "expected more than 50 cells in 5 games, got {cells}"
    );
}

#[test]
fn commands_that_start_nothing_are_rejected() {
    let error = |command: &str| Programs::new(command, LIMIT).err().unwrap();
    assert!(matches!(error(" "), CommandError::Empty));
    assert!(matches!(error("sh -c 'x"), CommandError::Quotes(_)));
    let missing = error("/no/such/program 1 2").to_string();
    assert!(
        missing.starts_with("can't start the program \"/no/such/program\": No such file"),
        "{missing}"
    );
}

/// One process plays one game after another, and receives the end of each. It records the lines
/// that it receives.
#[test]
fn a_process_plays_many_games() {
    let folder = tempfile::tempdir().unwrap();
    let received = folder.path().join("received");
    let script = format!(
        r#"echo begun >> {0}; while read -r line; do echo "$line" >> {0}; case "$line" in
        *position*) step=${{line#*\"step\":}}
        echo "{{\"step\":${{step%%,*}},\"move\":\"up\"}}";; esac; done"#,
        received.display()
    );
    let programs = programs(&script);
    for _ in 0..2 {
        let mut game = game();
        let mut policy = policy(&programs);
        while game.position().status() == Status::Ongoing {
            game.step(policy.try_act(game.position()).unwrap());
        }
    }
    drop(programs);
    let received = std::fs::read_to_string(received).unwrap();
    let kinds: Vec<&str> = received
        .lines()
        .map(|line| line.split('"').nth(3).unwrap_or(line))
        .collect();
    let moves = kinds.iter().filter(|kind| **kind == "position").count() / 2;
    let one = [vec!["start"], vec!["position"; moves], vec!["end"]].concat();
    assert_eq!(kinds, [vec!["begun"], one.clone(), one].concat());
    assert!(received.contains(r#""result":"wall""#), "{received}");
    assert!(
        !received.contains(&game().seed().to_string()) || game().seed() < 1000,
        "the game's seed must stay secret"
    );
}

#[test]
fn lateness_forfeits() {
    // The first answer may take longer.
    let slow = format!("{FIRST} {READ} sleep 60");
    assert_eq!(
        reason(&hurried_programs(&slow), 1),
        "no answer to step 1 within 0.3 s (--move-limit allows more)"
    );
}

/// A late answer to an earlier step is skipped, and the next answer counts.
#[test]
fn answers_to_earlier_steps_are_skipped() {
    let again = format!(
        "{FIRST} {READ} echo '{{\"step\":0,\"move\":\"up\"}}'; echo \
         '{{\"step\":1,\"move\":\"left\"}}'; cat"
    );
    let programs = programs(&again);
    let mut policy = policy(&programs);
    assert_eq!(policy.try_act(game().position()), Ok(Direction::Down));
    assert_eq!(policy.try_act(game().position()), Ok(Direction::Left));
}

#[test]
fn invalid_answers_forfeit() {
    let answering = |line: &str| programs(&format!("{READ} {READ} echo '{line}'; cat"));
    let garbage = reason(&answering("hello"), 0);
    assert!(
        garbage
            .starts_with("expected an answer such as {\"step\":0,\"move\":\"up\"}, got \"hello\""),
        "{garbage}"
    );
    assert!(
        reason(&answering(r#"{"step":0,"move":"north"}"#), 0).contains("unknown variant `north`")
    );
    assert_eq!(
        reason(&answering(r#"{"step":5,"move":"up"}"#), 0),
        "expected an answer to step 0, got one to step 5"
    );
}

#[test]
fn crashes_forfeit_and_name_the_file_of_errors() {
    let at_start = reason(&programs("echo 'no module named snake' >&2; exit 3"), 0);
    let (what, file) = at_start.split_once("; its standard error is in ").unwrap();
    assert_eq!(
        what,
        "the program ended (exit status: 3) before it answered step 0"
    );
    // A process that ended before the game was replaced by another, which wrote it, too.
    let errors = std::fs::read_to_string(file).unwrap();
    assert!(errors.starts_with("no module named snake\n"), "{errors}");
    std::fs::remove_file(file).unwrap();
    let in_game = reason(&programs(&format!("{FIRST} kill -SEGV $$")), 1);
    assert!(
        in_game.starts_with("the program ended (signal: 11 (SIGSEGV)"),
        "{in_game}"
    );
    let closed = reason(&programs("exec >&-; sleep 60"), 0);
    assert_eq!(
        closed,
        "the program closed its standard output before it answered step 0"
    );
}

/// After a forfeit, the next game starts a new process.
#[test]
fn the_next_game_has_a_new_process() {
    let programs = programs(&format!("{FIRST} exit 1"));
    for _ in 0..3 {
        assert!(reason(&programs, 1).starts_with("the program ended (exit status: 1)"));
    }
}

#[test]
fn endless_lines_are_cut() {
    let reason = reason(&programs("yes | tr -d '\\n'"), 0);
    assert!(
        reason.starts_with("the program wrote more than 65536 bytes without a line break"),
        "{reason}"
    );
}

/// Lines without a request fill no memory and don't block.
#[test]
fn endless_answers_to_earlier_steps_are_late() {
    let script = format!("{FIRST} {READ} yes '{{\"step\":0,\"move\":\"up\"}}'");
    assert_eq!(
        reason(&hurried_programs(&script), 1),
        "no answer to step 1 within 0.3 s (--move-limit allows more)"
    );
}

/// A program that reads only the first position, but keeps answering, fills its pipe. Sending does
/// not wait for it.
#[test]
fn programs_that_do_not_read_forfeit() {
    let blind =
        r#"step=0; while :; do echo "{\"step\":$step,\"move\":\"up\"}"; step=$((step + 1)); done"#;
    let programs = programs(&format!("{READ} {READ} {blind}"));
    let mut policy = policy(&programs);
    let big = Game::new(Rules::new("255x255".parse().unwrap()), 0);
    let Forfeit(reason) = (0..100_000)
        .find_map(|_| policy.try_act(big.position()).err())
        .unwrap();
    assert!(
        reason.starts_with("the program does not read its standard input"),
        "{reason}"
    );
}

/// The processes that a program started are killed with it, even if the program has ended and a
/// child keeps its output open.
#[test]
fn children_of_programs_end_too() {
    let programs = programs("sleep 60 & echo $! >&2; exit 0");
    let mut policy = policy(&programs);
    let started = Instant::now();
    let Forfeit(reason) = policy.try_act(game().position()).unwrap_err();
    let (what, file) = reason.split_once("; its standard error is in ").unwrap();
    assert!(
        what.starts_with("the program ended (exit status: 0)"),
        "{what}"
    );
    assert!(started.elapsed() < LIMIT / 4, "it waited for the child");
    let child = std::fs::read_to_string(file).unwrap();
    std::fs::remove_file(file).unwrap();
    assert!(is_gone(child.trim()), "{child} must end");
}

/// A program that continues after its input has ended is killed.
#[test]
fn programs_that_do_not_end_are_killed() {
    let errors = tempfile::tempfile().unwrap();
    let words = shlex::split(&shell(
        "trap '' TERM INT HUP; echo $$; while :; do sleep 60; done",
    ))
    .unwrap();
    let mut program = Program::start(&words, errors).unwrap();
    let id = String::from_utf8(
        program
            .line(Instant::now() + Duration::from_secs(5))
            .unwrap(),
    )
    .unwrap();
    assert!(lives(&id));
    assert_eq!(program.line(Instant::now()), Err(NoLine::Late));
    drop(program);
    assert!(is_gone(&id));
}

/// Processes that must be killed get their half second together, not one after another.
#[test]
fn processes_end_together() {
    let programs = programs(&format!("{FIRST} while :; do sleep 60; done"));
    let mut playing: Vec<_> = (0..20).map(|_| policy(&programs)).collect();
    for policy in &mut playing {
        assert_eq!(policy.try_act(game().position()), Ok(Direction::Down));
    }
    drop(playing);
    let started = Instant::now();
    drop(programs);
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "it took {:?}",
        started.elapsed()
    );
}

/// The file of standard error contains everything that all processes have written so far.
#[test]
fn the_file_of_errors_grows() {
    let programs = programs("echo broken >&2; exit 1");
    let file = |reason: String| {
        reason
            .split_once("; its standard error is in ")
            .unwrap()
            .1
            .to_owned()
    };
    let first = file(reason(&programs, 0));
    let before = std::fs::read_to_string(&first).unwrap();
    assert_eq!(file(reason(&programs, 0)), first);
    let after = std::fs::read_to_string(&first).unwrap();
    std::fs::remove_file(first).unwrap();
    assert!(
        after.len() > before.len() && after.lines().all(|line| line == "broken"),
        "{before:?}, {after:?}"
    );
}

/// Programs end even if their parent is killed by a signal that can't be caught, and they don't
/// read their input.
#[test]
fn programs_end_when_their_parent_is_killed() {
    if let Ok(file) = std::env::var("HOGNOSE_TEST_PARENT") {
        let words = shlex::split(&shell(&format!(
            "echo $$ > {file}.new; mv {file}.new {file}; exec sleep 60"
        )))
        .unwrap();
        let mut program = Program::start(&words, tempfile::tempfile().unwrap()).unwrap();
        let _ = program.line(Instant::now() + Duration::from_secs(60));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("id");
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "programs_end_when_their_parent_is_killed"])
        .env("HOGNOSE_TEST_PARENT", &file)
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    let id = loop {
        match std::fs::read_to_string(&file) {
            Ok(id) => break id.trim().to_owned(),
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(lives(&id));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert!(is_gone(&id));
}

/// A process that ends between games does not affect the next game.
#[test]
fn a_process_that_ends_with_its_game_is_replaced() {
    let programs = programs(&format!("{FIRST} {READ}"));
    for _ in 0..3 {
        assert_eq!(
            policy(&programs).try_act(game().position()),
            Ok(Direction::Down)
        );
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The system stops programs that read the terminal, with their whole group. A program that never
/// answers costs the time of a first answer only once.
#[test]
fn a_stopped_group_is_killed_and_costs_little() {
    let programs = hurried_programs("kill -STOP 0; sleep 100");
    let started = Instant::now();
    assert_eq!(
        reason(&programs, 0),
        "no answer to step 0 within 10 s (--move-limit allows more)"
    );
    for _ in 0..3 {
        assert_eq!(
            reason(&programs, 0),
            "no answer to step 0 within 0.3 s (--move-limit allows more)"
        );
    }
    drop(programs);
    assert!(started.elapsed() < FIRST_ANSWER + LIMIT);
}
