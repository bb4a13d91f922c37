"""How well policies play, on identical seeds."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from hognose import _hognose
from hognose.config import Action, Dtype, EnvConfig, Mask, Observation
from hognose.games import check_seed

PolicyFunction = Callable[[NDArray[Any], NDArray[Any]], Any]
"""Answers (observations, masks) with an action for each row; rows are games, and any number of them comes at a time."""
Policy = str | PolicyFunction


def policies() -> list[dict[str, str | None]]:
    """The built-in policies: name, what it does, and where it wins every game (None without that guarantee).

    Agents have names too: ``dqn:PATH`` and ``dqn-safe:PATH``; exact play by a table is ``optimal:FILE``.
    """
    return [
        {"name": name, "description": description, "wins": wins} for name, description, wins in _hognose.policies()
    ]


def evaluate(
    policies: Sequence[Policy] | Mapping[str, Policy],
    board: tuple[int, int] | str = (10, 10),
    games: int = 1000,
    seed: int = 0,
    *,
    torus: bool = False,
    start: Mapping[str, int | str] | None = None,
    tail_entry: bool = True,
    foods: int = 1,
    starvation: int | None = None,
    time_limit: int | None = None,
    threads: int = 1,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
) -> list[dict[str, Any]]:
    """Plays the same games with every policy: those of ``hognose evaluate`` with the same seed, to the last one.

    A function sees what it saw in an environment of the same ``observation``, ``action``, ``dtype``, ``mask`` and
    ``frame_stack``: give those with which it was trained. Built-in policies do not depend on them.

    Args:
        policies: Names of built-in policies, or functions of (observations, masks) that answer with an action for each row;
            a mapping names them.
        board: (columns, rows), or text such as ``"10x10"``.
        games: How many.
        seed: What the games follow from.
        torus: Whether the borders wrap around.
        start: As in :class:`hognose.EnvConfig`.
        tail_entry: As in :class:`hognose.EnvConfig`.
        foods: As in :class:`hognose.EnvConfig`.
        starvation: A game is cut off after so many steps without food; 4 x area by default.
        time_limit: A game is cut off after so many steps.
        threads: How many threads play for built-in policies; results do not depend on it.
        observation: As in :class:`hognose.EnvConfig`.
        action: As in :class:`hognose.EnvConfig`.
        dtype: As in :class:`hognose.EnvConfig`.
        mask: As in :class:`hognose.EnvConfig`.
        frame_stack: As in :class:`hognose.EnvConfig`.

    Returns:
        For each policy what ``hognose evaluate --json`` has of it: win rate, length and steps with 95 % intervals, and the
        paired differences to the first policy. Plain data: ``pandas.json_normalize`` makes a table of it.
    """
    plan = plan_of(
        policies, board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack,
    )
    cuts = {"starvation": starvation, "time_limit": time_limit}
    text = json.dumps({**plan.games, **cuts, "seed": check_seed(seed), "first": 0, "games": games, "threads": threads})
    played = [(name, [_hognose.play(policy, text)]) for name, policy in plan.policies]
    return summarize(plan.games["rules"], played)


class Plan(NamedTuple):
    """Which policies play, by which rules, and what functions see of the games."""

    policies: list[tuple[str, Policy]]
    games: dict[str, Any]


def plan_of(
    policies: Sequence[Policy] | Mapping[str, Policy], board: tuple[int, int] | str, torus: bool, **others: Any
) -> Plan:
    """Reads what evaluations have in common; ``others`` are attributes of :class:`hognose.EnvConfig`."""
    if isinstance(policies, str) or callable(policies):
        raise TypeError("policies must be a list or a mapping, got one policy: put it into a list")
    if isinstance(policies, Mapping):
        named = list(policies.items())
    else:
        named = [(policy if isinstance(policy, str) else name_of(policy), policy) for policy in policies]
    if not named:
        raise ValueError("policies must have at least one entry, got none")
    if len({name for name, _ in named}) < len(named):
        raise ValueError(f"policies must have different names, got {[name for name, _ in named]}: use a mapping")
    if isinstance(board, str):
        torus, text = torus or board.endswith("-torus"), board.removesuffix("-torus")
        width, _, height = text.partition("x")
        if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
            raise ValueError(f"a board must be (columns, rows) or text such as '10x10', got {board!r}")
        board = (int(width), int(height))
    config = EnvConfig(board[0], board[1], torus=torus, **others)
    seen = {name: getattr(config, name) for name in ("observation", "action", "dtype", "mask", "frame_stack")}
    return Plan(named, {"rules": config.rules(), **seen})


def name_of(policy: Any) -> str:
    """What a function is called."""
    return str(getattr(policy, "__name__", type(policy).__name__))


def summarize(rules: dict[str, Any], played: list[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    """What the games come to; each policy's may come in parts, in order."""
    summaries: list[dict[str, Any]] = json.loads(_hognose.summarize(json.dumps(rules), played))
    return summaries
