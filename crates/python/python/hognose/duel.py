"""Duels of two snakes: bots, tournaments, records, and environments for several learners."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from typing_extensions import Unpack

from hognose import _hognose
from hognose._hognose import DuelPosition as Position
from hognose.config import Layout, check_count, check_threads, json_of
from hognose.duel_config import Bot, DuelConfig, DuelSettings
from hognose.evaluation import Callback, name_of, watched
from hognose.games import check_number, check_seed

__all__ = ["Position", "bots", "parallel_env", "record", "replay", "tournament"]

if TYPE_CHECKING:
    from hognose.parallel import ParallelDuel


def bots() -> dict[str, str]:
    """Returns the names and descriptions of all bots. Most searching bots take a depth, as in ``adder:4``.

    A program in any language is a bot, too: ``exec:COMMAND``.

    >>> bots()["random"]
    'plays a random legal move'
    """
    return dict(_hognose.bots())


def tournament(
    bots: Sequence[Bot] | Mapping[str, Bot],
    games: int = 200,
    seed: int = 0,
    *,
    threads: int = 1,
    progress: bool = False,
    callback: Callback | None = None,
    **config: Unpack[DuelSettings],
) -> dict[str, Any]:
    """Plays duels between every pair of bots, and ranks them. ``hognose duel`` plays the same games with this seed.

    Each pair plays the same seeds, each four times: in both seat orders, and with the foods as drawn and rotated by 180
    degrees. A function receives the observations of an environment: give the ``observation``, ``action`` and ``dtype``
    of its training.

    >>> result = tournament(["greedy", "random"], games=4, rules="ai-snakes-2020")
    >>> [(row["place"], row["bot"]) for row in result["ranking"]["bots"]]
    [(1, 'greedy'), (2, 'random')]

    Args:
        bots: Names of bots, or functions of (observations, masks) that return an array of one action. A mapping gives
            names to functions. ``exec:COMMAND`` starts a program in any language: never use such a name from a source
            that you do not trust.
        games: The number of games of each pair, which must be even.
        seed: The seeds of games and bots are derived from this one.
        threads: The number of threads. Results do not depend on it.
        progress: Whether to show a progress bar, if tqdm is installed.
        callback: Called about 10 times a second with ("duels", duels played, duels in all). An exception in it stops
            the tournament.
        **config: The attributes of :class:`hognose.DuelConfig`.

    Returns:
        The JSON of ``hognose duel --json``: ``ranking`` has scores and ratings with 95 % intervals, the matrix of all
        pairs and the reasons why games ended; ``duels`` has every game.

    Raises:
        TypeError: ``bots`` is one bot, or contains something else; or a function returns a fraction.
        ValueError: A name, the number of games or another argument is wrong.
    """
    if isinstance(bots, str) or callable(bots):
        raise TypeError(f"bots must be a list or a mapping, got {bots!r}")
    check_count("games", games)
    check_threads(threads)
    named = list(bots.items()) if isinstance(bots, Mapping) else [(_name(bot), bot) for bot in bots]
    plan = {**_plan(DuelConfig(**config), seed), "games": games, "threads": threads}
    pairs = len(named) * (len(named) - 1) // 2
    with watched(games * pairs, progress, callback) as report:
        result: dict[str, Any] = json.loads(_hognose.tournament(named, json_of(plan), report("duels")))
    return result


def record(
    first: Bot,
    second: Bot,
    seed: int = 0,
    game: SupportsIndex = 0,
    **config: Unpack[DuelSettings],
) -> str:
    """Plays one duel of two bots, and returns its record as ``hognose record --duel`` does.

    The duel is number ``game`` of :func:`tournament` with these two bots and this seed. Bots swap seats in every second
    game.

    >>> text = record("greedy", "random", game=3)
    >>> text.splitlines()[0]
    'hognose-duel-record 2'
    >>> *_, last = replay(text)
    >>> last.outcome
    'second'

    Args:
        first: A bot, as in :func:`tournament`.
        second: The other bot.
        seed: The seeds of duels and bots are derived from this one.
        game: The number of the duel, from 0.
        **config: The attributes of :class:`hognose.DuelConfig`.

    Returns:
        The record: text for :func:`replay` and, in a file, for ``hognose replay``, ``watch`` and ``render``. If a bot
        forfeits, the record ends there, and a warning gives the reason.

    Raises:
        TypeError: An argument is not a bot, or a function returns a fraction.
        ValueError: A name or another argument is wrong.
    """
    plan = {**_plan(DuelConfig(**config), seed), "game": check_number(game)}
    text, forfeits = _hognose.record_duel([(_name(bot), bot) for bot in (first, second)], json_of(plan))
    for forfeit in forfeits:
        warnings.warn(forfeit, RuntimeWarning, stacklevel=2)
    return text


def replay(record: str) -> Iterator[Position]:
    """Returns an iterator over the positions of a recorded duel, from first to last.

    After a collision both snakes stay as they were. This checks the whole record first, and creates the positions
    lazily.

    Args:
        record: The text of :func:`record` or ``hognose record --duel``.

    Raises:
        ValueError: The text is not a record of a duel, or the duel does not replay.
    """
    return _hognose.replay_duel(record)


def parallel_env(
    render_mode: str | None = None, layout: Layout = "dict", **config: Unpack[DuelSettings]
) -> "ParallelDuel":
    """Returns a duel as PettingZoo's ``ParallelEnv``; needs ``hognose[pettingzoo]``.

    ``pettingzoo.utils.parallel_to_aec`` converts it to an ``AECEnv``.

    Args:
        render_mode: ``human``, ``ansi``, ``rgb_array`` or None.
        layout: ``dict`` observations have ``observation`` and ``action_mask``; ``flat`` ones are arrays, and the mask
            is in the infos alone.
        **config: The attributes of :class:`hognose.DuelConfig`.
    """
    from hognose.parallel import ParallelDuel

    return ParallelDuel(render_mode, layout, **config)


def _plan(duels: DuelConfig, seed: int) -> dict[str, Any]:
    """Returns the rules and the seed of duels, and what functions see."""
    return {"rules": duels.rules_json(), "seed": check_seed(seed), "view": duels.view()}


def _name(bot: Bot) -> str:
    return bot if isinstance(bot, str) else name_of(bot)
