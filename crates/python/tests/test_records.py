"""Records of games and duels."""

import os
import re
import shlex
import subprocess
import sys
import zlib

import numpy as np
import pytest

import hognose


def choose(observation, mask):
    allowed = np.flatnonzero(mask)
    return allowed[zlib.crc32(observation.tobytes()) % len(allowed)]


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
@pytest.mark.parametrize("policy, words, arguments", [
    ("certified", ["--board", "6x6", "--seed", "5", "--game", "3"], {"board": "6x6", "seed": 5, "game": 3}),
    ("random", ["--board", "7x5-torus", "--foods", "2"], {"board": (7, 5), "torus": True, "foods": 2}),
    ("greedy", ["--time-limit", "9"], {"time_limit": 9}),
    (
        "hamiltonian",
        ["--board", "4x4", "--start-at", "1,0,right", "--start-length", "2"],
        {"board": (4, 4), "start": {"column": 1, "row": 0, "heading": "right", "length": 2}},
    ),
])
def test_the_binary_has_the_same_records(policy, words, arguments):
    command = [os.environ["HOGNOSE"], "record", "--policy", policy, *words]
    theirs = subprocess.run(command, check=True, capture_output=True).stdout
    assert hognose.record(policy, **arguments).encode() == theirs


def test_a_record_is_a_game_of_the_evaluation():
    def policy(observations, masks):
        return [choose(*row) for row in zip(observations, masks)]

    arguments = {"board": (5, 4), "seed": 2, "frame_stack": 2, "dtype": "uint8", "observation": "planes"}
    for player in (policy, "greedy"):
        (row,) = hognose.evaluate([player], games=20, **arguments)
        games = [list(hognose.replay(hognose.record(player, game=game, **arguments))) for game in range(20)]
        assert np.mean([len(positions[-1]) for positions in games]) == pytest.approx(row["mean_length"])
        ends = [positions[-1].status for positions in games]
        assert {end: ends.count(end) for end in ("won", "wall", "body")} == {
            end: row["ends"][end] for end in ("won", "wall", "body")
        }


def test_a_replay_matches_the_environment():
    for start in (None, {"column": 1, "row": 2, "heading": "up", "length": 3}):
        env = hognose.SnakeEnv(width=6, height=5, start=start, record=True)
        _, info = env.reset(seed=4)
        positions, ended = [env.position], False
        while not ended:
            observation, _, terminated, truncated, info = env.step(choose(env.position.observe(), info["action_mask"]))
            positions.append(env.position)
            ended = terminated or truncated
        again = list(hognose.replay(env.record()))
        assert again == positions and len(again) > 10
        for before, after in zip(again[:-1], again[1:-1]):
            assert before.step({"up": 0, "right": 1, "down": 2, "left": 3}[after.heading])[0].body == after.body


def test_records_that_do_not_replay_are_refused():
    text = hognose.record("greedy", board="4x4")
    duel = text.replace("hognose-record 1", "hognose-duel 2")
    for wrong, words in [
        ("", 'line 1: expected "hognose-record 1", got nothing'),
        (duel, 'line 1: expected "hognose-record 1", got "hognose-duel 2"'),
        (text.replace("hognose-record 1", "hognose-record 2"), "expected a record of version 1, got version 2"),
        (re.sub("seed .*", "seed 1", text), "the game ended after 2 moves, but the record has 38"),
        (text.replace("length 16 check", "length 15 check"), "the game does not replay"),
        (text[:-30], "line 8: expected"),
    ]:
        with pytest.raises(ValueError, match=words):
            hognose.replay(wrong)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
@pytest.mark.parametrize("bots, words, arguments", [
    (("greedy", "one-ply"), ["--seed", "5", "--game", "3"], {"seed": 5, "game": 3}),
    (("adder:2", "adder:2"), ["--rules", "ai-snakes-2020", "--game", "1"], {"rules": "ai-snakes-2020", "game": 1}),
    (
        ("random", "nega:2"),
        ["--board", "9x8-torus", "--foods", "3", "--values", "1-3", "--step-limit", "70", "--redraw-after", "never"],
        {
            "width": 9, "height": 8, "torus": True, "foods": 3, "values": (1, 3), "step_limit": 70,
            "redraw_after": None,
        },
    ),
])
def test_the_binary_has_the_same_records_of_duels(bots, words, arguments):
    command = [os.environ["HOGNOSE"], "record", "--duel", ",".join(bots), *words]
    theirs = subprocess.run(command, check=True, capture_output=True).stdout
    assert hognose.duel.record(*bots, **arguments).encode() == theirs


# The causes of positions that differ from the causes in the JSON of tournaments.
CAUSES = {None: "", "own-body": "own body", "other-body": "other body", "step-limit": "step limit"}


def test_a_record_of_a_duel_is_a_duel_of_the_tournament(tmp_path):
    def bot(observations, masks):
        return [choose(observations[0], masks[0])]

    arguments = {"seed": 2, "width": 7, "height": 7, "step_limit": 60, "observation": "planes", "dtype": "uint8"}
    played = hognose.duel.tournament(["greedy", bot], games=8, **arguments)["duels"]
    for game, expected in enumerate(played):
        positions = list(hognose.duel.replay(hognose.duel.record("greedy", bot, game=game, **arguments)))
        last = positions[-1]
        assert [position.steps for position in positions] == list(range(expected["steps"] + 1))
        assert list(last.lengths) == expected["lengths"]
        assert last.outcome == (expected["winner"] or "draw")
        assert list(last.causes) == [CAUSES.get(cause, cause) for cause in expected["causes"]]
        assert all(position.outcome == "ongoing" for position in positions[:-1])


def test_positions_of_duels_describe_the_board():
    text = hognose.duel.record("greedy", "random", rules="ai-snakes-2020", foods=2, values=(2, 4))
    start, *_, last = hognose.duel.replay(text)
    assert (start.board, start.steps, start.outcome, start.causes) == ("14x14", 0, "ongoing", ("", ""))
    assert start.lengths == tuple(map(len, start.bodies)) == (3, 3) and start.headings == ("up", "down")
    assert len(start.foods) == len(start.values) == 2 and set(start.values) <= {2, 3, 4}
    rows = str(start).splitlines()
    assert [rows[row][column] for column, row in (*start.foods, *(body[0] for body in start.bodies))] == list("**AB")
    assert repr(last).startswith(f"<DuelPosition 14x14, step {last.steps}, {last.outcome}>\n")
    picture = last.render()
    assert picture.dtype == np.uint8 and picture.shape == start.render().shape and picture.shape[2] == 3
    assert start != last and start == next(iter(hognose.duel.replay(text)))


def test_texts_that_are_not_records_of_duels_are_refused():
    text = hognose.duel.record("greedy", "random")
    for wrong, words in [
        ("", 'line 1: expected "hognose-duel-record 2", got nothing'),
        (hognose.record("greedy", board="4x4"), 'expected "hognose-duel-record 2", got "hognose-record 1"'),
        (re.sub("check .*", "check 0", text), "the duel does not replay"),
    ]:
        with pytest.raises(ValueError, match=words):
            hognose.duel.replay(wrong)
    for bots, arguments, error, words in [
        (("gredy", "random"), {}, ValueError, "did you mean greedy"),
        ((3, "random"), {}, TypeError, "a bot must be a name or a function, got int"),
        (("greedy", "random"), {"game": -1}, ValueError, "game must be a whole number of at least 0, got -1"),
        (("greedy", "random"), {"seed": -1}, ValueError, "a seed must be from 0"),
        (("greedy", "random"), {"rules": "chess"}, ValueError, "chess"),
    ]:
        with pytest.raises(error, match=words):
            hognose.duel.record(*bots, **arguments)


def test_the_record_of_a_forfeited_duel_ends_at_the_forfeit(tmp_path):
    (tmp_path / "bot.py").write_text("import sys\nsys.stdin.readline()\n")
    program = f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'bot.py'))}"
    with pytest.warns(RuntimeWarning, match="^exec:.* forfeited: the program ended"):
        text = hognose.duel.record(program, "greedy")
    (start,) = hognose.duel.replay(text)
    assert start.outcome == "ongoing"


def test_bad_input_is_named():
    def fails(observations, masks):
        raise KeyError("mine")

    for policy, arguments, error, words in [
        ("certfied", {}, ValueError, "did you mean certified"),
        (3, {}, TypeError, "a policy must be a name or a function, got int"),
        (fails, {}, KeyError, "mine"),
        ("optimal", {"board": "6x6"}, ValueError, "6x6 needs a table"),
        ("greedy", {"game": -1}, ValueError, "game must be a whole number of at least 0, got -1"),
        ("greedy", {"game": 0.5}, TypeError, "integer"),
        ("greedy", {"seed": -1}, ValueError, "a seed must be from 0"),
        ("greedy", {"starvation": 0}, ValueError, "starvation must be 'auto', None or a whole number from 1 to 4294967295, got 0"),
        ("greedy", {"time_limit": 0}, ValueError, "time_limit must be None or a whole number from 1 to 4294967295, got 0"),
    ]:
        with pytest.raises(error, match=words):
            hognose.record(policy, **arguments)


PLAYER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "position":
        if message["step"] == 2:
            sys.exit()
        print(json.dumps({"step": message["step"], "move": message["heading"]}), flush=True)
"""


def test_the_record_of_a_forfeited_game_ends_at_the_forfeit(tmp_path):
    (tmp_path / "player.py").write_text(PLAYER)
    program = f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'player.py'))}"
    start = {"column": 5, "row": 9, "heading": "up", "length": 1}
    with pytest.warns(RuntimeWarning, match="the game was forfeited: the program ended"):
        text = hognose.record(program, start=start, move_limit=20)
    positions = list(hognose.replay(text))
    assert [position.body[0] for position in positions] == [(5, 9), (5, 8), (5, 7)]
    assert positions[-1].status == "ongoing"
