"""Trained agents."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hognose import _hognose
from hognose._hognose import Position
from hognose.rows import table_of
from hognose.solvers import Seen, Solver, moves_in, seen_by


class Agent:
    """A trained agent: see :func:`load_agent`.

    Attributes:
        name: Its name as a policy: ``dqn:PATH``, or ``dqn:NAME`` for an agent of the package.
        spec: The specification in its policy file: ``board``, ``boards`` if it plays several, ``observation``,
            ``action``, ``mask``; ``afterstates`` (its rewards) if it evaluates positions after a move, ``plans`` if it
            chooses among plans, and ``both_images`` if it averages its network's outputs for a position and for the
            mirror image.
        network: The architecture of its network: the units of its ``hidden`` layers, whether its head is
            ``dueling``, and its ``activation`` if that is not ``relu``.
        inputs: The shapes of its network: (planes, rows, columns), scalars, and outputs.
    """

    name: str
    spec: dict[str, Any]
    network: dict[str, Any]
    inputs: tuple[tuple[int, int, int], int, int]

    def __init__(self, name: str | os.PathLike[str], device: str = "cpu") -> None:
        path = os.fspath(name)
        expect_agents(f"load {path}")
        check_device(device)
        self.name = f"dqn:{path}"
        self._agent = _hognose.Agent(path, device)
        self._device = device
        self.spec = json.loads(self._agent.spec())
        self.network = json.loads(self._agent.network())
        self.inputs = self._agent.inputs
        self._solver: Solver | None = None

    def __repr__(self) -> str:
        return f"<Agent {self.name}: {self.spec['board']}, {self.spec['observation']}>"

    def __reduce__(self) -> tuple[type["Agent"], tuple[str, str]]:
        return Agent, (self.name.removeprefix("dqn:"), self._device)

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Returns the weights of the network, by their names in policy files. Matrices are inputs x outputs."""
        return self._agent.weights()

    def q_values(self, states: Sequence[Position] | ArrayLike) -> NDArray[np.float32]:
        """Returns the Q-value of each action.

        Args:
            states: Positions, or observations (rows x values; ``uint8`` from 0 to 255). Networks that evaluate
                positions after a move, as the shipped ones do, need positions.

        Returns:
            Rows x actions: left, straight and right, or up, right, down and left, depending on ``spec["action"]``.
        """
        if _are_positions(states):
            return self._agent.q_values_of_positions(list(states))
        return self._agent.q_values_of_observations(self._rows(np.asarray(states)))

    def predict(
        self, observation: Any, *, action_mask: ArrayLike | None = None, q_values: bool = False
    ) -> tuple[Any, NDArray[np.float32] | None]:
        """Returns the best allowed action for an observation or for several, as ``predict`` of Stable-Baselines3 does.

        >>> agent = load_agent("quickstart-6x6")
        >>> action, _ = agent.predict(Position("6x6", [(2, 2), (1, 2)], food=(4, 2)))
        >>> int(action)
        1

        Args:
            observation: An observation of an environment with the board, observation and actions of ``spec``; flat, or
                with ``layout="dict"``. Or several, on a first axis. Networks that evaluate positions after a move, as
                the shipped ones do, need a position such as ``env.position``, or a list of them.
            action_mask: The mask in the environment's info, one for each observation. By default all actions are
                allowed for an observation, and the actions of the agent's mask for a position.
            q_values: Whether to return Q-values, too.

        Returns:
            The action, or an array of them, in the actions of ``spec``: left, straight and right, or up, right, down
            and left; and the Q-values of all actions, or None.

        Raises:
            ValueError: The agent sees other boards or observations.
        """
        one, rows = self._states(observation)
        if action_mask is None and _are_positions(rows):
            best = moves_in(Seen(self, list(rows), self.spec["action"], False), self.act(rows))
            values = self.q_values(rows) if q_values else None
        else:
            values = self.q_values(rows)
            masks = np.ones_like(values) if action_mask is None else np.asarray(action_mask)
            masks = masks.reshape(-1, values.shape[1])
            if len(masks) != len(values):
                wanted = f"{len(values)} rows, one for each observation"
                raise ValueError(f"action_mask must have {wanted}, got {len(masks)}")
            best = _best(values, masks)
        shown = values if q_values else None
        return (best[0], None if shown is None else shown[0]) if one else (best, shown)

    def actions(self, env: Any) -> Any:
        """Returns the agent's action in an environment, or in each environment of a vector, in the actions of ``env``.

        >>> import hognose
        >>> envs = hognose.SnakeVectorEnv(4, width=6, height=6, action="absolute")
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, *_ = envs.step(load_agent("quickstart-6x6").actions(envs))

        Args:
            env: A :class:`hognose.SnakeEnv`, a :class:`hognose.SnakeVectorEnv` or a :class:`hognose.sb3.SnakeVecEnv`,
                maybe wrapped. Its observations don't matter, since the agent sees the positions.
        """
        if "plans" in self.spec:
            self._solver = self._solver or Solver(self.name)
            return self._solver.actions(env)
        seen = seen_by(env)
        going_on = [index for index, position in enumerate(seen.positions) if position.status == "ongoing"]
        moves = np.array([-1] * len(seen.positions))
        moves[going_on] = self.act([seen.positions[index] for index in going_on])
        return moves_in(seen, moves)

    def act(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Returns the move at each position: 0 up, 1 right, 2 down, 3 left.

        >>> agent = load_agent("quickstart-6x6")
        >>> agent.act([Position("6x6", [(2, 2), (1, 2)], food=(4, 2))])
        array([1])
        """
        return self._agent.act(list(positions))

    def __call__(self, observations: ArrayLike, masks: ArrayLike) -> NDArray[np.int64]:
        """Returns the allowed action with the highest Q-value for each row of observations and masks."""
        return _best(self.q_values(observations), np.asarray(masks))

    def _states(self, observation: Any) -> tuple[bool, Any]:
        """Returns whether there is one observation, and a list of positions or rows of observations."""
        if isinstance(observation, Position):
            return True, [observation]
        if _are_positions(observation):
            return False, observation
        if isinstance(observation, Mapping):
            parts = [np.asarray(observation[name]) for name in ("planes", "scalars") if name in observation]
            axes = parts[0].ndim - (3 if "planes" in observation else 1)
            shape = parts[0].shape[:axes]
            observation = np.concatenate([part.reshape(*shape, -1) for part in parts], axis=-1)
        array = np.asarray(observation)
        (planes, rows, columns), scalars, _ = self.inputs
        single = [(planes * rows * columns + scalars,), *([] if scalars else [(planes, rows, columns)])]
        one = array.shape in single
        return one, (array[None] if one else array)

    def _rows(self, observations: NDArray[Any]) -> NDArray[np.float32]:
        """Returns observations as the network sees them. Raises ValueError unless they have its shape."""
        spec = self.spec
        board = spec.get("boards", spec["board"])
        if "plans" in spec or spec.get("afterstates") is not None:
            raise ValueError(
                f"{self.name} evaluates what follows each move, so it can't play from observations: give it "
                f"positions of {board} such as env.position, or call actions(env)"
            )
        (planes, rows, columns), scalars, _ = self.inputs
        values = planes * rows * columns + scalars
        if observations.ndim < 2 or int(np.prod(observations.shape[1:])) != values:
            raise ValueError(
                f"{self.name} sees observation={spec['observation']!r} on {board}: expected rows of {values} values, "
                f"got shape {observations.shape}"
            )
        flat = np.ascontiguousarray(observations.reshape(len(observations), -1), np.float32)
        return flat / np.float32(255) if observations.dtype == np.uint8 else flat

    def _repr_html_(self) -> str:
        """Returns a table of the specification, for notebooks."""
        rows = {"agent": self.name, **self.spec, "network": self.network}
        return table_of([{"": name, " ": value} for name, value in rows.items()])


def _best(values: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
    """Returns the allowed action with the highest Q-value in each row."""
    allowed = masks.astype(bool)
    # A mask without allowed actions allows all.
    allowed = allowed | ~allowed.any(axis=1, keepdims=True)
    best: NDArray[np.int64] = np.where(allowed, values, -np.inf).argmax(axis=1)
    return best


def agents() -> list[str]:
    """Returns the names of the agents in the package, strongest first; none in a package built without agents.

    >>> "quickstart-6x6" in agents()
    True
    """
    return _hognose.agents()


def check_device(device: Any) -> None:
    """Raises ValueError for a device that the package can't use."""
    if device != "cpu":
        raise ValueError(f"device must be 'cpu', got {device!r}: the package computes on the CPU only")


def load_agent(name: str | os.PathLike[str], device: str = "cpu") -> Agent:
    """Loads a trained agent: a function of (observations, masks) that also returns its Q-values.

    :func:`hognose.evaluate` and the other evaluations play it as ``dqn:NAME``, with the observations of its training.

    >>> agent = load_agent("quickstart-6x6")
    >>> agent.spec["board"], agent.spec["action"], agent.spec["mask"]
    ('6x6', 'relative', 'legal')
    >>> agent.q_values([Position("6x6", [(2, 2), (1, 2)], food=(4, 2))]).shape
    (1, 3)

    Args:
        name: A policy file, a folder with ``policy.safetensors``, or the name of a shipped agent: ``quickstart-6x6``
            or ``every-board-plans``. An existing path takes precedence over a name.
        device: The device of its network: ``cpu``.

    Raises:
        ValueError: There is no such agent or device, or the file is not a policy file.
        ImportError: The package was built without agents.
    """
    return Agent(name, device)


def expect_agents(doing: str) -> None:
    """Raises ImportError if the package was built without agents."""
    if not hasattr(_hognose, "Agent"):
        raise ImportError(f"can't {doing}: hognose was built without agents")


def _are_positions(states: Any) -> TypeGuard[Sequence[Position]]:
    return isinstance(states, Sequence) and all(isinstance(state, Position) for state in states)
