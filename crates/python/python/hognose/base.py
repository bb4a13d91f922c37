"""Base classes of the environments of one snake and of duels."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsInt, TypeVar

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.spaces import Discrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hognose._hognose import Arrays, Duels, Games
from hognose.config import check_threads, own
from hognose.games import (
    RENDER_MODES,
    VECTOR_RENDER_MODES,
    as_action,
    as_actions,
    check_index,
    check_options,
    check_render_mode,
    check_seed,
    check_setting,
    read_only,
)

if TYPE_CHECKING:
    from hognose.window import Window

# The native half: games of one snake, or duels.
Native = TypeVar("Native", Games, Duels)

NATIVE_MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}


class Shown:
    """An environment that renders its board in a window, as text, or as an array."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 10}
    render_mode: str | None

    def __init__(self, render_mode: str | None) -> None:
        """Opens the window if ``render_mode`` is ``human``."""
        check_render_mode(render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self._closed = False
        self._open_window()

    def render(self) -> Any:
        """Returns the board as text (``ansi``) or as an RGB array (``rgb_array``).

        A cell has 24 x 24 pixels, fewer on large boards. With ``human`` each step updates the window, and this method
        does nothing.
        """
        self._check_open()
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode, such as render_mode='rgb_array'")
            return None
        return None if self.render_mode == "human" else self._picture(self.render_mode)

    def close(self) -> None:
        """Closes the environment and its window. Closing it twice does nothing."""
        self._closed = True
        if self._window is not None:
            self._window.close()

    def _picture(self, render_mode: str) -> Any:
        """Returns the board as text (``ansi``) or as an RGB array (``rgb_array``)."""
        raise NotImplementedError

    def _open_window(self) -> None:
        self._window: Window | None = None
        if self.render_mode == "human" and not self._closed:
            from hognose.window import Window

            self._window = Window("hognose")

    def _show(self) -> None:
        """Updates the window, if there is one. Closes the environment if the user closed the window."""
        if self._window is not None:
            wanted = self._window.show(self._picture("rgb_array"), self.metadata["render_fps"])
            if not wanted:
                self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("the environment is closed")


class BaseEnv(Shown, gymnasium.Env[Any, np.int64], Generic[Native]):
    """A single environment."""

    # The key of the last info that describes an episode.
    _kind: ClassVar[str]
    _autoreset = "disabled"

    def __init__(self, render_mode: str | None) -> None:
        """Creates the native half, and opens the window if ``render_mode`` is ``human``."""
        super().__init__(render_mode)
        self._native: Native = self._make_native()
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode, or with a seed the first episode of that seed.

        Args:
            seed: A whole number in 0..2**64, or None.
            options: None or empty, since there are none.

        Returns:
            The observation and the info.
        """
        self._check_open()
        check_options(options)
        if seed is None:
            self._native.restart(0)
        else:
            seed = check_seed(seed)
            super().reset(seed=seed)
            self._native.reseed(0, seed)
        self._native.observe()
        self._started = True
        self._begin()
        self._show()
        return self._observation(), self._info()

    def step(self, action: SupportsInt) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action.

        Args:
            action: Left, straight or right (0 to 2), or with absolute actions up, right, down or left (0 to 3).

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ResetNeeded: No episode has begun, or the episode has ended.
            ValueError: There is no such action, or an opponent has forfeited: reset its duel.
        """
        self._check_open()
        if not self._started:
            raise ResetNeeded("call reset() before step()")
        ended = self._play(action)
        self._show()
        info = self._info()
        if ended:
            info[self._kind] = self._episode()
        arrays = self._native.arrays
        reward = float(arrays.rewards[0])
        return self._observation(), reward, bool(arrays.terminations[0]), bool(arrays.truncations[0]), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the action mask as bools. sb3-contrib's ``MaskablePPO`` calls this method.

        Raises:
            ResetNeeded: No episode has begun.
        """
        if not self._started:
            raise ResetNeeded("call reset() before action_masks()")
        return np.array(self._native.arrays.masks[0])

    def snapshot(self) -> bytes:
        """Returns the full state, including future foods, but without stacked frames.

        Raises:
            ValueError: The opponent of a duel is a function, a program, or a bot with a time limit, which might play
                other moves the next time; or the duel began before the last ``configure``.
        """
        return self._native.snapshot(0)

    def restore(self, snapshot: bytes) -> Any:
        """Restores a snapshot of an environment with equal rules, and returns the observation.

        The opponent of a duel plays through all positions of the episode again, to restore its memory.
        """
        self._native.restore(0, snapshot)
        self._native.observe()
        self._started = True
        self._begin_restored()
        return self._observation()

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickle and deepcopy."""
        return {**self.__dict__, "_native": self._native.snapshot(0), "_window": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the state of the pickled environment."""
        self.__dict__.update(state)
        self._native = self._make_native()
        self._native.restore(0, state["_native"])
        self._native.observe()
        self._open_window()

    def _make_native(self) -> Native:
        raise NotImplementedError

    def _observation(self) -> Any:
        raise NotImplementedError

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._native.arrays.masks[0].astype(np.int8)}

    def _episode(self) -> dict[str, Any]:
        """Returns the description of the episode for its last info."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Called when an episode begins."""

    def _begin_restored(self) -> None:
        """Called after a snapshot was restored."""

    def _play(self, action: SupportsInt) -> list[int]:
        """Plays an action. Returns a list that is empty unless the episode ended."""
        return self._native.step(as_action(action, self._native.arrays.masks.shape[1]))

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Returns the keys of :func:`gymnasium.utils.play.play`: a and d turn, or w, d, s and a are directions.

        Relative actions need ``play(env, noop=1)``, since 1 goes straight on, and 0 turns left.
        """
        if self._native.arrays.masks.shape[1] == 4:
            return {("w",): 0, ("d",): 1, ("s",): 2, ("a",): 3}
        return {("a",): 0, ("d",): 2}

    def _picture(self, render_mode: str) -> Any:
        return self._native.text(0) if render_mode == "ansi" else self._native.picture(0)


class Views:
    """Read-only views of the native arrays, in the shapes and types that Gymnasium expects."""

    def __init__(self, arrays: Arrays, num_envs: int) -> None:
        shape = (num_envs, *arrays.shape)
        self.newest = read_only(arrays.observations.reshape(shape))
        self.newest_finals = read_only(arrays.final_observations.reshape(shape))
        # The observations that callers get.
        self.observations: Any = self.newest
        self.finals: Any = self.newest_finals
        self.masks = read_only(arrays.masks.view(np.int8))
        self.final_masks = read_only(arrays.final_masks.view(np.int8))
        self.ended = read_only(arrays.ended)
        self.all = read_only(np.ones(num_envs, np.bool_))
        # What each step returns besides observations.
        rest = (arrays.rewards, arrays.terminations, arrays.truncations)
        self.answer = (self.masks, *(read_only(array) for array in rest))
        # The final stacks of frames, if frames are stacked.
        self.final_frames: NDArray[Any] | None = None
        # The final observations in infos, and the environments that have one.
        self.final_obs = np.full(num_envs, None)
        self.ended_envs: list[int] = []
        # The columns of infos that describe finished episodes.
        self.columns: dict[str, NDArray[Any]] = {}
        # The views of `finals` by environment, once one is needed.
        self.each_final: list[Any] | None = None

    def each(self) -> list[Any]:
        """Returns the view of each environment's final observation."""
        if self.each_final is None:
            finals, envs = self.finals, range(len(self.final_obs))
            if isinstance(finals, dict):
                self.each_final = [{name: part[env] for name, part in finals.items()} for env in envs]
            else:
                self.each_final = list(finals)
        return self.each_final


def masked(infos: dict[str, Any], where: NDArray[np.bool_]) -> dict[str, Any]:
    """Adds to each key a mask of the environments that have it, as Gymnasium does, and returns the infos."""
    for name in list(infos):
        infos["_" + name] = where
    return infos


class BaseVectorEnv(VectorEnv[Any, NDArray[Any], NDArray[Any]], Generic[Native]):
    """A vector environment in native code, with one environment for each player of each game."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": VECTOR_RENDER_MODES,
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    config: Any
    configure: Callable[..., None]
    # The key of infos that describes finished episodes, and the word for a game.
    _kind: ClassVar[str]
    _unit: ClassVar[str]

    def __init__(
        self,
        games: int,
        players: int,
        render_mode: str | None,
        autoreset_mode: AutoresetMode | str,
        threads: int,
        copy: bool,
    ) -> None:
        """Creates the native half."""
        check_threads(threads)
        check_render_mode(render_mode, VECTOR_RENDER_MODES)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._autoreset = NATIVE_MODES[self.autoreset_mode]
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.num_envs = games * players
        self.players = players
        self.render_mode = render_mode
        self.threads = threads
        self.copy = copy
        self._waiting = set(range(games))
        self._native: Native = self._make_native()

    def _make_spaces(self, observation_space: Space[Any], actions: int) -> None:
        """Creates the spaces of one environment and of all."""
        self.single_observation_space = observation_space
        self.single_action_space: Discrete[Any] = Discrete(actions)
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def _num_games(self) -> int:
        return self.num_envs // self.players

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode of every game, or with a seed the first episode of that seed.

        Args:
            seed: From an int, each game derives its own seed by its index. A list has one seed for each game, with the
                same episodes as in an environment of one game. None in the list begins the next episode.
            options: ``{"reset_mask": bools}`` resets only some environments: both players of a duel, or neither.

        Returns:
            The observations of all environments, and infos.
        """
        self._check_open()
        mask = self._reset_mask(options)
        if seed is None or isinstance(seed, (int, np.integer)):
            one = None if seed is None else check_seed(seed)
            seeds = [None if one is None else self._native.seed_of(one, game) for game in range(self._num_games)]
        else:
            seeds = [None if entry is None else check_seed(entry) for entry in seed]
            if len(seeds) != self._num_games:
                raise ValueError(f"a list of seeds must have {self._num_games} entries, got {len(seeds)}")
        for game in np.flatnonzero(mask[:: self.players]).tolist():
            own = seeds[game]
            if own is None:
                self._native.restart(game)
            else:
                self._native.reseed(game, own)
            self._waiting.discard(game)
        self._native.observe()
        self._begin(mask)
        return self._shown(), self._infos(self._own(self._views.masks), mask)

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in every environment.

        Args:
            actions: Whole numbers with shape (num_envs,): 0 to 2 for left, straight, right, or with absolute actions 0
                to 3 for up, right, down, left.

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: A game has not begun, or has ended and autoreset is disabled.
            ValueError: The shape is wrong, there is no such action, or an opponent has forfeited: reset its duel.
        """
        self._check_open()
        self._check_begun("step")
        ended = self._native.step(as_actions(actions, self.num_envs))
        self._stack()
        answer = self._views.answer
        mask, rewards, terminations, truncations = [array.copy() for array in answer] if self.copy else answer
        ends = self._ends(ended) if ended else {}
        self._note_ends(ended)
        infos = {**self._infos(mask, self._views.all), **ends}
        return self._shown(), rewards, terminations, truncations, infos

    def set_attr(self, name: str, value: Any) -> None:
        """Changes an attribute of the configuration for the next episodes of all environments: see ``configure``."""
        check_setting(name, type(self.config))
        self.configure(**{name: value})

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of the configuration, once for each environment."""
        check_setting(name, type(self.config))
        return tuple(own(getattr(self.config, name)) for _ in range(self.num_envs))

    def render(self) -> tuple[Any, ...] | None:
        """Returns the boards of all games as text (``ansi``) or as RGB arrays (``rgb_array``)."""
        self._check_open()
        if self.render_mode is None:
            return None
        return tuple(self._render(game) for game in range(self._num_games))

    def observe(self) -> tuple[Any, NDArray[np.int8]]:
        """Returns the current observations and action masks, without a step."""
        self._check_open()
        self._check_begun("observe")
        return self._shown(), self._own(self._views.masks)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the action masks as bools, num_envs x actions."""
        self._check_begun("action_masks")
        return self._native.arrays.masks.copy()

    def snapshot(self, game: int) -> bytes:
        """Returns the state of one game, including future foods and episodes, but without stacked frames.

        Raises:
            ValueError: The opponent of a duel is a function, a program, or a bot with a time limit, which might play
                other moves the next time; or the duel began before the last ``configure``.
        """
        return self._native.snapshot(check_index(game, self._num_games))

    def restore(self, game: int, snapshot: bytes) -> None:
        """Restores a game from a snapshot of any game with equal rules.

        The opponent of a duel must be equal, too. It plays through all positions of the episode again, to restore its
        memory.
        """
        game = check_index(game, self._num_games)
        self._native.restore(game, snapshot)
        self._take_up([game])

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for pickle and deepcopy."""
        state = self.__dict__.copy()
        del state["_views"]
        state["_native"] = [self._native.snapshot(game) for game in range(self._num_games)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores the state of the pickled environments."""
        self.__dict__.update(state)
        self._native = self._make_native()
        for game, snapshot in enumerate(state["_native"]):
            self._native.restore(game, snapshot)
        self._native.observe()
        self._take_views()

    def _make_native(self) -> Native:
        raise NotImplementedError

    def _take_views(self) -> None:
        """Creates views of the native arrays."""
        self._views = Views(self._native.arrays, self.num_envs)

    def _begin(self, mask: NDArray[np.bool_]) -> None:
        """Called when episodes begin in the environments of ``mask``."""

    def _stack(self) -> None:
        """Adds the newest frame, if frames are stacked."""

    def _episodes(self, envs: list[int]) -> dict[str, NDArray[Any]]:
        """Returns the descriptions of the episodes that ended in these environments, as columns of infos."""
        raise NotImplementedError

    def _more_infos(self) -> dict[str, NDArray[Any]]:
        """Returns more columns of infos, besides action masks and finished episodes."""
        return {}

    def _note_ends(self, envs: list[int]) -> None:
        """Called after each step with the environments whose episodes ended."""

    def _take_up(self, games: list[int]) -> None:
        """Called with the games whose state was replaced."""
        self._native.observe()
        self._waiting.difference_update(games)

    def _render(self, game: int) -> Any:
        return self._native.text(game) if self.render_mode == "ansi" else self._native.picture(game)

    def _own(self, value: Any) -> Any:
        """Returns an array, or a dict of arrays, for the caller: a copy if ``copy`` is set."""
        if isinstance(value, dict):
            return {name: self._own(part) for name, part in value.items()}
        return value.copy() if self.copy else value

    def _shown(self) -> Any:
        """Returns the observations for the caller."""
        return self._own(self._views.observations)

    def _infos(self, masks: NDArray[Any], where: NDArray[np.bool_], **others: Any) -> dict[str, Any]:
        """Returns the infos of the environments of a mask, with others."""
        return masked({"action_mask": masks, **self._more_infos(), **others}, where)

    def _ends(self, envs: list[int]) -> dict[str, Any]:
        """Returns the infos of the episodes that ended in these environments."""
        ended = self._own(self._views.ended)
        episodes = masked(self._episodes(envs), ended)
        infos: dict[str, Any] = {self._kind: episodes}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos["final_obs"] = self._final_obs(envs)
            infos["final_info"] = self._infos(self._own(self._views.final_masks), ended, **{self._kind: episodes})
        return masked(infos, ended)

    def _final_obs(self, envs: list[int]) -> NDArray[Any]:
        """Returns the final observations of the episodes that ended in these environments, and None for others."""
        views = self._views
        finals = views.each()
        for env in views.ended_envs:
            views.final_obs[env] = None
        for env in envs:
            views.final_obs[env] = self._own(finals[env])
        views.ended_envs = envs
        return self._own(views.final_obs)  # type: ignore[no-any-return]

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        check_options(options, "reset_mask")
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            got = f"dtype {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"options['reset_mask'] must be a NumPy array of bools, got {got}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] must have shape ({self.num_envs},), got {mask.shape}")
        if not mask.any():
            raise ValueError("options['reset_mask'] must reset at least one environment, got none")
        if (mask[:: self.players] != mask[self.players - 1 :: self.players]).any():
            raise ValueError("options['reset_mask'] must reset both players of a duel, or neither")
        return mask.copy()

    def _check_begun(self, call: str) -> None:
        if self._waiting:
            raise ResetNeeded(f"call reset() before {call}(): {self._unit} {min(self._waiting)} has not begun")

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environments are closed")
