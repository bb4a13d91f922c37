"""The configuration of an environment."""

import json
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from hognose._hognose import Games, Position

Observation = Literal["planes", "window", "egocentric", "centered", "features"]
Action = Literal["absolute", "relative"]
Mask = Literal["legal", "safe"]
Dtype = Literal["uint8", "float32"]
Layout = Literal["flat", "dict"]


def board_text(width: int, height: int, torus: bool) -> str:
    """Returns the name of a board, such as ``10x10`` or ``7x5-torus``."""
    return f"{width}x{height}{'-torus' if torus else ''}"


def check_count(name: str, value: Any) -> None:
    """Raises ValueError unless ``value`` is a whole number of at least 1."""
    try:
        count = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = 0
    if count < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def plain(key: str, value: object) -> Any:
    """Converts a value to JSON types, including NumPy scalars and paths. Raises ValueError for other objects."""
    if isinstance(value, Mapping):
        return {name: plain(f"{key}.{name}", entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(key, entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(key, value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"{key} must be a number, a text, a list or a mapping, got {value!r}")


def json_of(values: Mapping[str, object]) -> str:
    """Returns values as JSON. Raises ValueError with the key of a value that has no JSON type."""
    return json.dumps({key: plain(key, value) for key, value in values.items()})


@dataclass(frozen=True)
class EnvConfig:
    """The configuration of an environment: everything but the seed and the number of environments.

    Names and meanings are the same as in hognose's experiment files and in the Rust crate ``hognose-env``, whose
    documentation describes every value of every observation. A wrong value raises ValueError, here or when an
    environment is created.

    >>> config = EnvConfig(width=8, height=8, observation="planes", reward={"step": -0.01})
    >>> config.starvation
    'auto'

    Attributes:
        width: Columns, 2 to 255.
        height: Rows, 2 to 255.
        torus: Whether the borders wrap around.
        start: ``{"length": 3, "margin": 1}`` for random starts with that length, at least 1 cell from the border. For
            one start ``{"column": 2, "row": 3, "heading": "up", "length": 2}``. By default a random cell and length 1.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: The number of foods on the board.
        observation: ``planes``, with shape (5, rows, columns), has 5 planes of the board. ``window`` has 4 planes
            around the head, rotated so that the snake faces up, and then 8 scalars. ``egocentric`` has 6 such planes
            and 20 scalars, which also describe what the snake can reach. ``centered`` has 6 planes of 23 x 23 and 36
            scalars on every board: it shows cells up to 10 columns and rows from the head exactly, and 12 scalars
            describe how the free cells are connected. ``features`` has 24 scalars. All except ``planes`` are flat.
        dtype: ``uint8`` (0 to 255) or ``float32`` (0 to 1).
        action: ``relative`` (left, straight, right) or ``absolute`` (up, right, down, left).
        mask: ``legal`` allows every action that does not lose at once. ``safe`` allows only actions after which
            winning stays certain.
        reward: Any of these keys, with their defaults: ``food`` (1), ``death`` (-1), ``win`` (1) and ``step`` (0);
            ``starvation`` (0), for truncation by starvation; ``shaping`` (0), the scale of a potential that falls
            with the distance to food; ``discount`` (0.99), the agent's discount, which shaping needs.
        time_limit: The number of steps after which an episode is truncated. ``None`` means never.
        starvation: The number of steps without food after which an episode is truncated. ``"auto"`` means 4 x area,
            ``None`` never.
        frame_stack: The number of last observations to stack on a new first axis. 1 adds no axis.
        layout: ``flat`` observations are one array, ``dict`` observations a dict of ``planes``, ``scalars`` and
            ``action_mask``, without parts that the observation lacks.
        boards: Boards from which each episode draws one, such as ``["6x6", "8x8"]``. ``"4x4..8x8"`` is a range: all
            boards of at least 4 x 4 and at most 8 x 8 cells. A board that is listed twice is drawn twice as often. The
            observation must have one shape for all of them, as ``centered`` and ``features`` have. The limits apply to
            a board of width x height, and scale with the area on other boards.
        held_out: Boards, in both orientations, that no episode draws although ``boards`` lists them. They show how well
            an agent generalizes to other boards.
        starts: Positions at which episodes begin, drawn uniformly: endgames, for example.
        start_share: The share of episodes that begin at one of ``starts``. The others begin by the rules.
    """

    width: int = 10
    height: int = 10
    torus: bool = False
    start: Mapping[str, int | str] | None = None
    tail_entry: bool = True
    foods: int = 1
    observation: Observation = "egocentric"
    dtype: Dtype = "float32"
    action: Action = "relative"
    mask: Mask = "legal"
    reward: Mapping[str, float] = field(default_factory=dict)
    time_limit: int | None = None
    starvation: int | Literal["auto"] | None = "auto"
    frame_stack: int = 1
    layout: Layout = "flat"
    boards: Sequence[str] = ()
    held_out: Sequence[str] = ()
    starts: Sequence[Position] = ()
    start_share: float = 1.0

    def __post_init__(self) -> None:
        for name in ("width", "height", "foods", "frame_stack"):
            check_count(name, getattr(self, name))
        for name in ("boards", "held_out"):
            if isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be a list of boards, got {getattr(self, name)!r}")
        if self.dtype not in ("uint8", "float32"):
            raise ValueError(f"dtype must be uint8 or float32, got {self.dtype!r}")
        if self.layout not in ("flat", "dict"):
            raise ValueError(f"layout must be flat or dict, got {self.layout!r}")

    def rules(self) -> dict[str, Any]:
        """Returns the rules of the game as a dict that the native half reads as JSON."""
        rules: dict[str, Any] = {
            "board": board_text(self.width, self.height, self.torus),
            "tail_entry": self.tail_entry,
            "foods": self.foods,
        }
        return rules if self.start is None else {**rules, "start": dict(self.start)}

    def limits(self) -> dict[str, int | None]:
        """Returns the time limit and the starvation limit in steps. ``None`` means never."""
        starvation = 4 * int(self.width) * int(self.height) if self.starvation == "auto" else self.starvation
        return {"time_limit": self.time_limit, "starvation": starvation}

    def games(
        self, autoreset: str, num_envs: int = 1, seed: int = 0, threads: int = 1, buffers: Any = None
    ) -> Games:
        """Creates the native environments. ``autoreset`` is ``same-step``, ``next-step`` or ``disabled``.

        ``buffers`` are the caller's observations, rewards, terminations and truncations.
        """
        starts = list(self.starts)
        return Games(
            self.to_json(autoreset), num_envs, seed, threads, self.dtype, starts, self.start_share, buffers
        )

    def to_json(self, autoreset: str) -> str:
        """Returns the configuration as JSON. ``autoreset`` is ``same-step``, ``next-step`` or ``disabled``."""
        return json_of(
            {
                "rules": self.rules(),
                "boards": list(self.boards),
                "held_out": list(self.held_out),
                "observation": self.observation,
                "action": self.action,
                "mask": self.mask,
                "reward": dict(self.reward),
                **self.limits(),
                "autoreset": autoreset,
            }
        )
