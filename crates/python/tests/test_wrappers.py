"""Gymnasium's wrappers around both environments."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import hognose

RIGHT = tuple(map(int, gymnasium.__version__.split(".")[:2])) >= (1, 4)
CONFIG = {"width": 4, "height": 4, "observation": "planes", "starvation": 12}


def play(env, episodes):
    """Plays random allowed actions. Returns the last info of each episode, and every observation and reward."""
    draws = np.random.default_rng(0)
    ends, seen = [], []
    observation, info = env.reset(seed=3)
    while len(ends) < episodes:
        observation, reward, terminated, truncated, info = env.step(draws.choice(np.flatnonzero(info["action_mask"])))
        seen.append((observation, reward))
        assert observation in env.observation_space
        if terminated or truncated:
            ends.append(info)
            observation, info = env.reset()
    return ends, seen


def play_vector(envs, steps):
    """Plays random allowed actions. Returns the infos of each step, and every observation and reward."""
    draws = np.random.default_rng(0)
    all_infos, seen = [], []
    observations, infos = envs.reset(seed=3)
    for _ in range(steps):
        actions = np.array([draws.choice(np.flatnonzero(mask)) for mask in envs.unwrapped.action_masks()])
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert observations.shape == envs.observation_space.shape
        seen.append((observations, rewards))
        all_infos.append(copy.deepcopy(infos))
        ended = terminations | truncations
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and ended.any():
            envs.reset(options={"reset_mask": ended})
    return all_infos, seen


def native(mode, **config):
    return hognose.SnakeVectorEnv(4, autoreset_mode=mode, **CONFIG, **config)


def test_record_episode_statistics():
    ends, _ = play(wrappers.RecordEpisodeStatistics(hognose.SnakeEnv(**CONFIG)), 20)
    for info in ends:
        assert info["episode"]["l"] == info["snake"]["steps"]
        assert info["episode"]["r"] == pytest.approx(info["snake"]["return"])
    assert {info["snake"]["ended_by"] for info in ends} >= {"wall", "starvation"}


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_record_episode_statistics_of_vectors(mode):
    all_infos, _ = play_vector(wrappers.vector.RecordEpisodeStatistics(native(mode)), 200)
    ends = [infos for infos in all_infos if "episode" in infos]
    assert len(ends) > 10
    for infos in ends:
        ended = infos["_episode"]
        assert np.array_equal(infos["_snake"], ended) and np.array_equal(infos["snake"]["_steps"], ended)
        assert all(reason for reason in infos["snake"]["ended_by"][ended])
        # Before Gymnasium 1.4 the wrapper counts wrong under same-step autoreset.
        if mode is not AutoresetMode.SAME_STEP or RIGHT:
            assert np.array_equal(infos["episode"]["l"], infos["snake"]["steps"])
            assert np.allclose(infos["episode"]["r"], infos["snake"]["return"])


def test_time_limit():
    env = wrappers.TimeLimit(hognose.SnakeEnv(**CONFIG | {"starvation": None}), 3)
    starts = set()
    env.reset(seed=0)
    for _ in range(20):
        truncated = False
        while not truncated:
            _, _, terminated, truncated, _ = env.step(np.flatnonzero(env.unwrapped.action_masks())[0])
            truncated = truncated or terminated
        starts.add(env.reset()[0].tobytes())
    assert len(starts) > 10


def test_frame_stack_matches_our_own():
    stacked = wrappers.FrameStackObservation(hognose.SnakeEnv(**CONFIG), 3, padding_type="reset")
    ours = hognose.SnakeEnv(frame_stack=3, **CONFIG)
    assert stacked.observation_space == ours.observation_space
    for (theirs, _), (own, _) in zip(play(stacked, 5)[1], play(ours, 5)[1], strict=True):
        assert np.array_equal(theirs, own)


def test_normalized_observations_and_rewards():
    env = wrappers.NormalizeReward(wrappers.NormalizeObservation(hognose.SnakeEnv(**CONFIG)))
    _, seen = play(env, 20)
    assert all(np.isfinite(observation).all() and np.isfinite(reward) for observation, reward in seen)
    assert np.std([observation for observation, _ in seen]) == pytest.approx(1, abs=0.5)


def test_normalized_observations_of_vectors():
    # The wrapper supports no other mode.
    _, seen = play_vector(wrappers.vector.NormalizeObservation(native(AutoresetMode.NEXT_STEP)), 100)
    assert np.std([observations for observations, _ in seen]) == pytest.approx(1, abs=0.5)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_normalized_rewards_and_lists_of_infos(mode):
    envs = wrappers.vector.NormalizeReward(native(mode))
    all_infos, seen = play_vector(envs, 100)
    assert all(np.isfinite(rewards).all() for _, rewards in seen)
    assert any("snake" in infos for infos in all_infos)
    envs = wrappers.vector.DictInfoToList(native(mode))
    envs.reset(seed=0)
    ends = []
    while len(ends) < 4:
        _, _, terminations, truncations, infos = envs.step(np.ones(4, int))
        ends.extend(info["snake"] for info in infos if "snake" in info)
        if mode is AutoresetMode.DISABLED and (terminations | truncations).any():
            envs.reset(options={"reset_mask": terminations | truncations})
    assert all(snake["steps"] >= 1 and snake["ended_by"] == "wall" for snake in ends)


@pytest.mark.filterwarnings("default")
def test_record_video(tmp_path):
    moviepy = pytest.importorskip("moviepy")
    env = hognose.SnakeEnv(render_mode="rgb_array", **CONFIG)
    env = wrappers.RecordVideo(env, str(tmp_path / "single"), episode_trigger=lambda episode: episode == 1)
    ends, _ = play(env, 2)
    env.close()
    (file,) = (tmp_path / "single").glob("*.mp4")
    with moviepy.VideoFileClip(str(file)) as video:
        assert video.size == [4 * 24 + 12] * 2
        assert video.fps == env.metadata["render_fps"]
        assert video.n_frames == ends[1]["snake"]["steps"] + 1


@pytest.mark.filterwarnings("default")
@pytest.mark.skipif(not hasattr(wrappers.vector, "RecordVideo"), reason="Gymnasium 1.1 has none")
def test_record_video_of_vectors(tmp_path):
    pytest.importorskip("moviepy")
    envs = native(AutoresetMode.NEXT_STEP, render_mode="rgb_array")
    envs = wrappers.vector.RecordVideo(envs, str(tmp_path / "vector"), video_length=10)
    play_vector(envs, 30)
    envs.close()
    assert list((tmp_path / "vector").glob("*.mp4"))


def test_wrapped_environments_of_make_vec():
    wrap = (wrappers.RecordEpisodeStatistics, lambda env: wrappers.FrameStackObservation(env, 2))
    envs = gymnasium.make_vec("hognose/Snake-v0", num_envs=3, vectorization_mode="sync", wrappers=wrap, **CONFIG)
    assert isinstance(envs.unwrapped, SyncVectorEnv)
    envs.reset(seed=1)
    ends = 0
    for _ in range(100):
        *_, infos = envs.step(np.ones(3, int))
        for env in np.flatnonzero(infos.get("_episode", [])):
            ends += 1
            assert infos["episode"]["l"][env] == infos["snake"]["steps"][env]
            assert infos["snake"]["ended_by"][env] == "wall"
    assert ends > 10
