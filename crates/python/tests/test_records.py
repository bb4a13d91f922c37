"""Games as text that replays."""

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
        games = [hognose.replay(hognose.record(player, game=game, **arguments)) for game in range(20)]
        assert np.mean([len(positions[-1]) for positions in games]) == pytest.approx(row["mean_length"])
        ends = [positions[-1].status for positions in games]
        assert {end: ends.count(end) for end in ("won", "wall", "body")} == {
            end: row["ends"][end] for end in ("won", "wall", "body")
        }


def test_replaying_shows_what_an_environment_showed():
    for start in (None, {"column": 1, "row": 2, "heading": "up", "length": 3}):
        env = hognose.SnakeEnv(width=6, height=5, start=start)
        _, info = env.reset(seed=4)
        positions, ended = [env.position], False
        while not ended:
            observation, _, terminated, truncated, info = env.step(choose(env.position.observe(), info["action_mask"]))
            positions.append(env.position)
            ended = terminated or truncated
        again = hognose.replay(env.record())
        assert again == positions and len(again) > 10
        for before, after in zip(again[:-1], again[1:-1]):
            assert before.step({"up": 0, "right": 1, "down": 2, "left": 3}[after.heading])[0].body == after.body


def test_what_does_not_replay_is_refused():
    text = hognose.record("greedy", board="4x4")
    duel = text.replace("hognose-record 1", "hognose-duel 2")
    for wrong, words in [
        ("", 'line 1: expected "hognose-record 1", got nothing'),
        (duel, 'line 1: expected "hognose-record 1", got "hognose-duel 2"'),
        (text.replace("hognose-record 1", "hognose-record 2"), "expected a record of version 1, got version 2"),
        (re.sub("seed .*", "seed 1", text), "the game ends after 2 moves, the record has 38"),
        (text.replace("length 16 check", "length 15 check"), "the game does not replay"),
        (text[:-30], "line 8: expected"),
    ]:
        with pytest.raises(ValueError, match=words):
            hognose.replay(wrong)


def test_bad_input_is_named():
    def fails(observations, masks):
        raise KeyError("mine")

    for policy, arguments, error, words in [
        ("certfied", {}, ValueError, "did you mean certified"),
        (3, {}, TypeError, "a policy must be a name or a function, got int"),
        (fails, {}, KeyError, "mine"),
        ("optimal", {"board": "6x6"}, ValueError, "6x6 takes a table"),
        ("greedy", {"game": -1}, ValueError, "game must be a whole number of at least 0, got -1"),
        ("greedy", {"game": 0.5}, TypeError, "integer"),
        ("greedy", {"seed": -1}, ValueError, "a seed must be in 0"),
        ("greedy", {"starvation": 0}, ValueError, "starvation must be a whole number of at least 1, got 0"),
        ("greedy", {"time_limit": 0}, ValueError, "time_limit must be a whole number of at least 1, got 0"),
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


def test_a_game_that_is_given_up_is_recorded_as_far_as_it_was_played(tmp_path):
    (tmp_path / "player.py").write_text(PLAYER)
    program = f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'player.py'))}"
    start = {"column": 5, "row": 9, "heading": "up", "length": 1}
    with pytest.warns(RuntimeWarning, match="the game was forfeited: the program ended"):
        text = hognose.record(program, start=start, move_limit=20)
    positions = hognose.replay(text)
    assert [position.body[0] for position in positions] == [(5, 9), (5, 8), (5, 7)]
    assert positions[-1].status == "ongoing"
