"""Records of games: text that replays exactly."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Literal, SupportsIndex

from hognose import _hognose
from hognose._hognose import Position
from hognose.config import Action, Dtype, Mask, Observation, json_of
from hognose.evaluation import Policy, plan_of
from hognose.games import check_number, check_seed


def record(
    policy: Policy,
    board: tuple[int, int] | str = (10, 10),
    seed: int = 0,
    game: SupportsIndex = 0,
    *,
    torus: bool = False,
    start: Mapping[str, int | str] | None = None,
    tail_entry: bool = True,
    foods: int = 1,
    starvation: int | Literal["auto"] | None = "auto",
    time_limit: int | None = None,
    move_limit: float = 1.0,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
) -> str:
    """Plays one game with a policy, and returns its record as ``hognose record`` does.

    The game is number ``game`` of :func:`hognose.evaluate` with this seed.

    >>> text = record("hamiltonian", board=(6, 6), game=3)
    >>> text.splitlines()[0]
    'hognose-record 1'
    >>> *_, last = replay(text)
    >>> last.status
    'won'

    Args:
        policy: A policy, as in :func:`hognose.evaluate`.
        board: (columns, rows), or text such as ``"10x10"`` or ``"7x5-torus"``.
        seed: The games follow from this seed.
        game: The number of the game, from 0.
        torus: Whether the borders wrap around.
        start: The start of games, as in :class:`hognose.EnvConfig`.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: The number of foods on the board.
        starvation: The number of steps without food after which the game is cut off. ``"auto"`` means 4 x area,
            ``None`` never.
        time_limit: The number of steps after which the game is cut off. ``None`` means never.
        move_limit: The seconds that a program may take for a move before it forfeits the game.
        observation: The observations of a function: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: The actions of a function: ``relative`` or ``absolute``.
        dtype: The dtype of the observations: ``uint8`` or ``float32``.
        mask: The actions that a function may choose: ``legal`` or ``safe``.
        frame_stack: The number of stacked observations, on a new first axis. 1 adds no axis.

    Returns:
        The record: text for :func:`hognose.replay` and, in a file, for ``hognose replay``, ``watch`` and ``render``. If
        the policy forfeits, the record ends there, and a warning gives the reason.

    Raises:
        TypeError: ``policy`` is not a policy, or a function returns fractions.
        ValueError: A name, the board or another argument is wrong.
    """
    plan = plan_of(
        [policy], board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack, starvation=starvation, time_limit=time_limit,
    )
    others = {"seed": check_seed(seed), "first": check_number(game), "games": 1, "threads": 1, "move_limit": move_limit}
    text, forfeit = _hognose.record(plan.policies[0][1], json_of({**plan.games, **others}))
    if forfeit is not None:
        warnings.warn(f"the game was forfeited: {forfeit}", RuntimeWarning, stacklevel=2)
    return text


def replay(record: str) -> Iterator[Position]:
    """Returns an iterator over the positions of a recorded game, from first to last.

    The heading of each position is the move that led to it. After a fatal move the snake stays as it was. This checks
    the whole record first, and creates the positions lazily.

    Args:
        record: The text of :func:`hognose.record`, :meth:`hognose.SnakeEnv.record` or ``hognose record``.

    Raises:
        ValueError: The text is not a record of a game of one snake, or the game does not replay.
    """
    return _hognose.replay(record)
