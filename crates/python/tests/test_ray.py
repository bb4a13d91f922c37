"""Evaluation over a Ray cluster (marker ``ray``)."""

import os
import pathlib

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    """Two local workers."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def without_times(rows):
    return [{key: value for key, value in row.items() if key != "decisions_per_second"} for row in rows]


def test_a_cluster_has_the_numbers_of_one_process(cluster):
    import hognose
    import hognose.ray

    def first_allowed(observations, masks):
        return masks.argmax(axis=1)

    policies = ["certified:10", "greedy", first_allowed]
    expected = without_times(hognose.evaluate(policies, board=(6, 6), games=101, seed=2))
    assert without_times(hognose.ray.evaluate(policies, board=(6, 6), games=101, seed=2)) == expected
    assert without_times(hognose.ray.evaluate(policies, board=(6, 6), games=101, seed=2, tasks=7)) == expected


def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    import hognose
    import hognose.ray

    marker = pathlib.Path(tmp_path / "killed")

    def kills_its_worker_once(observations, masks):
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return masks.argmax(axis=1)

    def calm(observations, masks):
        return masks.argmax(axis=1)

    games = hognose.ray.evaluate({"policy": kills_its_worker_once}, board=(5, 5), games=40, tasks=4)
    assert marker.exists()
    assert without_times(games) == without_times(hognose.evaluate({"policy": calm}, board=(5, 5), games=40))


def test_bad_input_is_named(cluster):
    import hognose.ray

    with pytest.raises(TypeError, match="unexpected keyword argument 'threads'"):
        hognose.ray.evaluate(["greedy"], threads=3)
    with pytest.raises(ValueError, match="games"):
        hognose.ray.evaluate(["greedy"], games=0)
    with pytest.raises(Exception, match="did you mean"):
        hognose.ray.evaluate(["greddy"], games=3)


def test_the_examples_in_the_documentation_run(cluster):
    import doctest

    import hognose.ray

    results = doctest.testmod(hognose.ray)
    assert results.attempted > 0
    assert results.failed == 0


def test_duels_for_rllib():
    import doctest

    import numpy as np

    import hognose.rllib

    env = hognose.rllib.MultiAgentDuel({"width": 7, "height": 7, "step_limit": 60})
    draws = np.random.default_rng(0)
    for seed in (3, None, None):
        observations, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            for agent in env.possible_agents:
                assert observations[agent] in env.observation_spaces[agent]
            actions = {
                agent: int(draws.choice(np.flatnonzero(seen["action_mask"]))) for agent, seen in observations.items()
            }
            observations, rewards, terminations, truncations, infos = env.step(actions)
            ended = terminations["__all__"]
            assert set(terminations.values()) == {ended} and not any(truncations.values())
        assert sum(rewards.values()) == 0 and env.agents == []
        assert {infos[agent]["duel"]["outcome"] for agent in infos} in ({"won", "lost"}, {"drawn"})
    results = doctest.testmod(hognose.rllib)
    assert results.attempted > 0 and results.failed == 0
