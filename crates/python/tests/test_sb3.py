"""Stable-Baselines3 and sb3-contrib (marker ``sb3``)."""

import numpy as np
import pytest

pytestmark = [pytest.mark.sb3, pytest.mark.filterwarnings("default")]
pytest.importorskip("stable_baselines3")


def test_check_env():
    from stable_baselines3.common.env_checker import check_env

    import hognose

    for observation in ("planes", "window", "egocentric", "features"):
        check_env(hognose.SnakeEnv(width=36, height=36, observation=observation, dtype="uint8"), skip_render_check=True)


def test_the_vec_env_keeps_stable_baselines_contract():
    from stable_baselines3.common.monitor import Monitor

    from hognose.sb3 import make_vec_env

    env = make_vec_env(4, seed=1, width=5, height=5, starvation=20)
    observations = env.reset()
    assert observations.shape == (4, *env.observation_space.shape)
    assert env.get_attr("action_space") == [env.action_space] * 4 and env.get_attr("render_mode", indices=[0]) == [None]
    assert env.env_is_wrapped(Monitor) == [True] * 4
    draws, ends, returns = np.random.default_rng(0), 0, np.zeros(4)
    for _ in range(400):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.dtype == bool and masks.shape == (4, 3)
        actions = np.array([draws.choice(np.flatnonzero(mask)) for mask in masks])
        observations, rewards, dones, infos = env.step(actions)
        assert rewards.dtype == np.float32 and dones.dtype == bool and len(infos) == 4
        returns += rewards
        for done, info, total in zip(dones, infos, returns):
            assert ("terminal_observation" in info) == ("episode" in info) == bool(done)
            if done:
                ends += 1
                assert info["episode"]["r"] == pytest.approx(total)
                assert info["episode"]["l"] == info["snake"]["steps"]
                assert info["TimeLimit.truncated"] == (info["snake"]["ended_by"] == "starvation")
                assert info["terminal_observation"] in env.observation_space
        returns[dones] = 0
    assert ends > 10
    # The same seed begins the same episodes.
    first = make_vec_env(4, seed=3, width=5, height=5).reset()
    assert np.array_equal(first, make_vec_env(4, seed=3, width=5, height=5).reset())
    with pytest.raises(AttributeError):
        env.set_attr("speed", 3)
    env.close()


def test_settings_change_while_training():
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback

    import hognose
    from hognose.sb3 import make_vec_env

    class Grow(BaseCallback):
        def _on_rollout_start(self):
            self.training_env.set_attr("width", 4 + self.num_timesteps // 128)

        def _on_step(self):
            return True

    endgame = hognose.Position("4x4", [(1, 1), (0, 1)], food=(3, 3))
    env = make_vec_env(4, seed=0, width=4, height=4, observation="features", starts=[endgame], start_share=0.0, starvation=8)
    env.reset()
    env.set_attr("start_share", 1.0)
    assert env.get_attr("start_share") == [1.0] * 4 and env.get_attr("starvation", indices=[1]) == [8]
    for _ in range(40):
        env.step(np.ones(4, int))
    assert {len(env.envs.position(index)) for index in range(4)} <= {2, 3}
    with pytest.raises(ValueError, match="start_share changes all environments: indices must be None, got"):
        env.set_attr("start_share", 0.5, indices=[0])
    assert env.env_method("configure", starts=[]) == [None] * 4
    with pytest.raises(ValueError, match="configure changes all environments: indices must be None, got"):
        env.env_method("configure", time_limit=3, indices=[0, 0, 0, 0])
    PPO("MlpPolicy", env, n_steps=32, batch_size=32, n_epochs=1, device="cpu").learn(512, callback=Grow())
    assert env.get_attr("width") == [7] * 4 and set(env.envs.boards) <= {"6x4", "7x4"}


def test_settings_change_in_vector_environments_of_stable_baselines3():
    from stable_baselines3.common.env_util import make_vec_env

    snakes = make_vec_env("hognose/Snake-v0", n_envs=2, env_kwargs={"width": 6, "height": 6})
    snakes.env_method("configure", time_limit=7)
    assert [config.time_limit for config in snakes.get_attr("config")] == [7] * 2
    duels = make_vec_env("hognose/Duel-v0", n_envs=2)
    duels.env_method("configure", opponent="random", indices=[1])
    assert [config.opponent for config in duels.get_attr("config")] == ["greedy", "random"]


def test_infos_have_masks():
    from hognose.sb3 import make_vec_env

    env = make_vec_env(4, seed=0, width=5, height=5)
    with pytest.raises(Exception, match="before action_masks"):
        env.env_method("action_masks")
    env.reset()
    assert [list(info["action_mask"]) for info in env.reset_infos] == [list(m) for m in env.env_method("action_masks")]
    for _ in range(20):
        *_, infos = env.step(np.ones(4, int))
        assert [list(info["action_mask"]) for info in infos] == [list(m) for m in env.env_method("action_masks")]


def test_views_that_change_in_place_are_refused():
    from hognose.sb3 import make_vec_env

    with pytest.raises(ValueError, match="copy must be True, got False: Stable-Baselines3 stores"):
        make_vec_env(2, width=5, height=5, copy=False)
    make_vec_env(2, width=5, height=5, copy=True)


def test_each_environment_is_reached_by_its_index():
    import hognose
    from hognose.sb3 import make_vec_env

    env = make_vec_env(4, seed=1, width=5, height=5, render_mode="rgb_array")
    env.reset()
    before = env.env_method("snapshot")
    assert len(set(before)) == 4

    ((observation, info),) = env.env_method("reset", seed=9, indices=[2])
    single = hognose.SnakeEnv(width=5, height=5, render_mode="rgb_array")
    theirs, their_info = single.reset(seed=9)
    assert np.array_equal(observation, theirs) and np.array_equal(info["action_mask"], their_info["action_mask"])
    after = env.env_method("snapshot")
    assert [a == b for a, b in zip(before, after)] == [True, True, False, True]
    assert np.array_equal(env.env_method("action_masks", indices=2)[0], single.action_masks())
    assert np.array_equal(env.env_method("render", indices=[2])[0], single.render())
    assert len(env.get_images()) == 4 and env.render().shape[2] == 3

    env.env_method("restore", before[0], indices=[3, -2])
    assert env.env_method("snapshot") == [before[0], before[1], before[0], before[0]]
    assert env.get_attr("config", indices=[1]) == [single.config]
    assert env.get_attr("observation_space") == [single.observation_space] * 4
    with pytest.raises(AttributeError, match="nonsense"):
        env.get_attr("nonsense")
    with pytest.raises(AttributeError, match="fork"):
        env.env_method("fork", 0, [1])
    with pytest.raises(IndexError):
        env.env_method("snapshot", indices=[4])


def test_monitor_and_normalized_environments():
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

    import hognose
    from hognose.sb3 import make_vec_env

    config = {"width": 5, "height": 5, "starvation": 20}
    single = Monitor(hognose.SnakeEnv(**config))
    single.reset(seed=0)
    while not any((step := single.step(1))[2:4]):
        pass
    assert step[4]["episode"]["l"] == step[4]["snake"]["steps"]
    singles = VecMonitor(DummyVecEnv([lambda: hognose.SnakeEnv(**config)] * 3))
    for inner in (singles, make_vec_env(3, **config)):
        env = VecNormalize(inner)
        env.reset()
        ends = 0
        for _ in range(100):
            observations, rewards, dones, infos = env.step(np.ones(3, int))
            assert np.isfinite(observations).all() and np.isfinite(rewards).all()
            for index in np.flatnonzero(dones):
                ends += 1
                assert infos[index]["episode"]["l"] == infos[index]["snake"]["steps"]
        assert ends > 10
        model = PPO("MlpPolicy", env, n_steps=16, batch_size=16, n_epochs=1).learn(64)
        evaluate_policy(model, env, n_eval_episodes=3)


def test_algorithms_train():
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import DQN, PPO

    from hognose.sb3 import make_vec_env

    env = make_vec_env(8, seed=0, width=5, height=5)
    MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1).learn(512)
    PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1).learn(512)
    DQN("MlpPolicy", env, learning_starts=64, buffer_size=1000).learn(256)
    planes = make_vec_env(2, width=36, height=36, observation="planes", dtype="uint8")
    PPO("CnnPolicy", planes, n_steps=8, batch_size=16, n_epochs=1).learn(16)


def test_with_safe_moves_an_untrained_agent_wins_every_game():
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from hognose.sb3 import make_vec_env

    env = make_vec_env(4, seed=0, width=6, height=6, mask="safe", starvation=None)
    won = []
    model = MaskablePPO("MlpPolicy", env, n_steps=32)
    evaluate_policy(
        model, env, n_eval_episodes=20, deterministic=False,
        callback=lambda values, _: won.extend([values["info"]["is_success"]] if values["done"] else []),
    )
    assert len(won) >= 20 and all(won)


def test_the_examples_in_the_documentation_run():
    import doctest

    import hognose.sb3

    results = doctest.testmod(hognose.sb3)
    assert results.attempted > 0
    assert results.failed == 0


def test_duels():
    import gymnasium
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env

    import hognose

    check_env(hognose.DuelEnv(opponent="greedy", observation="features"), skip_render_check=True)
    envs = make_vec_env(lambda: gymnasium.make("hognose/Duel-v0", opponent="random", observation="features"), n_envs=2)
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=32, n_epochs=1, device="cpu")
    model.learn(256)
    masks = get_action_masks(envs)
    assert masks.shape == (2, 3) and masks.any(axis=1).all()


@pytest.mark.parametrize("observation, dtype", [("egocentric", "float32"), ("planes", "uint8"), ("centered", "uint8")])
def test_convolutions_over_the_planes_train(observation, dtype):
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import DQN, PPO
    from stable_baselines3.common.env_checker import check_env

    import hognose
    from hognose.sb3 import PartsExtractor, make_vec_env

    config = {"width": 6, "height": 6, "observation": observation, "dtype": dtype, "layout": "dict"}
    check_env(hognose.SnakeEnv(**config), skip_render_check=True, warn=False)
    kwargs = {"policy_kwargs": {"features_extractor_class": PartsExtractor}, "seed": 0, "device": "cpu"}
    for algorithm in (PPO, MaskablePPO):
        model = algorithm("MultiInputPolicy", make_vec_env(4, seed=0, **config), n_steps=32, batch_size=32, **kwargs)
        model.learn(256)
    model = DQN("MultiInputPolicy", make_vec_env(4, seed=0, **config), learning_starts=64, buffer_size=500, **kwargs)
    model.learn(256)
    actions, _ = model.predict(make_vec_env(4, seed=0, **config).reset())
    assert actions.shape == (4,)


@pytest.mark.parametrize("frame_stack", [1, 2])
def test_convolutions_agree_for_bytes_and_floats(frame_stack):
    import torch
    from stable_baselines3.common.preprocessing import preprocess_obs

    from hognose.sb3 import PartsExtractor, make_vec_env

    config = {"width": 6, "height": 6, "observation": "planes", "layout": "dict", "frame_stack": frame_stack}
    features = []
    for dtype in ("uint8", "float32"):
        env = make_vec_env(4, seed=0, dtype=dtype, **config)
        torch.manual_seed(0)
        extractor = PartsExtractor(env.observation_space)
        seen = {name: torch.from_numpy(part) for name, part in env.reset().items()}
        features.append(extractor(preprocess_obs(seen, env.observation_space)).detach().numpy())
    assert np.allclose(*features, atol=0.01)


def test_wrong_spaces_and_seeds_are_refused():
    from hognose.sb3 import PartsExtractor, make_vec_env

    scalars = make_vec_env(2, width=6, height=6, observation="features", layout="dict").observation_space
    with pytest.raises(ValueError, match="observations must have planes, got action_mask, scalars"):
        PartsExtractor(scalars)
    with pytest.raises(ValueError, match="a seed must be from 0"):
        make_vec_env(2, seed=-1)


def test_dicts_train_with_the_default_extractor():
    from stable_baselines3 import PPO

    from hognose.sb3 import make_vec_env

    env = make_vec_env(4, seed=0, width=6, height=6, layout="dict")
    PPO("MultiInputPolicy", env, n_steps=32, batch_size=32, seed=0, device="cpu").learn(256)
    observation, _ = env.env_method("reset", indices=[1])[0]
    assert observation in env.observation_space


@pytest.mark.parametrize("example", ["ppo", "dqn", "maskable_ppo"])
def test_the_examples_run(example, tmp_path):
    import json
    import pathlib
    import subprocess
    import sys

    file = pathlib.Path(__file__).parents[1] / "examples" / f"{example}.py"
    out = tmp_path / "out.json"
    subprocess.run([sys.executable, file, "--steps", "20000", "--out", out], check=True, stdout=subprocess.DEVNULL)
    results = json.loads(out.read_text())
    assert results["curve"][-1]["steps"] >= 16_000
    assert [row["name"] for row in results["rows"]][:2] == ["hamiltonian", "certified"]
