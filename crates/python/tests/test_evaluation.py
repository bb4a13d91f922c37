"""Evaluation."""

import collections
import json
import os
import pickle
import shlex
import subprocess
import sys
import zlib

import numpy as np
import pytest

import hognose
from hognose import _hognose

TIMES = ("decisions_per_second",)


def without_times(rows):
    return [{key: value for key, value in row.items() if key not in TIMES} for row in rows]


def first_allowed(observations, masks):
    return masks.argmax(axis=1)


def test_policies_are_listed():
    names = [policy["name"] for policy in hognose.policies()]
    assert "certified" in names and "hamiltonian" in names


def test_solvers_and_functions_play_the_same_games():
    rows = hognose.evaluate(["hamiltonian", "greedy", first_allowed], board=(6, 6), games=50, seed=3)
    assert [row["name"] for row in rows] == ["hamiltonian", "greedy", "first_allowed"]
    assert rows[0]["win_rate"] == 1.0 and "paired" not in rows[0]
    assert rows[1]["paired"]["reference"] == "hamiltonian"
    assert rows[2]["wins"] == 0
    again = hognose.evaluate(["hamiltonian", "greedy", first_allowed], board="6x6", games=50, seed=3, threads=2)
    assert without_times(rows) == without_times(again)


def test_the_actions_of_a_function_are_played():
    def straight(observations, masks):
        return np.ones(len(masks), int)

    rows = hognose.evaluate({"straight": straight}, board=(5, 5), games=200, observation="features", dtype="uint8")
    assert rows[0]["ends"]["wall"] == 200 and rows[0]["mean_length"] < 2


def test_starvation_defaults_to_4_x_area():
    def turning(observations, masks):
        return np.zeros(len(masks), int)

    start = {"column": 3, "row": 3, "heading": "up", "length": 1}
    arguments = {"board": (6, 6), "games": 5, "observation": "features", "start": start}
    # It moves in a square forever, so only limits end a game without food.
    usual, same, early, late = (
        hognose.evaluate({"turning": turning}, **arguments, **limits)[0]
        for limits in ({}, {"starvation": 144}, {"starvation": 7}, {"starvation": None, "time_limit": 1000})
    )
    assert usual == {**same, "decisions_per_second": usual["decisions_per_second"]}
    # Only foods within the square are eaten, and steps after the last food do not count.
    assert early["steps_per_food"] == usual["steps_per_food"]
    assert late["ends"]["limit"] + late["ends"]["body"] == 5


def play(policy, rules, first, games):
    """Returns the native half's JSON of games."""
    config = {"rules": rules, "seed": 1, "threads": 1, "starvation": 100, "time_limit": None, "first": first, "games": games}
    view = {"observation": "planes", "action": "relative", "dtype": "uint8", "mask": "legal", "frame_stack": 1}
    return _hognose.play(policy, json.dumps({**config, "view": view}))


@pytest.mark.parametrize("config", [
    {"observation": "planes", "action": "absolute", "dtype": "uint8", "frame_stack": 3},
    {"observation": "features", "frame_stack": 2},
    {"observation": "egocentric", "dtype": "uint8"},
])
def test_a_function_sees_what_the_environment_shows(config):
    """Covers more games than are played at once."""
    games, start = 150, {"column": 1, "row": 2, "heading": "up", "length": 2}

    def choose(observation, mask):
        allowed = np.flatnonzero(mask)
        return allowed[zlib.crc32(observation.tobytes()) % len(allowed)]

    def policy(observations, masks):
        seen.update((observation.tobytes(), mask.tobytes()) for observation, mask in zip(observations, masks))
        shapes.add(observations.shape[1:])
        return [choose(*row) for row in zip(observations, masks)]

    seen, shapes = collections.Counter(), set()
    hognose.evaluate([policy], board=(5, 4), start=start, games=games, seed=1, **config)

    def first_foods(observations, masks):
        if not foods[first:]:
            foods.extend(observations[:, 3].reshape(len(masks), -1).argmax(axis=1).tolist())
        return np.ones(len(masks), int)

    foods, seeds = [], []
    for first in (0, 100):
        played = play(first_foods, {"board": "5x4", "start": start}, first, min(100, games - first))
        seeds += [episode["seed"] for episode in json.loads(played)["episodes"]]

    env = hognose.SnakeEnv(width=5, height=4, start=start, **config)
    env.reset(seed=0)
    state, shown = json.loads(env.snapshot()), collections.Counter()
    for seed, food in zip(seeds, foods, strict=True):
        state["game"]["seed"], state["game"]["position"]["foods"] = seed, [food]
        observation, ended = env.restore(json.dumps(state).encode()), False
        while not ended:
            mask = env.action_masks()
            shown[observation.tobytes(), mask.tobytes()] += 1
            observation, _, terminated, truncated, _ = env.step(choose(observation, mask))
            ended = terminated or truncated
    assert seen == shown and shapes == {env.observation_space.shape}


def test_a_function_plays_under_the_mask():
    draws = np.random.default_rng(0)

    def any_allowed(observations, masks):
        return (draws.random(masks.shape) * masks).argmax(axis=1)

    for mask in ("safe", "legal"):
        (row,) = hognose.evaluate([any_allowed], board=(4, 4), games=50, mask=mask, frame_stack=2)
        assert (row["wins"] == 50) == (mask == "safe")
    with pytest.raises(ValueError, match="tail"):
        hognose.evaluate([any_allowed], board=(4, 4), games=5, mask="safe", tail_entry=False)


def test_parts_make_the_whole():
    rules = {"board": "6x6"}
    whole = play("greedy", rules, 0, 30)
    parts = [play("greedy", rules, first, 10) for first in (0, 10, 20)]
    rules = json.dumps(rules)
    a, b = (json.loads(_hognose.summarize(rules, [("greedy", games)])) for games in ([whole], parts))
    assert without_times(a) == without_times(b)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_has_the_same_numbers(tmp_path):
    policies = ["certified:10", "greedy"]
    file = tmp_path / "evaluation.json"
    arguments = ["evaluate", "--board", "8x8", "--policies", ",".join(policies), "--games", "100", "--seed", "5"]
    subprocess.run([os.environ["HOGNOSE"], *arguments, "--json", str(file)], check=True, stdout=subprocess.DEVNULL)
    theirs = json.loads(file.read_text())["policies"]
    assert without_times(hognose.evaluate(policies, board=(8, 8), games=100, seed=5)) == without_times(theirs)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_has_the_same_regrets(tmp_path):
    policies = ["optimal", "shortcut", "random"]
    file = tmp_path / "evaluation.json"
    arguments = ["evaluate", "--board", "4x4", "--policies", ",".join(policies), "--games", "60", "--seed", "5"]
    arguments += ["--regret", "--regret-games", "40", "--json", str(file)]
    subprocess.run([os.environ["HOGNOSE"], *arguments], check=True, stdout=subprocess.DEVNULL)
    theirs = json.loads(file.read_text())
    rows = hognose.evaluate(policies, board=(4, 4), games=60, seed=5, regret=True, regret_games=40)
    assert [row.pop("regret") for row in rows] == theirs["regrets"]
    assert without_times(rows) == without_times(theirs["policies"])


def test_regret_measures_what_moves_give_away():
    table = hognose.tablebase.Table("4x4")

    def straight(observations, masks):
        return np.ones(len(masks), int)

    def regrets(policies, **arguments):
        rows = hognose.evaluate(policies, board="4x4", games=30, regret=True, **arguments)
        return [row["regret"] for row in rows]

    best, lost, own = regrets(["optimal", "hamiltonian", straight], table=table)
    assert best["games"] == 30 and best["optimal_moves"] == 1.0 and best["steps_per_game"] == 0
    assert lost["steps_per_game"] > 1 and lost["given_away"] == 0
    # It runs into the wall, which gives away the certain win.
    assert own["given_away"] == 30 and own["steps_per_game"] >= 0
    assert regrets(["optimal", "hamiltonian", straight]) == [best, lost, own]
    assert [row["games"] for row in regrets(["optimal", straight], regret_games=7)] == [7, 7]


def test_a_function_plays_the_same_with_regret():
    """Frames are stacked, and games are played one by one instead of in a batch."""
    def choose(observation, mask):
        allowed = np.flatnonzero(mask)
        return allowed[zlib.crc32(observation.tobytes()) % len(allowed)]

    def policy(observations, masks):
        seen.update((observation.tobytes(), mask.tobytes()) for observation, mask in zip(observations, masks))
        return [choose(*row) for row in zip(observations, masks)]

    arguments = {"board": (4, 4), "games": 20, "frame_stack": 3, "dtype": "uint8"}
    seen = collections.Counter()
    hognose.evaluate([policy], **arguments)
    once, seen = seen, collections.Counter()
    hognose.evaluate([policy], regret=True, **arguments)
    assert seen == once + once


def test_an_exception_of_a_function_during_regret_is_raised():
    def policy(observations, masks):
        calls.append(len(masks))
        if len(calls) > most:
            raise KeyError("mine")
        return masks.argmax(axis=1)

    most, calls = 1_000_000, []
    hognose.evaluate([policy], board="4x4", games=20)
    most, calls = len(calls) + 3, []
    with pytest.raises(KeyError, match="mine"):
        hognose.evaluate([policy], board="4x4", games=20, regret=True)
    assert len(calls) == most + 1


def test_leaderboards_rank_functions_among_shipped_policies():
    rows = hognose.leaderboard([first_allowed, "shortcut"], boards=["4x4", (6, 6)], games=30)
    assert hognose.leaderboard([first_allowed, "shortcut"], boards=["4x4", (6, 6)], games=30, threads=2) == rows
    small, large = ([row for row in rows if row["board"] == board] for board in ("4x4", "6x6"))
    assert [(row["place"], row["policy"], row["shipped"]) for row in small] == [
        (1, "shortcut", False), (2, "first_allowed", False)
    ]
    names = [row["policy"] for row in large]
    assert names.count("shortcut") == 1 and names.index("certified") < names.index("shortcut") < names.index("random")
    own = {row["policy"]: row for row in large if not row["shipped"]}
    assert set(own) == {"first_allowed", "shortcut"}
    assert own["shortcut"]["games"] == 30 and own["shortcut"]["ended_by"] == "games"
    (same,) = hognose.evaluate(["shortcut"], board="6x6", games=30)
    assert own["shortcut"]["mean_steps_won"] == same["mean_steps_won"]
    for row, next_row in zip(large, large[1:]):
        assert row["win_rate"] >= next_row["win_rate"] and row["place"] <= next_row["place"]


def test_leaderboards_double_games_until_intervals_are_narrow():
    (row,) = (row for row in hognose.leaderboard(["hamiltonian"], boards=["4x4"]) if not row["shipped"])
    low, high = row["mean_steps_won_interval"]
    assert row["ended_by"] == "precision" and row["games"] in (100, 200, 400, 800, 1600)
    assert (high - low) / 2 < 0.01 * row["mean_steps_won"]
    with pytest.raises(ValueError, match="expected more minutes"):
        hognose.leaderboard(["certified:1000"], boards=["20x20"], minutes=0.001)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_has_the_same_leaderboard(tmp_path):
    file = tmp_path / "leaderboard.json"
    arguments = ["leaderboard", "--boards", "4x5,5x4", "--policies", "certified:10,greedy", "--seed", "5"]
    subprocess.run([os.environ["HOGNOSE"], *arguments, "--json", str(file)], check=True, stdout=subprocess.DEVNULL)
    theirs = [row for board in json.loads(file.read_text())["boards"] for row in board["rows"]]
    rows = hognose.leaderboard(["certified:10", "greedy"], boards=["4x5", "5x4"], seed=5)
    assert [{key: row[key] for key in theirs[0]} for row in rows] == theirs


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_replays_records(tmp_path):
    env = hognose.SnakeEnv(width=7, height=5, record=True)
    env.reset(seed=1)
    while not any(env.step(1)[2:4]):
        pass
    file = tmp_path / "game.record"
    file.write_text(env.record())
    subprocess.run([os.environ["HOGNOSE"], "replay", str(file)], check=True, stdout=subprocess.DEVNULL)


def test_progress_is_reported():
    reports = []
    rows = hognose.evaluate(
        ["hamiltonian", "greedy"], board="6x6", games=50, callback=lambda *report: reports.append(report), progress=True
    )
    assert {name for name, _, _ in reports} == {"hamiltonian", "greedy"}
    assert reports[-1] == ("greedy", 50, 100) and all(played <= 50 for _, played, _ in reports)
    assert "<td>hamiltonian</td>" in rows._repr_html_() and isinstance(rows, list)

    def stop(*report):
        raise KeyError("enough")

    for call in (hognose.evaluate, hognose.duel.tournament):
        with pytest.raises(KeyError, match="enough"):
            call(["greedy", "random"], games=4, callback=stop)
    reports.clear()
    hognose.duel.tournament(["greedy", "random"], games=4, callback=lambda *report: reports.append(report))
    assert reports[-1] == ("duels", 4, 4)


def test_results_are_tables():
    pytest.importorskip("pandas")
    frame = hognose.evaluate(["hamiltonian", "greedy"], board="4x4", games=10).to_frame()
    assert list(frame["name"]) == ["hamiltonian", "greedy"] and frame["ends.won"][0] == 10


@pytest.mark.parametrize("action", ["relative", "absolute"])
def test_solvers_act_in_environments(action):
    config = {"width": 6, "height": 6, "action": action, "starvation": 72}
    env = hognose.SnakeEnv(**config)
    envs = hognose.SnakeVectorEnv(5, **config)
    for name in ("hamiltonian", "certified", "greedy"):
        solver = pickle.loads(pickle.dumps(hognose.Solver(name)))
        for seed in range(2):
            env.reset(seed=seed)
            ended = False
            while not ended:
                *_, terminated, truncated, info = env.step(solver.actions(env))
                ended = terminated or truncated
            assert name == "greedy" or info["snake"]["ended_by"] == "won"
        # Episodes end and begin at different times.
        envs.reset(seed=0)
        ends = 0
        while ends < 8:
            *_, infos = envs.step(solver.actions(envs))
            reasons = infos.get("snake", {}).get("ended_by", np.array([]))
            ends += np.count_nonzero(reasons)
            assert name == "greedy" or set(reasons) <= {"", "won"}


def test_bad_input_is_named():
    def wrong_number(observations, masks):
        return [0]

    def out_of_range(observations, masks):
        return np.full(len(masks), 7)

    def fractions(observations, masks):
        return np.full(len(masks), 0.5)

    def fails(observations, masks):
        raise KeyError("mine")

    for policies, error, words in (
        (["hamiltonia"], ValueError, "did you mean hamiltonian"),
        ([], ValueError, "at least one"),
        ("greedy", TypeError, "list"),
        ([first_allowed, first_allowed], ValueError, "different names"),
        ([3], TypeError, "must be a name or a function"),
        ([wrong_number], ValueError, "actions, got 1"),
        ([out_of_range], ValueError, "must be from 0 to 2, got 7"),
        ([fractions], TypeError, "the policy's actions must be whole numbers, got dtype float64"),
        ([fails], KeyError, "mine"),
        (["dqn:nowhere"], ValueError, "nowhere"),
    ):
        with pytest.raises(error, match=words):
            hognose.evaluate(policies, board=(5, 5), games=5)
    for option, words in (({"mask": "none"}, "mask must be legal or safe, got 'none'"), ({"frame_stack": 0}, "frame_stack must be"), ({"dtype": "int8"}, "dtype must be")):
        with pytest.raises(ValueError, match=words):
            hognose.evaluate([first_allowed], board=(5, 5), games=5, **option)
    with pytest.raises(ValueError, match="board"):
        hognose.evaluate(["greedy"], board="5by5")
    for arguments, error, words in (
        ({"boards": "6x6"}, TypeError, "boards must be a list"),
        ({"boards": []}, ValueError, "at least one"),
        ({"boards": ["5by5"]}, ValueError, "board must be"),
        ({"minutes": 0}, ValueError, "minutes must be greater than 0, got 0"),
        ({"boards": ["4x4"], "games": 0}, ValueError, "games must be at least 1"),
    ):
        with pytest.raises(error, match=words):
            hognose.leaderboard(["greedy"], **arguments)
    with pytest.raises(ValueError, match="games must be a whole number of at least 1"):
        hognose.evaluate(["greedy"], games=0)
    with pytest.raises(ValueError, match="seed"):
        hognose.evaluate(["greedy"], games=1, seed=-1)
    small = hognose.tablebase.Table("3x3")
    for arguments, words in (
        ({"board": "5x6"}, r"5x6 needs a table: table=hognose.tablebase.Table.load\(FILE\)"),
        ({"board": "5x5-torus"}, "a table needs a board with walls"),
        ({"board": "4x4", "foods": 2}, "the table needs rules with one food"),
        ({"board": "4x4", "table": small}, "expected a game on 3x3, the board of the table, got 4x4"),
        ({"board": "3x3", "regret_games": 0}, "regret_games must be a whole number of at least 1, got 0"),
        ({"board": "3x3", "regret": False, "table": small}, "a table needs regret=True"),
    ):
        with pytest.raises(ValueError, match=words):
            hognose.evaluate(["random"], games=5, **{"regret": True, **arguments})


PLAYER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "position":
        print(json.dumps({"step": message["step"], "move": message["heading"]}), flush=True)
"""


def command(path, program):
    path.write_text(program)
    return f"exec:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def test_programs_play(tmp_path):
    def straight(observations, masks):
        return np.ones(len(masks), int)

    program = command(tmp_path / "player.py", PLAYER)
    own, same = hognose.evaluate([program, straight], board=(5, 5), games=30, threads=2, move_limit=20)
    assert own["name"] == program and own["depends_on_clock"] and not same["depends_on_clock"]
    assert own["ends"] == same["ends"] and own["ends"]["wall"] == 30 and "forfeit" not in own


def test_programs_that_fail_forfeit_their_games(tmp_path):
    row = hognose.evaluate([command(tmp_path / "crash.py", "1 / 0")], board=(5, 5), games=3)[0]
    assert row["ends"] == {"won": 0, "wall": 0, "body": 0, "limit": 0, "forfeit": 3}
    reason, file = row["forfeit"].split("; its standard error is in ")
    assert reason.startswith("the program ended (exit status: 1)")
    with open(file) as errors:
        assert "ZeroDivisionError" in errors.read()
    os.remove(file)


def test_programs_that_cannot_start_are_refused():
    with pytest.raises(ValueError, match="can't start the program \"/no/such/program\""):
        hognose.evaluate(["exec:/no/such/program"], games=1)
    with pytest.raises(ValueError, match="move_limit must be 0.001 to 3600 seconds, got 0"):
        hognose.evaluate(["exec:true"], games=1, move_limit=0)
