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
