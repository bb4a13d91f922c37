"""The window of ``render_mode="human"``. SDL's driver ``dummy`` draws into memory."""

import pickle
import subprocess
import sys
import time

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, DependencyNotInstalled

import hognose

pygame = pytest.importorskip("pygame")


@pytest.fixture(autouse=True)
def no_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def shown():
    """Returns the window's content as an RGB array."""
    return pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)


def test_each_step_is_shown():
    config = {"width": 6, "height": 5}
    env = hognose.SnakeEnv(render_mode="human", **config)
    other = hognose.SnakeEnv(render_mode="rgb_array", **config)
    for one in (env, other):
        one.reset(seed=1)
        one.metadata = {**one.metadata, "render_fps": 1000}
    assert np.array_equal(shown(), other.render())
    assert env.render() is None
    for one in (env, other):
        one.step(0)
    assert np.array_equal(shown(), other.render())
    copied = pickle.loads(pickle.dumps(env))
    assert copied.render_mode == "human"
    env.close()
    env.close()
    assert pygame.display.get_surface() is None
    with pytest.raises(ClosedEnvironmentError):
        env.step(0)


def test_the_window_is_as_large_as_each_board():
    config = {"boards": ["4x4", "6x5"], "observation": "features"}
    env = hognose.SnakeEnv(render_mode="human", **config)
    env.metadata = {**env.metadata, "render_fps": 1000}
    other = hognose.SnakeEnv(render_mode="rgb_array", **config)
    sizes = set()
    for seed in range(12):
        for one in (env, other):
            one.reset(seed=seed)
        assert np.array_equal(shown(), other.render())
        sizes.add(shown().shape)
    assert len(sizes) == 2
    env.close()


def test_steps_are_shown_at_the_frame_rate():
    env = gymnasium.make("hognose/Snake-v0", render_mode="human")
    assert env.metadata["render_fps"] == 10
    now = time.monotonic
    env.reset(seed=0)
    env.step(1)
    before = now()
    env.reset()
    env.step(1)
    assert now() - before >= 0.15
    env.close()


def test_closing_the_window_closes_the_environment():
    env = hognose.SnakeEnv(render_mode="human")
    env.reset(seed=0)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.reset(seed=0)
    with pytest.raises(ClosedEnvironmentError):
        env.step(1)


def test_without_a_display_the_environment_is_refused(monkeypatch):
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    pygame.display.quit()
    with pytest.raises(RuntimeError, match="needs a display, and there is none: use render_mode='rgb_array'"):
        gymnasium.make("hognose/Snake-v0", render_mode="human")


def test_the_error_without_pygame_names_the_extra():
    code = "import sys; sys.modules['pygame'] = None\nimport hognose; hognose.SnakeEnv(render_mode='human')"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert failed.returncode == 1
    assert f"{DependencyNotInstalled.__name__}: render_mode='human' needs pygame: pip install 'hognose[human]'" in failed.stderr
