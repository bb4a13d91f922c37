"""The rules of other Snake environments by name, so that numbers can be compared."""

from collections.abc import Mapping
from types import MappingProxyType

from hognose.config import EnvSettings

PRESETS: Mapping[str, EnvSettings] = MappingProxyType({
    "jumanji": {
        "width": 12, "height": 12, "action": "absolute", "observation": "planes",
        "time_limit": 4000, "starvation": None,
        "reward": {"food": 1.0, "death": 0.0, "win": 0.0},
    },
    "alphasnake": {"width": 10, "height": 10, "start": {"length": 2}, "time_limit": 1200, "starvation": None},
    "snek": {"width": 10, "height": 10, "start": {"length": 5}, "starvation": 500},
})
"""Keywords of environments with the rules of others.

>>> from hognose import SnakeEnv
>>> SnakeEnv(**PRESETS["jumanji"]).observation_space.shape
(5, 12, 12)

- ``jumanji``: Snake-v1 of Jumanji, 12x12 with a limit of 4,000 steps and 1 for each food. There a snake of two cells
  may turn back, the limit terminates the episode, observations have the plane last, and one plane orders the body.
- ``alphasnake``: Du et al. (2022), 10x10 from two cells with a limit of 1,200 steps. Rewards are ours.
- ``snek``: twang35/Snek (2026), 10x10 from five cells. There a snake starves after 10 x length steps, at most 500; here
  always after 500, except in ``hognose evaluate --starvation-per-cell 10``. Observations and rewards are ours.
"""
