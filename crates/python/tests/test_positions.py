"""Positions, tablebases, and solvers that play from a position."""

import copy
import os
import pickle
import signal
import subprocess
import threading

import numpy as np
import pytest

import hognose

UP, RIGHT, DOWN, LEFT = range(4)


def test_a_step_does_not_change_its_position():
    position = hognose.Position("4x3", [(1, 1), (0, 1), (0, 0)], food=(2, 1))
    assert (position.board, position.heading, position.status, len(position)) == ("4x3", "right", "ongoing", 3)
    assert position.legal_moves() == [UP, RIGHT, DOWN]
    after, event = position.step(RIGHT)
    assert event == "ate" and after.body == [(2, 1), (1, 1), (0, 1), (0, 0)] and after.foods == []
    assert position.body == [(1, 1), (0, 1), (0, 0)] and position.foods == [(2, 1)]
    again = after.with_food((3, 2))
    assert again.foods == [(3, 2)] and again != after
    lost, event = again.step(LEFT)
    assert event == lost.status == "body" and lost.body == again.body
    with pytest.raises(ValueError, match="the game is over: lost at its own body"):
        lost.step(UP)
    assert str(position) == "o...\noo*.\n....\n".replace("oo*", "o@*")


def test_positions_are_values():
    position = hognose.Position("5x5", [(2, 2)], food=(0, 0), heading="up")
    same = hognose.Position("5x5", [(2, 2)], food=(0, 0), heading="up")
    others = [
        hognose.Position("5x5", [(2, 2)], food=(0, 0), heading="left"),
        hognose.Position("5x5", [(2, 2)], food=(0, 1), heading="up"),
        hognose.Position("5x6", [(2, 2)], food=(0, 0), heading="up"),
    ]
    assert position == same and hash(position) == hash(same) and len({position, same, *others}) == 4
    lost, _ = hognose.Position("2x2", [(0, 0)], heading="up").step(UP)
    for each in (position, *others, lost):
        assert pickle.loads(pickle.dumps(each)) == each == copy.deepcopy(each)
        assert pickle.loads(pickle.dumps(each)).status == each.status


@pytest.mark.parametrize("observation", ["planes", "window", "egocentric", "centered", "features"])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_positions_have_the_observations_of_environments(observation, dtype):
    env = hognose.SnakeEnv(width=6, height=5, observation=observation, dtype=dtype, render_mode="rgb_array")
    draws = np.random.default_rng(0)
    seen, info = env.reset(seed=2)
    for _ in range(40):
        assert np.array_equal(env.position.observe(observation, dtype), seen)
        assert np.array_equal(env.position.render(), env.render())
        seen, _, terminated, truncated, info = env.step(draws.choice(np.flatnonzero(info["action_mask"])))
        if terminated or truncated:
            seen, info = env.reset()


def test_episodes_begin_at_their_starts():
    starts = [hognose.Position("4x4", [(x, 0), (x + 1, 0)], food=(0, 3)) for x in range(2)]
    envs = hognose.SnakeVectorEnv(40, width=4, height=4, starts=starts)
    envs.reset(seed=0)
    assert {envs.position(env).to_json() for env in range(40)} == {
        # The environment's own rules are the default ones.
        start.to_json() for start in starts
    }
    envs = hognose.SnakeVectorEnv(200, width=4, height=4, starts=starts, start_share=0.5)
    envs.reset(seed=0)
    share = np.mean([envs.position(env) in starts for env in range(200)])
    assert 0.35 < share < 0.65
    env = pickle.loads(pickle.dumps(hognose.SnakeEnv(width=4, height=4, starts=starts)))
    env.reset(seed=1)
    assert env.position in starts
    with pytest.raises(ValueError, match="4x4"):
        hognose.SnakeEnv(width=5, height=5, starts=starts)
    with pytest.raises(ValueError, match="share"):
        hognose.SnakeEnv(width=4, height=4, starts=starts, start_share=2.0)


def test_optimal_play_needs_the_steps_of_its_table():
    table = hognose.tablebase.Table("3x4")
    assert table.board == "3x4"
    optimal = hognose.Solver("optimal")
    draws = np.random.default_rng(3)
    position = hognose.Position("3x4", [(1, 1), (0, 1)], food=(2, 3))
    expected = table.value(position)
    assert min(value for value in table.moves(position) if value is not None) == pytest.approx(expected)
    steps = []
    for _ in range(300):
        now, game, count = position, optimal.begin(position), 0
        while now.status == "ongoing":
            move = game.act(now)
            value = table.value(now)
            assert table.moves(now)[move] == pytest.approx(value)
            now, event = now.step(move)
            count += 1
            if event == "ate":
                free = [(x, y) for x in range(3) for y in range(4) if (x, y) not in now.body]
                now = now.with_food(tuple(map(int, draws.choice(free))))
        assert now.status == "won"
        steps.append(count)
    assert abs(np.mean(steps) - expected) < 4 * np.std(steps) / np.sqrt(len(steps))


def test_tables_are_saved_and_loaded(tmp_path):
    table, file = hognose.tablebase.Table("3x4"), tmp_path / "3x4.table"
    table.save(file)
    again = hognose.tablebase.Table.load(str(file))
    position = hognose.Position("3x4", [(1, 1), (0, 1)], food=(2, 3))
    assert again.board == "3x4" and again.moves(position) == table.moves(position)
    assert hognose.Solver(f"optimal:{file}").begin(position).act(position) in position.legal_moves()
    with pytest.raises(FileExistsError, match="can't write .*3x4.table: the file already exists"):
        table.save(file)
    with pytest.raises(FileNotFoundError, match="can't write .*no/such/folder"):
        table.save(tmp_path / "no/such/folder")
    assert [path.name for path in tmp_path.iterdir()] == ["3x4.table"]


def test_tables_are_pickled_as_their_files(tmp_path):
    table, file = hognose.tablebase.Table("3x4"), tmp_path / "3x4.table"
    table.save(file)
    assert pickle.loads(pickle.dumps(table)).to_bytes() == table.to_bytes() == file.read_bytes()
    with pytest.raises(ValueError, match="the table ends before the section of length 1"):
        hognose.tablebase.Table.from_bytes(table.to_bytes()[:-5])


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="HOGNOSE names the binary to compare with")
def test_the_binary_has_the_same_tables(tmp_path):
    theirs, ours = tmp_path / "theirs.table", tmp_path / "ours.table"
    arguments = ["tablebase", "solve", "--board", "4x4", "--out", str(theirs)]
    subprocess.run([os.environ["HOGNOSE"], *arguments], check=True, stdout=subprocess.DEVNULL)
    hognose.tablebase.Table("4x4").save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    assert hognose.tablebase.Table.load(theirs).board == "4x4"


def test_files_that_are_not_tables_are_refused(tmp_path):
    whole, file = tmp_path / "whole.table", tmp_path / "file.table"
    hognose.tablebase.Table("3x3").save(whole)
    content = whole.read_bytes()
    for damaged, words in [
        (content[:100] + bytes([content[100] ^ 1]) + content[101:], "the section of length 9 is damaged"),
        (content[:-5], "the table ends before the section of length 1"),
        (content.replace(b"board 3x3", b"board 3x4"), "the section of length 12 is damaged"),
        (b"", 'expected "hognose-tablebase 1", got ""'),
        (b"hognose-record 1\n", "expected .* got .hognose-record 1"),
    ]:
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=f"can't read .*file.table: {words}"):
            hognose.tablebase.Table.load(file)
    with pytest.raises(FileNotFoundError, match="can't read .*nowhere"):
        hognose.tablebase.Table.load(tmp_path / "nowhere")
    with pytest.raises(OSError, match="can't read"):
        hognose.tablebase.Table.load(tmp_path)


def test_a_solver_has_a_plan_and_a_cycle():
    position = hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 4))
    game = hognose.Solver("certified").begin(position, seed=1)
    planned = [game.act(position), *game.plan]
    now = position
    for move in planned:
        assert now.foods == [(4, 4)]
        now, event = now.step(move)
    assert event == "ate"
    assert len(hognose.Solver("hamiltonian").begin(position).cycle) == 36


def test_a_solver_needs_each_position_in_order():
    now = hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 4))
    game = hognose.Solver("certified").begin(now)

    def refused(*positions):
        for position in positions:
            with pytest.raises(ValueError, match="expected the next position of this game on 6x6"):
                game.act(position)

    refused(hognose.Position("6x6", [(0, 1), (0, 0)], food=(4, 4)), now.with_food((5, 5)))
    refused(hognose.Position("7x6", now.body, food=(4, 4)))
    event = "moved"
    while event != "ate":
        before = now
        now, event = now.step(game.act(now))
        refused(before)
    now = now.with_food((0, 0) if (0, 0) not in now.body else (5, 0))
    assert game.act(now) in now.legal_moves()


def test_ctrl_c_stops_solving_a_board():
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        hognose.tablebase.Table("5x6")


def test_bad_positions_are_named():
    for arguments, words in [
        (("4x", [(0, 0)]), "expected a board"),
        (("4x4", [(0, 0)]), "needs a heading"),
        (("4x4", [(0, 4), (0, 3)]), r"\(0, 4\) is not on the board 4x4"),
        (("5x5", [(-1, 0)]), r"\(-1, 0\) is not on the board 5x5"),
        (("4x4", [(0, 0), (1, 1)]), "not neighbors"),
        (("4x4", [(0, 0), (0, 1), (0, 0)]), "occupied twice"),
        (("4x4", [(0, 0), (0, 1)], (0, 1)), "occupied twice"),
    ]:
        with pytest.raises(ValueError, match=words):
            hognose.Position(*arguments)
    position = hognose.Position("5x5", [(0, 0), (0, 1)])
    with pytest.raises(ValueError, match="expected a position with one food, got 0"):
        hognose.tablebase.Table("5x5").value(position)
    with pytest.raises(ValueError, match="expected a game on 3x3, the board of the table, got 5x5"):
        hognose.tablebase.Table("3x3").value(position)
    with pytest.raises(ValueError, match="GiB"):
        hognose.tablebase.Table("6x6", memory=0.01)
    with pytest.raises(ValueError, match="did you mean certified"):
        hognose.Solver("certfied")
    with pytest.raises(ValueError, match="5x5"):
        hognose.Solver("certified").begin(position.with_food((4, 4))).act(hognose.Position("3x3", [(0, 0), (0, 1)], (2, 2)))
    for memory in (float("nan"), float("inf"), 0, -1):
        with pytest.raises(ValueError, match="memory must be a finite number of GiB greater than 0, got"):
            hognose.tablebase.Table("3x3", memory=memory)
    for move in (4, -1):
        with pytest.raises(ValueError, match=f"a move must be from 0 to 3, got {move}"):
            position.step(move)
    with pytest.raises(ValueError, match="a seed must be from 0"):
        hognose.Solver("certified").begin(position.with_food((4, 4)), seed=-1)
    with pytest.raises(ValueError, match="pixels"):
        position.observe("pixels")
