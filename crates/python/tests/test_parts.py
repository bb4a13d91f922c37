"""Observations as dicts of planes, scalars and action masks."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import hognose

OBSERVATIONS = ["planes", "window", "egocentric", "centered", "features"]


def flat(observation):
    """Returns the flat form of a dict observation."""
    parts = [observation[name] for name in ("planes", "scalars") if name in observation]
    before = observation["action_mask"].ndim - 1
    return np.concatenate([part.reshape(*part.shape[:before], -1) for part in parts], axis=-1)


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_dicts_match_flat_observations(observation, dtype):
    config = {"width": 6, "height": 5, "starvation": 12, "observation": observation, "dtype": dtype}
    for mode in AutoresetMode:
        if mode is AutoresetMode.DISABLED:
            continue
        dicts = hognose.SnakeVectorEnv(5, autoreset_mode=mode, layout="dict", **config)
        flats = hognose.SnakeVectorEnv(5, autoreset_mode=mode, **config)
        (seen, infos), (theirs, _) = dicts.reset(seed=4), flats.reset(seed=4)
        draws = np.random.default_rng(0)
        finals = 0
        for _ in range(80):
            assert seen in dicts.observation_space
            assert np.array_equal(flat(seen), theirs.reshape(5, -1))
            assert np.array_equal(seen["action_mask"], infos["action_mask"])
            assert {name: part.shape[1:] for name, part in seen.items()} == {
                name: space.shape for name, space in dicts.single_observation_space.items()
            }
            actions = np.array([draws.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
            seen, *_, infos = dicts.step(actions)
            theirs, *_, their_infos = flats.step(actions)
            for env in np.flatnonzero(infos.get("_final_obs", [])):
                finals += 1
                final = infos["final_obs"][env]
                assert final in dicts.single_observation_space
                assert np.array_equal(flat(final), their_infos["final_obs"][env].ravel())
                assert np.array_equal(final["action_mask"], infos["final_info"]["action_mask"][env])
        assert finals > 5 or mode is AutoresetMode.NEXT_STEP


def test_parts_are_described_and_split():
    env = hognose.SnakeEnv(width=7, height=5, observation="planes", layout="dict")
    assert env.parts == hognose.Parts((5, 5, 7), 0) and "scalars" not in env.observation_space.spaces
    env = hognose.SnakeEnv(observation="features", layout="dict")
    assert env.parts == hognose.Parts((0, 0, 0), 24) and "planes" not in env.observation_space.spaces
    env = hognose.SnakeEnv(observation="centered")
    observation, _ = env.reset(seed=0)
    parts = hognose.Parts.of(env.config).split(observation)
    assert parts["planes"].shape == (6, 23, 23) and parts["scalars"].shape == (36,)
    assert np.shares_memory(parts["planes"], observation)


def test_stacked_frames_are_split():
    config = {"width": 5, "height": 5, "frame_stack": 3, "layout": "dict"}
    env = hognose.SnakeEnv(**config)
    observation, _ = env.reset(seed=0)
    assert observation["planes"].shape == (3, 6, 9, 9) and observation["scalars"].shape == (3, 20)
    assert observation["action_mask"].shape == (3,) and observation in env.observation_space
    envs = hognose.SnakeVectorEnv(2, copy=False, **config)
    observations, _ = envs.reset(seed=0)
    assert observations in envs.observation_space and not observations["planes"].flags.writeable


def test_gymnasium_accepts_dicts():
    check_env(hognose.SnakeEnv(width=6, height=6, layout="dict"), skip_render_check=True)


def test_a_function_splits_its_observations():
    parts = hognose.Parts.of(hognose.EnvConfig(width=4, height=4))

    def policy(observations, masks):
        seen = parts.split(observations, masks)
        assert seen["planes"].shape[1:] == (6, 7, 7)
        return seen["action_mask"].argmax(axis=1)

    (row,) = hognose.evaluate([policy], board=(4, 4), games=3)
    assert row["name"] == "policy"


def test_unknown_layouts_are_named():
    with pytest.raises(ValueError, match="layout must be flat or dict, got 'nested'"):
        hognose.SnakeEnv(layout="nested")
