"""One duel against a bot, with the interface of ``gymnasium.Env``."""

from typing import TYPE_CHECKING, Any, ClassVar, SupportsInt

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from hognose._hognose import Duels
from hognose.duel_config import DuelConfig, Seat
from hognose.duel_games import Bot, make_duels, num_actions, observation_space, told_of_end
from hognose.games import RENDER_MODES, as_actions, check_render_mode, check_seed

if TYPE_CHECKING:
    from hognose.window import Window


class DuelEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """One duel at a time against a bot.

    ``info["action_mask"]`` says which moves are legal. Its dtype is int8, as Gymnasium's spaces take it. Where no move
    is legal, it allows all. ``info["seat"]`` is the own seat, 0 or 1. At the end of a duel ``info["duel"]`` has what
    :class:`hognose.DuelVectorEnv` tells. A duel is never truncated: at the step limit of the rules the longer snake
    wins.

    >>> env = DuelEnv(opponent="greedy", render_mode="ansi")
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.sample(info["action_mask"])
    >>> observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": RENDER_MODES,
        "render_fps": 10,
    }

    def __init__(
        self,
        opponent: Bot = "greedy",
        seat: Seat = "alternate",
        render_mode: str | None = None,
        **config: Any,
    ) -> None:
        """Makes an environment.

        Args:
            opponent: The name of a bot (:func:`hognose.duel.bots`), or a function of (observations, masks) that answers
                with an array of one action.
            seat: The learner's seat: ``first``, ``second``, or ``alternate``, which is another one in each episode.
            render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
            **config: The attributes of :class:`hognose.DuelConfig`.
        """
        check_render_mode(render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.config = DuelConfig(**config)
        self.opponent = opponent
        self.seat: Seat = seat
        self._duels = self._make_duels()
        self.observation_space = observation_space(self._duels, self.config)
        self.action_space: gymnasium.spaces.Discrete[Any] = gymnasium.spaces.Discrete(num_actions(self.config))
        self._started = False
        self._closed = False
        self._window: Window | None = None
        if render_mode == "human":
            self._open_window()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins the next episode. With a seed it begins the first episode of that seed.

        Args:
            seed: A whole number in 0..2**64, or None.
            options: Not used.

        Returns:
            The observation, and infos.
        """
        self._check_open()
        if seed is None:
            self._duels.restart(0)
        else:
            seed = check_seed(seed)
            super().reset(seed=seed)
            self._duels.reseed(0, seed)
        self._duels.observe()
        self._started = True
        self._show()
        return self._observation(), self._info()

    def step(self, action: SupportsInt) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: Left, straight or right (0 to 2), or with absolute actions up, right, down or left (0 to 3).

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ResetNeeded: No duel goes on.
            ValueError: There is no such action, or the opponent has given up.
        """
        self._check_open()
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        ended = self._duels.step(as_actions([action], 1))
        self._show()
        info = self._info()
        if ended:
            info["duel"] = told_of_end(self._duels, 0)
        return self._observation(), float(self._duels.arrays.rewards[0]), bool(ended), False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed, as bools. sb3-contrib's ``MaskablePPO`` asks for this method."""
        return np.array(self._duels.arrays.masks[0])

    def render(self) -> Any:
        """The board as text (``ansi``) or as an RGB array (``rgb_array``).

        With ``human`` each step shows the board in a window by itself, and this does nothing.
        """
        self._check_open()
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: gymnasium.make(..., render_mode='rgb_array')")
            return None
        if self.render_mode == "human":
            return None
        return self._duels.text(0) if self.render_mode == "ansi" else self._duels.picture(0)

    def close(self) -> None:
        """Ends the environment, and closes its window. Closing it twice does nothing."""
        self._closed = True
        if self._window is not None:
            self._window.close()

    def snapshot(self) -> bytes:
        """All of the state, with the foods to come.

        Raises:
            ValueError: The opponent is a function, a program, or a bot with a time limit: asked again, it may make
                other moves.
        """
        return self._duels.snapshot(0)

    def restore(self, snapshot: bytes) -> NDArray[Any]:
        """Goes on from a snapshot of a duel with equal rules, seats and opponent, and returns the observation.

        The opponent is asked about all positions of the episode again, so that it knows what it knew.
        """
        self._duels.restore(0, snapshot)
        self._duels.observe()
        self._started = True
        return self._observation()

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and deepcopy need."""
        return {**self.__dict__, "_duels": self.snapshot(), "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the pickled environment stood."""
        self.__dict__.update(state)
        self._duels = self._make_duels()
        self._duels.restore(0, state["_duels"])
        self._duels.observe()
        if self.render_mode == "human" and not self._closed:
            self._open_window()

    def _make_duels(self) -> Duels:
        return make_duels(self.config, opponent=self.opponent, seat=self.seat)

    def _observation(self) -> NDArray[Any]:
        observation: NDArray[Any] = self._duels.arrays.observations[0].reshape(self._duels.arrays.shape)
        return observation.copy()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._duels.arrays.masks[0].astype(np.int8), "seat": self._duels.seat(0)}

    def _open_window(self) -> None:
        from hognose.window import Window

        self._window = Window("hognose")

    def _show(self) -> None:
        """Shows the board in the window, if there is one. Where its user closed it, the environment is closed."""
        if self._window is not None and not self._window.show(self._duels.picture(0), self.metadata["render_fps"]):
            self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise gymnasium.error.ClosedEnvironmentError("the environment is closed")
