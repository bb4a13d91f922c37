"""Checks of the shared arguments of environments."""

import operator
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from hognose.config import EnvConfig
from hognose.duel_config import DuelConfig

MAX_SEED = 2**64 - 1
RENDER_MODES = ["human", "ansi", "rgb_array"]
VECTOR_RENDER_MODES = ["ansi", "rgb_array"]


def check_render_mode(render_mode: str | None, modes: list[str]) -> None:
    """Raises ValueError unless ``render_mode`` is None or one of ``modes``."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode must be None or one of {', '.join(modes)}, got {render_mode!r}")


def check_seed(seed: Any) -> int:
    """Returns the seed as an int. Raises TypeError or ValueError unless it is a whole number in 0..2**64."""
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed must be a whole number, got {seed!r}")
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"a seed must be in 0..={MAX_SEED}, got {seed}")
    return int(seed)


def check_number(game: SupportsIndex) -> int:
    """Returns a game number as an int. Raises TypeError or ValueError unless it is a whole number of at least 0."""
    number = operator.index(game)
    if number < 0:
        raise ValueError(f"game must be a whole number of at least 0, got {number}")
    return number


def check_index(env: SupportsIndex, num_envs: int) -> int:
    """Returns the index of an environment as an int. Raises IndexError unless it is in 0..num_envs."""
    index = operator.index(env)
    if not 0 <= index < num_envs:
        raise IndexError(f"the environment must be in 0..{num_envs}, got {index}")
    return index


def as_actions(actions: Any, num_envs: int) -> NDArray[np.int64]:
    """Converts actions to an int64 array with one entry for each environment."""
    array = np.asarray(actions)
    if array.shape != (num_envs,):
        raise ValueError(f"actions must have shape ({num_envs},), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions must be whole numbers, got dtype {array.dtype}")
    return array.astype(np.int64, copy=False)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Returns a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def num_actions(config: EnvConfig | DuelConfig) -> int:
    """Returns the number of actions: 4 absolute or 3 relative ones."""
    return 4 if config.action == "absolute" else 3
