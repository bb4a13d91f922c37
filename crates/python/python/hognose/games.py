"""What the single and the vector environment share: checks of arguments, spaces, and pictures."""

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hognose._hognose import Games
from hognose.config import EnvConfig

MAX_SEED = 2**64 - 1
RENDER_MODES = ["ansi", "rgb_array"]

BACKGROUND, BOARD, BODY, HEAD, FOOD = (24, 26, 31), (38, 42, 51), (76, 175, 110), (160, 224, 140), (226, 88, 72)
CELL, GAP = 16, 2


def check_render_mode(render_mode: str | None) -> None:
    """Raises ValueError unless ``render_mode`` is None, ``ansi`` or ``rgb_array``."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be None, 'ansi' or 'rgb_array', got {render_mode!r}")


def check_seed(seed: Any) -> int:
    """The seed as an int. Raises TypeError or ValueError unless it is a whole number in 0..2**64."""
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed must be a whole number, got {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"a seed must be in 0..={MAX_SEED}, got {seed}")
    return int(seed)


def as_actions(actions: Any, num_envs: int) -> NDArray[np.int64]:
    """Actions as an int64 array with one entry for each environment, as the native half takes them."""
    array = np.asarray(actions)
    if array.shape != (num_envs,):
        raise ValueError(f"actions must have shape ({num_envs},), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions must be whole numbers, got dtype {array.dtype}")
    return array.astype(np.int64, copy=False)


def observation_space(games: Games, config: EnvConfig) -> gymnasium.spaces.Box:
    """The space of the observation of one environment, with the axis of stacked frames if there is one."""
    shape = games.shape if config.frame_stack == 1 else [config.frame_stack, *games.shape]
    high, dtype = (255, np.uint8) if config.dtype == "uint8" else (1.0, np.float32)
    return gymnasium.spaces.Box(0, high, tuple(shape), dtype)


def num_actions(config: EnvConfig) -> int:
    """The number of actions: 4 absolute ones, or 3 relative ones."""
    return 4 if config.action == "absolute" else 3


def picture(games: Games, config: EnvConfig, env: int) -> NDArray[np.uint8]:
    """The board of an environment as an RGB array of 16 pixels a cell, and a border of 2."""
    image = np.full((config.height * CELL + GAP, config.width * CELL + GAP, 3), BACKGROUND, np.uint8)

    def fill(a: int, b: int, color: tuple[int, int, int]) -> None:
        """Paints the rectangle that two cells span."""
        (top, left), (bottom, right) = (divmod(min(a, b), config.width), divmod(max(a, b), config.width))
        image[top * CELL + GAP : (bottom + 1) * CELL, left * CELL + GAP : (right + 1) * CELL] = color

    for cell in range(config.width * config.height):
        fill(cell, cell, BOARD)
    body, foods = games.snake(env)
    for cell in foods:
        fill(cell, cell, FOOD)
    for cell in body:
        fill(cell, cell, BODY)
    for a, b in zip(body, body[1:]):
        if abs(a - b) == config.width or (abs(a - b) == 1 and a // config.width == b // config.width):
            fill(a, b, BODY)
    fill(body[0], body[0], HEAD)
    return image
