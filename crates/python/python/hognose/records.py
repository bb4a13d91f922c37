"""Records: games as text that replays exactly."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Literal, SupportsIndex

from hognose import _hognose
from hognose._hognose import Position
from hognose.config import Action, Dtype, Mask, Observation, check_count, json_of
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
    """Plays one game with a policy, and writes it down as ``hognose record`` does.

    It is the game of this number that :func:`hognose.evaluate` plays with this seed.

    >>> text = record("hamiltonian", board=(6, 6), game=3)
    >>> text.splitlines()[0]
    'hognose-record 1'
    >>> *_, last = replay(text)
    >>> last.status
    'won'

    Args:
        policy: A policy as :func:`hognose.evaluate` has it.
        board: (columns, rows), or text such as ``"10x10"`` or ``"7x5-torus"``.
        seed: The games follow from this seed.
        game: The number of the game, from 0.
        torus: Whether the borders wrap around.
        start: Where games begin, as :class:`hognose.EnvConfig` has it.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: How many foods lie on the board.
        starvation: The game is cut off after so many steps without food. ``"auto"`` means 4 x area, ``None`` never.
        time_limit: The game is cut off after so many steps. ``None`` means never.
        move_limit: The seconds that a program may take for a move. Later, its game is forfeited.
        observation: What a function sees: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: What a function answers: ``relative`` or ``absolute`` actions.
        dtype: The type of the observations: ``uint8`` or ``float32``.
        mask: Which actions a function may choose: ``legal`` or ``safe`` ones.
        frame_stack: How many observations a function sees at once, on a new first axis. 1 adds no axis.

    Returns:
        The record: text that :func:`hognose.replay` reads and, from a file, ``hognose replay``, ``watch`` and
        ``render``. If the policy gives the game up, it goes as far as the game was played, and a warning tells why.

    Raises:
        TypeError: ``policy`` is no policy, or a function answers with fractions.
        ValueError: A name, the board or another argument is wrong.
    """
    plan = plan_of(
        [policy], board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack, starvation=starvation, time_limit=time_limit,
    )
    for name in ("starvation", "time_limit"):
        if plan.games[name] is not None:
            check_count(name, plan.games[name])
    others = {"seed": check_seed(seed), "first": check_number(game), "games": 1, "threads": 1, "move_limit": move_limit}
    text, forfeit = _hognose.record(plan.policies[0][1], json_of({**plan.games, **others}))
    if forfeit is not None:
        warnings.warn(f"the game was forfeited: {forfeit}", RuntimeWarning, stacklevel=2)
    return text


def replay(record: str) -> Iterator[Position]:
    """The positions of a recorded game, one after another, from the first one to the last.

    The heading of each position is the move that led to it. After a fatal move the snake is as it was before. The whole
    record is checked before the first position is given, and no position is made before it is asked for.

    Args:
        record: What :func:`hognose.record`, :meth:`hognose.SnakeEnv.record` or ``hognose record`` wrote.

    Raises:
        ValueError: It is no record of a game of one snake, or the game does not replay.
    """
    return _hognose.replay(record)
