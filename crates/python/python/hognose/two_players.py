"""A duel between two named players, for the environments of PettingZoo and RLlib."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from numpy.typing import NDArray

from hognose.config import Layout, check_choice
from hognose.duel_config import DuelConfig, MatchConfig
from hognose.duel_games import end_info, make_duels, observation_space
from hognose.games import as_actions, check_seed, num_actions

PLAYERS = ["snake_0", "snake_1"]

Observation = dict[str, NDArray[Any]] | NDArray[Any]


class TwoPlayers:
    """A duel of ``snake_0`` and ``snake_1``.

    Observations are dicts of ``observation`` and ``action_mask``, or with ``layout="flat"`` arrays.
    """

    def __init__(self, config: DuelConfig, layout: Layout) -> None:
        """Creates the duel without beginning it."""
        check_choice("layout", layout, Layout)
        self.config = MatchConfig(**vars(config))
        self.layout = layout
        self.duels = make_duels(self.config)
        self.going_on = False

    def spaces(self) -> tuple[gymnasium.Space[Any], "gymnasium.spaces.Discrete[Any]"]:
        """Returns the observation space and the action space of a player."""
        actions = num_actions(self.config)
        mask: Box[Any] = Box(0, 1, (actions,), np.int8)
        seen = observation_space(self.duels, self.config)
        both = gymnasium.spaces.Dict({"observation": seen, "action_mask": mask})
        return (seen if self.layout == "flat" else both), gymnasium.spaces.Discrete(actions)

    def begin(self, seed: int | None) -> dict[str, Observation]:
        """Begins the next episode, or the first one of a seed. Returns observations."""
        if seed is None:
            self.duels.restart(0)
        else:
            self.duels.reseed(0, check_seed(seed))
        self.duels.observe()
        self.going_on = True
        return self.seen()

    def step(self, actions: Mapping[str, Any]) -> None:
        """Plays an action for each player."""
        if not self.going_on:
            raise ResetNeeded("call reset() before step()")
        if set(actions) != set(PLAYERS):
            raise ValueError(f"actions must have the keys {' and '.join(PLAYERS)}, got {sorted(actions)}")
        ended = self.duels.step(as_actions([actions[player] for player in PLAYERS], 2))
        self.going_on = not ended

    def seen(self) -> dict[str, Observation]:
        """Returns copies of the observations."""
        arrays = self.duels.arrays
        flat = {
            player: arrays.observations[row].reshape(arrays.shape).copy() for row, player in enumerate(PLAYERS)
        }
        if self.layout == "flat":
            return {**flat}
        masks = arrays.masks.astype(np.int8)
        return {
            player: {"observation": flat[player], "action_mask": masks[row]} for row, player in enumerate(PLAYERS)
        }

    def rewards(self) -> dict[str, float]:
        """Returns the rewards of the last step."""
        return {player: float(self.duels.arrays.rewards[row]) for row, player in enumerate(PLAYERS)}

    def infos(self) -> dict[str, dict[str, Any]]:
        """Returns infos: the action mask, and after the end of the duel its description."""
        ended = bool(self.duels.arrays.terminations[0]) and not self.going_on
        return {
            player: {
                "action_mask": self.duels.arrays.masks[row].astype(np.int8),
                **({"duel": end_info(self.duels, row)} if ended else {}),
            }
            for row, player in enumerate(PLAYERS)
        }

    def snapshot(self) -> bytes:
        """Returns the full state, including future foods."""
        return self.duels.snapshot(0)

    def restore(self, snapshot: bytes) -> dict[str, Observation]:
        """Restores a snapshot of a duel with equal rules. Returns observations."""
        self.duels.restore(0, snapshot)
        self.duels.observe()
        self.going_on = not self.duels.has_ended(0)
        return self.seen()

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickle and deepcopy."""
        duels = self.snapshot()
        return {"config": self.config, "layout": self.layout, "duels": duels, "going_on": self.going_on}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the state of the pickled duel."""
        self.config, self.layout = state["config"], state["layout"]
        self.duels = make_duels(self.config)
        self.restore(state["duels"])
        # A duel that has not begun still needs a reset.
        self.going_on = state["going_on"]

    def picture(self, render_mode: str) -> Any:
        """Returns the board as text (``ansi``) or as an RGB array (``rgb_array``)."""
        return self.duels.text(0) if render_mode == "ansi" else self.duels.picture(0)
