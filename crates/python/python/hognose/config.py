"""The configuration of an environment."""

import json
import operator
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from gymnasium.envs.registration import EnvSpec

from hognose._hognose import Games, Position

Observation = Literal["planes", "window", "egocentric", "centered", "features"]
Action = Literal["absolute", "relative"]
Mask = Literal["legal", "safe"]
Dtype = Literal["uint8", "float32"]
Layout = Literal["flat", "dict"]
Heading = Literal["up", "right", "down", "left"]

MAX_REWARD = float(np.finfo(np.float32).max)
"""The largest reward."""


def board_text(width: int, height: int, torus: bool) -> str:
    """Returns the name of a board, such as ``10x10`` or ``7x5-torus``."""
    return f"{width}x{height}{'-torus' if torus else ''}"


def check_count(name: str, value: Any, most: int | None = None, also: str = "", least: int = 1) -> None:
    """Raises ValueError unless ``value`` is a whole number of at least ``least``, and of at most ``most``.

    ``also`` are other values that the message names, such as ``None or ``.
    """
    try:
        count = -1 if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        count = -1
    if count < least or most is not None and count > most:
        numbers = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} must be {also}a whole number {numbers}, got {value!r}")


def check_threads(threads: Any) -> None:
    """Raises ValueError unless ``threads`` is a whole number from 1 to 256."""
    check_count("threads", threads, 256)


def check_limit(name: str, value: Any, auto: bool = False) -> None:
    """Raises ValueError unless ``value`` is None or a number of steps, or ``auto`` where that is allowed."""
    if value is not None and not (auto and isinstance(value, str) and value == "auto"):
        check_count(name, value, 2**32 - 1, "'auto', None or " if auto else "None or ")


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raises ValueError unless ``value`` is one of the values of a literal type."""
    if not isinstance(value, str) or value not in get_args(choices):
        raise ValueError(f"{name} must be {' or '.join(get_args(choices))}, got {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Raises ValueError unless ``value`` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def is_number(value: Any) -> bool:
    """Returns whether a value is a number, of Python or NumPy."""
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)


def check_start(start: Any) -> None:
    """Raises ValueError unless ``start`` is None, or a mapping of a random or of one start."""
    if start is None:
        return
    if not isinstance(start, Mapping):
        raise ValueError(f"start must be None or a mapping such as {{'length': 3, 'margin': 1}}, got {start!r}")
    if not (start.keys() <= {"length", "margin"} or start.keys() == {"column", "row", "heading", "length"}):
        raise ValueError(f"start must have length and margin, or column, row, heading and length, got {dict(start)!r}")
    for name, value in start.items():
        if name == "heading":
            check_choice("start['heading']", value, Heading)
        else:
            check_count(f"start[{name!r}]", value, 255, least=1 if name == "length" else 0)


def check_reward(reward: Any, keys: tuple[str, ...]) -> None:
    """Raises ValueError unless ``reward`` is a mapping from these keys to finite numbers."""
    if not isinstance(reward, Mapping):
        raise ValueError(f"reward must be a mapping such as {{'food': 1.0}}, got {reward!r}")
    for key, value in reward.items():
        if key not in keys:
            raise ValueError(f"reward has no key {key!r}: its keys are {', '.join(keys)}")
        if not is_number(value) or not abs(value) <= MAX_REWARD:
            raise ValueError(f"reward[{key!r}] must be a finite number (float32), got {value!r}")


def own(value: Any) -> Any:
    """Returns a mapping or a list as a copy, and any other value as it is."""
    if isinstance(value, Mapping):
        return {key: own(entry) for key, entry in value.items()}
    return tuple(own(entry) for entry in value) if isinstance(value, list | tuple) else value


def keep_copies(config: Any) -> None:
    """Replaces mappings and lists of a configuration by copies that are its own."""
    for name, value in vars(config).items():
        object.__setattr__(config, name, own(value))


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


def _position(start: Any, board: str) -> Position:
    """Returns the position of an entry of ``starts``."""
    if isinstance(start, Position):
        return start
    if not isinstance(start, Mapping) or not {"body"} <= start.keys() <= {"board", "body", "heading", "food"}:
        raise ValueError(
            "starts must list hognose.Position, or mappings with body and maybe board, heading and food, "
            f"got {start!r}"
        )
    body = [(column, row) for column, row in start["body"]]
    food = start.get("food")
    return Position(
        start.get("board", board), body, None if food is None else tuple(food), heading=start.get("heading")
    )


def jsonable(spec: EnvSpec | None) -> EnvSpec | None:
    """Returns Gymnasium's specification of an environment with mappings for positions, so that it becomes JSON."""
    if spec is None or not spec.kwargs.get("starts"):
        return spec
    starts = [
        _mapping(start) if isinstance(start, Position) and len(start.foods) < 2 else start
        for start in spec.kwargs["starts"]
    ]
    return replace(spec, kwargs={**spec.kwargs, "starts": starts})


def _mapping(position: Position) -> Mapping[str, Any]:
    """Returns a position with at most one food as an entry of ``starts``."""
    food = {"food": list(place) for place in position.foods}
    body = [list(place) for place in position.body]
    return {"board": position.board, "body": body, "heading": position.heading, **food}


class EnvSettings(TypedDict, total=False):
    """The attributes of :class:`EnvConfig` as keywords."""

    width: int
    height: int
    torus: bool
    start: Mapping[str, int | str] | None
    tail_entry: bool
    foods: int
    observation: Observation
    dtype: Dtype
    action: Action
    mask: Mask
    reward: Mapping[str, float]
    time_limit: int | None
    starvation: int | Literal["auto"] | None
    frame_stack: int
    layout: Layout
    boards: Sequence[str]
    held_out: Sequence[str]
    starts: Sequence[Position | Mapping[str, Any]]
    start_share: float


FIXED = ("observation", "dtype", "action", "mask", "frame_stack", "layout")
"""The attributes that can't change between episodes, since agents are made for them."""

REWARDS = ("food", "death", "win", "step", "starvation", "shaping", "discount")
"""The keys of rewards."""


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
        starts: Positions at which episodes begin, drawn uniformly: endgames, for example. Each is a
            :class:`hognose.Position`, or a mapping as in experiment files, such as
            ``{"body": [(2, 2), (1, 2)], "food": (4, 4)}``.
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
    starts: Sequence[Position | Mapping[str, Any]] = ()
    start_share: float = 1.0

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            check_count(name, getattr(self, name), 255, least=2)
        check_count("foods", self.foods, 65535)
        check_count("frame_stack", self.frame_stack)
        for name in ("torus", "tail_entry"):
            check_flag(name, getattr(self, name))
        for name, choices in (
            ("observation", Observation), ("dtype", Dtype), ("action", Action), ("mask", Mask), ("layout", Layout)
        ):
            check_choice(name, getattr(self, name), choices)
        for name in ("boards", "held_out"):
            boards = getattr(self, name)
            if not isinstance(boards, list | tuple) or not all(isinstance(board, str) for board in boards):
                raise ValueError(f"{name} must be a list of boards such as ['6x6'], got {boards!r}")
        if not isinstance(self.starts, list | tuple):
            raise ValueError(f"starts must be a list of hognose.Position, got {self.starts!r}")
        self.start_positions()
        check_start(self.start)
        check_reward(self.reward, REWARDS)
        check_limit("time_limit", self.time_limit)
        check_limit("starvation", self.starvation, auto=True)
        if not is_number(self.start_share) or not 0 <= self.start_share <= 1:
            raise ValueError(f"start_share must be a number from 0 to 1, got {self.start_share!r}")
        keep_copies(self)

    def rules(self) -> dict[str, Any]:
        """Returns the rules of the game as a dict that the native half reads as JSON."""
        rules: dict[str, Any] = {
            "board": board_text(self.width, self.height, self.torus),
            "tail_entry": self.tail_entry,
            "foods": self.foods,
        }
        return rules if self.start is None else {**rules, "start": self.start}

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
        starts = self.start_positions()
        return Games(
            self.to_json(autoreset), num_envs, seed, threads, self.dtype, starts, self.start_share, buffers
        )

    def start_positions(self) -> list[Position]:
        """Returns ``starts`` as positions."""
        board = board_text(self.width, self.height, self.torus)
        return [_position(start, board) for start in self.starts]

    def to_json(self, autoreset: str) -> str:
        """Returns the configuration as JSON. ``autoreset`` is ``same-step``, ``next-step`` or ``disabled``."""
        return json_of(
            {
                "rules": self.rules(),
                "boards": self.boards,
                "held_out": self.held_out,
                "observation": self.observation,
                "action": self.action,
                "mask": self.mask,
                "reward": self.reward,
                **self.limits(),
                "autoreset": autoreset,
            }
        )
