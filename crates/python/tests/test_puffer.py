"""PufferLib: our native environment, and its emulation layer over the single one (marker ``puffer``)."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import hognose

pytestmark = [pytest.mark.puffer, pytest.mark.filterwarnings("default")]
pufferlib = pytest.importorskip("pufferlib")
pytest.importorskip("pufferlib.vector")
CONFIG = {"width": 6, "height": 6, "observation": "planes", "dtype": "uint8", "starvation": 30}


def native(**given):
    """Creates our environments for PufferLib; version 3 also passes a seed."""
    from hognose.puffer import SnakePufferEnv

    return SnakePufferEnv(**{**CONFIG, **given})


def buffers(envs, **others):
    """Creates buffers as PufferLib does, which differs between versions 2 and 3."""
    n, space = envs.num_agents, envs.single_observation_space
    arrays = {
        "observations": np.full((n, *space.shape), 9, space.dtype),
        "rewards": np.full(n, 9, np.float32),
        "terminals": np.ones(n, np.bool_),
        "truncations": np.ones(n, np.bool_),
        "masks": np.ones(n, np.bool_),
        "actions": np.zeros(n, np.int32),
        **others,
    }
    namespace = getattr(pufferlib, "namespace", None)
    return arrays, namespace(**arrays) if namespace else arrays


def vector(num_envs, **config):
    return hognose.SnakeVectorEnv(
        num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **{**CONFIG, **config}
    )


def same(ours, theirs):
    return all(np.array_equal(*pair) for pair in zip(ours[:4], theirs[:4], strict=True))


@pytest.mark.parametrize(
    "config", [{}, {"dtype": "float32"}, {"observation": "egocentric"}, {"action": "absolute", "mask": "safe"}]
)
def test_games_in_the_callers_buffers_match_the_vector_environment(config):
    arrays, buf = buffers(native(num_envs=50, **config))
    envs, plain = native(num_envs=50, buf=buf, seed=3, **config), vector(50, **config)
    draws = np.random.default_rng(0)
    episodes = lengths = 0
    for seed in (3, None, 8):
        observations, infos = envs.reset(seed=None if seed == 3 else seed)
        expected, plain_infos = plain.reset(seed=seed)
        assert observations is arrays["observations"] and infos == []
        assert np.array_equal(observations, expected)
        assert not (arrays["rewards"].any() or arrays["terminals"].any() or arrays["truncations"].any())
        for _ in range(300):
            assert np.array_equal(envs.action_masks(), plain_infos["action_mask"].astype(bool))
            masks = plain_infos["action_mask"]
            actions = (draws.random(masks.shape) * masks).argmax(axis=1)
            results = envs.step(actions.astype(np.int32))
            *expected, plain_infos = plain.step(actions)
            assert same(results, expected) and np.array_equal(arrays["actions"], actions)
            given = (arrays[name] for name in ("observations", "rewards", "terminals", "truncations"))
            assert all(one is other for one, other in zip(results[:4], given))
            if "snake" in plain_infos:
                episodes += plain_infos["_snake"].sum()
                lengths += plain_infos["snake"]["length"].sum()
            for info in results[4]:
                assert info["episodes"] == episodes
                assert info["snake_length"] == pytest.approx(lengths / episodes)
                episodes = lengths = 0
    assert arrays["masks"].all()
    assert results[4] == [] and envs.rewards.dtype == np.float32


def test_a_configuration_changes_between_episodes():
    envs = native(num_envs=4, observation="features")
    envs.reset(seed=0)
    envs.configure(width=8, height=8, time_limit=3)
    envs.reset()
    assert envs._native.boards() == ["8x8"] * 4 and envs.config.width == 8
    assert [envs.step(np.ones(4, np.int32))[3].sum() for _ in range(3)][-1] > 0


def test_pufferlibs_native_backend():
    envs = pufferlib.vector.make(native, env_kwargs={"num_envs": 8, "log_interval": 1})
    plain = vector(8)
    assert np.array_equal(envs.reset(seed=5)[0], plain.reset(seed=5)[0])
    logged = []
    for _ in range(200):
        results = envs.step(np.ones(8, np.int32))
        assert same(results, plain.step(np.ones(8, np.int64)))
        logged += results[4]
    assert {"episode_return", "episode_length", "snake_length", "win_rate", "episodes"} == set(logged[0])
    envs.close()


def test_pufferlibs_workers_play_their_own_seeds():
    options = {"backend": pufferlib.vector.Multiprocessing, "overwork": True}
    envs = pufferlib.vector.make(native, env_kwargs={"num_envs": 16}, num_envs=2, **options)
    plain = [vector(16), vector(16)]
    expected = [env.reset(seed=5 + worker)[0] for worker, env in enumerate(plain)]
    assert np.array_equal(envs.reset(seed=5)[0], np.concatenate(expected))
    draws = np.random.default_rng(1)
    for _ in range(200):
        actions = draws.integers(3, size=32)
        halves = [env.step(half) for env, half in zip(plain, np.split(actions, 2))]
        expected = [np.concatenate([half[part] for half in halves]) for part in range(4)]
        assert same(envs.step(actions.astype(np.int32)), expected)
    envs.close()


def test_buffers_that_do_not_fit_are_named():
    envs = native(num_envs=4)
    read_only = np.zeros(4, np.float32)
    read_only.flags.writeable = False
    cases = [
        (TypeError, "have dtype uint8, got float32", "observations", np.zeros((4, 5, 6, 6), np.float32)),
        (ValueError, r"have shape \[4, 5, 6, 6\], got \[3, 5", "observations", np.zeros((3, 5, 6, 6), np.uint8)),
        (ValueError, "be C-contiguous", "observations", np.zeros((4, 5, 6, 12), np.uint8)[..., ::2]),
        (ValueError, "be writable", "rewards", read_only),
        (TypeError, "have dtype float32, got float64", "rewards", np.zeros(4)),
        (TypeError, "have dtype bool, got uint8", "terminals", np.zeros(4, np.uint8)),
        (ValueError, r"have shape \[4\], got \[5\]", "truncations", np.zeros(5, np.bool_)),
    ]
    for kind, words, name, wrong in cases:
        with pytest.raises(kind, match=f"the buffer of {name} must {words}"):
            native(num_envs=4, buf=buffers(envs, **{name: wrong})[1])
    flags = np.zeros(4, np.bool_)
    with pytest.raises(ValueError, match="share"):
        native(num_envs=4, buf=buffers(envs, terminals=flags, truncations=flags)[1])
    with pytest.raises(ValueError, match="frame_stack 1, got 2"):
        native(frame_stack=2)
    with pytest.raises(ValueError, match="layout must be 'flat', got 'dict'"):
        native(layout="dict")
    with pytest.raises(ValueError, match="num_envs"):
        native(num_envs=0)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="the action of environment 2 must be from 0 to 2, got 3"):
        envs.step(np.array([0, 1, 3, 0]))
    with pytest.raises(ValueError, match=r"actions must have shape \(4,\), got \(3,\)"):
        envs.step(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="a list of seeds must have one entry, got 2"):
        envs.reset(seed=[1, 2])


def test_the_examples_in_the_documentation_run():
    import doctest

    import hognose.puffer

    results = doctest.testmod(hognose.puffer)
    assert results.attempted > 0 and results.failed == 0


def emulated(**given):
    """Creates an environment for PufferLib; version 3 passes a buffer and a seed."""
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


def test_emulated_vector_environments_step():
    from pufferlib import vector

    envs = vector.make(emulated, num_envs=4, backend=vector.Multiprocessing, num_workers=2)
    observations, _ = envs.reset(seed=1)
    for _ in range(50):
        observations, *_ = envs.step(np.zeros(4, np.int64))
    envs.close()
    assert observations.shape == (4, 5, 6, 6) and observations.dtype == np.uint8
