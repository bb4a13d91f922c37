"""Duels of two snakes: bots, tournaments, records, and environments for several learners."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from hognose import _hognose
from hognose._hognose import DuelPosition as Position
from hognose.config import check_count, json_of
from hognose.duel_config import DuelConfig
from hognose.duel_games import Bot
from hognose.evaluation import name_of
from hognose.games import check_number, check_seed

__all__ = ["Position", "bots", "parallel_env", "record", "replay", "tournament"]

if TYPE_CHECKING:
    from hognose.parallel import ParallelDuel


def bots() -> dict[str, str]:
    """The names of all bots, and what each of them does. Most that search take a depth, as in ``adder:4``.

    A program in any language is a bot, too: ``exec:COMMAND``.

    >>> bots()["random"]
    'plays a legal move at random'
    """
    return dict(_hognose.bots())


def tournament(
    bots: Sequence[Bot] | Mapping[str, Bot],
    games: int = 200,
    seed: int = 0,
    *,
    threads: int = 1,
    **config: Any,
) -> dict[str, Any]:
    """Lets every pair of bots play, and ranks them. The games are those of ``hognose duel`` with this seed.

    Each pair plays the same seeds, each of them four times: with both ways to take the seats, and with the foods as drawn
    and turned by half a turn. A function sees what an environment would show it: give the ``observation``, ``action``
    and ``dtype`` with which it was trained.

    >>> result = tournament(["greedy", "random"], games=4, rules="ai-snakes-2020")
    >>> [(row["place"], row["bot"]) for row in result["ranking"]["bots"]]
    [(1, 'greedy'), (2, 'random')]

    Args:
        bots: Names of bots, or functions of (observations, masks) that answer with an array of one action. A mapping
            gives names to functions. ``exec:COMMAND`` is a program in any language; never take such a name from
            somebody you do not trust, since it starts the program.
        games: The games of each pair, an even number.
        seed: Games and bots get their seeds from this one.
        threads: The number of threads. Results do not depend on it.
        **config: The attributes of :class:`hognose.DuelConfig`.

    Returns:
        What ``hognose duel --json`` has: in ``ranking`` scores and ratings with 95 % intervals, the matrix of all pairs
        and why games ended; in ``duels`` every game.

    Raises:
        TypeError: ``bots`` is one bot, or something that is no bot; or a function answers with a fraction.
        ValueError: A name, the number of games or another argument is wrong.
    """
    if isinstance(bots, str) or callable(bots):
        raise TypeError(f"bots must be a list or a mapping, got {bots!r}")
    check_count("games", games)
    check_count("threads", threads)
    named = list(bots.items()) if isinstance(bots, Mapping) else [(_name(bot), bot) for bot in bots]
    plan = {**_plan(DuelConfig(**config), seed), "games": games, "threads": threads}
    result: dict[str, Any] = json.loads(_hognose.tournament(named, json_of(plan)))
    return result


def record(
    first: Bot,
    second: Bot,
    seed: int = 0,
    game: SupportsIndex = 0,
    **config: Any,
) -> str:
    """Plays one duel of two bots, and writes it down as ``hognose record --duel`` does.

    It is the game of this number of :func:`tournament` with these two bots and this seed. In each second one the bots
    exchange their seats.

    >>> text = record("greedy", "random", game=3)
    >>> text.splitlines()[0]
    'hognose-duel-record 2'
    >>> *_, last = replay(text)
    >>> last.outcome
    'second'

    Args:
        first: A bot as :func:`tournament` has it.
        second: The other bot.
        seed: Duels and bots get their seeds from this one.
        game: The number of the duel, from 0.
        **config: The attributes of :class:`hognose.DuelConfig`.

    Returns:
        The record: text that :func:`replay` reads and, from a file, ``hognose replay``, ``watch`` and ``render``. If a
        bot gives the duel up, it goes as far as the duel was played, and a warning tells why.

    Raises:
        TypeError: One is no bot, or a function answers with a fraction.
        ValueError: A name or another argument is wrong.
    """
    plan = {**_plan(DuelConfig(**config), seed), "game": check_number(game)}
    text, forfeits = _hognose.record_duel([(_name(bot), bot) for bot in (first, second)], json_of(plan))
    for forfeit in forfeits:
        warnings.warn(forfeit, RuntimeWarning, stacklevel=2)
    return text


def replay(record: str) -> Iterator[Position]:
    """The positions of a recorded duel, one after another, from the first one to the last.

    After a collision both snakes are as they were before. The whole record is checked before the first position is
    given, and no position is made before it is asked for.

    Args:
        record: What :func:`record` or ``hognose record --duel`` wrote.

    Raises:
        ValueError: It is no record of a duel, or the duel does not replay.
    """
    return _hognose.replay_duel(record)


def parallel_env(render_mode: str | None = None, **config: Any) -> "ParallelDuel":
    """A duel as PettingZoo's ``ParallelEnv``; needs ``hognose[pettingzoo]``.

    ``pettingzoo.utils.parallel_to_aec`` makes an ``AECEnv`` of it.

    Args:
        render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
        **config: The attributes of :class:`hognose.DuelConfig`.
    """
    from hognose.parallel import ParallelDuel

    return ParallelDuel(render_mode, **config)


def _plan(duels: DuelConfig, seed: int) -> dict[str, Any]:
    """The rules and the seed of duels, and what functions see of them."""
    view = {"observation": duels.observation, "action": duels.action, "dtype": duels.dtype}
    return {"rules": duels.rules_json(), "seed": check_seed(seed), "view": view}


def _name(bot: Bot) -> str:
    return bot if isinstance(bot, str) else name_of(bot)
