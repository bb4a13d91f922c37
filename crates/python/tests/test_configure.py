"""Changes of the configuration between episodes."""

import copy
import gc
import pickle
import weakref

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import hognose
from hognose import duel_config
from hognose.config import FIXED, EnvSettings
from hognose.duel_config import MatchSettings

SMALL = {"width": 4, "height": 4, "observation": "features", "starvation": 9}
LARGE = {"width": 7, "height": 6, "start": {"length": 3}, "reward": {"food": 5, "step": -0.25}, "time_limit": 6}


def turns(envs, steps):
    """Returns the results of steps with always the same actions, and with the board of each environment."""
    draws = np.random.default_rng(0)
    results = []
    for _ in range(steps):
        *results_of_step, _ = envs.step(draws.integers(3, size=envs.num_envs))
        results.append((*results_of_step, envs.boards))
    return results


def same(a, b):
    return all(all(np.array_equal(x, y) for x, y in zip(one, other, strict=True)) for one, other in zip(a, b, strict=True))


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_each_environment_takes_up_a_configuration_with_its_next_episode(mode):
    envs, unchanged = (hognose.SnakeVectorEnv(8, autoreset_mode=mode, **SMALL) for _ in range(2))
    for one in (envs, unchanged):
        one.reset(seed=3)
        turns(one, 2)
    envs.configure(**LARGE)
    assert envs.config.width == 7 and envs.get_attr("time_limit") == (6,) * 8
    assert envs.boards == ["4x4"] * 8
    copies = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
    changed = np.zeros(8, bool)
    draws = np.random.default_rng(1)
    for _ in range(40):
        boards, snapshots = envs.boards, [envs.snapshot(env) for env in range(8)]
        copies.append(hognose.SnakeVectorEnv(8, autoreset_mode=mode, **{**SMALL, **LARGE}))
        for env, snapshot in enumerate(snapshots):
            copies[-1].restore(env, snapshot)
        actions = draws.integers(3, size=8)
        results, expected = envs.step(actions), unchanged.step(actions)
        for other in copies:
            theirs = other.step(actions)
            assert all(np.array_equal(a, b) for a, b in zip(results[:4], theirs[:4], strict=True))
        copies.pop()
        ended = results[2] | results[3]
        old = np.array([board == "4x4" for board in boards])
        assert np.array_equal(~old, changed)
        for own, other in zip(results[1:4], expected[1:4], strict=True):
            assert np.array_equal(own[old], other[old])
        changed = np.array([board == "7x6" for board in envs.boards])
        if mode == "SameStep":
            assert np.array_equal(changed, ~old | ended)
    # With next-step autoreset, the step that begins an episode pays nothing.
    assert changed.all() and set(results[1]) <= {-0.25, -1.25, 4.75, *([0.0] if mode == "NextStep" else [])}


def test_single_environments_and_their_attributes():
    env = gymnasium.make("hognose/Snake-v0", **SMALL)
    env.reset(seed=0)
    env.set_wrapper_attr("reward", {"step": -3.0})
    assert env.get_wrapper_attr("reward") == {"step": -3.0} and env.unwrapped.config.reward == {"step": -3.0}
    assert env.step(1)[1] in (0, 1, -1)
    env.unwrapped.configure(width=9, height=9, time_limit=1)
    assert (env.unwrapped.board, env.unwrapped.width) == ("4x4", 9)
    env = pickle.loads(pickle.dumps(env))
    env.reset()
    assert env.unwrapped.board == "9x9"
    _, reward, terminated, truncated, _ = env.step(1)
    assert (truncated or terminated) and reward <= -2


@pytest.mark.parametrize(
    ("env", "settings", "fixed"),
    [
        (hognose.SnakeEnv, EnvSettings, FIXED),
        (hognose.SnakeVectorEnv, EnvSettings, FIXED),
        (hognose.DuelEnv, MatchSettings, duel_config.FIXED),
        (hognose.DuelVectorEnv, MatchSettings, duel_config.FIXED),
    ],
)
def test_every_attribute_of_the_configuration_is_one_of_the_environment(env, settings, fixed):
    names = settings.__annotations__
    others = {"board", "position", "spec", "np_random", "np_random_seed", "unwrapped", "_num_games"}
    assert {name for name in dir(env) if isinstance(getattr(env, name), property)} - others == set(names)
    one = env()
    for name in set(names) - set(fixed) - ({"boards"} if env is hognose.SnakeVectorEnv else set()):
        setattr(one, name, getattr(one.config, name))
        assert getattr(one, name) == getattr(one.config, name)
    for name in fixed:
        with pytest.raises(ValueError, match=f"{name} can't change between episodes"):
            setattr(one, name, "another")


class StraightOn:
    """A bot that counts its moves."""

    moves = 0

    def __call__(self, observations, masks):
        self.moves += 1
        return np.ones(len(observations), int)


def test_configurations_are_copies():
    reward = {"death": -1.0}
    env = hognose.SnakeEnv(reward=reward)
    reward["death"] = -9.0
    env.reward["death"] = -7.0
    env.time_limit = 5
    assert env.reward == env.config.reward == {"death": -1.0}
    envs = hognose.SnakeVectorEnv(2, reward=reward)
    envs.get_attr("reward")[0]["death"] = 0.0
    assert envs.get_attr("reward") == ({"death": -9.0},) * 2
    bot = StraightOn()
    assert hognose.DuelEnv(opponent=bot).opponent is bot


def test_starts_change():
    position = hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 4))
    envs = hognose.SnakeVectorEnv(200, width=6, height=6, start_share=0.0, starts=[position])
    envs.reset(seed=0)
    lengths = [len(envs.position(env)) for env in range(200)]
    assert lengths == [1] * 200
    envs.set_attr("start_share", 0.5)
    envs.reset()
    shares = [np.mean([len(envs.position(env)) == 2 for env in range(200)])]
    envs.configure(start_share=1.0, starts=[{"body": [(3, 3), (3, 2), (2, 2)]}])
    envs.reset()
    assert 0.35 < shares[0] < 0.65 and {len(envs.position(env)) for env in range(200)} == {3}


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_set_attr_of_gymnasium(vector):
    envs = vector([lambda: hognose.SnakeEnv(**SMALL)] * 2)
    envs.reset(seed=0)
    envs.set_attr("width", [5, 6])
    assert envs.get_attr("width") == (5, 6)
    envs.reset()
    assert envs.get_attr("board") == ("5x4", "6x4")
    envs.close()


def test_boards_grow():
    envs = hognose.SnakeVectorEnv(4, width=4, height=4, observation="centered", autoreset_mode="Disabled", mask="safe")
    envs.reset(seed=0)
    for side in (6, 10, 20, 4):
        envs.configure(boards=[f"{side}x{side}"])
        observations, infos = envs.reset()
        assert envs.boards == [f"{side}x{side}"] * 4
        observations, *_, infos = envs.step(infos["action_mask"].argmax(1))
        fresh = [envs.position(env).observe("centered") for env in range(4)]
        assert observations.shape == (4, *fresh[0].shape)


def test_what_does_not_fit_changes_nothing():
    envs = hognose.SnakeVectorEnv(2, width=6, height=6)
    envs.reset(seed=0)
    before = envs.config
    for changes, error, words in (
        ({"observation": "planes"}, ValueError, "observation can't change between episodes: make new environments"),
        ({"width": 7}, ValueError, r"can't change their observation between episodes: expected Egocentric of \["),
        ({"time_limit": 0}, ValueError, "time_limit must be None or a whole number"),
        ({"reward": {"foods": 1}}, ValueError, "reward has no key 'foods': its keys are food, death"),
        ({"starts": [hognose.Position("5x5", [(2, 2), (1, 2)])]}, ValueError, "under the rules"),
        ({"widht": 7}, TypeError, "widht"),
    ):
        with pytest.raises(error, match=words):
            envs.configure(**changes)
        assert envs.config == before
    with pytest.raises(AttributeError, match="an attribute of the configuration must be one of width, .*, got speed"):
        envs.set_attr("speed", 3)
    envs.configure(observation="egocentric", width=6)
    envs.step(np.ones(2, int))


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_each_duel_takes_up_a_configuration_with_its_next_episode(mode):
    envs, unchanged = (
        hognose.DuelVectorEnv(4, opponent="greedy", seat="first", autoreset_mode=mode) for _ in range(2)
    )
    for one in (envs, unchanged):
        one.reset(seed=3)
    straight_on = StraightOn()
    envs.configure(opponent=straight_on, seat="second", step_limit=5, reward={"loss": -7, "win": 7, "draw": 7})
    assert envs.opponent is straight_on and envs.get_attr("step_limit") == (5,) * 4
    with pytest.raises(ValueError, match="a duel that began before its configuration changed has no snapshot"):
        copy.deepcopy(envs)
    earlier, draws = np.ones(4, bool), np.random.default_rng(0)
    for _ in range(200):
        actions, moves = draws.integers(3, size=4), straight_on.moves
        results, expected = envs.step(actions), unchanged.step(actions)
        assert straight_on.moves - moves <= (~earlier).sum()
        for own, other in zip(results[1:4], expected[1:4], strict=True):
            assert np.array_equal(own[earlier], other[earlier])
        ended = results[2]
        assert np.all(np.abs(results[1][ended & ~earlier]) == 7)
        if ended.any():
            duels = results[4]["duel"]
            assert np.array_equal(duels["seat"][ended], np.where(earlier, 0, 1)[ended])
            assert np.all(duels["steps"][ended & ~earlier] <= 5)
        earlier &= ~ended
    assert not earlier.any() and straight_on.moves > 200
    envs.configure(opponent="greedy")
    envs.reset()
    assert pickle.loads(pickle.dumps(envs)).opponent == "greedy"


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_set_attr_of_gymnasium_for_duels(vector):
    envs = vector([lambda: hognose.DuelEnv(opponent="random")] * 2)
    envs.reset(seed=0)
    envs.set_attr("opponent", ["greedy", "one-ply"])
    envs.set_attr("reward", {"food": 1.0})
    assert envs.get_attr("opponent") == ("greedy", "one-ply") and envs.get_attr("reward") == ({"food": 1.0},) * 2
    envs.reset()
    envs.close()


def test_duels_that_do_not_fit_change_nothing():
    envs = hognose.DuelVectorEnv(2, opponent="greedy")
    envs.reset(seed=0)
    before, snapshot = envs.config, envs.snapshot(0)
    for changes, error, words in (
        ({"width": 10}, ValueError, "width can't change between episodes: make new environments"),
        ({"opponent": None}, ValueError, "can't change their number of learners between episodes: expected 1, got 2"),
        ({"opponent": "gredy"}, ValueError, "greedy"),
        ({"opponent": 3}, TypeError, "a bot must be a name or a function, got int"),
        ({"seat": "third"}, ValueError, "seat must be first or second or alternate, got 'third'"),
        ({"reward": {"eat": 1}}, ValueError, "reward has no key 'eat'"),
        ({"opponents": "greedy"}, TypeError, "opponents"),
    ):
        with pytest.raises(error, match=words):
            envs.configure(**changes)
        assert envs.config == before and envs.snapshot(0) == snapshot
    with pytest.raises(AttributeError, match="must be one of rules, .*, opponent, seat, got bot"):
        envs.set_attr("bot", "greedy")


def test_duels_have_snapshots_unless_they_began_before_a_change():
    env = hognose.DuelEnv()
    env.configure(foods=3)
    copy.deepcopy(env).reset()
    env.reset()
    env.configure(foods=3, seat="alternate")
    copy.deepcopy(env)
    env.foods = 4
    with pytest.raises(ValueError, match="has no snapshot: reset it first"):
        copy.deepcopy(env)
    envs = hognose.DuelVectorEnv(2)
    envs.step_limit = 5
    pickle.loads(pickle.dumps(envs))


def test_an_opponent_that_refers_to_its_environment_is_collected():
    class Learner:
        def __init__(self):
            self.env = hognose.DuelEnv(opponent=self.play)
            self.env.reset()
            self.env.opponent = lambda observations, masks: self.play(observations, masks)
            self.env.step(1)
            self.env.reset()
            self.env.step(1)

        def play(self, observations, masks):
            return masks.argmax(axis=1)

    learner = weakref.ref(Learner())
    gc.collect()
    assert learner() is None
