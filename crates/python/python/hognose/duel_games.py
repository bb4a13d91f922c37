"""Shared parts of the environments of duels: the native half, spaces, and infos."""

import secrets
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from hognose._hognose import Duels
from hognose.config import check_choice
from hognose.duel_config import DuelConfig, Seat

# The name of a bot, or a function of (observations, masks) that returns an array of one action.
Bot = str | Callable[[NDArray[Any], NDArray[np.bool_]], Any]


def make_duels(
    config: DuelConfig,
    autoreset: str = "disabled",
    num_duels: int = 1,
    threads: int = 1,
    opponent: Bot | None = None,
    seat: Seat = "alternate",
) -> Duels:
    """Creates the native half. Its episodes follow from a random seed."""
    check_choice("seat", seat, Seat)
    return Duels(config.to_json(autoreset, seat), num_duels, secrets.randbits(64), threads, opponent)


def observation_space(duels: Duels, config: DuelConfig) -> gymnasium.spaces.Box:
    """Returns the observation space of one player."""
    high, dtype = (255, np.uint8) if config.dtype == "uint8" else (1.0, np.float32)
    return gymnasium.spaces.Box(0, high, tuple(duels.arrays.shape), dtype)


def end_info(duels: Duels, row: int) -> dict[str, Any]:
    """Returns the info of a finished duel for one player."""
    last = duels.last_episode(row)
    assert last is not None, "the native half keeps the last episode"
    seat, causes, lengths = last
    arrays = duels.arrays
    return {
        "outcome": str(arrays.ended_by[row]),
        "return": float(arrays.episode_returns[row]),
        "steps": int(arrays.episode_steps[row]),
        "seat": seat,
        "length": lengths[seat],
        "other_length": lengths[1 - seat],
        "cause": causes[seat],
        "other_cause": causes[1 - seat],
    }
