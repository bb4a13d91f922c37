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
    assert env.get_attr("num_envs") == [4] * 4 and env.get_attr("render_mode", indices=[0]) == [None]
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
        env.set_attr("width", 3)
    env.close()


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


def test_under_the_shield_an_untrained_agent_wins_every_game():
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
