"""PufferLib: native environments that write into PufferLib's own buffers."""

import itertools
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
import pufferlib
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from typing_extensions import Unpack

from hognose._hognose import Games
from hognose.config import EnvConfig, EnvSettings, check_count, check_threads
from hognose.games import (
    VECTOR_RENDER_MODES,
    Configurable,
    as_actions,
    check_render_mode,
    check_seed,
    num_actions,
)
from hognose.parts import Parts, observation_space


class SnakePufferEnv(Configurable, pufferlib.PufferEnv):
    """A PufferLib environment of many games of Snake in native code.

    Each step writes observations, rewards, terminals and truncations directly into PufferLib's buffers. Nothing else
    may write into the observations, since a step writes only the values that change. Each agent is a game, and all
    agents are always alive, so ``masks`` stays true. The next episode begins in the step in which one ends.

    The games are the same as in :class:`hognose.SnakeVectorEnv` with the same seed. PufferLib's buffers have no place
    for action masks; call ``action_masks()`` if you have access to this object, as with PufferLib's native backend.

    Every ``log_interval`` steps the infos have one dict with the means over the episodes that ended since the last one:
    ``episode_return``, ``episode_length`` (steps), ``snake_length`` (cells), ``win_rate``, and the number of
    ``episodes``.

    >>> import pufferlib.vector
    >>> config = {"num_envs": 1024, "width": 12, "height": 12, "observation": "planes", "dtype": "uint8"}
    >>> envs = pufferlib.vector.make(SnakePufferEnv, env_kwargs=config)
    >>> observations, infos = envs.reset(seed=0)
    >>> observations, rewards, terminals, truncations, infos = envs.step(np.ones(1024, np.int32))
    >>> workers = pufferlib.vector.make(
    ...     SnakePufferEnv, env_kwargs=config, num_envs=2, backend=pufferlib.vector.Multiprocessing, overwork=True
    ... )
    >>> observations, infos = workers.reset(seed=0)       # 2048 games in two processes
    >>> workers.close()
    """

    _autoreset = "same-step"

    def __init__(
        self,
        num_envs: int = 1,
        *,
        buf: Any = None,
        seed: int | None = None,
        render_mode: str | None = None,
        threads: int = 1,
        log_interval: int = 128,
        **config: Unpack[EnvSettings],
    ) -> None:
        """Creates the environments.

        Args:
            num_envs: The number of environments, which are PufferLib's agents.
            buf: PufferLib's buffers, from its vector environments. By default the environments have their own.
            seed: The games follow from this seed until ``reset`` gets one. By default they differ each time.
            render_mode: ``ansi``, ``rgb_array`` or None.
            threads: The number of threads that step. Results do not depend on it.
            log_interval: The number of steps between infos.
            **config: The attributes of :class:`hognose.EnvConfig`, except for ``layout`` and ``frame_stack``.
        """
        check_render_mode(render_mode, VECTOR_RENDER_MODES)
        check_threads(threads)
        for name, count in (("num_envs", num_envs), ("log_interval", log_interval)):
            check_count(name, count)
        self.config = EnvConfig(**config)
        if self.config.layout != "flat" or self.config.frame_stack != 1:
            raise ValueError(
                "PufferLib's native environments have flat observations without stacked frames: "
                f"layout must be 'flat', got {self.config.layout!r}, and frame_stack 1, got {self.config.frame_stack}"
            )
        self.num_agents = num_envs
        self.render_mode = render_mode
        self.log_interval = log_interval
        self.parts = Parts.of_arrays(self.config.games(self._autoreset).arrays)
        space = observation_space(self.parts, self.config, num_actions(self.config))
        assert isinstance(space, Box)
        self.single_observation_space = space
        self.single_action_space: Discrete[Any] = Discrete(num_actions(self.config))
        super().__init__(buf)
        first = secrets.randbits(64) if seed is None else check_seed(seed)
        buffers = (self.observations, self.rewards, self.terminals, self.truncations)
        if any(np.may_share_memory(*pair) for pair in itertools.combinations(buffers, 2)):
            raise ValueError("buffers must not share memory, got some that do")
        self._native = self.config.games(self._autoreset, num_envs, first, threads, buffers)
        self._seeded, self._steps = True, 0

    def reset(self, seed: int | Sequence[int] | None = None) -> tuple[NDArray[Any], list[dict[str, Any]]]:
        """Begins the next episode of every environment, or with a seed the first episode of that seed.

        Args:
            seed: Each environment derives its own seed from this one and its index. PufferLib passes lists of one seed
                to its workers.

        Returns:
            The buffer of observations, and no infos.
        """
        if isinstance(seed, (list, tuple)):
            if len(seed) != 1:
                raise ValueError(f"a list of seeds must have one entry, got {len(seed)}")
            seed = seed[0]
        one = None if seed is None else check_seed(seed)
        for env in range(self.num_agents):
            if one is not None:
                self._native.reseed(env, Games.seed_of(one, env))
            elif not self._seeded:
                self._native.restart(env)
        self._seeded = False
        self._native.observe()
        for buffer in (self.rewards, self.terminals, self.truncations):
            buffer[:] = 0
        return self.observations, []

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays an action in every environment.

        Args:
            actions: Whole numbers with shape (num_envs,): 0 to 2 for left, straight, right, or with absolute actions 0
                to 3 for up, right, down, left.

        Returns:
            The buffers of observations, rewards, terminals and truncations, and infos.
        """
        chosen = as_actions(actions, self.num_agents)
        self._native.step(chosen)
        self.actions[:] = chosen
        self._seeded = False
        self._steps += 1
        infos = self._log() if self._steps % self.log_interval == 0 else []
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the action masks as bools, num_envs x actions."""
        return self._native.arrays.masks.copy()

    def render(self) -> Any:
        """Returns the first board as text (``ansi``) or as an RGB array (``rgb_array``)."""
        if self.render_mode is None:
            return None
        return self._native.text(0) if self.render_mode == "ansi" else self._native.picture(0)

    def close(self) -> None:
        """Does nothing."""

    def _log(self) -> list[dict[str, Any]]:
        """Returns the means over the episodes that ended since the last call."""
        episodes, returns, steps, lengths, won = self._native.take_totals()
        if episodes == 0:
            return []
        sums = {"episode_return": returns, "episode_length": steps, "snake_length": lengths, "win_rate": won}
        return [{**{name: total / episodes for name, total in sums.items()}, "episodes": episodes}]
