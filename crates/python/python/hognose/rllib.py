"""A duel as RLlib's ``MultiAgentEnv``."""

from typing import Any

from ray.rllib.env.multi_agent_env import MultiAgentEnv

from hognose.duel_config import DuelConfig
from hognose.two_players import PLAYERS, Observation, TwoPlayers


class MultiAgentDuel(MultiAgentEnv):
    """A duel between ``snake_0``, which has the first seat, and ``snake_1``.

    Each observation is a dict of ``observation`` and ``action_mask``, or with ``layout="flat"`` an array, which RLlib's
    default models expect. Both agents terminate in the same step, and are
    never truncated. Their last infos have ``duel``, with the keys in :class:`hognose.DuelVectorEnv`.

    >>> env = MultiAgentDuel({"rules": "ai-snakes-2020"})
    >>> observations, infos = env.reset(seed=0)
    >>> sorted(observations)
    ['snake_0', 'snake_1']
    """

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        """Creates an environment; ``config`` has the attributes of :class:`hognose.DuelConfig`, and ``layout``."""
        super().__init__()
        others = {**(config or {})}
        layout = others.pop("layout", "dict")
        self._game = TwoPlayers(DuelConfig(**others), layout)
        observation_space, action_space = self._game.spaces()
        self.possible_agents = list(PLAYERS)
        self.agents = list(PLAYERS)
        self.observation_spaces = dict.fromkeys(PLAYERS, observation_space)
        self.action_spaces = dict.fromkeys(PLAYERS, action_space)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begins the next episode, or with a seed the first episode of that seed."""
        self.agents = list(PLAYERS)
        return self._game.begin(seed), self._game.infos()

    def step(
        self, action_dict: dict[str, int]
    ) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """Plays an action for each agent. Returns observations, rewards, terminations, truncations and infos."""
        self._game.step(action_dict)
        ended = not self._game.going_on
        if ended:
            self.agents = []
        terminations = dict.fromkeys([*PLAYERS, "__all__"], ended)
        truncations = dict.fromkeys([*PLAYERS, "__all__"], False)
        return self._game.seen(), self._game.rewards(), terminations, truncations, self._game.infos()

    def render(self) -> str:
        """Returns the board as text."""
        text: str = self._game.picture("ansi")
        return text
