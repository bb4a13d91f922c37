"""Evaluation of policies on identical seeds."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from hognose import _hognose
from hognose._hognose import Table
from hognose.agent import Agent
from hognose.config import Action, Dtype, EnvConfig, Mask, Observation, check_count, check_threads, json_of
from hognose.games import check_seed
from hognose.rows import Rows

PolicyFunction = Callable[[NDArray[Any], NDArray[Any]], Any]
"""A function of (observations, masks) that returns an action for each row.

Each row is a game, and the number of rows varies. Masks are bools, rows x actions.
"""
Callback = Callable[[str, int, int], object]
"""A function of (name of a policy, games played, games in all)."""
Policy = str | PolicyFunction
"""The name of a built-in policy, ``exec:COMMAND`` for a program, a function that plays, or a trained agent."""


def policies() -> list[dict[str, str | None]]:
    """Returns the built-in policies.

    Other names are not listed: agents are ``dqn:PATH``, ``dqn-safe:PATH`` and ``dqn-fresh:PATH``, exact play by a table
    is ``optimal:FILE``, and your own program in any language is ``exec:COMMAND``.

    Returns:
        For each policy its ``name``, a ``description``, and ``wins``: where it wins every game, or None without a
        guarantee.

    >>> "certified" in [policy["name"] for policy in policies()]
    True
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
    starvation: int | Literal["auto"] | None = "auto",
    time_limit: int | None = None,
    threads: int = 1,
    move_limit: float = 1.0,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
    regret: bool = False,
    regret_games: int = 100,
    table: Table | None = None,
    place: "Place | None" = None,
    progress: bool = False,
    callback: Callback | None = None,
) -> Rows:
    """Plays identical games with every policy. ``hognose evaluate`` plays the same games with this seed.

    A function receives the observations of an environment. Give the ``observation``, ``action``, ``dtype``, ``mask``
    and ``frame_stack`` of its training. Built-in policies do not depend on these. A function that was trained with
    ``layout="dict"`` splits observations with :meth:`hognose.Parts.split`.

    >>> rows = evaluate(["hamiltonian", "random"], board=(6, 6), games=20)
    >>> rows[0]["name"], rows[0]["wins"]
    ('hamiltonian', 20)

    With ``regret`` each policy plays the first games again, one by one, and exact play measures its moves' regret.

    >>> rows = evaluate(["optimal", "random"], board=(4, 4), games=20, regret=True)
    >>> rows[0]["regret"]["optimal_moves"], rows[1]["regret"]["optimal_moves"] < 0.9
    (1.0, True)

    Args:
        policies: Names of built-in policies, functions of (observations, masks) that return an action for each row, or
            agents of :func:`hognose.load_agent`. A mapping gives names to functions. ``exec:COMMAND`` starts a program
            in any language: never use such a name from a source that you do not trust.
        board: (columns, rows), or text such as ``"10x10"`` or ``"7x5-torus"``.
        games: The number of games.
        seed: The games follow from this seed.
        torus: Whether the borders wrap around.
        start: The start of games, as in :class:`hognose.EnvConfig`.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: The number of foods on the board.
        starvation: The number of steps without food after which a game is cut off. ``"auto"`` means 4 x area, ``None``
            never.
        time_limit: The number of steps after which a game is cut off. ``None`` means never.
        threads: The number of threads for built-in policies and programs. Results do not depend on it.
        move_limit: The seconds that a program may take for a move before it forfeits the game.
        observation: The observations of a function: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: The actions of a function: ``relative`` or ``absolute``.
        dtype: The dtype of the observations: ``uint8`` or ``float32``.
        mask: The actions that a function may choose: ``legal`` or ``safe``.
        frame_stack: The number of stacked observations, on a new first axis. 1 adds no axis.
        regret: Whether to measure the regret of moves against exact play.
        regret_games: The number of games with regret.
        table: The tablebase of the board for ``regret``. ``None`` solves the board, which may have at most 25 cells.
        place: Where to play games: None for this process, or a :class:`hognose.ray.Cluster`.
        progress: Whether to show a progress bar, if tqdm is installed.
        callback: Called about 10 times a second with (name of a policy, games it has played, games in all). An
            exception in it stops the evaluation. Games on a cluster are reported policy by policy.

    Returns:
        The JSON of ``hognose evaluate --json`` for each policy: win rate, length and steps with 95 % intervals, and
        paired differences from the first policy, as plain data in a list that notebooks draw as a table;
        ``to_frame()`` converts it to a pandas ``DataFrame``.
        ``regret`` is the policy's entry under ``regrets`` in the JSON: among others the share of ``optimal_moves``, the
        expected steps lost (``steps_per_game``), and the number of moves that gave away a certain win (``given_away``).

    Raises:
        TypeError: ``policies`` is one policy, or contains something else; or a function returns fractions.
        ValueError: A name, the board or another argument is wrong, or exact play does not support the games.
    """
    plan = plan_of(
        policies, board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack, starvation=starvation, time_limit=time_limit,
    )
    check_count("games", games)
    check_count("regret_games", regret_games)
    check_threads(threads)
    if table is not None and not regret:
        raise ValueError("a table needs regret=True, got regret=False")
    place = place or Place()
    others = {"seed": check_seed(seed), "first": 0, "games": games, "threads": threads, "move_limit": move_limit}
    config = {**plan.games, **others}
    with watched(len(plan.policies) * games, progress, callback) as report:
        played = [(name, place.play(policy, config, report(name))) for name, policy in plan.policies]
        parts = []
        for name, pending in played:
            parts.append((name, place.get(pending)))
            report(name)(games)
    regrets = []
    if regret:
        exact = place.share(_hognose.table_of(json_of(config), table))
        asked = json_of({**config, "games": min(games, regret_games)})
        regrets = [place.regret(policy, exact, asked) for _, policy in plan.policies]
    rows = Rows(json.loads(_hognose.summarize(json_of(plan.games["rules"]), parts)))
    for row, answer in zip(rows, place.get(regrets)):
        row["regret"] = json.loads(answer)
    return rows


BOARDS = ("5x5", "6x6", "7x7", "8x8", "10x10", "20x11", "16x16", "20x20")
"""The boards of the shipped leaderboard."""


def leaderboard(
    policies: Sequence[Policy] | Mapping[str, Policy],
    boards: Sequence[tuple[int, int] | str] = BOARDS,
    games: int | None = None,
    minutes: float = 10,
    seed: int = 0,
    *,
    threads: int = 1,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
    place: "Place | None" = None,
) -> Rows:
    """Plays policies on several boards, and ranks them among the policies of the shipped leaderboard.

    Seeds, rules and the number of games are the same as in ``hognose leaderboard``. On each board every policy plays
    100 games first. This number doubles until half of each 95 % interval of mean steps is less than 1 % of the mean, or
    until the time is over. Policies that win fewer than half of their games require no more games.

    A policy ranks higher with a higher win rate or, if win rates are equal, with fewer steps to win.

    >>> rows = leaderboard(["hamiltonian", "random"], boards=["4x4", "5x5"], games=20)
    >>> [(row["board"], row["place"], row["policy"]) for row in rows if not row["shipped"]][:2]
    [('4x4', 1, 'hamiltonian'), ('4x4', 2, 'random')]

    Args:
        policies: Names of built-in policies, or functions, as in :func:`evaluate`.
        boards: Boards, each as in :func:`evaluate`. A function must play all of them.
        games: The number of games of each policy on each board. ``None`` means as many as the intervals need.
        minutes: The time for all games. Unfinished rounds of games do not count.
        seed: The games follow from this seed. The shipped leaderboard has seed 0.
        threads: The number of threads for built-in policies. Results do not depend on it.
        observation: The observations of a function: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: The actions of a function: ``relative`` or ``absolute``.
        dtype: The dtype of the observations: ``uint8`` or ``float32``.
        mask: The actions that a function may choose: ``legal`` or ``safe``.
        frame_stack: The number of stacked observations, on a new first axis. 1 adds no axis.
        place: Where to play games, as in :func:`evaluate`.

    Returns:
        A row for each policy on each board that it plays, board by board, the best first. ``shipped`` marks the rows of
        the shipped leaderboard. Each row has ``board``, ``games``, ``place``, ``policy``, ``wins``, ``win_rate``,
        ``mean_steps_won``, ``sd_steps_won``, ``mean_length``, 95 % intervals, and ``ended_by``: why there are no more
        games (``precision``, ``games`` or ``time``).

    Raises:
        TypeError: ``policies`` is one policy, or contains something else; or a function returns fractions.
        ValueError: A name, a board or another argument is wrong, or no board was played in time.
    """
    view = {"observation": observation, "action": action, "dtype": dtype, "mask": mask, "frame_stack": frame_stack}
    if isinstance(boards, str):
        raise TypeError("boards must be a list, got one board: put it into a list")
    check_threads(threads)
    plans = [plan_of(policies, board, False, **view) for board in boards]
    if not plans:
        raise ValueError("boards must have at least one entry, got none")
    if not 0 < minutes < float("inf"):
        raise ValueError(f"minutes must be greater than 0, got {minutes}")
    config = {
        "boards": [plan.games["rules"] for plan in plans], "seed": check_seed(seed), "games": games,
        "seconds": 60 * minutes, "view": plans[0].games["view"], "threads": threads,
    }
    named = plans[0].policies
    spread = (place or Place()).spread(named, config)
    return Rows(json.loads(_hognose.leaderboard(named, json_of(config), spread)))


@contextmanager
def watched(
    total: int, progress: bool, callback: Callback | None
) -> Iterator[Callable[[str], Callable[[int], None]]]:
    """Returns a function that makes a listener of the games of each policy or pair."""
    bar = bar_of(" games") if progress else None
    if bar is not None:
        bar.reset(total)
    played: dict[str, int] = {}

    def listener(name: str) -> Callable[[int], None]:
        def report(games: int) -> None:
            played[name] = games
            if bar is not None:
                bar.set_postfix_str(name, refresh=False)
                bar.update(sum(played.values()) - bar.n)
            if callback is not None:
                callback(name, games, total)

        return report

    try:
        yield listener
    finally:
        if bar is not None:
            bar.close()


def bar_of(unit: str) -> Any:
    """Returns a progress bar, in notebooks as a widget; None without tqdm."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(unit=unit, unit_scale=True)


class Place:
    """Where games are played. This base class plays them in this process."""

    def play(self, policy: Policy, config: dict[str, Any], report: Callable[[int], None]) -> list[Any]:
        """Plays the games of a configuration, possibly in parts, and reports how many have ended."""
        return [_hognose.play(policy, json_of(config), report)]

    def regret(self, policy: Policy, table: Any, config: str) -> Any:
        """Measures the regret of a policy's moves against exact play."""
        return _hognose.regret(policy, table, config)

    def share(self, table: Table) -> Any:
        """Returns the table for :meth:`regret`."""
        return table

    def get(self, pending: list[Any]) -> list[str]:
        """Returns the results of pending games."""
        return pending

    def spread(self, policies: list[tuple[str, Policy]], config: dict[str, Any]) -> Any:
        """Returns a function that plays a leaderboard's games by policy index; None for the native half."""
        return None


class Plan(NamedTuple):
    """The policies of an evaluation, the rules of its games, and what functions see."""

    policies: list[tuple[str, Policy]]
    games: dict[str, Any]


def plan_of(
    policies: Sequence[Policy] | Mapping[str, Policy], board: tuple[int, int] | str, torus: bool, **others: Any
) -> Plan:
    """Checks the shared arguments of evaluations. ``others`` are attributes of :class:`hognose.EnvConfig`."""
    if isinstance(policies, str) or callable(policies):
        raise TypeError("policies must be a list or a mapping, got one policy: put it into a list")
    if isinstance(policies, Mapping):
        named = [(name, as_policy(policy)) for name, policy in policies.items()]
    else:
        every = [as_policy(policy) for policy in policies]
        named = [(policy if isinstance(policy, str) else name_of(policy), policy) for policy in every]
    if not named:
        raise ValueError("policies must have at least one entry, got none")
    if len({name for name, _ in named}) < len(named):
        raise ValueError(f"policies must have different names, got {[name for name, _ in named]}: use a mapping")
    wrong = f"board must be (columns, rows) or text such as '10x10' or '7x5-torus', got {board!r}"
    if isinstance(board, str):
        torus, text = torus or board.endswith("-torus"), board.removesuffix("-torus")
        width, _, height = text.partition("x")
        if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
            raise ValueError(wrong)
        board = (int(width), int(height))
    elif not isinstance(board, list | tuple) or len(board) != 2:
        raise ValueError(wrong)
    config = EnvConfig(board[0], board[1], torus=torus, **others)
    view = {name: getattr(config, name) for name in ("observation", "action", "dtype", "mask", "frame_stack")}
    return Plan(named, {"rules": config.rules(), **config.limits(), "view": view})


def as_policy(policy: Policy) -> Policy:
    """Replaces a trained agent by its name, so that it plays with the observations of its training."""
    return policy.name if isinstance(policy, Agent) else policy


def name_of(policy: Any) -> str:
    """Returns the name of a function, or of the type of another callable."""
    return str(getattr(policy, "__name__", type(policy).__name__))
