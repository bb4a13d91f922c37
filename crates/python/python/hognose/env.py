"""Snake as a ``gymnasium.Env``."""

import secrets
from typing import Any, SupportsInt

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from typing_extensions import Unpack

from hognose._hognose import Games, Position
from hognose.base import BaseEnv
from hognose.config import EnvConfig, EnvSettings, check_flag
from hognose.games import Configurable, num_actions
from hognose.parts import Parts, observation_space


class SnakeEnv(Configurable, BaseEnv[Games]):
    """An environment of one game of Snake.

    ``info["action_mask"]`` marks the allowed actions. Its dtype is int8, as Gymnasium's spaces expect. If no action is
    allowed, it allows all.

    At the end of an episode ``info["snake"]`` has its ``return``, its ``steps``, the snake's ``length`` and
    ``ended_by``, which is ``won``, ``wall``, ``body``, ``time_limit`` or ``starvation``. If each episode draws its
    board, it also has the ``board``. The key ``episode`` is left to Gymnasium's wrappers.

    ``parts`` has the numbers of planes and scalars of an observation, and splits flat observations into them.

    ``configure`` changes boards, starts, rewards and limits of the next episodes. Their names are attributes, too, so
    that ``set_attr`` of Gymnasium's vector environments changes them.

    >>> env = SnakeEnv(width=6, height=6, render_mode="ansi")
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    _kind = "snake"

    def __init__(self, render_mode: str | None = None, record: bool = False, **config: Unpack[EnvSettings]) -> None:
        """Creates an environment.

        Args:
            render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
            record: Whether to keep the moves of each episode for :meth:`record`.
            **config: The attributes of :class:`hognose.EnvConfig`.
        """
        check_flag("record", record)
        self.config = EnvConfig(**config)
        self._records = bool(record)
        super().__init__(render_mode)
        self.parts = Parts.of_arrays(self._native.arrays)
        self.observation_space = observation_space(self.parts, self.config, num_actions(self.config))
        self.action_space: gymnasium.spaces.Discrete[Any] = gymnasium.spaces.Discrete(num_actions(self.config))
        self._frames = np.zeros((self.config.frame_stack, *self._native.arrays.shape), self.config.dtype)
        self._start: Position | None = None
        self._moves: list[int] = []

    @property
    def board(self) -> str:
        """The board of the current episode, such as ``10x10``."""
        return self._native.boards()[0]

    @property
    def position(self) -> Position:
        """The current position."""
        return self._native.position(0)

    def record(self) -> str:
        """Returns the record of the episode so far: text for ``hognose replay`` and ``hognose render`` in a file.

        Raises:
            ValueError: The environment was made without ``record=True``.
            ResetNeeded: No episode has begun, or it continues from a snapshot.
        """
        if not self._records:
            raise ValueError("record() needs an environment that keeps its moves: make it with record=True")
        if self._start is None:
            raise ResetNeeded("record() needs an episode that began with reset()")
        return self._native.record(0, self._start, self._moves)

    def _repr_svg_(self) -> str:
        """Draws the board, for notebooks."""
        return self.position._repr_svg_()

    def _make_native(self) -> Games:
        return self.config.games(self._autoreset, seed=secrets.randbits(64))

    def _begin(self) -> None:
        if self._records:
            self._start, self._moves = self._native.start(0), []
        self._frames[:] = self._frame()

    def _begin_restored(self) -> None:
        self._start = None
        self._frames[:] = self._frame()

    def _play(self, action: SupportsInt) -> list[int]:
        turned = 0 if self.config.action == "absolute" else self._native.heading(0) + 3
        ended = super()._play(action)
        if self._start is not None:
            self._moves.append((turned + int(action)) % 4)
        self._frames[:-1] = self._frames[1:]
        self._frames[-1] = self._frame()
        return ended

    def _frame(self) -> NDArray[Any]:
        return np.reshape(self._native.arrays.observations[0], self._frames.shape[1:])

    def _observation(self) -> Any:
        flat = (self._frames[0] if self.config.frame_stack == 1 else self._frames).copy()
        return flat if self.config.layout == "flat" else self.parts.split(flat, self._info()["action_mask"])

    def _episode(self) -> dict[str, Any]:
        arrays = self._native.arrays
        episode = {
            "return": float(arrays.episode_returns[0]),
            "steps": int(arrays.episode_steps[0]),
            "length": int(arrays.episode_lengths[0]),
            "ended_by": str(arrays.ended_by[0]),
        }
        return {**episode, "board": str(arrays.boards[0])} if self.config.boards else episode
