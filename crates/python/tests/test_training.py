"""Training and agents from Python."""

import os
import pickle
import signal
import subprocess
import threading
from pathlib import Path
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest

import hognose
from hognose import _hognose

pytestmark = pytest.mark.skipif(not hasattr(_hognose, "train"), reason="hognose was built without agents")

QUIET = {"progress": False}


def files(folder):
    """Returns the files that must not depend on how a run was trained: all except times and curves."""
    names = ["experiment.toml", "policy.safetensors", *sorted(f.name for f in folder.glob("checkpoints/*"))]
    paths = [next(folder.rglob(name)) for name in names]
    return {name: path.read_bytes() for name, path in zip(names, paths, strict=True)}


def test_a_run_reports_and_is_reproducible(tiny, tmp_path):
    reports = []
    run = hognose.train(tiny, out=tmp_path / "run", seed=3, callback=reports.append, **QUIET)
    assert run.finished and run.policy == f"dqn:{tmp_path / 'run'}"
    assert [row["name"] for row in run.results] == ["hamiltonian", "greedy", run.policy]
    assert sum(run.results[2]["ends"].values()) == 20 and run.results[1]["paired"]["reference"] == "hamiltonian"
    assert run.manifest["seed"] == 3 and run.manifest["environment_steps"] == 20_000
    assert run.manifest["results"] == run.results[2]
    assert reports[0].step == 0 and reports[-1].step == reports[-1].total == 20_000
    selections = [progress for progress in reports if progress.selection]
    assert len(selections) == 4 and sum(selections[0].selection[0]["ends"].values()) == 10
    assert set(reports[-1].score) == {"win_rate", "mean_length", "mean_steps_won", "steps_per_win"}
    again = hognose.train(tiny, out=tmp_path / "again", seed=3, threads=1, **QUIET)
    assert files(run.folder) == files(again.folder)


@pytest.mark.skipif("HOGNOSE" not in os.environ, reason="needs HOGNOSE")
def test_the_binary_trains_the_same_run(tiny, tmp_path):
    run = hognose.train(tiny, out=tmp_path / "run", seed=5, set={"train.n_step": 2, "network.hidden": [8, 8]}, **QUIET)
    words = ["train", str(tiny), "--out", str(tmp_path / "binary"), "--seed", "5"]
    settings = ["--set", "train.n_step=2", "--set", "network.hidden=[8, 8]"]
    subprocess.run([os.environ["HOGNOSE"], *words, *settings], check=True, capture_output=True)
    assert files(run.folder) == files(tmp_path / "binary")


def test_a_stopped_run_resumes(tiny, tmp_path):
    whole = hognose.train(tiny, out=tmp_path / "whole", **QUIET)
    stopped = hognose.train(tiny, out=tmp_path / "run", callback=lambda progress: not progress.selection, **QUIET)
    assert not stopped.finished and stopped.results is None
    resumed = hognose.resume(stopped.folder, **QUIET)
    assert resumed.finished and files(resumed.folder)["policy.safetensors"] == files(whole.folder)["policy.safetensors"]
    longer = hognose.resume(stopped.folder, set={"train.total_steps": 22_000}, **QUIET)
    assert longer.manifest["environment_steps"] >= 22_000


@pytest.mark.parametrize("answer, finished", [(np.False_, False), (0, False), (None, True), (np.True_, True)])
def test_any_false_answer_but_none_stops(tiny, tmp_path, answer, finished):
    short = {"train.total_steps": 2_000}
    assert hognose.train(tiny, out=tmp_path / "run", set=short, callback=lambda _: answer, **QUIET).finished is finished


def test_a_run_draws_itself(tiny, tmp_path):
    run = hognose.train(tiny, out=tmp_path / "run", **QUIET)
    curves = run.curves()
    steps, values = curves["eval/win_rate"]
    assert len(steps) == len(values) == 4 and steps[-1] == 20_000
    drawing = ElementTree.fromstring(run.plot())
    assert len(drawing.findall(".//{*}polyline")) == sum(name.startswith("eval/") for name in curves)
    assert str(run.folder) in run._repr_html_() and "<svg" in run._repr_html_()
    assert "4x4" in run.agent()._repr_html_()


def test_what_ships_is_listed():
    assert "quickstart" in hognose.experiments() and "quickstart-6x6" in hognose.agents()
    for name in hognose.agents():
        assert hognose.load_agent(name).name == f"dqn:{name}"


def test_exceptions_and_interrupts_leave_a_checkpoint(tiny, tmp_path):
    def fails(progress):
        if progress.loss is not None:
            raise KeyError("of the callback")

    with pytest.raises(KeyError, match="of the callback"):
        hognose.train(tiny, out=tmp_path / "run", callback=fails, **QUIET)
    assert list(tmp_path.glob("run/checkpoints/*"))
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        hognose.train(tiny, out=tmp_path / "other", set={"train.total_steps": 50_000_000}, **QUIET)
    assert list(tmp_path.glob("other/checkpoints/*"))


def test_bad_input_is_named(tiny, tmp_path):
    def refused(error, text, *arguments, **others):
        with pytest.raises(error, match=text):
            hognose.train(*arguments, **{"out": tmp_path / "none", **QUIET, **others})
        assert not (tmp_path / "none").exists()

    refused(ValueError, "expected a file or one of 10x10", "slowstart")
    refused(ValueError, "train.steps=3: unknown field `steps`", tiny, set={"train.steps": 3})
    refused(ValueError, "train.n_step must be a number, .* got <object", tiny, set={"train.n_step": object()})
    refused(ValueError, "threads must be a whole number from 1 to 256, got 0", tiny, threads=0)
    refused(ValueError, "gpu", tiny, device="gpu")
    refused(ValueError, "seed", tiny, seed=-1)
    refused(ValueError, "/no/such/agent", tiny, init="/no/such/agent")
    with pytest.raises(ValueError, match="/no/such/run"):
        hognose.resume("/no/such/run", **QUIET)
    hognose.train(tiny, out=tmp_path / "run", set={"train.total_steps": np.int64(1000)}, **QUIET)
    with pytest.raises(ValueError, match="already holds a run"):
        hognose.train(tiny, out=tmp_path / "run", **QUIET)


def test_duels_train_too(tmp_path):
    short = {
        "train.total_steps": 20_480, "train.evaluation_pairs": 2, "train.learning_starts": 2_048,
        "train.evaluate_every": 20_480, "evaluation.games": 8,
    }
    reports = []
    run = hognose.train("duel-quickstart", out=tmp_path / "run", set=short, callback=reports.append, **QUIET)
    assert run.policy == f"selfplay:{tmp_path / 'run'}:1" and run.finished
    assert run.policy in [row["bot"] for row in run.results["ranking"]["bots"]]
    assert reports[-1].selection["games"] == 2 * 2 * len(reports[-1].selection["against"])


def test_agents_are_functions_of_their_observations(tiny, tmp_path):
    run = hognose.train(tiny, out=tmp_path / "run", **QUIET)
    agent = run.agent()
    assert (agent.spec["board"], agent.spec["observation"]) == ("4x4", "features")
    envs = hognose.SnakeVectorEnv(8, width=4, height=4, observation="features")
    observations, infos = envs.reset(seed=0)
    for _ in range(50):
        positions = [envs.position(env) for env in range(8)]
        q = agent.q_values(observations)
        assert q.shape == (8, 3) and np.array_equal(q, agent.q_values(positions))
        actions = agent(observations, infos["action_mask"])
        headings = np.array([["up", "right", "down", "left"].index(position.heading) for position in positions])
        assert np.array_equal(agent.act(positions), (headings + actions - 1) % 4)
        observations, _, _, _, infos = envs.step(actions)
    games = {"board": "4x4", "games": 50}
    asked, named = (
        hognose.evaluate({"agent": policy}, observation="features", **games)[0] for policy in (agent.__call__, agent)
    )
    assert asked["mean_length"] == named["mean_length"] and asked["ends"] == named["ends"]
    copy = pickle.loads(pickle.dumps(agent))
    assert np.array_equal(copy.q_values(observations), agent.q_values(observations))
    assert repr(agent) == f"<Agent dqn:{tmp_path / 'run'}: 4x4, features>"
    with pytest.raises(ValueError, match=r"on 4x4: expected rows of 24 values, got shape \(2, 5\)"):
        agent.q_values(np.zeros((2, 5)))


def test_agents_act_in_environments():
    config = {"width": 6, "height": 6, "starvation": 72}
    for name, games in (("quickstart-6x6", 20), ("every-board-plans", 4)):
        agent = hognose.load_agent(name)
        for action in ("relative", "absolute"):
            envs = hognose.SnakeVectorEnv(games, action=action, autoreset_mode="SameStep", **config)
            envs.reset(seed=0)
            ends = {}
            while len(ends) < games:
                *_, infos = envs.step(agent.actions(envs))
                for env in np.flatnonzero(infos.get("_snake", [])):
                    ends.setdefault(env, infos["snake"]["ended_by"][env])
            assert list(ends.values()).count("won") >= 0.75 * games
        env = gymnasium.make("hognose/Snake-v0", **config)
        env.reset(seed=3)
        env.step(agent.actions(env))
    agent = hognose.load_agent("quickstart-6x6")
    position = env.unwrapped.position
    action, values = agent.predict(position, q_values=True)
    assert action == agent.actions(env) and values.shape == (3,)
    assert np.array_equal(agent.predict([position] * 2)[0], [action] * 2)
    forbidden = np.ones(3)
    forbidden[action] = 0
    assert agent.predict(position, action_mask=forbidden)[0] != action
    words = "dqn:quickstart-6x6 evaluates what follows each move, .* give it positions of 6x6 such as env.position"
    with pytest.raises(ValueError, match=words):
        agent.predict(np.zeros(746, np.float32))


def test_agents_that_ship():
    agent = hognose.load_agent("quickstart-6x6")
    game = hognose.Solver("dqn:quickstart-6x6")
    position = hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 2))
    playing = game.begin(position)
    for _ in range(2):
        assert agent.act([position])[0] == playing.act(position)
        position, event = position.step(int(agent.act([position])[0]))
    assert event == "ate"
    with pytest.raises(ValueError, match="give it positions"):
        agent.q_values(np.zeros((1, 746)))
    with pytest.raises(ValueError, match="trained on 6x6 and can't play 5x5"):
        agent.act([hognose.Position("5x5", [(2, 2), (1, 2)], food=(4, 2))])
    with pytest.raises(ValueError, match="chooses among plans"):
        hognose.load_agent("every-board-plans").act([hognose.Position("10x10", [(2, 2), (1, 2)], food=(4, 2))])
    with pytest.raises(ValueError, match="every-board-plans, quickstart-6x6"):
        hognose.load_agent("no-such-agent")
    safe = Path(__file__).parents[3] / "checkpoints/every-board-safe"
    if safe.exists():
        assert hognose.load_agent(safe).q_values([position.with_food((0, 0))]).shape == (1, 3)
