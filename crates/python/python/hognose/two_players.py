"""One duel between two players by name: what the environments of PettingZoo and RLlib share."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from numpy.typing import NDArray

from hognose.duel_config import DuelConfig
from hognose.duel_games import make_duels, observation_space, told_of_end
from hognose.games import as_actions, check_seed, num_actions

PLAYERS = ["snake_0", "snake_1"]

Observation = dict[str, NDArray[Any]]


class TwoPlayers:
    """A duel whose players are ``snake_0`` and ``snake_1``. Each sees a dict of ``observation`` and ``action_mask``."""

    def __init__(self, config: DuelConfig) -> None:
        """Makes the duel; it has not begun."""
        self.config = config
        self.duels = make_duels(config)
        self.going_on = False

    def spaces(self) -> tuple[gymnasium.spaces.Dict, "gymnasium.spaces.Discrete[Any]"]:
        """The spaces of what a player sees, and of what it does."""
        actions = num_actions(self.config)
        mask: Box[Any] = Box(0, 1, (actions,), np.int8)
        seen = gymnasium.spaces.Dict({"observation": observation_space(self.duels, self.config), "action_mask": mask})
        return seen, gymnasium.spaces.Discrete(actions)

    def begin(self, seed: int | None) -> dict[str, Observation]:
        """Begins the next episode, or the first one of a seed. Returns what the players see."""
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
            raise ValueError(f"actions must be of {' and '.join(PLAYERS)}, got {sorted(actions)}")
        ended = self.duels.step(as_actions([actions[player] for player in PLAYERS], 2))
        self.going_on = not ended

    def seen(self) -> dict[str, Observation]:
        """What the players see, in arrays of their own."""
        arrays = self.duels.arrays
        return {
            player: {
                "observation": arrays.observations[row].reshape(arrays.shape).copy(),
                "action_mask": arrays.masks[row].astype(np.int8),
            }
            for row, player in enumerate(PLAYERS)
        }

    def rewards(self) -> dict[str, float]:
        """The rewards of the last step."""
        return {player: float(self.duels.arrays.rewards[row]) for row, player in enumerate(PLAYERS)}

    def infos(self) -> dict[str, dict[str, Any]]:
        """The action mask, and after the end of the duel what is told of it."""
        ended = bool(self.duels.arrays.terminations[0]) and not self.going_on
        return {
            player: {
                "action_mask": self.duels.arrays.masks[row].astype(np.int8),
                **({"duel": told_of_end(self.duels, row)} if ended else {}),
            }
            for row, player in enumerate(PLAYERS)
        }

    def snapshot(self) -> bytes:
        """All of the state, with the foods to come."""
        return self.duels.snapshot(0)

    def restore(self, snapshot: bytes) -> dict[str, Observation]:
        """Goes on from a snapshot of a duel with equal rules. Returns what the players see."""
        self.duels.restore(0, snapshot)
        self.duels.observe()
        self.going_on = not self.duels.has_ended(0)
        return self.seen()

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and deepcopy need."""
        return {"config": self.config, "duels": self.snapshot(), "going_on": self.going_on}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the pickled duel stood."""
        self.config = state["config"]
        self.duels = make_duels(self.config)
        self.restore(state["duels"])
        # A duel that has not begun goes on only after its reset.
        self.going_on = state["going_on"]

    def picture(self, render_mode: str) -> Any:
        """The board as text (``ansi``) or as an RGB array (``rgb_array``)."""
        return self.duels.text(0) if render_mode == "ansi" else self.duels.picture(0)
