"""Snake as a ``gymnasium.vector.VectorEnv``."""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from typing_extensions import Unpack

from hognose._hognose import Games, Position
from hognose.base import BaseVectorEnv
from hognose.config import EnvConfig, EnvSettings, check_count, check_limit
from hognose.games import Configurable, check_index, check_seed, num_actions, read_only
from hognose.parts import Parts, observation_space


class SnakeVectorEnv(Configurable, BaseVectorEnv[Games]):
    """A vector environment of many games of Snake, in native code.

    Environment ``i`` depends only on the configuration, its seed and its actions, not on the number of environments or
    threads.

    Infos are dicts of arrays. Each ``key`` has a mask ``_key`` of the environments that have it. ``action_mask`` is
    int8, num_envs x actions. For finished episodes ``snake`` has ``return``, ``steps``, ``length`` of the snake and
    ``ended_by`` (``won``, ``wall``, ``body``, ``time_limit`` or ``starvation``). If each episode draws its board,
    ``snake`` also has the ``board``. The key ``episode`` is left to Gymnasium's wrappers. With same-step autoreset
    ``final_obs`` has the final observations of finished episodes, and ``final_info`` has their last infos.

    ``parts`` has the numbers of planes and scalars of an observation, and splits flat observations into them.

    ``configure`` and ``set_attr`` change boards, starts, rewards and limits of the next episodes.

    >>> envs = SnakeVectorEnv(4, width=6, height=6)
    >>> observations, infos = envs.reset(seed=0)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    """

    _kind = "snake"
    _unit = "environment"

    def __init__(
        self,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        **config: Unpack[EnvSettings],
    ) -> None:
        """Creates the environments.

        Args:
            num_envs: The number of environments.
            max_episode_steps: Another name of ``time_limit``, for ``gymnasium.make_vec``.
            render_mode: ``ansi``, ``rgb_array`` or None.
            autoreset_mode: One of Gymnasium's three modes.
            threads: The number of threads that step. Results do not depend on it.
            copy: Whether steps return copies. With False they return read-only views of arrays that the next step
                changes in place, which is faster.
            **config: The attributes of :class:`hognose.EnvConfig`.
        """
        check_count("num_envs", num_envs)
        check_limit("max_episode_steps", max_episode_steps)
        if max_episode_steps is not None:
            limit = config.setdefault("time_limit", max_episode_steps)
            if limit != max_episode_steps:
                raise ValueError(
                    "max_episode_steps and time_limit are the same limit, "
                    f"got {max_episode_steps!r} and {limit!r}"
                )
        self.config = EnvConfig(**config)
        super().__init__(num_envs, 1, render_mode, autoreset_mode, threads, copy)
        self.parts = Parts.of_arrays(self._native.arrays)
        actions = num_actions(self.config)
        self._make_spaces(observation_space(self.parts, self.config, actions), actions)
        frames = (num_envs, self.config.frame_stack, *self._native.arrays.shape)
        self._frames = np.zeros(frames, self.config.dtype)
        self._resetting = np.zeros(num_envs, np.bool_)
        self._take_views()

    def fork(self, env: int, to: Sequence[int], reseed: int | None = None) -> None:
        """Copies the state of an environment into others.

        Args:
            env: The environment to copy.
            to: The environments that receive the copies.
            reseed: With a seed, copy ``k`` has its own future, drawn from (seed, k). A planner needs this, since it
                must not see future foods. Without a seed all copies have the original's future.
        """
        env, *slots = (check_index(each, self.num_envs) for each in (env, *to))
        if env in self._waiting:
            raise ResetNeeded(f"call reset() or restore() before fork(): environment {env} has not begun")
        self._native.fork(env, slots, None if reseed is None else check_seed(reseed))
        self._take_up(slots)

    @property
    def boards(self) -> list[str]:
        """The boards of the current episodes, such as ``10x10``."""
        return self._native.boards()

    def position(self, env: int) -> Position:
        """Returns the current position of an environment."""
        return self._native.position(check_index(env, self.num_envs))

    def _make_native(self) -> Games:
        return self.config.games(self._autoreset, self.num_envs, secrets.randbits(64), self.threads)

    def _take_views(self) -> None:
        super()._take_views()
        views = self._views
        if self.config.frame_stack > 1:
            views.final_frames = np.zeros(self._frames.shape, self.config.dtype)
            views.observations, views.finals = read_only(self._frames), read_only(views.final_frames)
        arrays = self._native.arrays
        views.columns = {
            "return": read_only(arrays.episode_returns),
            "steps": read_only(arrays.episode_steps),
            "length": read_only(arrays.episode_lengths),
            "ended_by": read_only(arrays.ended_by),
            "board": read_only(arrays.boards),
        }
        if self.config.layout == "dict":
            views.observations = self.parts.split(views.observations, views.masks)
            views.finals = self.parts.split(views.finals, views.final_masks)

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        self._resetting[mask] = False
        if self.config.frame_stack > 1:
            self._frames[mask] = self._views.newest[mask, None]

    def _stack(self) -> None:
        """Adds the newest frame. The first frame of an episode fills the stack."""
        views = self._views
        if views.final_frames is None:
            return
        ended = views.ended.copy()
        begins = self._resetting
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            begins = ended
            views.final_frames[ended, :-1] = self._frames[ended, 1:]
            views.final_frames[ended, -1] = views.newest_finals[ended]
        self._frames[:, :-1] = self._frames[:, 1:]
        self._frames[:, -1] = views.newest
        self._frames[begins] = views.newest[begins, None]
        self._resetting = ended

    def _episodes(self, envs: list[int]) -> dict[str, NDArray[Any]]:
        columns = self._views.columns.items()
        return {name: self._own(column) for name, column in columns if name != "board" or self.config.boards}

    def _take_up(self, games: list[int]) -> None:
        super()._take_up(games)
        self._resetting[games] = [self._native.has_ended(env) for env in games]
        if self.config.frame_stack > 1:
            self._frames[games] = self._views.newest[games, None]
