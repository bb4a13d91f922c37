"""Many environments with the interface of ``gymnasium.vector.VectorEnv``."""

import secrets
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hognose._hognose import Games, Position
from hognose.config import EnvConfig, check_count
from hognose.games import (
    VECTOR_RENDER_MODES,
    as_actions,
    check_index,
    check_render_mode,
    check_seed,
    num_actions,
    read_only,
)
from hognose.parts import Parts, observation_space

NATIVE_MODES = {
    AutoresetMode.SAME_STEP: "same-step",
    AutoresetMode.NEXT_STEP: "next-step",
    AutoresetMode.DISABLED: "disabled",
}


class SnakeVectorEnv(VectorEnv[Any, NDArray[Any], NDArray[Any]]):
    """Many games of Snake that are stepped at once in native code.

    What environment ``i`` does depends on the configuration, its seed and its actions alone. It does not depend on the
    number of environments or threads.

    Infos are dicts of arrays. Each ``key`` has a mask ``_key`` that says for which environments it holds.
    ``action_mask`` is int8, num_envs x actions. Where episodes ended, ``snake`` has ``return``, ``steps``, ``length``
    of the snake and ``ended_by`` (``won``, ``wall``, ``body``, ``time_limit`` or ``starvation``). Where each episode
    draws its board, ``snake`` has the ``board``, too. The key ``episode`` is left to Gymnasium's wrappers. With
    same-step autoreset ``final_obs`` has the last observations of the episodes that ended, and ``final_info`` has their
    last infos.

    ``parts`` tells how many planes and scalars an observation has, and splits flat observations into them.

    >>> envs = SnakeVectorEnv(4, width=6, height=6)
    >>> observations, infos = envs.reset(seed=0)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": VECTOR_RENDER_MODES,
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        copy: bool = True,
        **config: Any,
    ) -> None:
        """Makes the environments.

        Args:
            num_envs: The number of environments.
            render_mode: ``ansi``, ``rgb_array`` or None.
            autoreset_mode: When the next episode begins after one has ended: one of Gymnasium's three modes.
            threads: The number of threads that step. Results do not depend on it.
            copy: Whether steps return copies. With False they return read-only views of arrays that the next step
                changes in place. This is faster, for those who need the arrays no longer by then.
            **config: The attributes of :class:`hognose.EnvConfig`.
        """
        check_render_mode(render_mode, VECTOR_RENDER_MODES)
        check_count("num_envs", num_envs)
        check_count("threads", threads)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.threads = threads
        self.copy = copy
        self.config = EnvConfig(**config)
        self._games = self._make_games(secrets.randbits(64))
        self.parts = Parts.of_arrays(self._games.arrays)
        self.single_observation_space = observation_space(self.parts, self.config, num_actions(self.config))
        self.single_action_space: Discrete[Any] = Discrete(num_actions(self.config))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        frames = (num_envs, self.config.frame_stack, *self._games.arrays.shape)
        self._frames = np.zeros(frames, self.config.dtype)
        self._resetting = np.zeros(num_envs, np.bool_)
        self._waiting = set(range(num_envs))
        self._take_views()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begins the next episode of every environment. With a seed it begins the first episode of that seed.

        Args:
            seed: An int gives every environment a seed of its own, derived from it and the index of the environment. A
                list has a seed for each, with which it plays as :class:`hognose.SnakeEnv` does. None in the list begins
                the next episode.
            options: ``{"reset_mask": bools}`` resets only some environments.

        Returns:
            Observations of all environments, and infos.
        """
        self._check_open()
        mask = self._reset_mask(options)
        if seed is None or isinstance(seed, (int, np.integer)):
            one = None if seed is None else check_seed(seed)
            seeds = [None if one is None else Games.seed_of(one, env) for env in range(self.num_envs)]
        else:
            seeds = [None if entry is None else check_seed(entry) for entry in seed]
            if len(seeds) != self.num_envs:
                raise ValueError(f"a list of seeds must have {self.num_envs} entries, got {len(seeds)}")
        envs = np.flatnonzero(mask).tolist()
        for env in envs:
            own = seeds[env]
            if own is None:
                self._games.restart(env)
            else:
                self._games.reseed(env, own)
        self._games.observe()
        self._waiting.difference_update(envs)
        self._resetting[mask] = False
        if self.config.frame_stack > 1:
            self._frames[mask] = self._native_observations[mask, None]
        return self._shown(), {"action_mask": self._own(self._action_mask), "_action_mask": mask}

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
            ResetNeeded: An environment has not begun, or has ended and autoreset is disabled.
            ValueError: The shape is wrong, or there is no such action.
        """
        self._check_open()
        self._check_begun("step")
        ended = self._games.step(as_actions(actions, self.num_envs))
        if self.config.frame_stack > 1:
            self._stack()
        answer = [array.copy() for array in self._answer] if self.copy else self._answer
        mask, rewards, terminations, truncations = answer
        infos: dict[str, Any] = {"action_mask": mask, "_action_mask": self._all}
        if ended:
            self._tell_of_ends(ended, infos)
        return self._shown(), rewards, terminations, truncations, infos

    def render(self) -> tuple[Any, ...] | None:
        """The boards as texts (``ansi``) or as RGB arrays (``rgb_array``)."""
        self._check_open()
        if self.render_mode is None:
            return None
        return tuple(self._render(env) for env in range(self.num_envs))

    def snapshot(self, env: int) -> bytes:
        """The state of one environment, with the foods and episodes to come, but without the frames of a stack."""
        return self._games.snapshot(check_index(env, self.num_envs))

    def restore(self, env: int, snapshot: bytes) -> None:
        """Puts an environment into the state of a snapshot, which may come from any environment of equal rules."""
        self._games.restore(check_index(env, self.num_envs), snapshot)
        self._after_planning([env])

    def fork(self, env: int, to: Sequence[int], reseed: int | None = None) -> None:
        """Copies the state of an environment into others.

        Args:
            env: The environment that is copied.
            to: The environments that get the copies.
            reseed: With a seed, copy ``k`` has a future of its own, drawn from (seed, k). A planner needs this, since
                it must not see the foods to come. Without a seed all copies have the future of the original.
        """
        env, *slots = (check_index(each, self.num_envs) for each in (env, *to))
        if env in self._waiting:
            raise ResetNeeded(f"call reset() or restore() before fork(): environment {env} has not begun")
        self._games.fork(env, slots, None if reseed is None else check_seed(reseed))
        self._after_planning(slots)

    def observe(self) -> tuple[Any, NDArray[np.int8]]:
        """The observations and action masks of the present states, without a step."""
        self._check_open()
        self._check_begun("observe")
        return self._shown(), self._own(self._action_mask)

    @property
    def boards(self) -> list[str]:
        """The boards of the present episodes, such as ``10x10``."""
        return self._games.boards()

    def position(self, env: int) -> Position:
        """The present position of an environment."""
        return self._games.position(check_index(env, self.num_envs))

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed, as bools, num_envs x actions."""
        return self._games.arrays.masks.copy()

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and deepcopy need."""
        state = {name: value for name, value in self.__dict__.items() if name not in VIEWS}
        state["_games"] = [self._games.snapshot(env) for env in range(self.num_envs)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the pickled environments stood."""
        self.__dict__.update(state)
        self._games = self._make_games(0)
        for env, snapshot in enumerate(state["_games"]):
            self._games.restore(env, snapshot)
        self._games.observe()
        self._take_views()

    def _make_games(self, seed: int) -> Games:
        return self.config.games(NATIVE_MODES[self.autoreset_mode], self.num_envs, seed, self.threads)

    def _take_views(self) -> None:
        """Makes read-only views of the native arrays, in the shapes and types that Gymnasium expects."""
        games = self._games
        self._native_observations = read_only(games.arrays.observations.reshape(self.num_envs, *games.arrays.shape))
        self._native_finals = read_only(games.arrays.final_observations.reshape(self.num_envs, *games.arrays.shape))
        self._action_mask = read_only(games.arrays.masks.view(np.int8))
        self._final_action_mask = read_only(games.arrays.final_masks.view(np.int8))
        self._ended = read_only(games.arrays.ended)
        self._all = read_only(np.ones(self.num_envs, np.bool_))
        self._final_frames = np.zeros(self._frames.shape, self.config.dtype)
        stacked = self.config.frame_stack > 1
        self._observations: Any = read_only(self._frames) if stacked else self._native_observations
        self._finals: Any = read_only(self._final_frames) if stacked else self._native_finals
        if self.config.layout == "dict":
            self._observations = self.parts.split(self._observations, self._action_mask)
            self._finals = self.parts.split(self._finals, self._final_action_mask)
        # What each step answers, beside observations.
        self._answer = (
            self._action_mask,
            read_only(games.arrays.rewards),
            read_only(games.arrays.terminations),
            read_only(games.arrays.truncations),
        )
        columns = {
            "return": games.arrays.episode_returns,
            "steps": games.arrays.episode_steps,
            "length": games.arrays.episode_lengths,
            "ended_by": games.arrays.ended_by,
        }
        if self.config.boards:
            columns["board"] = games.arrays.boards
        self._episodes = {name: read_only(column) for name, column in columns.items()}
        self._episodes |= {f"_{name}": self._ended for name in columns}
        # The last observations as infos have them, and the environments that have one there.
        self._told_finals = np.full(self.num_envs, None)
        self._told: list[int] = []

    def _render(self, env: int) -> Any:
        return self._games.text(env) if self.render_mode == "ansi" else self._games.picture(env)

    def _own(self, told: Any) -> Any:
        """An array, or a dict of arrays, as the caller gets it."""
        if isinstance(told, dict):
            return {name: self._own(part) for name, part in told.items()} if self.copy else told.copy()
        return told.copy() if self.copy else told

    def _shown(self) -> Any:
        """The observations as the caller gets them."""
        return self._own(self._observations)

    def _stack(self) -> None:
        """Takes the newest frame; where an episode begins, it fills the stack."""
        ended = self._ended.copy()
        begins = self._resetting
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            begins = ended
            self._final_frames[ended, :-1] = self._frames[ended, 1:]
            self._final_frames[ended, -1] = self._native_finals[ended]
        self._frames[:, :-1] = self._frames[:, 1:]
        self._frames[:, -1] = self._native_observations
        self._frames[begins] = self._native_observations[begins, None]
        self._resetting = ended

    def _tell_of_ends(self, envs: list[int], infos: dict[str, Any]) -> None:
        ended, snake = self._own(self._ended), self._own(self._episodes)
        infos["snake"], infos["_snake"] = snake, ended
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            masks = self._own(self._final_action_mask)
            infos["final_obs"], infos["_final_obs"] = self._tell_finals(envs), ended
            infos["final_info"] = {"action_mask": masks, "_action_mask": ended, "snake": snake, "_snake": ended}
            infos["_final_info"] = ended

    def _tell_finals(self, envs: list[int]) -> NDArray[Any]:
        """The last observations of the episodes that these environments have ended, and None elsewhere."""
        for env in self._told:
            self._told_finals[env] = None
        for env in envs:
            self._told_finals[env] = self._final(env)
        self._told = envs
        return self._own(self._told_finals)  # type: ignore[no-any-return]

    def _final(self, env: int) -> Any:
        if self.config.layout == "flat":
            return self._own(self._finals[env])
        return self._own({name: part[env] for name, part in self._finals.items()})

    def _reset_mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        if options is None or "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            got = f"dtype {mask.dtype}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise TypeError(f"options['reset_mask'] must be a NumPy array of bools, got {got}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] must have shape ({self.num_envs},), got {mask.shape}")
        if not mask.any():
            raise ValueError("options['reset_mask'] must be true somewhere")
        return mask.copy()

    def _after_planning(self, envs: list[int]) -> None:
        self._games.observe()
        self._waiting.difference_update(envs)
        self._resetting[envs] = [self._games.has_ended(env) for env in envs]
        if self.config.frame_stack > 1:
            self._frames[envs] = self._native_observations[envs, None]

    def _check_begun(self, call: str) -> None:
        if self._waiting:
            env = min(self._waiting)
            raise ResetNeeded(f"call reset() before {call}(): environment {env} has not begun")

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environments are closed")


VIEWS = (
    "_native_observations",
    "_native_finals",
    "_action_mask",
    "_final_action_mask",
    "_ended",
    "_all",
    "_final_frames",
    "_observations",
    "_finals",
    "_answer",
    "_episodes",
    "_told_finals",
    "_told",
)
