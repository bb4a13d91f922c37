"""Evaluation and training on a Ray cluster (marker ``ray``)."""

import os
import pathlib

import pytest

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    """Starts two local workers."""
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


def test_a_cluster_has_the_regret_of_one_process(cluster):
    import hognose
    import hognose.ray

    def first_allowed(observations, masks):
        return masks.argmax(axis=1)

    policies = ["certified:10", "optimal", first_allowed]
    games = {"board": "4x4", "games": 30, "seed": 2, "regret": True}
    expected = hognose.evaluate(policies, regret_games=20, **games)
    assert [row["regret"]["games"] for row in expected] == [20] * 3
    table = hognose.tablebase.Table("4x4")
    for given in ({}, {"table": table}, {"tasks": 7}):
        rows = hognose.ray.evaluate(policies, regret_games=20, **games, **given)
        assert without_times(rows) == without_times(expected)
    with pytest.raises(ValueError, match="a table needs regret=True"):
        hognose.ray.evaluate(policies, board="4x4", table=table)
    with pytest.raises(ValueError, match="5x6 needs a table"):
        hognose.ray.evaluate(policies, board="5x6", regret=True)


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


def test_a_cluster_has_the_leaderboard_of_one_process(cluster):
    import hognose
    import hognose.ray

    def first_allowed(observations, masks):
        return masks.argmax(axis=1)

    policies = ["certified:10", "hamiltonian", "greedy", first_allowed]
    boards = {"boards": ["4x4", "5x5"], "seed": 3}      # 5x5 has no cycle for hamiltonian
    for rest in ({"games": 30}, {}):
        expected = hognose.leaderboard(policies, **boards, **rest)
        assert hognose.ray.leaderboard(policies, **boards, **rest) == expected
    assert hognose.ray.leaderboard(policies, **boards, games=30, tasks=5)[0]["games"] == 30
    with pytest.raises(ValueError, match="expected more minutes"):
        hognose.ray.leaderboard(["certified:1000"], boards=["20x20"], minutes=0.01)


def test_bad_input_is_named(cluster):
    import hognose.ray

    with pytest.raises(TypeError, match="multiple values for keyword argument 'threads'"):
        hognose.ray.evaluate(["greedy"], threads=3)
    with pytest.raises(ValueError, match="games"):
        hognose.ray.evaluate(["greedy"], games=0)
    with pytest.raises(ValueError, match="tasks must be a whole number of at least 1, got -1"):
        hognose.ray.evaluate(["greedy"], games=3, tasks=-1)
    with pytest.raises(Exception, match="did you mean"):
        hognose.ray.evaluate(["greddy"], games=3)


def test_files_are_found_from_other_folders(cluster, tmp_path, monkeypatch):
    import hognose.ray

    shipped = pathlib.Path(__file__).parents[3] / "checkpoints/quickstart-6x6/policy.safetensors"
    (tmp_path / "own.safetensors").write_bytes(shipped.read_bytes())
    # Workers run in the folder where the cluster was started.
    monkeypatch.chdir(tmp_path)
    name = "dqn:own.safetensors"
    assert hognose.ray.evaluate([name], board="6x6", games=10, tasks=2)[0]["name"] == name
    assert name in [row["policy"] for row in hognose.ray.leaderboard([name], boards=["6x6"], games=10)]
    settings = {"init": "own.safetensors", "evaluation.policies": ["greedy", name], "train.n_step": 3}
    path = os.fspath(tmp_path / "own.safetensors")
    found = {"init": path, "evaluation.policies": ["greedy", f"dqn:{path}"], "train.n_step": 3}
    assert hognose.ray._settings_anywhere(settings) == found


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


def test_flat_duels_for_rllib():
    import hognose.rllib

    flat, nested = (hognose.rllib.MultiAgentDuel({"width": 7, "height": 7, "layout": layout}) for layout in ("flat", "dict"))
    (seen, infos), (theirs, _) = flat.reset(seed=1), nested.reset(seed=1)
    for agent in flat.possible_agents:
        assert seen[agent] in flat.observation_spaces[agent] and (seen[agent] == theirs[agent]["observation"]).all()
        assert (infos[agent]["action_mask"] == theirs[agent]["action_mask"]).all()


def test_workers_find_the_environment_by_its_name(cluster):
    @ray.remote
    def length():
        import gymnasium

        return gymnasium.make("hognose:hognose/Snake-v0", observation="features").reset(seed=0)[0].size

    assert ray.get(length.remote()) == 24


LONGER = {"train.total_steps": 60_000}


def test_runs_match_one_process_although_a_worker_is_killed(cluster, tiny, tmp_path, monkeypatch):
    import threading
    import time

    import hognose
    import hognose.ray

    out = tmp_path / "runs"
    killed = []

    def kill():
        """Kills the worker of a run once it has a checkpoint."""
        while not list(out.glob("tiny/*/seed0/checkpoints/step-*")):
            time.sleep(0.01)
        for status in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = status.read_bytes()
            except OSError:
                continue
            if b"_train" in text and text.startswith(b"ray::"):
                os.kill(int(status.parent.name), 9)
                killed.append(text)
                return

    thread = threading.Thread(target=kill)
    thread.start()
    # Workers run in the folder where the cluster was started.
    monkeypatch.chdir(tiny.parent)
    rows = hognose.ray.train(tiny.name, seeds=[0, 1], grid={"train.n_step": [1, 3]}, set=LONGER, out=out)
    thread.join()
    assert killed
    assert [(row["settings"], row["seeds"]) for row in rows] == [({"train.n_step": n}, [0, 1]) for n in (1, 3)]
    alone = hognose.train(tiny, out=tmp_path / "alone", seed=0, set={"train.n_step": 1, **LONGER}, progress=False)
    folder = pathlib.Path(rows[0]["runs"][0]["folder"])
    assert folder == out / "tiny" / "train.n_step=1" / "seed0"
    assert (folder / "policy.safetensors").read_bytes() == (alone.folder / "policy.safetensors").read_bytes()
    assert rows[0]["win_rate"] == sum(run["results"]["win_rate"] for run in rows[0]["runs"]) / 2
    assert rows[0]["win_rate_interval"][0] <= rows[0]["win_rate"] <= rows[0]["win_rate_interval"][1]
    again = hognose.ray.train(tiny.name, seeds=[0, 1], grid={"train.n_step": [1, 3]}, set=LONGER, out=out)
    assert again == rows
    with pytest.raises(ray.exceptions.RayTaskError, match="unknown field"):
        hognose.ray.train(tiny, seeds=[0], set={"train.steps": 1}, out=tmp_path / "none")


def test_wrong_runs_are_refused_at_once(cluster, tiny, tmp_path):
    import hognose.ray

    for experiments, seeds in ((tiny, [0, 0]), ([tiny, os.path.relpath(tiny)], [0])):
        with pytest.raises(ValueError, match="must differ, got 2 runs for .*/tiny/.*seed0"):
            hognose.ray.train(experiments, seeds=seeds, out=tmp_path / "none")
    endless = {"train.total_steps": 50_000_000}
    with pytest.raises(ray.exceptions.RayTaskError, match="n_step"):
        hognose.ray.train(tiny, seeds=[0], grid={"train.n_step": [1, "many"]}, set=endless, out=tmp_path / "runs")


def test_asha_ends_trials_and_keeps_the_best(cluster, tiny, tmp_path):
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    import hognose.ray

    scheduler = ASHAScheduler("step", max_t=60_000, grace_period=10_000, reduction_factor=3)
    results = tune.Tuner(
        # Each trial runs in its own folder.
        hognose.ray.trainable(os.path.relpath(tiny), set=LONGER, out=tmp_path / "trials"),
        param_space={"seed": tune.grid_search([0, 1, 2, 3])},
        tune_config=tune.TuneConfig(metric="mean_length", mode="max", scheduler=scheduler),
        run_config=tune.RunConfig(storage_path=str(tmp_path / "tune")),
    ).fit()
    assert not results.errors and len(results) == 4
    steps = sorted(result.metrics["step"] for result in results)
    assert steps[-1] == 60_000 and steps[0] < 60_000
    assert len(list((tmp_path / "trials").glob("*/policy.safetensors"))) == 4
