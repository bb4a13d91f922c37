"""The single environment."""

import copy
import pickle
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env

import hognose

CONFIGS = [
    {"observation": observation, "dtype": dtype, "action": action}
    for observation in ("planes", "window", "egocentric", "features")
    for dtype in ("uint8", "float32")
    for action in ("absolute", "relative")
]


@pytest.mark.parametrize("config", CONFIGS)
def test_check_env_reports_nothing(config):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("hognose/Snake-v0", width=6, height=5, **config)
        check_env(env.unwrapped, skip_render_check=True)
        env.close()


def test_gymnasium_finds_the_environment_without_an_import():
    code = "import gymnasium; gymnasium.make('hognose:hognose/Snake-v0', width=5).reset(seed=1)"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_check_env_with_pictures_frames_and_options(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    config = {"width": 5, "height": 7, "torus": True, "foods": 2, "frame_stack": 3, "time_limit": 40, "mask": "safe"}
    for render_mode in ("ansi", "rgb_array"):
        env = gymnasium.make("hognose/Snake-v0", render_mode=render_mode, reward={"shaping": 0.5}, **config)
        check_env(env.unwrapped)
        env.reset(seed=1)
        picture = env.render()
        if render_mode == "ansi":
            assert picture.count("@") == 1 and len(picture.splitlines()) == 7
        else:
            assert picture.shape == (7 * 24 + 12, 5 * 24 + 12, 3)


def play(env, steps, draws):
    """Plays random allowed actions over several episodes and returns the results."""
    seen = []
    observation, info = env.reset(seed=7)
    for _ in range(steps):
        action = draws.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, terminated, truncated, info = env.step(action)
        seen.append((observation.copy(), reward, terminated, truncated, info["action_mask"].copy()))
        if terminated or truncated:
            observation, info = env.reset()
            seen.append((observation.copy(), info["action_mask"].copy()))
    return seen


def same(a, b):
    return all(all(np.array_equal(x, y) for x, y in zip(one, other, strict=True)) for one, other in zip(a, b, strict=True))


def test_a_seed_gives_the_same_episodes_and_copies_continue_alike():
    env = hognose.SnakeEnv(width=6, height=6, frame_stack=2)
    first = play(env, 300, np.random.default_rng(1))
    assert same(first, play(env, 300, np.random.default_rng(1)))
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        kept = copy.deepcopy(env)
        for action in (1, 1, 0, 2, 1):
            a, b = kept.step(action), other.step(action)
            assert np.array_equal(a[0], b[0]) and a[1:4] == b[1:4]
            if a[2] or a[3]:
                break


def test_a_reset_without_a_seed_begins_the_next_episode():
    env, other = (hognose.SnakeEnv(width=6, height=6) for _ in range(2))
    starts = [env.reset(seed=5)[0], *(env.reset()[0] for _ in range(20))]
    assert len({start.tobytes() for start in starts}) > 15
    # Independent of whether an episode was played in between.
    other.reset(seed=5)
    assert np.array_equal(other.reset()[0], starts[1])
    while not any(other.step(1)[2:4]):
        pass
    assert np.array_equal(other.reset()[0], starts[2])
    # Copies and snapshots keep their place in the sequence.
    copies = [copy.deepcopy(other), pickle.loads(pickle.dumps(other)), hognose.SnakeEnv(width=6, height=6)]
    copies[2].restore(other.snapshot())
    for one in (other, *copies):
        assert np.array_equal(one.reset()[0], starts[3])
        assert np.array_equal(one.reset(seed=5)[0], starts[0])


def test_a_snapshot_is_restored():
    env = hognose.SnakeEnv(width=6, height=6)
    observation, _ = env.reset(seed=3)
    snapshot = env.snapshot()
    first = [env.step(1)[0] for _ in range(2)]
    assert np.array_equal(env.restore(snapshot), observation)
    assert all(np.array_equal(env.step(1)[0], then) for then in first)
    with pytest.raises(ValueError, match="under the rules"):
        hognose.SnakeEnv(width=7, height=6).restore(snapshot)
    with pytest.raises(ValueError, match="not a snapshot"):
        env.restore(b"nonsense")


def test_safe_moves_never_lose():
    env = hognose.SnakeEnv(width=4, height=4, mask="safe", starvation=None)
    draws = np.random.default_rng(0)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step(draws.choice(np.flatnonzero(info["action_mask"])))
            ended = terminated or truncated
        assert info["snake"]["ended_by"] == "won" and info["snake"]["length"] == 16


def test_an_episode_is_a_record_wherever_it_began():
    starts = [hognose.Position("6x6", [(2, 2), (1, 2)], food=food) for food in ((4, 4), None)]
    env = hognose.SnakeEnv(width=6, height=6, action="relative", starts=starts, start_share=0.5, record=True)
    draws = np.random.default_rng(5)
    begun = set()
    for seed in range(40):
        _, info = env.reset(seed=seed)
        by_position = len(env.position) == 2
        env = pickle.loads(pickle.dumps(env))
        check = 0xCBF29CE484222325
        for _ in range(60):
            _, _, terminated, truncated, info = env.step(draws.choice(np.flatnonzero(info["action_mask"])))
            body, foods = env._native.snake(0)
            for byte in np.array([body[0], *foods], "<u2").tobytes():
                check = (check ^ byte) * 0x100000001B3 % 2**64
            if terminated or truncated:
                break
        record = env.record()
        # The native half replayed the moves by the rules alone, with heads and foods in the same cells.
        assert record.endswith(f" length {len(body)} check {check:016x}\n")
        assert record.startswith("hognose-record 1")
        lines = record.splitlines()
        begun.add(tuple(lines[5:8]) if by_position else lines[5].split()[0])
    there = ("heading right", "body 14 13")
    assert begun == {"seed", (*there, "foods_at 28"), (*there, "foods_at")}


def test_moves_are_kept_only_for_records():
    env = hognose.SnakeEnv(width=6, height=6, torus=True, starvation=None)
    env.reset(seed=0)
    sizes = set()
    for _ in range(2000):
        env.step(1)
        sizes.add(len(pickle.dumps(env)))
    assert max(sizes) < min(sizes) + 100
    with pytest.raises(ValueError, match="make it with record=True"):
        env.record()


def test_masks_need_an_episode():
    for env in (hognose.SnakeEnv(), hognose.SnakeVectorEnv(2), hognose.DuelEnv()):
        with pytest.raises(ResetNeeded, match="before action_masks"):
            env.action_masks()
        env.reset(seed=0)
        assert env.action_masks().any()


def test_gymnasium_plays_with_keys(monkeypatch):
    relative, absolute = hognose.SnakeEnv(), hognose.DuelEnv(action="absolute")
    assert relative.get_keys_to_action() == {("a",): 0, ("d",): 2}
    assert absolute.get_keys_to_action() == {("w",): 0, ("d",): 1, ("s",): 2, ("a",): 3}
    pytest.importorskip("pygame")
    pytest.importorskip("matplotlib")
    from gymnasium.utils.play import PlayableGame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("hognose/Snake-v0", render_mode="rgb_array")
    env.reset(seed=0)
    keys = {tuple(map(ord, keys)): action for keys, action in env.get_wrapper_attr("get_keys_to_action")().items()}
    assert PlayableGame(env, keys).relevant_keys == {ord("a"), ord("d")}


@pytest.mark.parametrize("start", [
    hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 2)), {"body": [(2, 2), (1, 2)], "food": (4, 2)},
])
def test_specifications_become_json(start):
    env = gymnasium.make("hognose/Snake-v0", width=6, height=6, starts=[start])
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    for one in (env, again):
        one.reset(seed=1)
    assert again.unwrapped.position == env.unwrapped.position
    assert again.unwrapped.position.foods == [(4, 2)] and len(again.unwrapped.position) == 2


def test_notebooks_draw_positions():
    env = hognose.SnakeEnv(width=6, height=5)
    env.reset(seed=0)
    drawing = ElementTree.fromstring(env._repr_svg_())
    assert drawing.tag.endswith("svg") and env._repr_svg_() == env.position._repr_svg_()


def test_the_rules_of_others_are_there_by_name():
    limits = {"jumanji": (12, 4000, 1), "alphasnake": (10, 1200, 2), "snek": (10, None, 5)}
    assert limits.keys() == hognose.PRESETS.keys()
    for name, (side, limit, length) in limits.items():
        env = gymnasium.make("hognose/Snake-v0", **hognose.PRESETS[name])
        env.reset(seed=0)
        position = env.unwrapped.position
        assert (position.board, env.unwrapped.time_limit, len(position)) == (f"{side}x{side}", limit, length)
        assert env.unwrapped.config.limits()["starvation"] == (500 if name == "snek" else None)


def test_numbers_of_numpy_are_numbers():
    env = hognose.SnakeEnv(width=np.uint8(6), height=np.int64(6), reward={"step": np.float32(-0.5)})
    other = hognose.SnakeEnv(width=6, height=6, reward={"step": -0.5})
    assert np.array_equal(env.reset(seed=np.int64(3))[0], other.reset(seed=3)[0])
    assert env.step(1)[1] == other.step(1)[1]
    with pytest.raises(ValueError, match="reward\\['step'\\] must be a finite number .* got <object"):
        hognose.SnakeEnv(reward={"step": object()})


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="width must be a whole number from 2 to 255, got 1"):
        hognose.SnakeEnv(width=1)
    with pytest.raises(ValueError, match="width must be a whole number"):
        hognose.SnakeEnv(width=5.5)
    with pytest.raises(ValueError, match="observation must be planes or window or egocentric or centered or features, got 'pixels'"):
        hognose.SnakeEnv(observation="pixels")
    with pytest.raises(ValueError, match="dtype must be"):
        hognose.SnakeEnv(dtype="float64")
    with pytest.raises(ValueError, match="reward has no key 'foo'"):
        hognose.SnakeEnv(reward={"foo": 1})
    with pytest.raises(ValueError, match="does not fit"):
        hognose.SnakeEnv(start={"length": 99})
    with pytest.raises(ValueError, match="time_limit must be None or a whole number"):
        hognose.SnakeEnv(time_limit=0)
    with pytest.raises(TypeError, match="unexpected keyword"):
        hognose.SnakeEnv(size=5)
    with pytest.raises(ValueError, match="render_mode must be None or one of human, ansi, rgb_array, got 'video'"):
        hognose.SnakeEnv(render_mode="video")
    with pytest.raises(ValueError, match="one of ansi, rgb_array, got 'human'"):
        hognose.SnakeVectorEnv(2, render_mode="human")
    env = hognose.SnakeEnv(width=4, height=4)
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    for action, error in ((3, ValueError), (-1, ValueError), (300, ValueError), (0.5, TypeError), ([0], ValueError), ("a", TypeError)):
        with pytest.raises(error):
            env.step(action)
    for seed, error in ((-1, ValueError), (2**64, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error):
            env.reset(seed=seed)
    env.reset(seed=0)
    while not any(env.step(1)[2:4]):
        pass
    with pytest.raises(ResetNeeded, match="reset it before the next step"):
        env.step(1)
    env.close()
    env.close()
    with pytest.raises(ClosedEnvironmentError):
        env.reset()
