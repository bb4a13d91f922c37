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
    """The layout of an observation: planes of cells, row by row, followed by scalars.

    >>> Parts.of(EnvConfig(observation="egocentric", width=6, height=6))
    Parts(planes=(6, 11, 11), scalars=20)

    Attributes:
        planes: The numbers of planes, rows and columns; (0, 0, 0) if an observation has no planes.
        scalars: The number of scalars.
    """

    planes: tuple[int, int, int]
    scalars: int

    @staticmethod
    def of(config: EnvConfig) -> "Parts":
        """Returns the parts of the observations of an environment."""
        return Parts.of_arrays(config.games("disabled").arrays)

    @staticmethod
    def of_arrays(arrays: Arrays) -> "Parts":
        """Returns the parts of the observations in native arrays."""
        planes, rows, columns = arrays.planes
        return Parts((planes, rows, columns), arrays.scalars)

    def split(self, observations: NDArray[Any], masks: NDArray[Any] | None = None) -> dict[str, NDArray[Any]]:
        """Splits flat observations into views of their parts.

        Args:
            observations: One observation, or several with leading axes.
            masks: Action masks to add as ``action_mask``.

        Returns:
            ``planes`` (..., planes, rows, columns) and ``scalars`` (..., scalars), if the observation has them.
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
    """Returns the observation space of one environment, with an axis of frames if they are stacked."""
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
