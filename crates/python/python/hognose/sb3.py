"""Stable-Baselines3: the native environments as a ``VecEnv``."""

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn

from hognose._hognose import Games
from hognose.vector import SnakeVectorEnv


def make_vec_env(num_envs: int = 1, *, seed: int | None = None, **config: Any) -> "SnakeVecEnv":
    """Native environments for Stable-Baselines3 and sb3-contrib.

    Args:
        num_envs: How many.
        seed: What their games follow from.
        **config: The attributes of :class:`hognose.EnvConfig`, and ``threads``.

    Returns:
        Environments with the infos that ``Monitor`` writes, so that training logs episode rewards and lengths.
    """
    env = SnakeVecEnv(num_envs, **config)
    env.seed(seed)
    return env


class SnakeVecEnv(VecEnv):
    """Stable-Baselines3's vector environment over :class:`hognose.SnakeVectorEnv`.

    Infos of ended episodes have ``terminal_observation``, ``TimeLimit.truncated``, ``is_success`` (the board is full),
    ``episode`` as Monitor writes it, the snake's ``length`` and what ``ended_by`` says. ``env_method("action_masks")`` is
    what sb3-contrib's ``MaskablePPO`` asks for.
    """

    def __init__(self, num_envs: int, render_mode: str | None = None, **config: Any) -> None:
        """Makes the environments."""
        self.envs = SnakeVectorEnv(
            num_envs, autoreset_mode=AutoresetMode.SAME_STEP, render_mode=render_mode, **config
        )
        self.render_mode = render_mode
        self.metadata = self.envs.metadata
        self._started_at = time.time()
        self._actions: np.ndarray[Any, Any] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begins the next episode of every environment, or the first one of the seeds that were given."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observations, _ = self.envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Gives every environment a seed of its own at the next reset, derived from this one and its index."""
        self._seeds: list[int | None]
        if seed is None:
            self._seeds = [None] * self.num_envs
        else:
            self._seeds = [Games.seed_of(seed, env) for env in range(self.num_envs)]
        return self._seeds

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Takes the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays them."""
        observations, rewards, terminations, truncations, vector_infos = self.envs.step(self._actions)
        ends = terminations | truncations
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in range(self.num_envs)]
        for env in np.flatnonzero(ends):
            columns = vector_infos["snake"]
            snake = {name: columns[name][env].item() for name in ("return", "steps", "length", "ended_by")}
            infos[env] = {
                "TimeLimit.truncated": bool(truncations[env] and not terminations[env]),
                "terminal_observation": vector_infos["final_obs"][env],
                "is_success": snake["ended_by"] == "won",
                "snake": snake,
                "episode": {
                    "r": snake["return"],
                    "l": snake["steps"],
                    "t": round(time.time() - self._started_at, 6),
                },
            }
        return observations, rewards.astype(np.float32), ends, infos

    def close(self) -> None:
        """Ends the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[Any]:
        """Pictures of all boards."""
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the vector environment, once for each environment."""
        return [getattr(self.envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuses: all environments share their attributes, which do not change."""
        raise AttributeError(f"{attr_name} can't be set: make other environments with hognose.sb3.make_vec_env(...)")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """``action_masks`` of each environment; other methods are those of the vector environment, called once for each."""
        if method_name == "action_masks":
            masks = self.envs.action_masks()
            return [masks[env] for env in self._get_indices(indices)]
        return [getattr(self.envs, method_name)(*args, **kwargs) for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None) -> list[bool]:
        """Whether it does what a wrapper does: it writes what ``Monitor`` writes."""
        from stable_baselines3.common.monitor import Monitor

        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]
