"""Evaluation on a Ray cluster."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import ray

from hognose import _hognose
from hognose.config import Action, Dtype, Mask, Observation
from hognose.evaluation import Policy, plan_of, summarize
from hognose.games import check_seed


@ray.remote(max_retries=3)
def _play(policy: Policy, config: str) -> str:
    return _hognose.play(policy, config)


def evaluate(
    policies: Sequence[Policy] | Mapping[str, Policy],
    board: tuple[int, int] | str = (10, 10),
    games: int = 1000,
    seed: int = 0,
    *,
    tasks: int | None = None,
    torus: bool = False,
    start: Mapping[str, int | str] | None = None,
    tail_entry: bool = True,
    foods: int = 1,
    starvation: int | Literal["auto"] | None = "auto",
    time_limit: int | None = None,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
) -> list[dict[str, Any]]:
    """Plays identical games with every policy, spread over a Ray cluster.

    The result is that of :func:`hognose.evaluate` but for the time it took, however the games are spread: each task
    plays a range of the games and answers with every single one. A task whose worker dies is played again. If Ray is
    not initialized, it is.

    >>> rows = evaluate(["hamiltonian", "random"], board=(6, 6), games=20, tasks=2)
    >>> rows[0]["name"], rows[0]["wins"]
    ('hamiltonian', 20)

    Args:
        policies: Names of built-in policies, or functions of (observations, masks) that answer with an action for each
            row. A mapping gives names to functions. Ray must be able to send the functions to its workers.
        board: (columns, rows), or text such as ``"10x10"`` or ``"7x5-torus"``.
        games: The number of games.
        seed: The games follow from this seed.
        tasks: The number of tasks for each policy. The default is twice the number of the cluster's CPUs.
        torus: Whether the borders wrap around.
        start: Where games begin, as :class:`hognose.EnvConfig` has it.
        tail_entry: Whether the head may enter the cell that the tail leaves in the same step.
        foods: How many foods lie on the board.
        starvation: A game is cut off after so many steps without food. ``"auto"`` means 4 x area, ``None`` never.
        time_limit: A game is cut off after so many steps. ``None`` means never.
        observation: What a function sees: ``planes``, ``window``, ``egocentric`` or ``features``.
        action: What a function answers: ``relative`` or ``absolute`` actions.
        dtype: The type of the observations: ``uint8`` or ``float32``.
        mask: Which actions a function may choose: ``legal`` or ``safe`` ones.
        frame_stack: How many observations a function sees at once, on a new first axis. 1 adds no axis.

    Returns:
        For each policy a dict with win rate, length and steps with 95 % intervals, and the paired differences to the
        first policy.
    """
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, got {games}")
    plan = plan_of(
        policies, board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack, starvation=starvation, time_limit=time_limit,
    )
    if not ray.is_initialized():
        ray.init()
    parts = min(games, tasks or 2 * max(1, int(ray.cluster_resources().get("CPU", 1))))
    bounds = [games * part // parts for part in range(parts + 1)]
    fixed = {**plan.games, "seed": check_seed(seed), "threads": 1}
    pending = [
        (
            name,
            [
                _play.remote(policy, json.dumps({**fixed, "first": first, "games": end - first}))
                for first, end in zip(bounds, bounds[1:])
            ],
        )
        for name, policy in plan.policies
    ]
    return summarize(plan.games["rules"], [(name, ray.get(tasks)) for name, tasks in pending])
