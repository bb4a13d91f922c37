"""Forked processes, in which the threads of the parent are gone."""

import os
import signal
import zlib

import numpy as np
import pytest

import hognose
from hognose import _hognose

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks"),
    pytest.mark.filterwarnings("ignore:.*fork"),
]


def in_child(function):
    """Calls a function in a forked process, which may take 60 seconds. Returns what it returns, as text."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            answer = str(function())
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


@pytest.mark.parametrize("make", [
    lambda: hognose.SnakeVectorEnv(64, threads=2, width=6, height=6),
    lambda: hognose.DuelVectorEnv(64, threads=2),
])
def test_environments_with_threads_go_on(make):
    envs, other = make(), make()

    def play(envs):
        envs.reset(seed=1)
        seen = [envs.step(np.ones(envs.num_envs, int))[0] for _ in range(20)]
        return zlib.crc32(np.array(seen).tobytes())

    expected = play(other)
    play(envs)
    assert in_child(lambda: play(envs)) == str(expected)
    # Environments that the child only drops do not hang either.
    assert in_child(lambda: envs.__dict__.clear()) == "None"
    assert play(envs) == expected


def test_solvers_play_and_shared_threads_are_missed():
    table = hognose.tablebase.Table("3x3")
    rows = hognose.evaluate(["hamiltonian"], board="6x6", games=20, threads=2)
    answer = in_child(lambda: hognose.evaluate(["hamiltonian"], board="6x6", games=20, threads=2)[0]["wins"])
    assert answer == str(rows[0]["wins"]) == "20"
    assert table.value(hognose.Position("3x3", [(1, 1), (0, 1)], food=(2, 2))) > 1
    uses = [lambda: hognose.tablebase.Table("3x3"), lambda: hognose.evaluate(["optimal"], board="3x3", games=2)]
    if hasattr(_hognose, "Agent"):
        uses += [lambda: hognose.load_agent("quickstart-6x6"), lambda: hognose.train("quickstart", progress=False)]
    for use in uses:
        answer = in_child(use)
        assert answer.startswith("RuntimeError: this process was forked") and '"spawn" or "forkserver"' in answer
