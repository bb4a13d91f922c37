"""Trained agents."""

import json
import os
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hognose import _hognose
from hognose._hognose import Position


class Agent:
    """A trained agent: see :func:`load_agent`.

    Attributes:
        name: Its name as a policy: ``dqn:PATH``, or ``dqn:NAME`` for an agent of the package.
        spec: The specification in its policy file: ``board``, ``boards`` if it plays several, ``observation``,
            ``action``, ``mask``; ``afterstates`` (its rewards) if it evaluates positions after a move, ``plans`` if it
            chooses among plans, and ``both_images`` if it averages its network's outputs for a position and for the
            mirror image.
        network: The architecture of its network: the units of its ``hidden`` layers, and whether its head is
            ``dueling``.
        inputs: The shapes of its network: (planes, rows, columns), scalars, and outputs.
    """

    name: str
    spec: dict[str, Any]
    network: dict[str, Any]
    inputs: tuple[tuple[int, int, int], int, int]

    def __init__(self, name: str | os.PathLike[str], device: str = "cpu") -> None:
        path = os.fspath(name)
        expect_agents(f"load {path}")
        self.name = f"dqn:{path}"
        self._agent = _hognose.Agent(path, device)
        self._device = device
        self.spec = json.loads(self._agent.spec())
        self.network = json.loads(self._agent.network())
        self.inputs = self._agent.inputs

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
        observations = np.asarray(states)
        rows = np.ascontiguousarray(observations.reshape(len(observations), -1), np.float32)
        if observations.dtype == np.uint8:
            rows /= 255
        return self._agent.q_values_of_observations(rows)

    def act(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Returns the move at each position: 0 up, 1 right, 2 down, 3 left.

        >>> agent = load_agent("quickstart-6x6")
        >>> agent.act([Position("6x6", [(2, 2), (1, 2)], food=(4, 2))])
        array([1])
        """
        return self._agent.act(list(positions))

    def __call__(self, observations: ArrayLike, masks: ArrayLike) -> NDArray[np.int64]:
        """Returns the allowed action with the highest Q-value for each row of observations and masks."""
        allowed = np.asarray(masks, bool)
        # A mask without allowed actions allows all.
        allowed = allowed | ~allowed.any(axis=1, keepdims=True)
        best: NDArray[np.int64] = np.where(allowed, self.q_values(observations), -np.inf).argmax(axis=1)
        return best


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
        device: The device of its network.

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
