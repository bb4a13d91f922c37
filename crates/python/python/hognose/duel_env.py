"""A duel against a bot as a ``gymnasium.Env``."""

from typing import Any

import gymnasium
from numpy.typing import NDArray
from typing_extensions import Unpack

from hognose._hognose import Duels
from hognose.base import BaseEnv
from hognose.duel_config import Bot, DuelSettings, MatchConfig, Seat
from hognose.duel_games import ConfigurableDuels, end_info, make_duels, need_opponent, observation_space
from hognose.games import num_actions


class DuelEnv(ConfigurableDuels, BaseEnv[Duels]):
    """An environment of duels against a bot.

    ``info["action_mask"]`` marks the legal moves. Its dtype is int8, as Gymnasium's spaces expect. If no move is legal,
    it allows all. ``info["seat"]`` is the own seat, 0 or 1. At the end of a duel ``info["duel"]`` describes it, with
    the keys in :class:`hognose.DuelVectorEnv`. A duel is never truncated: at the step limit of the rules the longer
    snake wins.

    ``configure`` changes the opponent, rewards and rules of the next episodes. Their names are attributes, too, so that
    ``set_attr`` of Gymnasium's vector environments changes them.

    >>> env = DuelEnv(opponent="greedy", render_mode="ansi")
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    _kind = "duel"

    def __init__(
        self,
        opponent: Bot = "greedy",
        seat: Seat = "alternate",
        render_mode: str | None = None,
        **config: Unpack[DuelSettings],
    ) -> None:
        """Creates an environment.

        Args:
            opponent: The name of a bot (:func:`hognose.duel.bots`), or a function of (observations, masks) that returns
                an array of one action.
            seat: The learner's seat: ``first``, ``second``, or ``alternate`` for both in turn.
            render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
            **config: The attributes of :class:`hognose.DuelConfig`.
        """
        need_opponent(opponent)
        self.config = MatchConfig(opponent=opponent, seat=seat, **config)
        super().__init__(render_mode)
        self.observation_space = observation_space(self._native, self.config)
        self.action_space: gymnasium.spaces.Discrete[Any] = gymnasium.spaces.Discrete(num_actions(self.config))

    def _make_native(self) -> Duels:
        return make_duels(self.config, self._autoreset)

    def _not_begun(self) -> list[int]:
        return [] if self._started else [0]

    def _observation(self) -> NDArray[Any]:
        arrays = self._native.arrays
        observation: NDArray[Any] = arrays.observations[0].reshape(arrays.shape)
        return observation.copy()

    def _info(self) -> dict[str, Any]:
        return {**super()._info(), "seat": self._native.seat(0)}

    def _episode(self) -> dict[str, Any]:
        return end_info(self._native, 0)
