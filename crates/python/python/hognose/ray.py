"""Evaluation over a Ray cluster."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import ray

from hognose import _hognose
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
    **options: Any,
) -> list[dict[str, Any]]:
    """:func:`hognose.evaluate`, its games spread over a Ray cluster.

    Each task plays a range of the games and answers with every single one, so the result is that of one process (but for
    the time it took), however the games are spread. A task whose worker dies is played again.

    Args:
        policies: As in :func:`hognose.evaluate`; functions must be such that Ray can send them.
        board: As there.
        games: As there.
        seed: As there.
        tasks: How many tasks play each policy; twice the cluster's CPUs by default.
        torus: As there.
        start: As there.
        tail_entry: As there.
        foods: As there.
        **options: ``limit``, ``max_steps``, ``observation``, ``action`` and ``dtype``, as there.

    Returns:
        What :func:`hognose.evaluate` returns.
    """
    known = {"limit": None, "max_steps": None, "observation": "egocentric", "action": "relative", "dtype": "float32"}
    if unknown := set(options) - set(known):
        raise TypeError(f"unknown options {sorted(unknown)}: there are {sorted(known)}")
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, got {games}")
    plan = plan_of(policies, board, torus, start, tail_entry, foods)
    if not ray.is_initialized():
        ray.init()
    parts = min(games, tasks or 2 * max(1, int(ray.cluster_resources().get("CPU", 1))))
    bounds = [games * part // parts for part in range(parts + 1)]
    fixed = {"rules": plan.rules, "seed": check_seed(seed), "threads": 1, **known, **options}
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
    return summarize(plan.rules, [(name, ray.get(tasks)) for name, tasks in pending])
