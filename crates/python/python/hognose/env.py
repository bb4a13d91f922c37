"""One environment with the interface of ``gymnasium.Env``."""

import secrets
from typing import TYPE_CHECKING, Any, ClassVar, SupportsInt

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from hognose._hognose import Position
from hognose.config import EnvConfig
from hognose.games import (
    RENDER_MODES,
    as_actions,
    check_render_mode,
    check_seed,
    num_actions,
)
from hognose.parts import Parts, observation_space

if TYPE_CHECKING:
    from hognose.window import Window


class SnakeEnv(gymnasium.Env[Any, np.int64]):
    """One game of Snake at a time.

    ``info["action_mask"]`` says which actions are allowed. Its dtype is int8, as Gymnasium's spaces take it. Where no
    action is allowed, it allows all.

    At the end of an episode ``info["snake"]`` has its ``return``, its ``steps``, the snake's ``length`` and
    ``ended_by``, which is ``won``, ``wall``, ``body``, ``time_limit`` or ``starvation``. Where each episode draws its
    board, it has the ``board``, too. The key ``episode`` is left to Gymnasium's wrappers.

    ``parts`` tells how many planes and scalars an observation has, and splits flat observations into them.

    >>> env = SnakeEnv(width=6, height=6, render_mode="ansi")
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": RENDER_MODES,
        "render_fps": 10,
    }

    def __init__(self, render_mode: str | None = None, **config: Any) -> None:
        """Makes an environment; ``config`` are the attributes of :class:`hognose.EnvConfig`."""
        check_render_mode(render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._window: Window | None = None
        self.config = EnvConfig(**config)
        self._games = self.config.games("disabled", seed=secrets.randbits(64))
        self.parts = Parts.of_arrays(self._games.arrays)
        self.observation_space = observation_space(self.parts, self.config, num_actions(self.config))
        self.action_space: gymnasium.spaces.Discrete[Any] = gymnasium.spaces.Discrete(num_actions(self.config))
        self._frames = np.zeros((self.config.frame_stack, *self._games.arrays.shape), self.config.dtype)
        self._start: Position | None = None
        self._moves: list[int] = []
        self._started = False
        self._closed = False
        if render_mode == "human":
            self._open_window()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode. With a seed it begins the first episode of that seed.

        Args:
            seed: A whole number in 0..2**64, or None.
            options: Not used.

        Returns:
            The observation, and ``{"action_mask": mask}``.
        """
        self._check_open()
        if seed is None:
            self._games.restart(0)
        else:
            seed = check_seed(seed)
            super().reset(seed=seed)
            self._games.reseed(0, seed)
        self._games.observe()
        self._started = True
        self._start, self._moves = self._games.start(0), []
        self._frames[:] = self._frame()
        self._show()
        return self._observation(), self._info()

    def step(self, action: SupportsInt) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: Left, straight or right (0 to 2), or with absolute actions up, right, down or left (0 to 3).

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ResetNeeded: No episode goes on.
            ValueError: There is no such action.
        """
        self._check_open()
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        turned = 0 if self.config.action == "absolute" else self._games.heading(0) + 3
        ended = self._games.step(as_actions([action], 1))
        if self._start is not None:
            self._moves.append((turned + int(action)) % 4)
        self._frames[:-1] = self._frames[1:]
        self._frames[-1] = self._frame()
        self._show()
        info = self._info()
        games = self._games
        if ended:
            info["snake"] = {
                "return": float(games.arrays.episode_returns[0]),
                "steps": int(games.arrays.episode_steps[0]),
                "length": int(games.arrays.episode_lengths[0]),
                "ended_by": str(games.arrays.ended_by[0]),
            }
            if self.config.boards:
                info["snake"]["board"] = str(games.arrays.boards[0])
        return (
            self._observation(),
            float(games.arrays.rewards[0]),
            bool(games.arrays.terminations[0]),
            bool(games.arrays.truncations[0]),
            info,
        )

    @property
    def board(self) -> str:
        """The board of the present episode, such as ``10x10``."""
        return self._games.boards()[0]

    @property
    def position(self) -> Position:
        """The present position."""
        return self._games.position(0)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed, as bools. sb3-contrib's ``MaskablePPO`` asks for this method."""
        return np.array(self._games.arrays.masks[0])

    def render(self) -> Any:
        """The board as text (``ansi``) or as an RGB array (``rgb_array``): 24 x 24 pixels a cell, on large boards fewer.

        With ``human`` each step shows the board in a window by itself, and this does nothing.
        """
        self._check_open()
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
            return None
        if self.render_mode == "human":
            return None
        return self._games.text(0) if self.render_mode == "ansi" else self._games.picture(0)

    def close(self) -> None:
        """Ends the environment, and closes its window. Closing it twice does nothing."""
        self._closed = True
        if self._window is not None:
            self._window.close()

    def snapshot(self) -> bytes:
        """All of the state, with the foods to come, but without the frames of a stack."""
        return self._games.snapshot(0)

    def restore(self, snapshot: bytes) -> Any:
        """Goes on from a snapshot of an environment of equal rules, and returns the observation."""
        self._games.restore(0, snapshot)
        self._games.observe()
        self._started = True
        self._start = None
        self._frames[:] = self._frame()
        return self._observation()

    def record(self) -> str:
        """The episode so far as a record: text that ``hognose replay`` and ``hognose render`` read from a file."""
        if self._start is None:
            raise ResetNeeded("only an episode that was begun by reset() can be recorded")
        return self._games.record(0, self._start, self._moves)

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and deepcopy need."""
        state = self.__dict__.copy()
        state["_games"] = self._games.snapshot(0)
        state["_window"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the pickled environment stood."""
        self.__dict__.update(state)
        self._games = self.config.games("disabled")
        self._games.restore(0, state["_games"])
        self._games.observe()
        if self.render_mode == "human" and not self._closed:
            self._open_window()

    def _frame(self) -> NDArray[Any]:
        return np.reshape(self._games.arrays.observations[0], self._frames.shape[1:])

    def _observation(self) -> Any:
        flat = (self._frames[0] if self.config.frame_stack == 1 else self._frames).copy()
        return flat if self.config.layout == "flat" else self.parts.split(flat, self._mask())

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._mask()}

    def _mask(self) -> NDArray[np.int8]:
        mask: NDArray[np.bool_] = self._games.arrays.masks[0]
        return mask.astype(np.int8)

    def _open_window(self) -> None:
        from hognose.window import Window

        self._window = Window("hognose")

    def _show(self) -> None:
        """Shows the board in the window, if there is one. Where its user closed it, the environment is closed."""
        if self._window is not None and not self._window.show(self._games.picture(0), self.metadata["render_fps"]):
            self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise gymnasium.error.ClosedEnvironmentError("the environment is closed")
