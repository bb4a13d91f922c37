"""The parts of an observation: planes, scalars, and the action mask."""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hognose._hognose import Arrays
from hognose.config import EnvConfig


@dataclass(frozen=True)
class Parts:
    """What an observation has: planes of cells, row by row, and then scalars.

    >>> Parts.of(EnvConfig(observation="egocentric", width=6, height=6))
    Parts(planes=(6, 11, 11), scalars=20)

    Attributes:
        planes: The number of planes, of rows and of columns; (0, 0, 0) where an observation has no planes.
        scalars: The number of scalars.
    """

    planes: tuple[int, int, int]
    scalars: int

    @staticmethod
    def of(config: EnvConfig) -> "Parts":
        """The parts of the observations of such an environment."""
        return Parts.of_arrays(config.games("disabled").arrays)

    @staticmethod
    def of_arrays(arrays: Arrays) -> "Parts":
        """The parts of the observations in these arrays."""
        planes, rows, columns = arrays.planes
        return Parts((planes, rows, columns), arrays.scalars)

    def split(self, observations: NDArray[Any], masks: NDArray[Any] | None = None) -> dict[str, NDArray[Any]]:
        """The parts of flat observations, as views of them.

        Args:
            observations: One observation, or any number of them on axes before it.
            masks: Action masks, which stand under ``action_mask`` then.

        Returns:
            ``planes`` (..., planes, rows, columns) and ``scalars`` (..., scalars), as far as there are any.
        """
        before = observations.shape[: -1 if self.scalars else -3]
        flat = observations.reshape(*before, -1)
        of_planes = flat.shape[-1] - self.scalars
        parts = {}
        if of_planes:
            parts["planes"] = flat[..., :of_planes].reshape(*before, *self.planes)
        if self.scalars:
            parts["scalars"] = flat[..., of_planes:]
        return parts if masks is None else {**parts, "action_mask": masks}


def observation_space(parts: Parts, config: EnvConfig, num_actions: int) -> gymnasium.Space[Any]:
    """The space of the observation of one environment, with the axis of stacked frames if there is one."""
    high, dtype = (255, np.uint8) if config.dtype == "uint8" else (1.0, np.float32)
    frames = () if config.frame_stack == 1 else (config.frame_stack,)

    # Older versions of Gymnasium have no generic boxes.
    def box(*shape: int) -> "gymnasium.spaces.Box[Any]":
        return gymnasium.spaces.Box(0, high, (*frames, *shape), dtype)

    if config.layout == "flat":
        return box(int(np.prod(parts.planes)) + parts.scalars) if parts.scalars else box(*parts.planes)
    spaces: dict[str, gymnasium.Space[Any]] = {}
    if parts.planes[0]:
        spaces["planes"] = box(*parts.planes)
    if parts.scalars:
        spaces["scalars"] = box(parts.scalars)
    spaces["action_mask"] = gymnasium.spaces.Box(0, 1, (num_actions,), np.int8)
    return gymnasium.spaces.Dict(spaces)
