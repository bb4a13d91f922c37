"""Duels as a ``gymnasium.vector.VectorEnv``."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from typing_extensions import Unpack

from hognose._hognose import Duels
from hognose.base import BaseVectorEnv
from hognose.config import check_count
from hognose.duel_config import Bot, DuelSettings, MatchConfig, Seat
from hognose.duel_games import ConfigurableDuels, end_info, make_duels, need_opponent, observation_space
from hognose.games import num_actions, read_only

# The dtypes of the columns of infos.
KINDS: dict[type, Any] = {str: "<U10", int: np.int64, float: np.float64}


class DuelVectorEnv(ConfigurableDuels, BaseVectorEnv[Duels]):
    """A vector environment of duels between two snakes, in native code.

    Without an opponent, environments 2i and 2i + 1 are the first and the second seat of duel i: an agent that learns
    from this environment plays against itself, and ``num_envs`` is twice the number of duels. With an opponent there is
    one environment for each duel. A duel terminates for both players in the same step, and is never truncated: at the
    step limit of the rules the longer snake wins.

    Duel ``i`` depends only on the configuration, its seed and its actions, not on the number of duels or threads.

    Infos are dicts of arrays. Each ``key`` has a mask ``_key`` of the environments that have it. ``action_mask`` is
    int8, num_envs x actions: the legal moves, or all moves if none is legal. ``seat`` is the own seat, 0 or 1. For
    finished duels ``duel`` has ``outcome`` (``won``, ``lost`` or ``drawn``), ``return``, ``steps``, ``seat``,
    ``length`` and ``other_length``, and ``cause`` and ``other_cause``: ``wall``, ``own body``, ``other body``,
    ``head-on``, ``step limit``, or empty for a survivor. With same-step autoreset ``final_obs`` has the final
    observations of finished episodes, and ``final_info`` has their last infos.

    ``configure`` and ``set_attr`` change the opponent, rewards and rules of the next episodes.

    >>> envs = DuelVectorEnv(2, rules="ai-snakes-2020")
    >>> observations, infos = envs.reset(seed=0)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> rewards.shape
    (4,)
    """

    _kind = "duel"
    _unit = "duel"
    _seats: NDArray[np.int64]

    def __init__(
        self,
        num_duels: int = 1,
        *,
        opponent: Bot | None = None,
        seat: Seat = "alternate",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        **config: Unpack[DuelSettings],
    ) -> None:
        """Creates the duels.

        Args:
            num_duels: The number of duels.
            opponent: The name of a bot (:func:`hognose.duel.bots`), or a function of (observations, masks) that returns
                an array of one action. None means that both seats learn.
            seat: The learner's seat against an opponent: ``first``, ``second``, or ``alternate`` for both in turn.
            render_mode: ``ansi``, ``rgb_array`` or None.
            autoreset_mode: One of Gymnasium's three modes.
            threads: The number of threads that step. Results do not depend on it.
            copy: Whether steps return copies. With False they return read-only views of arrays that the next step
                changes in place, which is faster.
            **config: The attributes of :class:`hognose.DuelConfig`.
        """
        check_count("num_duels", num_duels)
        self.config = MatchConfig(opponent=opponent, seat=seat, **config)
        self.num_duels = num_duels
        super().__init__(num_duels, 2 if opponent is None else 1, render_mode, autoreset_mode, threads, copy)
        self._make_spaces(observation_space(self._native, self.config), num_actions(self.config))
        self._ended: list[int] = []
        self._take_views()

    def seats(self) -> NDArray[np.int64]:
        """Returns the seat, 0 or 1, of each environment in its current episode."""
        return np.array([self._native.seat(env) for env in range(self.num_envs)], np.int64)

    def _make_native(self) -> Duels:
        return make_duels(self.config, self._autoreset, self.num_duels, self.threads)

    def _not_begun(self) -> set[int]:
        return self._waiting

    def _take_views(self) -> None:
        super()._take_views()
        self._seats = read_only(self.seats())

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        self._seats = read_only(self.seats())

    def _episodes(self, envs: list[int]) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {}
        for env in envs:
            for name, value in end_info(self._native, env).items():
                column = columns.setdefault(name, np.zeros(self.num_envs, KINDS[type(value)]))
                column[env] = value
        return columns

    def _more_infos(self) -> dict[str, NDArray[Any]]:
        return {"seat": self._seats}

    def _note_ends(self, envs: list[int]) -> None:
        """Updates the seats of the episodes that have begun."""
        begun = envs if self.autoreset_mode is AutoresetMode.SAME_STEP else self._ended
        if begun:
            seats = self._seats.copy()
            seats[begun] = [self._native.seat(env) for env in begun]
            self._seats = read_only(seats)
        self._ended = envs

    def _take_up(self, games: list[int]) -> None:
        super()._take_up(games)
        self._seats = read_only(self.seats())


def duels_against_a_bot(num_envs: int = 1, opponent: Bot = "greedy", **options: Any) -> DuelVectorEnv:
    """Creates duels against a bot, as ``gymnasium.make_vec("hognose/Duel-v0")`` does.

    Args:
        num_envs: The number of duels, each of which is one environment.
        opponent: As in :class:`hognose.DuelEnv`.
        **options: The other arguments of :class:`hognose.DuelVectorEnv`.
    """
    check_count("num_envs", num_envs)
    need_opponent(opponent)
    return DuelVectorEnv(num_envs, opponent=opponent, **options)
