"""Stable-Baselines3: the native environments as a ``VecEnv``."""

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn
from typing_extensions import Unpack

from hognose._hognose import Games
from hognose.config import EnvConfig, EnvSettings, own
from hognose.games import check_seed, check_setting
from hognose.vector import SnakeVectorEnv


def make_vec_env(
    num_envs: int = 1, *, seed: int | None = None, threads: int = 1, **config: Unpack[EnvSettings]
) -> "SnakeVecEnv":
    """Creates native environments for Stable-Baselines3 and sb3-contrib.

    >>> env = make_vec_env(8, seed=0, width=6, height=6, mask="safe")
    >>> observations = env.reset()

    Args:
        num_envs: The number of environments.
        seed: The games of all environments follow from this seed. By default they differ each time.
        threads: The number of threads that step. Results do not depend on it.
        **config: The attributes of :class:`hognose.EnvConfig`.

    Returns:
        Environments with ``Monitor``'s infos, so that training logs episode rewards and lengths.
    """
    env = SnakeVecEnv(num_envs, threads=threads, **config)
    env.seed(seed)
    return env


class SnakeVecEnv(VecEnv):
    """Stable-Baselines3's vector environment over :class:`hognose.SnakeVectorEnv`.

    Infos have ``action_mask``. The last info of an episode also has ``terminal_observation``,
    ``TimeLimit.truncated``, ``is_success`` (the board is full), ``episode`` as in ``Monitor``, and ``snake`` as in
    :class:`hognose.SnakeEnv`.

    ``set_attr`` and ``configure`` change boards, starts, rewards and limits of the next episodes of all environments.
    ``env_method`` and ``get_attr`` access each environment's ``action_masks`` (which sb3-contrib's ``MaskablePPO``
    calls), ``reset``, ``render``, ``snapshot``, ``restore``, ``config`` with its attributes, and spaces.

    >>> env = SnakeVecEnv(4, width=6, height=6)
    >>> observations = env.reset()
    >>> masks = env.env_method("action_masks")
    """

    def __init__(
        self,
        num_envs: int,
        render_mode: str | None = None,
        *,
        threads: int = 1,
        copy: bool = True,
        **config: Unpack[EnvSettings],
    ) -> None:
        """Creates the environments.

        Args:
            num_envs: The number of environments.
            render_mode: ``ansi``, ``rgb_array`` or None.
            threads: The number of threads that step. Results do not depend on it.
            copy: Must be True, since Stable-Baselines3 keeps observations beyond the next step.
            **config: The attributes of :class:`hognose.EnvConfig`.
        """
        if not copy:
            raise ValueError(
                "copy must be True, got False: Stable-Baselines3 stores each observation after the next step, "
                "which would have changed it in place"
            )
        self.envs = SnakeVectorEnv(
            num_envs, autoreset_mode=AutoresetMode.SAME_STEP, render_mode=render_mode, threads=threads, **config
        )
        self._each = [_OneOfMany(self.envs, index) for index in range(num_envs)]
        self._started_at = time.time()
        self._actions: np.ndarray[Any, Any] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begins the next episode of every environment, or after ``seed`` the first episode of each seed."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observations, vector_infos = self.envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos: list[dict[str, Any]] = [{"action_mask": mask} for mask in vector_infos["action_mask"]]
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seed of every environment for the next reset, derived from ``seed`` and its index."""
        self._seeds: list[int | None]
        if seed is None:
            self._seeds = [None] * self.num_envs
        else:
            one = check_seed(seed)
            self._seeds = [Games.seed_of(one, env) for env in range(self.num_envs)]
        return self._seeds

    def step_async(self, actions: np.ndarray[Any, Any]) -> None:
        """Stores the actions of the next step, one for each environment."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Plays the actions of ``step_async``. Returns observations, rewards, ends and infos."""
        observations, rewards, terminations, truncations, vector_infos = self.envs.step(self._actions)
        ends = terminations | truncations
        masks = vector_infos["action_mask"]
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False, "action_mask": mask} for mask in masks]
        for env in np.flatnonzero(ends):
            columns = vector_infos["snake"]
            snake = {name: column[env].item() for name, column in columns.items() if not name.startswith("_")}
            infos[env] |= {
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
        """Closes the environments."""
        self.envs.close()

    def get_images(self) -> Sequence[Any]:
        """Returns the pictures of all boards, or None for each without a render mode."""
        return self.envs.render() or [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns the values of an attribute of each environment."""
        return [getattr(self._each[index], attr_name) for index in self._get_indices(indices)]

    def configure(self, **changes: Unpack[EnvSettings]) -> None:
        """Changes the configuration of the next episodes, as :meth:`hognose.SnakeVectorEnv.configure` does."""
        self.envs.configure(**changes)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Changes an attribute of the configuration for the next episodes of all environments."""
        self._check_all(attr_name, indices)
        self.envs.set_attr(attr_name, value)

    def _check_all(self, name: str, indices: VecEnvIndices) -> None:
        """Raises ValueError if ``indices`` leave out an environment."""
        if len({*self._get_indices(indices)}) != self.num_envs:
            raise ValueError(f"{name} changes all environments: indices must be None, got {indices!r}")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """Calls a method of each environment of ``indices`` and returns the results.

        ``configure`` changes all environments: ``indices`` must be None.
        """
        if method_name == "configure":
            self._check_all(method_name, indices)
            self.configure(*args, **kwargs)
            return [None] * self.num_envs
        methods = self.get_attr(method_name, indices)
        return [method(*args, **kwargs) for method in methods]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Returns True for ``Monitor``, since infos have its keys, and False for other wrappers."""
        from stable_baselines3.common.monitor import Monitor

        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]


class PartsExtractor(BaseFeaturesExtractor):
    """Features of observations with ``layout="dict"``: convolutions over the planes, joined with the scalars.

    Stable-Baselines3's own convolutions need pictures of at least 36 x 36 pixels. If a side of the board has fewer than
    5 cells, Stable-Baselines3 mistakes rows or columns of ``uint8`` planes for colors: use ``float32`` instead.

    >>> from stable_baselines3 import PPO
    >>> env = make_vec_env(8, width=6, height=6, layout="dict")
    >>> model = PPO("MultiInputPolicy", env, policy_kwargs={"features_extractor_class": PartsExtractor})
    """

    def __init__(self, observation_space: gymnasium.spaces.Dict, features_dim: int = 128) -> None:
        """Creates the layers.

        Args:
            observation_space: A space with ``planes`` and optionally ``scalars``.
            features_dim: The number of features.
        """
        if "planes" not in observation_space.spaces:
            raise ValueError(f"observations must have planes, got {', '.join(observation_space.spaces)}")
        super().__init__(observation_space, features_dim)
        self.scales = {name: _scale(space) for name, space in observation_space.spaces.items()}
        *frames, planes, rows, columns = observation_space["planes"].shape or ()
        self.convolutions = torch.nn.Sequential(
            torch.nn.Conv2d(int(np.prod(frames)) * planes, 32, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(32, 64, 3, stride=2, padding=1),
            torch.nn.ReLU(),
            torch.nn.Flatten(),
        )
        seen = 64 * -(-rows // 2) * -(-columns // 2)
        scalars = observation_space.spaces.get("scalars")
        seen += 0 if scalars is None else int(np.prod(scalars.shape or ()))
        self.features = torch.nn.Sequential(torch.nn.Linear(seen, features_dim), torch.nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Returns the features of observations, one row each."""
        parts = [self.convolutions(observations["planes"].flatten(1, -3) / self.scales["planes"])]
        if "scalars" in observations:
            parts.append(observations["scalars"].flatten(1) / self.scales["scalars"])
        features: torch.Tensor = self.features(torch.cat(parts, dim=1))
        return features


def _scale(space: gymnasium.Space[Any]) -> float:
    """Returns the divisor of a space's values. Stable-Baselines3 itself divides only uint8 pictures by 255."""
    return 255.0 if space.dtype == np.uint8 and not is_image_space(space) else 1.0


class _OneOfMany:
    """One of the native environments, with the attributes and methods of :class:`hognose.SnakeEnv`."""

    def __init__(self, envs: SnakeVectorEnv, index: int) -> None:
        self._envs = envs
        self._index = index
        self.metadata = envs.metadata
        self.render_mode = envs.render_mode
        self.spec = envs.spec
        self.observation_space = envs.single_observation_space
        self.action_space = envs.single_action_space

    @property
    def config(self) -> EnvConfig:
        return self._envs.config

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the configuration."""
        check_setting(name, EnvConfig)
        return own(getattr(self._envs.config, name))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        only = np.arange(self._envs.num_envs) == self._index
        seeds = [seed if one else None for one in only]
        observations, infos = self._envs.reset(seed=seeds, options={"reset_mask": only})
        return self._own(observations), {"action_mask": infos["action_mask"][self._index]}

    def action_masks(self) -> np.ndarray[Any, Any]:
        self._envs._check_begun("action_masks")
        return np.array(self._envs._native.arrays.masks[self._index])

    def render(self) -> Any:
        return None if self.render_mode is None else self._envs._render(self._index)

    def snapshot(self) -> bytes:
        return self._envs.snapshot(self._index)

    def restore(self, snapshot: bytes) -> Any:
        self._envs.restore(self._index, snapshot)
        return self._own(self._envs._shown())

    def _own(self, observations: Any) -> Any:
        """Returns this environment's part of all observations."""
        if isinstance(observations, dict):
            return {name: part[self._index] for name, part in observations.items()}
        return observations[self._index]
