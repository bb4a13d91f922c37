"""Trained agents, as functions."""

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
        spec: What it was trained to see and do, as its policy file has it: ``board``, ``boards`` where it plays
            several, ``observation``, ``action``, ``mask``; ``afterstates`` (its rewards) where it values positions
            after a move, ``plans`` where it chooses among plans, and ``both_images`` where it plays by the mean of what
            its network says of a position and of its mirror image.
        network: What its network is built of: the units of its ``hidden`` layers, and whether its head is ``dueling``.
        inputs: The shape of what its network takes: planes, rows and columns; scalars; and the number of its outputs.
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
        """The weights of the network, by their names in policy files. Matrices have inputs x outputs."""
        return self._agent.weights()

    def q_values(self, states: Sequence[Position] | ArrayLike) -> NDArray[np.float32]:
        """The Q-value of each action.

        Args:
            states: Positions; or observations, rows x values, if the network values actions. ``uint8`` observations are
                taken as 0 to 255. Networks that value positions after a move, as those that ship do, need positions.

        Returns:
            Rows x actions: of left, straight and right, or of up, right, down and left, as ``spec["action"]`` says.
        """
        if _are_positions(states):
            return self._agent.q_values_of_positions(list(states))
        observations = np.asarray(states)
        rows = np.ascontiguousarray(observations.reshape(len(observations), -1), np.float32)
        if observations.dtype == np.uint8:
            rows /= 255
        return self._agent.q_values_of_observations(rows)

    def act(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """The move at each position: 0 up, 1 right, 2 down, 3 left.

        >>> agent = load_agent("quickstart-6x6")
        >>> agent.act([Position("6x6", [(2, 2), (1, 2)], food=(4, 2))])
        array([1])
        """
        return self._agent.act(list(positions))

    def __call__(self, observations: ArrayLike, masks: ArrayLike) -> NDArray[np.int64]:
        """The allowed action of the highest Q-value, for each row of observations and masks."""
        allowed = np.asarray(masks, bool)
        # Where nothing is allowed, every action is.
        allowed = allowed | ~allowed.any(axis=1, keepdims=True)
        best: NDArray[np.int64] = np.where(allowed, self.q_values(observations), -np.inf).argmax(axis=1)
        return best


def load_agent(name: str | os.PathLike[str], device: str = "cpu") -> Agent:
    """Loads a trained agent, which is a function of (observations, masks) and tells its Q-values.

    :func:`hognose.evaluate` and the other evaluations play it as ``dqn:NAME``: it sees what it was trained to see.

    >>> agent = load_agent("quickstart-6x6")
    >>> agent.spec["board"], agent.spec["action"], agent.spec["mask"]
    ('6x6', 'relative', 'legal')
    >>> agent.q_values([Position("6x6", [(2, 2), (1, 2)], food=(4, 2))]).shape
    (1, 3)

    Args:
        name: A policy file, a folder that holds ``policy.safetensors``, or an agent of the package: ``quickstart-6x6``
            and ``every-board-plans``. A path that exists goes before a name.
        device: Where its network lives.

    Raises:
        ValueError: There is no such agent or device, or the file is none of a policy.
        ImportError: The package was built without agents.
    """
    return Agent(name, device)


def expect_agents(doing: str) -> None:
    """Raises ImportError where the package was built without agents."""
    if not hasattr(_hognose, "Agent"):
        raise ImportError(f"can't {doing}: hognose was built without agents")


def _are_positions(states: Any) -> TypeGuard[Sequence[Position]]:
    return isinstance(states, Sequence) and all(isinstance(state, Position) for state in states)
