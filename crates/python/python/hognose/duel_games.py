"""Shared parts of the environments of duels: the native half, spaces, and infos."""

import secrets
from collections.abc import Collection
from typing import Any

import gymnasium
import numpy as np
from typing_extensions import Unpack

from hognose._hognose import Duels
from hognose.duel_config import FIXED, Bot, DuelConfig, MatchConfig, MatchSettings
from hognose.games import changed, setting


class ConfigurableDuels:
    """Duels whose configuration may change between episodes."""

    config: MatchConfig
    _native: Duels
    _autoreset: str

    opponent = setting("opponent")
    seat = setting("seat")
    rules = setting("rules")
    width = setting("width")
    height = setting("height")
    torus = setting("torus")
    foods = setting("foods")
    values = setting("values")
    head_on = setting("head_on")
    redraw_after = setting("redraw_after")
    step_limit = setting("step_limit")
    observation = setting("observation")
    dtype = setting("dtype")
    action = setting("action")
    reward = setting("reward")

    def configure(self, **changes: Unpack[MatchSettings]) -> None:
        """Changes the configuration of the next episodes, such as the opponent, rewards and rules.

        A duel that has begun ends as it would have ended, against its opponent. Until the next one begins it has no
        snapshot and can't be copied.

        Args:
            **changes: ``opponent``, ``seat``, and attributes of :class:`hognose.DuelConfig`, except ``width``,
                ``height``, ``torus``, ``observation``, ``dtype`` and ``action``. The number of learners can't change.

        Raises:
            TypeError: There is no such attribute, or the opponent is not a bot. Nothing has changed then.
            ValueError: A value is wrong, or can't change. Nothing has changed then.
        """
        config = changed(self.config, changes, FIXED)
        # The files of a named opponent may be others than before.
        if "opponent" not in changes and config == self.config:
            return
        self._native.configure(config.to_json(self._autoreset), config.opponent)
        self.config = config
        for duel in self._not_begun():
            self._native.restart(duel)

    def _not_begun(self) -> Collection[int]:
        """Returns the duels of which no episode has begun."""
        raise NotImplementedError


def need_opponent(opponent: Bot | None) -> None:
    """Raises ValueError if there is no opponent."""
    if opponent is None:
        raise ValueError("opponent must be a bot, got None: only hognose.DuelVectorEnv lets learners play both seats")


def make_duels(config: MatchConfig, autoreset: str = "disabled", num_duels: int = 1, threads: int = 1) -> Duels:
    """Creates the native half. Its episodes follow from a random seed."""
    return Duels(config.to_json(autoreset), num_duels, secrets.randbits(64), threads, config.opponent)


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
