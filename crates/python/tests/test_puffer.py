"""PufferLib's emulation layer (marker ``puffer``)."""

import gymnasium
import numpy as np
import pytest

import hognose

pytestmark = [pytest.mark.puffer, pytest.mark.filterwarnings("default")]
pytest.importorskip("pufferlib")
CONFIG = {"width": 6, "height": 6, "observation": "planes", "dtype": "uint8", "starvation": 30}


def emulated(**given):
    """An environment as PufferLib takes it; version 3 gives a buffer and a seed."""
    from pufferlib.emulation import GymnasiumPufferEnv

    return GymnasiumPufferEnv(gymnasium.make("hognose/Snake-v0", **CONFIG), **given)


def test_emulation_plays_the_same_episodes():
    puffer, plain = emulated(), hognose.SnakeEnv(**CONFIG)
    draws = np.random.default_rng(0)
    for episode in range(20):
        ours, theirs = plain.reset(seed=episode)[0], puffer.reset(seed=episode)[0]
        ended = False
        while not ended:
            assert np.array_equal(np.ravel(theirs), ours.ravel())
            action = int(draws.integers(3))
            ours, reward, terminated, truncated, _ = plain.step(action)
            theirs, *results, _ = puffer.step(action)
            assert [float(results[0]), *results[1:]] == [reward, terminated, truncated]
            ended = terminated or truncated


def test_its_vector_environments_step():
    from pufferlib import vector

    envs = vector.make(emulated, num_envs=4, backend=vector.Multiprocessing, num_workers=2)
    observations, _ = envs.reset(seed=1)
    for _ in range(50):
        observations, *_ = envs.step(np.zeros(4, np.int64))
    envs.close()
    assert observations.shape == (4, 5, 6, 6) and observations.dtype == np.uint8
