"""A duel as PettingZoo's ``ParallelEnv``."""

from typing import Any, ClassVar

import gymnasium
from pettingzoo import ParallelEnv
from typing_extensions import Unpack

from hognose.base import Shown
from hognose.config import Layout
from hognose.duel_config import DuelConfig, DuelSettings
from hognose.two_players import PLAYERS, Observation, TwoPlayers


class ParallelDuel(Shown, ParallelEnv[str, Observation, int]):
    """A duel between ``snake_0``, which has the first seat, and ``snake_1``.

    Each observation is a dict of ``observation`` and ``action_mask``, or with ``layout="flat"`` an array, which
    SuperSuit and many algorithms expect; the mask is in the info, too. Both agents
    terminate in the same step, and are never truncated: at the step limit of the rules the longer snake wins. Their
    last infos have ``duel``, with the keys in :class:`hognose.DuelVectorEnv`.

    >>> env = ParallelDuel()
    >>> observations, infos = env.reset(seed=0)
    >>> actions = {agent: env.action_space(agent).sample(infos[agent]["action_mask"]) for agent in env.agents}
    >>> observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> env.agents
    ['snake_0', 'snake_1']
    """

    metadata: ClassVar[dict[str, Any]] = {
        **Shown.metadata,
        "name": "hognose_duel_v0",
        "is_parallelizable": True,
    }

    def __init__(
        self, render_mode: str | None = None, layout: Layout = "dict", **config: Unpack[DuelSettings]
    ) -> None:
        """Creates an environment.

        Args:
            render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
            layout: ``dict`` or ``flat``.
            **config: The attributes of :class:`hognose.DuelConfig`.
        """
        super().__init__(render_mode)
        self.config = DuelConfig(**config)
        self.possible_agents = list(PLAYERS)
        self.agents: list[str] = []
        self._game = TwoPlayers(self.config, layout)
        self._spaces = {agent: self._game.spaces() for agent in PLAYERS}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the observation space of an agent, always the same object."""
        return self._spaces[agent][0]

    def action_space(self, agent: str) -> "gymnasium.spaces.Discrete[Any]":
        """Returns the action space of an agent, always the same object."""
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins the next episode, or with a seed the first episode of that seed.

        Args:
            seed: A whole number in 0..2**64, or None.
            options: Not used. PettingZoo's tests pass some that no environment knows.

        Returns:
            The observation and the info of each agent.
        """
        self._check_open()
        observations = self._game.begin(seed)
        self.agents = list(PLAYERS)
        self._show()
        return observations, self._game.infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Plays an action for each agent.

        Args:
            actions: Left, straight or right (0 to 2), or with absolute actions up, right, down or left (0 to 3).

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: No duel has begun, or the duel has ended.
            ValueError: An agent has no action, or there is no such action.
        """
        self._check_open()
        self._game.step(actions)
        self._show()
        ended = not self._game.going_on
        if ended:
            self.agents = []
        return (
            self._game.seen(),
            self._game.rewards(),
            dict.fromkeys(PLAYERS, ended),
            dict.fromkeys(PLAYERS, False),
            self._game.infos(),
        )

    def snapshot(self) -> bytes:
        """Returns the full state, including future foods."""
        return self._game.snapshot()

    def restore(self, snapshot: bytes) -> dict[str, Observation]:
        """Restores a snapshot of a duel with equal rules, and returns the observations."""
        observations = self._game.restore(snapshot)
        self.agents = list(PLAYERS) if self._game.going_on else []
        return observations

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickle and deepcopy."""
        return {**self.__dict__, "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the state of the pickled environment."""
        self.__dict__.update(state)
        self._open_window()

    def _picture(self, render_mode: str) -> Any:
        return self._game.picture(render_mode)
