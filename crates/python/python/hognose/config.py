"""What an environment is made of."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Observation = Literal["planes", "window", "egocentric", "features"]
Action = Literal["absolute", "relative"]
Mask = Literal["legal", "safe"]
Dtype = Literal["uint8", "float32"]


def board_text(width: int, height: int, torus: bool) -> str:
    """A board as hognose writes it: ``10x10``, ``7x5-torus``."""
    return f"{width}x{height}{'-torus' if torus else ''}"


def check_count(name: str, value: object) -> None:
    """Refuses what is no number of things."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


@dataclass(frozen=True)
class EnvConfig:
    """Everything that defines the environment apart from the number of environments and the seed.

    The names and meanings are those of hognose's experiment files and of the Rust crate ``hognose-env``, whose
    documentation describes every observation to the last number.

    Attributes:
        width: Columns, 2 to 255.
        height: Rows, 2 to 255.
        torus: Whether the borders wrap around.
        start: ``{"length": 3, "margin": 1}`` for random starts, or
            ``{"column": 2, "row": 3, "heading": "up", "length": 2}``; a random cell and length 1 by default.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: How many foods lie on the board.
        observation: ``planes`` (5 planes of the board), ``window`` (4 planes around the head, rotated so that the snake
            faces up, then 8 scalars), ``egocentric`` (the same, and what can be reached), or ``features`` (24 scalars).
            Only ``planes`` is shaped (planes, rows, columns); the others are flat.
        dtype: ``uint8`` (0 to 255) or ``float32`` (0 to 1).
        action: ``relative`` (left, straight, right) or ``absolute`` (up, right, down, left).
        mask: ``legal`` allows every action that does not lose at once; ``safe`` only those after which winning stays
            certain.
        reward: Any of ``food`` (1), ``death`` (-1), ``win`` (1), ``step`` (0), ``shaping`` (0: scale of a potential that
            falls with the distance to food) and ``discount`` (0.99: the agent's, which shaping needs).
        time_limit: Truncates an episode after so many steps; ``None``: never.
        starvation: Truncates an episode after so many steps without food; ``"auto"`` is 4 x area, ``None``: never.
        frame_stack: Stacks the last so many observations on a new first axis; 1: no such axis.
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

    def __post_init__(self) -> None:
        for name in ("width", "height", "foods", "frame_stack"):
            check_count(name, getattr(self, name))
        if self.dtype not in ("uint8", "float32"):
            raise ValueError(f"dtype must be uint8 or float32, got {self.dtype!r}")

    def rules(self) -> dict[str, Any]:
        """The rules of the game, as the native half reads them."""
        rules: dict[str, Any] = {
            "board": board_text(self.width, self.height, self.torus),
            "tail_entry": self.tail_entry,
            "foods": self.foods,
        }
        return rules if self.start is None else {**rules, "start": dict(self.start)}

    def to_json(self, autoreset: str) -> str:
        """What the native half reads; ``autoreset`` is ``same-step``, ``next-step`` or ``disabled``."""
        starvation = 4 * self.width * self.height if self.starvation == "auto" else self.starvation
        return json.dumps(
            {
                "rules": self.rules(),
                "observation": self.observation,
                "action": self.action,
                "mask": self.mask,
                "reward": dict(self.reward),
                "time_limit": self.time_limit,
                "starvation": starvation,
                "autoreset": autoreset,
            }
        )
