"""The configuration of duels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from hognose.config import (
    Action,
    Dtype,
    Observation,
    board_text,
    check_choice,
    check_count,
    check_flag,
    check_reward,
    json_of,
    keep_copies,
)

Rules = Literal["ai-snakes-2020", "ai-snakes-2021"]
Seat = Literal["first", "second", "alternate"]
HeadOn = Literal["longer-wins", "draw"]

# The name of a bot, or a function of (observations, masks) that returns an array of one action.
Bot = str | Callable[[NDArray[Any], NDArray[np.bool_]], Any]

# The side of the competition's boards.
SIDE = 14


class DuelSettings(TypedDict, total=False):
    """The attributes of :class:`DuelConfig` as keywords."""

    rules: Rules
    width: int | None
    height: int | None
    torus: bool
    foods: int | None
    values: tuple[int, int] | None
    head_on: HeadOn | None
    redraw_after: int | Literal["preset"] | None
    step_limit: int | None
    observation: Observation
    dtype: Dtype
    action: Action
    reward: Mapping[str, float]


class MatchSettings(DuelSettings, total=False):
    """The attributes of :class:`MatchConfig` as keywords."""

    opponent: Bot | None
    seat: Seat


FIXED = ("width", "height", "torus", "observation", "dtype", "action")
"""The attributes that can't change between episodes, since agents are made for them."""

REWARDS = ("win", "loss", "draw", "food", "shaping", "discount")
"""The keys of rewards."""


@dataclass(frozen=True)
class DuelConfig:
    """The configuration of duels: everything but the seed, the number of duels, and opponents.

    The documentation of the Rust crate ``hognose-env`` describes every value of every observation. A wrong value raises
    ValueError, here or when an environment is created.

    >>> config = DuelConfig(rules="ai-snakes-2020", foods=3, observation="planes")
    >>> config.reward
    {}

    Attributes:
        rules: The rules of the AI Snakes competition: ``ai-snakes-2020``, or ``ai-snakes-2021``, which redraws food
            after 11 steps in which no snake ate. Both have a board of 14x14 and end after 900 steps.
        width: Columns of another board. None means the default of the rules.
        height: Rows of another board. None means the default of the rules.
        torus: Whether the borders wrap around.
        foods: The number of foods on the board. None means one.
        values: The lowest and highest value of a food. None means (1, 1).
        head_on: What happens when heads meet: ``longer-wins`` or ``draw``. None means the default of the rules.
        redraw_after: The number of steps without eating after which food is redrawn. ``"preset"`` means the default of
            the rules, None never.
        step_limit: The number of steps after which the longer snake wins. None means 900.
        observation: ``planes``, with shape (10, rows, columns), has 10 planes of the board. ``window``, ``egocentric``,
            ``centered`` and ``features`` are flat.
        dtype: ``uint8`` (0 to 255) or ``float32`` (0 to 1).
        action: ``relative`` (left, straight, right) or ``absolute`` (up, right, down, left).
        reward: Any of these keys, with their defaults: ``win`` (1), ``loss`` (-1), ``draw`` (0) and ``food`` (0);
            ``shaping`` (0), the scale of a potential that falls with the distance to food; ``discount`` (0.99), the
            agent's discount, which shaping needs.
    """

    rules: Rules = "ai-snakes-2021"
    width: int | None = None
    height: int | None = None
    torus: bool = False
    foods: int | None = None
    values: tuple[int, int] | None = None
    head_on: HeadOn | None = None
    redraw_after: int | Literal["preset"] | None = "preset"
    step_limit: int | None = None
    observation: Observation = "egocentric"
    dtype: Dtype = "float32"
    action: Action = "relative"
    reward: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        bounds = (("width", 2, 255), ("height", 2, 255), ("foods", 1, 65535), ("step_limit", 1, 2**32 - 1))
        for name, least, most in bounds:
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), most, "None or ", least)
        if self.redraw_after is not None and self.redraw_after != "preset":
            check_count("redraw_after", self.redraw_after, 65535, "'preset', None or ")
        check_flag("torus", self.torus)
        for name, choices in (("rules", Rules), ("observation", Observation), ("dtype", Dtype), ("action", Action)):
            check_choice(name, getattr(self, name), choices)
        if self.head_on is not None:
            check_choice("head_on", self.head_on, HeadOn)
        if self.values is not None and (not isinstance(self.values, list | tuple) or len(self.values) != 2):
            raise ValueError(f"values must be None or the lowest and the highest value, got {self.values!r}")
        for index, value in enumerate(self.values or ()):
            check_count(f"values[{index}]", value, 255)
        if self.values is not None and self.values[0] > self.values[1]:
            raise ValueError(f"values must begin with the lowest value, got {self.values!r}")
        check_reward(self.reward, REWARDS)
        keep_copies(self)

    def view(self) -> dict[str, str]:
        """Returns what a player sees and answers, as a dict that the native half reads as JSON."""
        return {"observation": self.observation, "action": self.action, "dtype": self.dtype}

    def rules_json(self) -> dict[str, Any]:
        """Returns the rules as a dict that the native half reads as JSON."""
        rules: dict[str, Any] = {"name": self.rules}
        if self.torus or self.width is not None or self.height is not None:
            rules["board"] = board_text(self.width or SIDE, self.height or SIDE, self.torus)
        if self.redraw_after != "preset":
            rules["redraw_after"] = self.redraw_after
        others = {
            "foods": self.foods,
            "values": self.values,
            "head_on": self.head_on,
            "step_limit": self.step_limit,
        }
        return {**rules, **{key: value for key, value in others.items() if value is not None}}


@dataclass(frozen=True)
class MatchConfig(DuelConfig):
    """The configuration of duels, and who plays them.

    Attributes:
        opponent: A bot, or None if learners play both seats.
        seat: The learner's seat against an opponent: ``first``, ``second``, or ``alternate`` for both in turn.
    """

    opponent: Bot | None = None
    seat: Seat = "alternate"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("seat", self.seat, Seat)

    def to_json(self, autoreset: str) -> str:
        """Returns the configuration as JSON. ``autoreset`` is ``same-step``, ``next-step`` or ``disabled``."""
        return json_of(
            {
                "rules": self.rules_json(),
                "view": self.view(),
                "reward": self.reward,
                "autoreset": autoreset,
                "seat": self.seat,
            }
        )
