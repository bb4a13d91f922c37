"""PettingZoo (marker ``pettingzoo``)."""

import pickle
import warnings

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import hognose

pytestmark = pytest.mark.pettingzoo
pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    # PettingZoo's tests import environments by deprecated names. All other warnings are errors.
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo.test

SMALL = {"width": 7, "height": 7, "step_limit": 60}


@pytest.fixture(autouse=True)
def no_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def actions(env, infos, draws):
    """Returns a random allowed action for each agent."""
    return {agent: int(draws.choice(np.flatnonzero(infos[agent]["action_mask"]))) for agent in env.agents}


@pytest.mark.parametrize("observation", ["planes", "egocentric"])
def test_the_parallel_environment_keeps_the_contract(observation):
    from pettingzoo.test import parallel_api_test

    parallel_api_test(hognose.duel.parallel_env(observation=observation))
    parallel_api_test(hognose.duel.parallel_env(action="absolute", dtype="uint8", **SMALL), num_cycles=2000)


# PettingZoo warns about dict observations, except in its own environments.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
def test_the_aec_environment_keeps_the_contract():
    from pettingzoo.test import api_test
    from pettingzoo.utils import parallel_to_aec

    api_test(parallel_to_aec(hognose.duel.parallel_env(observation="planes", **SMALL)), num_cycles=500)


def test_pictures():
    pytest.importorskip("pygame")
    from pettingzoo.test import render_test
    from pettingzoo.utils import parallel_to_aec

    def make(render_mode):
        env = hognose.duel.parallel_env(render_mode=render_mode, **SMALL)
        env.metadata = {**env.metadata, "render_fps": 1000}
        return parallel_to_aec(env)

    render_test(make)


def test_pettingzoos_own_test_of_seeds():
    from pettingzoo.test import parallel_seed_test

    parallel_seed_test(lambda: hognose.duel.parallel_env(**SMALL))


def same(a, b):
    """Returns whether two results are equal, including their types."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def test_a_seed_gives_the_same_episodes():
    """Stronger than ``parallel_seed_test``: compares all results of several whole episodes."""
    one, two = (hognose.duel.parallel_env(**SMALL) for _ in range(2))
    ends = 0
    for seed in (1, None, None, 2, 1):
        a, b = one.reset(seed=seed), two.reset(seed=seed)
        assert all(same(x, y) for x, y in zip(a, b, strict=True))
        draws, infos = np.random.default_rng(seed), a[1]
        while one.agents:
            chosen = actions(one, infos, draws)
            a, b = one.step(chosen), two.step(chosen)
            assert all(same(x, y) for x, y in zip(a, b, strict=True)) and one.agents == two.agents
            infos = a[4]
        ends += 1
    assert ends == 5
    first = one.reset(seed=1)[0]["snake_0"]["observation"]
    assert any(not np.array_equal(first, one.reset(seed=seed)[0]["snake_0"]["observation"]) for seed in range(2, 9))


def test_results_of_steps():
    env = hognose.duel.parallel_env(**SMALL)
    assert env.possible_agents == ["snake_0", "snake_1"] and env.agents == []
    observations, infos = env.reset(seed=5)
    draws = np.random.default_rng(0)
    kept = {agent: {key: value.copy() for key, value in seen.items()} for agent, seen in observations.items()}
    before = observations
    while env.agents:
        for agent in env.agents:
            assert observations[agent] in env.observation_space(agent)
            assert env.observation_space(agent) is env.observation_space(agent)
            assert np.array_equal(observations[agent]["action_mask"], infos[agent]["action_mask"])
            assert observations[agent]["action_mask"].any()
        observations, rewards, terminations, truncations, infos = env.step(actions(env, infos, draws))
        assert all(type(flag) is bool for flag in (*terminations.values(), *truncations.values()))
        assert len(set(terminations.values())) == 1 and not any(truncations.values())
    assert same(before, kept), "later steps do not change earlier results"
    assert env.agents == [] and set(observations) == set(rewards) == {"snake_0", "snake_1"}
    assert sum(rewards.values()) == 0
    assert infos["snake_0"]["duel"]["cause"] == infos["snake_1"]["duel"]["other_cause"]
    assert infos["snake_0"]["duel"]["seat"] == 0


def test_flat_observations():
    flat, nested = (hognose.duel.parallel_env(layout=layout, observation="planes", **SMALL) for layout in ("flat", "dict"))
    pettingzoo.test.parallel_api_test(flat, num_cycles=100)
    pettingzoo.test.parallel_seed_test(lambda: hognose.duel.parallel_env(layout="flat", **SMALL))
    seen, infos = flat.reset(seed=2)
    theirs, their_infos = nested.reset(seed=2)
    draws = np.random.default_rng(0)
    while flat.agents:
        for agent in flat.agents:
            assert seen[agent] in flat.observation_space(agent)
            assert np.array_equal(seen[agent], theirs[agent]["observation"])
            assert np.array_equal(infos[agent]["action_mask"], theirs[agent]["action_mask"])
        chosen = actions(flat, infos, draws)
        assert pickle.loads(pickle.dumps(flat)).step(chosen)[1] == nested.step(chosen)[1]
        seen, *_, infos = flat.step(chosen)
        theirs = nested._game.seen()
    with pytest.raises(ValueError, match="layout must be flat or dict, got 'nested'"):
        hognose.duel.parallel_env(layout="nested")


@pytest.mark.filterwarnings("default")
def test_supersuit_wraps_flat_observations():
    supersuit = pytest.importorskip("supersuit")
    env = hognose.duel.parallel_env(layout="flat", observation="planes", dtype="uint8", **SMALL)
    env = supersuit.frame_stack_v1(supersuit.black_death_v3(supersuit.dtype_v0(env, np.float32)), 2)
    observations, _ = env.reset(seed=0)
    assert all(seen.dtype == np.float32 and seen in env.observation_space(agent) for agent, seen in observations.items())
    vector = supersuit.pettingzoo_env_to_vec_env_v1(hognose.duel.parallel_env(layout="flat", **SMALL))
    observations, _ = vector.reset(seed=0)
    for _ in range(50):
        observations, rewards, terminations, truncations, infos = vector.step(np.ones(2, int))
        assert observations.shape == (2, *vector.observation_space.shape) and rewards.shape == (2,)


def test_bad_input_is_named():
    from gymnasium.error import ClosedEnvironmentError, ResetNeeded

    env = hognose.duel.parallel_env(**SMALL)
    with pytest.raises(ResetNeeded):
        env.step({"snake_0": 0, "snake_1": 0})
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the keys snake_0 and snake_1"):
        env.step({"snake_0": 0})
    with pytest.raises(ValueError, match="got 5"):
        env.step({"snake_0": 0, "snake_1": 5})
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.reset()


def test_the_examples_in_the_documentation_run():
    import doctest

    import hognose.parallel

    results = doctest.testmod(hognose.parallel)
    assert results.attempted > 0 and results.failed == 0


def test_the_environment_continues_from_a_snapshot():
    env = hognose.duel.parallel_env(observation="planes", render_mode="rgb_array", **SMALL)
    assert pickle.loads(pickle.dumps(env)).agents == []
    with pytest.raises(ResetNeeded):
        pickle.loads(pickle.dumps(env)).step({"snake_0": 0, "snake_1": 0})
    _, infos = env.reset(seed=3)
    draws = np.random.default_rng(0)
    other = hognose.duel.parallel_env(observation="planes", **SMALL)
    while env.agents:
        other.restore(env.snapshot())
        chosen = actions(env, infos, draws)
        copied = pickle.loads(pickle.dumps(env))
        observations, rewards, terminations, _, infos = env.step(chosen)
        for one in (other, copied):
            theirs = one.step(chosen)
            assert theirs[1:3] == (rewards, terminations) and one.agents == env.agents
            for agent, seen in observations.items():
                assert np.array_equal(theirs[0][agent]["observation"], seen["observation"])
    assert not pickle.loads(pickle.dumps(env)).agents
    assert (env.render() == pickle.loads(pickle.dumps(env)).render()).all()
