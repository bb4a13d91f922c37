"""Many duels with the interface of ``gymnasium.vector.VectorEnv``."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from hognose._hognose import Duels
from hognose.config import check_count
from hognose.duel_config import DuelConfig, Seat
from hognose.duel_games import AUTORESETS, Bot, make_duels, num_actions, observation_space, told_of_end
from hognose.games import VECTOR_RENDER_MODES, as_actions, check_index, check_render_mode, check_seed, read_only


class DuelVectorEnv(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many duels of two snakes that are stepped at once in native code.

    Without an opponent, environments 2i and 2i + 1 are the first and the second seat of duel i. So whatever learns from
    a vector environment learns by playing against itself, and ``num_envs`` is twice the number of duels. With an
    opponent there is one environment for each duel. A duel ends for both players in the same step. It is terminated
    then, and never truncated: at the step limit of the rules the longer snake wins.

    What duel ``i`` does depends on the configuration, its seed and its actions alone. It does not depend on the number
    of duels or threads.

    Infos are dicts of arrays. Each ``key`` has a mask ``_key`` that says for which environments it holds.
    ``action_mask`` is int8, num_envs x actions: the legal moves, or all where none is legal. ``seat`` is the own seat,
    0 or 1. Where duels ended, ``duel`` has ``outcome`` (``won``, ``lost`` or ``drawn``), ``return``, ``steps``,
    ``seat``, ``length`` and ``other_length``, and ``cause`` and ``other_cause``: ``wall``, ``own body``,
    ``other body``, ``head-on``, ``step limit``, or nothing for the one who survived. With same-step autoreset
    ``final_obs`` has the last observations of the episodes that ended, and ``final_info`` has their last infos.

    >>> envs = DuelVectorEnv(2, rules="ai-snakes-2020")
    >>> observations, infos = envs.reset(seed=0)
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> rewards.shape
    (4,)
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": VECTOR_RENDER_MODES,
        "render_fps": 10,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

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
        **config: Any,
    ) -> None:
        """Makes the duels.

        Args:
            num_duels: The number of duels.
            opponent: The name of a bot (:func:`hognose.duel.bots`), or a function of (observations, masks) that answers
                with an array of one action. None means that both seats learn.
            seat: The learner's seat against an opponent: ``first``, ``second``, or ``alternate``, which is another one
                in each episode.
            render_mode: ``ansi``, ``rgb_array`` or None.
            autoreset_mode: When the next episode begins after one has ended: one of Gymnasium's three modes.
            threads: The number of threads that step. Results do not depend on it.
            copy: Whether steps return copies. With False they return read-only views of arrays that the next step
                changes in place. This is faster, for those who need the arrays no longer by then.
            **config: The attributes of :class:`hognose.DuelConfig`.
        """
        check_render_mode(render_mode, VECTOR_RENDER_MODES)
        check_count("num_duels", num_duels)
        check_count("threads", threads)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.num_duels = num_duels
        self.players = 2 if opponent is None else 1
        self.num_envs = self.players * num_duels
        self.render_mode = render_mode
        self.copy = copy
        self.config = DuelConfig(**config)
        self.opponent = opponent
        self.seat: Seat = seat
        self.threads = threads
        self._duels = self._make_duels()
        self.single_observation_space: Box[Any] = observation_space(self._duels, self.config)
        self.single_action_space: Discrete[Any] = Discrete(num_actions(self.config))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._waiting = set(range(num_duels))
        self._ended: list[int] = []
        self._take_views()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins the next episode of every duel. With a seed it begins the first episode of that seed.

        Args:
            seed: An int gives every duel a seed of its own, derived from it and the index of the duel. A list has a
                seed for each duel, with which it plays as :class:`hognose.DuelEnv` does. None in the list begins the
                next episode.
            options: ``{"reset_mask": bools}`` resets only some environments; both players of a duel, or none.

        Returns:
            Observations of all environments, and infos.
        """
        self._check_open()
        mask = self._reset_mask(options)
        if seed is None or isinstance(seed, (int, np.integer)):
            one = None if seed is None else check_seed(seed)
            seeds = [None if one is None else Duels.seed_of(one, duel) for duel in range(self.num_duels)]
        else:
            seeds = [None if entry is None else check_seed(entry) for entry in seed]
            if len(seeds) != self.num_duels:
                raise ValueError(f"a list of seeds must have {self.num_duels} entries, got {len(seeds)}")
        for duel in np.flatnonzero(mask[:: self.players]).tolist():
            own = seeds[duel]
            if own is None:
                self._duels.restart(duel)
            else:
                self._duels.reseed(duel, own)
            self._waiting.discard(duel)
        self._duels.observe()
        self._seats = read_only(self.seats())
        masks = {"action_mask": self._own(self._action_mask), "_action_mask": mask}
        return self._own(self._observations), {**masks, "seat": self._seats, "_seat": mask}

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays an action in every environment.

        Args:
            actions: Whole numbers with shape (num_envs,): 0 to 2 for left, straight, right, or with absolute actions 0
                to 3 for up, right, down, left.

        Returns:
            Observations, rewards, terminations, truncations and infos.

        Raises:
            ResetNeeded: A duel has not begun, or has ended and autoreset is disabled.
            ValueError: The shape is wrong, there is no such action, or an opponent has given up.
        """
        self._check_open()
        self._check_begun("step")
        ended = self._duels.step(as_actions(actions, self.num_envs))
        infos: dict[str, Any] = {"action_mask": self._own(self._action_mask), "_action_mask": self._all}
        if ended:
            self._tell_of_ends(ended, infos)
        begun = ended if self.autoreset_mode is AutoresetMode.SAME_STEP else self._ended
        if begun:
            seats = self._seats.copy()
            seats[begun] = [self._duels.seat(env) for env in begun]
            self._seats = read_only(seats)
        self._ended = ended
        infos["seat"], infos["_seat"] = self._seats, self._all
        return (
            self._own(self._observations),
            self._own(self._rewards),
            self._own(self._terminations),
            self._own(self._truncations),
            infos,
        )

    def render(self) -> tuple[Any, ...] | None:
        """The boards of all duels as texts (``ansi``) or as RGB arrays (``rgb_array``)."""
        self._check_open()
        if self.render_mode is None:
            return None
        return tuple(self._render(duel) for duel in range(self.num_duels))

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed, as bools, num_envs x actions."""
        return self._duels.arrays.masks.copy()

    def seats(self) -> NDArray[np.int64]:
        """The seat, 0 or 1, of each environment in its present episode."""
        return np.array([self._duels.seat(env) for env in range(self.num_envs)], np.int64)

    def snapshot(self, duel: int) -> bytes:
        """The state of one duel, with the foods and episodes to come.

        Raises:
            ValueError: The opponent is a function, a program, or a bot with a time limit: asked again, it may make
                other moves.
        """
        return self._duels.snapshot(check_index(duel, self.num_duels))

    def restore(self, duel: int, snapshot: bytes) -> None:
        """Puts a duel into the state of a snapshot, which may come from any duel with equal rules, seats and opponent.

        The opponent is asked about all positions of the episode again, so that it knows what it knew.
        """
        duel = check_index(duel, self.num_duels)
        self._duels.restore(duel, snapshot)
        self._duels.observe()
        self._seats = read_only(self.seats())
        self._waiting.discard(duel)

    def observe(self) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """The observations and action masks of the present states, without a step."""
        self._check_open()
        self._check_begun("observe")
        return self._own(self._observations), self._own(self._action_mask)

    def __getstate__(self) -> dict[str, Any]:
        """What pickle and deepcopy need."""
        state = {name: value for name, value in self.__dict__.items() if name not in VIEWS}
        state["_duels"] = [self.snapshot(duel) for duel in range(self.num_duels)]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Goes on where the pickled duels stood."""
        self.__dict__.update(state)
        self._duels = self._make_duels()
        for duel, snapshot in enumerate(state["_duels"]):
            self._duels.restore(duel, snapshot)
        self._duels.observe()
        self._take_views()

    def _make_duels(self) -> Duels:
        autoreset = AUTORESETS[self.autoreset_mode.value]
        return make_duels(self.config, autoreset, self.num_duels, self.threads, self.opponent, self.seat)

    def _take_views(self) -> None:
        """Makes read-only views of the native arrays."""
        arrays = self._duels.arrays
        self._observations = read_only(arrays.observations.reshape(self.num_envs, *arrays.shape))
        self._finals = read_only(arrays.final_observations.reshape(self.num_envs, *arrays.shape))
        self._action_mask = read_only(arrays.masks.view(np.int8))
        self._final_action_mask = read_only(arrays.final_masks.view(np.int8))
        self._rewards = read_only(arrays.rewards)
        self._terminations = read_only(arrays.terminations)
        self._truncations = read_only(arrays.truncations)
        self._all = read_only(np.ones(self.num_envs, np.bool_))
        self._seats = read_only(self.seats())

    def _render(self, duel: int) -> Any:
        return self._duels.text(duel) if self.render_mode == "ansi" else self._duels.picture(duel)

    def _own(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _tell_of_ends(self, envs: list[int], infos: dict[str, Any]) -> None:
        ended = self._own(self._terminations)
        told: dict[str, Any] = {}
        for env in envs:
            for name, value in told_of_end(self._duels, env).items():
                column = told.setdefault(name, np.zeros(self.num_envs, KINDS[type(value)]))
                column[env] = value
        infos["duel"], infos["_duel"] = {**told, **{f"_{name}": ended for name in told}}, ended
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            finals = np.empty(self.num_envs, object)
            for env in envs:
                finals[env] = self._own(self._finals[env])
            infos["final_obs"], infos["_final_obs"] = finals, ended
            masks = self._own(self._final_action_mask)
            last = {"action_mask": masks, "seat": self._seats, "duel": infos["duel"]}
            infos["final_info"], infos["_final_info"] = {**last, **{f"_{name}": ended for name in last}}, ended

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
        if (mask[:: self.players] != mask[self.players - 1 :: self.players]).any():
            raise ValueError("options['reset_mask'] must reset both players of a duel, or none")
        return mask.copy()

    def _check_begun(self, call: str) -> None:
        if self._waiting:
            raise ResetNeeded(f"call reset() before {call}(): duel {min(self._waiting)} has not begun")

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError("the environments are closed")


VIEWS = (
    "_observations",
    "_finals",
    "_action_mask",
    "_final_action_mask",
    "_rewards",
    "_terminations",
    "_truncations",
    "_all",
    "_seats",
)

# The types of the columns of infos.
KINDS: dict[type, Any] = {str: "<U10", int: np.int64, float: np.float64}
