"""Evaluation over a Ray cluster."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

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
    starvation: int | None = None,
    time_limit: int | None = None,
    observation: Observation = "egocentric",
    action: Action = "relative",
    dtype: Dtype = "float32",
    mask: Mask = "legal",
    frame_stack: int = 1,
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
        starvation: As there.
        time_limit: As there.
        observation: As there.
        action: As there.
        dtype: As there.
        mask: As there.
        frame_stack: As there.

    Returns:
        What :func:`hognose.evaluate` returns.
    """
    if games < 1:
        raise ValueError(f"the number of games must be at least 1, got {games}")
    plan = plan_of(
        policies, board, torus, start=start, tail_entry=tail_entry, foods=foods, observation=observation, action=action,
        dtype=dtype, mask=mask, frame_stack=frame_stack,
    )
    if not ray.is_initialized():
        ray.init()
    parts = min(games, tasks or 2 * max(1, int(ray.cluster_resources().get("CPU", 1))))
    bounds = [games * part // parts for part in range(parts + 1)]
    cuts = {"starvation": starvation, "time_limit": time_limit}
    fixed = {**plan.games, **cuts, "seed": check_seed(seed), "threads": 1}
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
