"""Checks of the shared arguments of environments."""

import operator
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, SupportsIndex, TypeVar

import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray
from typing_extensions import Unpack

from hognose._hognose import Games
from hognose.config import FIXED, EnvConfig, EnvSettings, jsonable, own
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
        raise ValueError(f"a seed must be from 0 to {MAX_SEED}, got {seed}")
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
        raise IndexError(f"the environment must be from 0 to {num_envs - 1}, got {index}")
    return index


def as_action(action: Any, actions: int) -> NDArray[np.int64]:
    """Converts the action of a single environment to an array with one entry."""
    array = np.asarray(action)
    if array.dtype.kind not in "iu":
        raise TypeError(f"an action must be a whole number from 0 to {actions - 1}, got {action!r}")
    if array.shape != () or not 0 <= array < actions:
        raise ValueError(f"an action must be one whole number from 0 to {actions - 1}, got {action!r}")
    return array.astype(np.int64).reshape(1)


def check_options(options: Any, *names: str) -> None:
    """Raises ValueError for options of ``reset`` other than these."""
    unknown = [name for name in options or {} if name not in names]
    if unknown:
        raise ValueError(f"options must have no keys{' but ' if names else ''}{', '.join(names)}, got {unknown}")


def as_actions(actions: Any, num_envs: int) -> NDArray[np.int64]:
    """Converts actions to an int64 array with one entry for each environment."""
    array = np.asarray(actions)
    if array.shape != (num_envs,):
        raise ValueError(f"actions must have shape ({num_envs},), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"actions must be whole numbers, got dtype {array.dtype}")
    return array.astype(np.int64, copy=False)


def setting(name: str) -> property:
    """Returns a property for an attribute of the configuration that may change between episodes."""

    def get(env: Any) -> Any:
        return own(getattr(env.config, name))

    def change(env: Any, value: Any) -> None:
        env.configure(**{name: value})

    return property(get, change, doc=f"The attribute ``{name}`` of the configuration, for the next episodes.")


Config = TypeVar("Config", bound=EnvConfig | DuelConfig)


def names_of(config: type[Any]) -> list[str]:
    """Returns the names of the attributes of a configuration."""
    return [field.name for field in fields(config)]


def check_setting(name: str, config: type[EnvConfig] | type[DuelConfig]) -> None:
    """Raises AttributeError unless ``name`` is an attribute of a configuration."""
    names = names_of(config)
    if name not in names:
        raise AttributeError(f"an attribute of the configuration must be one of {', '.join(names)}, got {name}")


def changed(config: Config, changes: Mapping[str, Any], fixed: tuple[str, ...]) -> Config:
    """Returns a configuration with changes that environments can take up between episodes."""
    names = names_of(type(config))
    for name, value in changes.items():
        if name not in names:
            raise TypeError(f"configure() got an unexpected keyword argument {name!r}")
        if name in fixed and value != getattr(config, name):
            raise ValueError(f"{name} can't change between episodes: make new environments")
    return replace(config, **changes)


class Configurable:
    """Environments of one snake whose configuration may change between episodes."""

    config: EnvConfig
    _native: Games
    _autoreset: str
    _spec: EnvSpec | None = None

    width = setting("width")
    height = setting("height")
    torus = setting("torus")
    start = setting("start")
    tail_entry = setting("tail_entry")
    foods = setting("foods")
    observation = setting("observation")
    dtype = setting("dtype")
    action = setting("action")
    mask = setting("mask")
    reward = setting("reward")
    time_limit = setting("time_limit")
    starvation = setting("starvation")
    frame_stack = setting("frame_stack")
    layout = setting("layout")
    boards = setting("boards")
    held_out = setting("held_out")
    starts = setting("starts")
    start_share = setting("start_share")

    @property
    def spec(self) -> EnvSpec | None:
        """The specification with which Gymnasium made the environment."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = jsonable(spec)

    def configure(self, **changes: Unpack[EnvSettings]) -> None:
        """Changes the configuration of the next episodes, such as boards, starts, lengths, rewards and limits.

        An episode that has begun ends as it would have ended, in later snapshots and copies, too.

        Args:
            **changes: Attributes of :class:`hognose.EnvConfig`, except ``observation``, ``dtype``, ``action``,
                ``mask``, ``frame_stack`` and ``layout``. The shape of observations must stay the same.

        Raises:
            TypeError: There is no such attribute. Nothing has changed then.
            ValueError: A value is wrong, or can't change. Nothing has changed then.
        """
        config = changed(self.config, changes, FIXED)
        self._native.configure(config.to_json(self._autoreset), config.start_positions(), config.start_share)
        self.config = config


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Returns a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def num_actions(config: EnvConfig | DuelConfig) -> int:
    """Returns the number of actions: 4 absolute or 3 relative ones."""
    return 4 if config.action == "absolute" else 3
