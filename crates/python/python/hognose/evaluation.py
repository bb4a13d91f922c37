"""Evaluation: how well policies play, on identical seeds."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from hognose import _hognose
from hognose._hognose import Table
from hognose.agents import Agent
from hognose.config import Action, Dtype, EnvConfig, Mask, Observation, check_count, json_of
from hognose.games import check_seed

PolicyFunction = Callable[[NDArray[Any], NDArray[Any]], Any]
"""A function of (observations, masks) that answers with an action for each row.

Each row is a game, and any number of rows may come at a time. Masks are bools, rows x actions.
"""
Policy = str | PolicyFunction
"""The name of a built-in policy, ``exec:COMMAND`` for a program, a function that plays, or a trained agent."""


def policies() -> list[dict[str, str | None]]:
    """The built-in policies.

    Agents have names too, which are not listed: ``dqn:PATH``, ``dqn-safe:PATH`` and ``dqn-fresh:PATH``. Exact play by
    a table is ``optimal:FILE``, and a program of your own in any language is ``exec:COMMAND``.

    Returns:
        For each policy its ``name``, a ``description``, and ``wins``: where it wins every game, or None if it has no
        such guarantee.

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
) -> list[dict[str, Any]]:
    """Plays identical games with every policy. They are the games of ``hognose evaluate`` with this seed.

    A function sees what an environment would show it. Give the ``observation``, ``action``, ``dtype``, ``mask`` and
    ``frame_stack`` with which it was trained. Built-in policies do not depend on these. A function that was trained
    with ``layout="dict"`` splits what it sees with :meth:`hognose.Parts.split`.

    >>> rows = evaluate(["hamiltonian", "random"], board=(6, 6), games=20)
    >>> rows[0]["name"], rows[0]["wins"]
    ('hamiltonian', 20)

    With ``regret`` each policy plays the first games again, one by one, and exact play tells what its moves gave away.

    >>> rows = evaluate(["optimal", "random"], board=(4, 4), games=20, regret=True)
    >>> rows[0]["regret"]["optimal_moves"], rows[1]["regret"]["optimal_moves"] < 0.9
    (1.0, True)

    Args:
        policies: Names of built-in policies, functions of (observations, masks) that answer with an action for each
            row, or agents of :func:`hognose.load_agent`. A mapping gives names to functions. ``exec:COMMAND`` is a
            program in any language; never take such a name from somebody you do not trust, since it starts the program.
        board: (columns, rows), or text such as ``"10x10"`` or ``"7x5-torus"``.
        games: The number of games.
        seed: The games follow from this seed.
        torus: Whether the borders wrap around.
        start: Where games begin, as :class:`hognose.EnvConfig` has it.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: How many foods lie on the board.
        starvation: A game is cut off after so many steps without food. ``"auto"`` means 4 x area, ``None`` never.
        time_limit: A game is cut off after so many steps. ``None`` means never.
        threads: The number of threads that play for built-in policies and programs. Results do not depend on it.
        move_limit: The seconds that a program may take for a move. Later, its game is forfeited.
        observation: What a function sees: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: What a function answers: ``relative`` or ``absolute`` actions.
        dtype: The type of the observations: ``uint8`` or ``float32``.
        mask: Which actions a function may choose: ``legal`` or ``safe`` ones.
        frame_stack: How many observations a function sees at once, on a new first axis. 1 adds no axis.
        regret: Whether to ask exact play what each move gave away.
        regret_games: How many of the games are asked about.
        table: The exact table of the board that ``regret`` asks. ``None`` means that the board is solved, which may
            have at most 25 cells.
        place: Where games are played: None for this process, or a :class:`hognose.ray.Cluster`.

    Returns:
        For each policy what ``hognose evaluate --json`` has of it: win rate, length and steps with 95 % intervals, and
        the paired differences to the first policy. It is plain data, of which ``pandas.json_normalize`` makes a table.
        ``regret`` in it is what the JSON has of the policy under ``regrets``: among others the share of
        ``optimal_moves``, the expected steps that were given away (``steps_per_game``), and the moves after which no
        win was sure any more (``given_away``).

    Raises:
        TypeError: ``policies`` is one policy, or something that is no policy; or a function answers with fractions.
        ValueError: A name, the board or another argument is wrong, or exact play knows nothing of the games.
    """
    plan = plan_of(
        policies, board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack, starvation=starvation, time_limit=time_limit,
    )
    check_count("games", games)
    check_count("regret_games", regret_games)
    if table is not None and not regret:
        raise ValueError("a table is for regret=True, got regret=False")
    place = place or Place()
    others = {"seed": check_seed(seed), "first": 0, "games": games, "threads": threads, "move_limit": move_limit}
    config = {**plan.games, **others}
    played = [(name, place.play(policy, config)) for name, policy in plan.policies]
    regrets = []
    if regret:
        exact = place.share(_hognose.table_of(json_of(config), table))
        asked = json_of({**config, "games": min(games, regret_games)})
        regrets = [place.regret(policy, exact, asked) for _, policy in plan.policies]
    parts = [(name, place.get(pending)) for name, pending in played]
    rows: list[dict[str, Any]] = json.loads(_hognose.summarize(json_of(plan.games["rules"]), parts))
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
) -> list[dict[str, Any]]:
    """Plays policies on several boards, and ranks them among those of the shipped leaderboard.

    Seeds, rules and the number of games are those of ``hognose leaderboard``. A board begins with 100 games of each
    policy and doubles them, until half of each 95 % interval of mean steps is less than 1 % of the mean, or until the
    time is over. Policies that win fewer than half of their games ask for no more games.

    A policy is better if it wins a larger share of its games or, where that is equal, if it needs fewer steps to win.

    >>> rows = leaderboard(["hamiltonian", "random"], boards=["4x4", "5x5"], games=20)
    >>> [(row["board"], row["place"], row["policy"]) for row in rows if not row["shipped"]][:2]
    [('4x4', 1, 'hamiltonian'), ('4x4', 2, 'random')]

    Args:
        policies: Names of built-in policies, or functions, as :func:`evaluate` has them.
        boards: Boards, each as :func:`evaluate` has it. A function must play all of them.
        games: The number of games of each policy on each board. ``None`` means as many as the intervals need.
        minutes: The time for all games. Rounds of games that are not finished by then do not count.
        seed: The games follow from this seed. The shipped leaderboard has seed 0.
        threads: The number of threads that play for built-in policies. Results do not depend on it.
        observation: What a function sees: ``planes``, ``window``, ``egocentric``, ``centered`` or
            ``features``.
        action: What a function answers: ``relative`` or ``absolute`` actions.
        dtype: The type of the observations: ``uint8`` or ``float32``.
        mask: Which actions a function may choose: ``legal`` or ``safe`` ones.
        frame_stack: How many observations a function sees at once, on a new first axis. 1 adds no axis.
        place: Where games are played, as :func:`evaluate` has it.

    Returns:
        A row for each policy on each board that it plays, board by board, the best first. ``shipped`` tells the rows of
        the shipped leaderboard from those that were played now. Each row has ``board``, ``games``, ``place``,
        ``policy``, ``wins``, ``win_rate``, ``mean_steps_won``, ``sd_steps_won``, ``mean_length``, 95 % intervals, and
        ``ended_by``: why there are no more games (``precision``, ``games`` or ``time``).

    Raises:
        TypeError: ``policies`` is one policy, or something that is no policy; or a function answers with fractions.
        ValueError: A name, a board or another argument is wrong, or no board was played in time.
    """
    view = {"observation": observation, "action": action, "dtype": dtype, "mask": mask, "frame_stack": frame_stack}
    if isinstance(boards, str):
        raise TypeError("boards must be a list, got one board: put it into a list")
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
    rows: list[dict[str, Any]] = json.loads(_hognose.leaderboard(named, json_of(config), spread))
    return rows


class Place:
    """Where games are played: here, in this process."""

    def play(self, policy: Policy, config: dict[str, Any]) -> list[Any]:
        """Plays the games of a configuration, maybe in parts."""
        return [_hognose.play(policy, json_of(config))]

    def regret(self, policy: Policy, table: Any, config: str) -> Any:
        """Asks exact play what the moves of games give away."""
        return _hognose.regret(policy, table, config)

    def share(self, table: Table) -> Any:
        """The table as :meth:`regret` takes it."""
        return table

    def get(self, pending: list[Any]) -> list[str]:
        """The results of what was begun."""
        return pending

    def spread(self, policies: list[tuple[str, Policy]], config: dict[str, Any]) -> Any:
        """What plays the games of a leaderboard, by the number of the policy. None: the native half itself."""
        return None


class Plan(NamedTuple):
    """Which policies play, by which rules, and what functions see of the games."""

    policies: list[tuple[str, Policy]]
    games: dict[str, Any]


def plan_of(
    policies: Sequence[Policy] | Mapping[str, Policy], board: tuple[int, int] | str, torus: bool, **others: Any
) -> Plan:
    """Checks the arguments that all evaluations have. ``others`` are attributes of :class:`hognose.EnvConfig`."""
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
    if isinstance(board, str):
        torus, text = torus or board.endswith("-torus"), board.removesuffix("-torus")
        width, _, height = text.partition("x")
        if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
            raise ValueError(f"a board must be (columns, rows) or text such as '10x10', got {board!r}")
        board = (int(width), int(height))
    config = EnvConfig(board[0], board[1], torus=torus, **others)
    view = {name: getattr(config, name) for name in ("observation", "action", "dtype", "mask", "frame_stack")}
    return Plan(named, {"rules": config.rules(), **config.limits(), "view": view})


def as_policy(policy: Policy) -> Policy:
    """What is played: of a trained agent its name, by which it sees what it was trained to see."""
    return policy.name if isinstance(policy, Agent) else policy


def name_of(policy: Any) -> str:
    """The name of a function, or of the type of another callable."""
    return str(getattr(policy, "__name__", type(policy).__name__))
