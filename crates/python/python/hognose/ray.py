"""Evaluation and training on a Ray cluster."""

import itertools
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ray

from hognose import _hognose, evaluation, training
from hognose._hognose import Table
from hognose.config import check_count, json_of
from hognose.evaluation import Place, Policy


@ray.remote(max_retries=3)
def _play(policy: Policy, config: str) -> str:
    return _hognose.play(policy, config)


@ray.remote(max_retries=3)
def _regret(policy: Policy, table: Table, config: str) -> str:
    return _hognose.regret(policy, table, config)


@ray.remote(max_retries=3)
def _play_or_refuse(policy: Policy, config: str) -> str | _hognose.UnsupportedError:
    """Like ``_play``, but returns a refusal, so that Ray does not report it as a failure."""
    try:
        return _hognose.play(policy, config)
    except _hognose.UnsupportedError as refusal:
        return refusal


class Cluster(Place):
    """A Ray cluster, which is initialized if necessary. A task whose worker dies is played again."""

    def __init__(self, tasks: int | None = None) -> None:
        """Plays the games of each policy in ``tasks`` tasks, by default two for each CPU of the cluster."""
        if tasks is not None:
            check_count("tasks", tasks)
        self._tasks = tasks

    def play(self, policy: Policy, config: dict[str, Any], report: Callable[[int], None]) -> list[Any]:
        """Returns tasks that each play a range of a configuration's games."""
        _begin()
        return _in_parts(_play, policy, config, self._tasks)

    def regret(self, policy: Policy, table: Any, config: str) -> Any:
        """Returns a task that measures the regret of a policy's moves."""
        return _regret.remote(_policy_anywhere(policy), table, config)

    def share(self, table: Table) -> Any:
        """Sends the table to the workers."""
        return ray.put(table)

    def get(self, pending: list[Any]) -> list[str]:
        """Waits for tasks."""
        return list(ray.get(pending))

    def spread(self, policies: list[tuple[str, Policy]], config: dict[str, Any]) -> Any:
        """Returns a function that plays a leaderboard's games by policy index until the time is over."""
        _begin()
        until = time.monotonic() + config["seconds"]

        def play(policy: int, text: str) -> list[str] | None:
            played = {**json.loads(text), "view": config["view"], "threads": 1}
            parts = _in_parts(_play_or_refuse, policies[policy][1], played, self._tasks)
            try:
                answers = ray.get(parts, timeout=max(0.0, until - time.monotonic()))
            except BaseException as error:
                for part in parts:
                    ray.cancel(part)
                if isinstance(error, ray.exceptions.GetTimeoutError):
                    return None
                raise
            for answer in answers:
                if isinstance(answer, _hognose.UnsupportedError):
                    raise answer
            return list(answers)

        return play


def _begin() -> None:
    """Starts a cluster on this machine, unless there is one."""
    if not ray.is_initialized():
        ray.init()


def evaluate(*args: Any, tasks: int | None = None, **others: Any) -> list[dict[str, Any]]:
    """Plays identical games with every policy, spread over a Ray cluster.

    Arguments and results are the same as in :func:`hognose.evaluate`, except for the times. Ray must be able to send
    functions to its workers. With ``regret`` each policy needs one more task.

    >>> rows = evaluate(["hamiltonian", "random"], board=(6, 6), games=20, tasks=2)
    >>> rows[0]["name"], rows[0]["wins"]
    ('hamiltonian', 20)

    Args:
        *args: As in :func:`hognose.evaluate`.
        tasks: As in :class:`Cluster`.
        **others: As in :func:`hognose.evaluate`, except for ``threads``.
    """
    return evaluation.evaluate(*args, **others, threads=1, place=Cluster(tasks))


def leaderboard(*args: Any, tasks: int | None = None, **others: Any) -> list[dict[str, Any]]:
    """Plays policies on several boards over a Ray cluster, and ranks them among the shipped leaderboard's policies.

    Arguments and results are the same as in :func:`hognose.leaderboard`, unless the time ends on a board.

    >>> rows = leaderboard(["hamiltonian", "random"], boards=["4x4"], games=20, tasks=2)
    >>> [(row["place"], row["policy"]) for row in rows]
    [(1, 'hamiltonian'), (2, 'random')]

    Args:
        *args: As in :func:`hognose.leaderboard`.
        tasks: As in :class:`Cluster`, for each round of games of a policy.
        **others: As in :func:`hognose.leaderboard`, except for ``threads``.
    """
    return evaluation.leaderboard(*args, **others, threads=1, place=Cluster(tasks))


def _in_parts(task: Any, policy: Policy, config: Mapping[str, Any], tasks: int | None) -> list[Any]:
    """Starts tasks that each play a range of a configuration's games, by default two for each CPU."""
    first, games, played = config["first"], config["games"], _policy_anywhere(policy)
    parts = min(games, tasks or 2 * max(1, int(ray.cluster_resources().get("CPU", 1))))
    bounds = [first + games * part // parts for part in range(parts + 1)]
    return [
        task.remote(played, json_of({**config, "first": start, "games": end - start}))
        for start, end in zip(bounds, bounds[1:])
    ]


def _found_anywhere(experiment: str | os.PathLike[str]) -> str:
    """Returns an experiment for processes in other folders: the absolute path of a file, or a name."""
    return os.path.abspath(experiment) if os.path.exists(experiment) else os.fspath(experiment)


def _policy_anywhere(policy: Policy) -> Policy:
    """Returns a policy for processes in other folders: with the absolute path of its file."""
    if not isinstance(policy, str):
        return policy
    kind, _, path = policy.partition(":")
    if not path or kind not in ("dqn", "dqn-safe", "dqn-fresh", "optimal"):
        return policy
    is_file = os.path.isfile(path) or os.path.isfile(os.path.join(path, "policy.safetensors"))
    return f"{kind}:{os.path.abspath(path)}" if is_file else policy


def _settings_anywhere(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings for processes in other folders: with absolute paths."""
    found = dict(settings)
    if isinstance(found.get("init"), str | os.PathLike):
        found["init"] = _found_anywhere(found["init"])
    if isinstance(found.get("evaluation.policies"), list | tuple):
        found["evaluation.policies"] = [_policy_anywhere(policy) for policy in found["evaluation.policies"]]
    return found


# The number of times that a run resumes after its worker died. A run that kills its worker each time, for example by
# using too much memory, finally fails.
RETRIES = 8


@ray.remote
def _train(arguments: dict[str, Any]) -> dict[str, Any]:
    return training.train(**arguments, resume=True, progress=False).manifest


def train(
    experiments: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    seeds: Sequence[int] = (0, 1, 2),
    grid: Mapping[str, Sequence[object]] | None = None,
    *,
    out: str | os.PathLike[str] = "runs",
    set: Mapping[str, object] | None = None,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Trains experiments with several seeds and settings, spread over a Ray cluster.

    Each run has its own folder below ``out``, ``EXPERIMENT/SETTINGS/seedN``, on storage that all nodes share:
    ``tensorboard --logdir OUT`` shows them all. The runs are the same as in :func:`hognose.train`. A run resumes from
    its last checkpoint if its worker dies or if an earlier call began it; finished runs are kept. Ray is initialized if
    necessary.

    Args:
        experiments: Experiments, each as in :func:`hognose.train`.
        seeds: The seeds to train each experiment with.
        grid: Keys of experiments, each with the values to try. All combinations are trained.
        out: The folder of all runs.
        set: Keys to change in all experiments.
        threads: The number of threads of each run, which uses as many CPUs of the cluster.

    Returns:
        A row for each experiment and combination: ``experiment``, ``settings``, ``seeds``, the means over seeds of
        ``win_rate`` and ``mean_steps_won`` (of ``score`` for duels) in the final games with their 95 % intervals, the
        sum of ``cpu_seconds``, and ``runs``, the manifest of each run with its ``folder``.

    Raises:
        ValueError: Two runs would have the same folder; or an experiment, a setting or a seed is wrong. The other runs
            then stop at a checkpoint.
    """
    if isinstance(experiments, str | os.PathLike):
        experiments = [experiments]
    groups = [
        (os.fspath(experiment), dict(zip(grid or {}, values)))
        for experiment in experiments
        for values in itertools.product(*(grid or {}).values())
    ]
    folders = [
        [_folder(Path(out).absolute(), experiment, settings) / f"seed{seed}" for seed in seeds]
        for experiment, settings in groups
    ]
    for folder, runs in Counter(itertools.chain(*folders)).most_common(1):
        if runs > 1:
            raise ValueError(
                f"seeds, settings and the names of experiments' files must differ, got {runs} runs for {folder}"
            )
    _begin()
    task = _train.options(num_cpus=threads, max_retries=RETRIES)
    pending = [
        task.remote(
            {
                "experiment": _found_anywhere(experiment), "seed": seed, "out": os.fspath(folder), "threads": threads,
                "set": _settings_anywhere({**(set or {}), **settings}),
            }
        )
        for (experiment, settings), of_group in zip(groups, folders)
        for seed, folder in zip(seeds, of_group)
    ]
    try:
        manifests = iter(ray.get(pending))
    except BaseException:
        for each in pending:
            ray.cancel(each)
        raise
    rows = []
    for (experiment, settings), of_group in zip(groups, folders):
        runs_of_group = [{"folder": os.fspath(folder), **next(manifests)} for folder in of_group]
        means = _means(runs_of_group)
        row = {"experiment": experiment, "settings": settings, "seeds": list(seeds), **means, "runs": runs_of_group}
        rows.append(row)
    return rows


def _folder(out: Path, experiment: str, settings: Mapping[str, object]) -> Path:
    """Returns the folder of an experiment's runs with these settings."""
    words = ",".join(f"{key}={value}" for key, value in settings.items())
    return out / Path(experiment).stem / words.replace("/", "_")


def _means(manifests: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns means over seeds of the results in manifests."""
    results = [manifest["results"] for manifest in manifests]
    means: dict[str, Any] = {}
    for name in ("win_rate", "mean_steps_won", "score"):
        values = [result[name] for result in results if result.get(name) is not None]
        if any(name in result for result in results):
            games = sum(results[0]["ends"].values()) if name == "win_rate" else None
            means[name], means[f"{name}_interval"] = _hognose.mean_over_seeds(values, games)
    return {**means, "cpu_seconds": sum(manifest["cpu_seconds"] for manifest in manifests)}


def trainable(
    experiment: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] = "runs",
    set: Mapping[str, object] | None = None,
    threads: int = 1,
) -> Callable[[dict[str, Any]], None]:
    """Returns a function for ``ray.tune.Tuner``, whose configurations are keys of the experiment and maybe ``seed``.

    It reports each selection: ``step``, and for one snake ``win_rate``, ``mean_length`` and ``mean_steps_won``, for
    duels ``score`` and ``draws``. Tune's checkpoint is a copy of the trial's folder, ``OUT/TRIAL``, which is the folder
    of a run: :func:`hognose.load_agent` loads ``result.checkpoint.path``.

    A trial that a scheduler ends saves a checkpoint in its folder. A restarted trial resumes from its folder or, on a
    node without it, from Tune's checkpoint. If all nodes share ``out``, a worker that dies loses at most one interval
    of the experiment's checkpoints, and otherwise everything since the last report.

    >>> from ray import tune
    >>> tuner = tune.Tuner(
    ...     trainable("quickstart"),
    ...     param_space={"train.n_step": tune.grid_search([1, 5, 10])},
    ...     tune_config=tune.TuneConfig(
    ...         metric="win_rate", mode="max",
    ...         scheduler=tune.schedulers.ASHAScheduler("step", max_t=2_560_000, grace_period=256_000),
    ...     ),
    ... )

    Args:
        experiment: As in :func:`hognose.train`.
        out: The folder of all trials.
        set: Keys to change in all trials.
        threads: The number of threads of each trial. Give it as many CPUs with ``tune.with_resources``.
    """
    from ray import tune

    found, folder = _found_anywhere(experiment), Path(out).absolute()
    changes = _settings_anywhere(set or {})

    def run(config: dict[str, Any]) -> None:
        own = folder / tune.get_context().get_trial_id()
        begun = tune.get_checkpoint()
        if begun is not None and not own.exists():
            begun.to_directory(own)
        # The last selection's metrics, until the folder has the weights and the checkpoint that follow it.
        selected: dict[str, Any] = {}

        def report() -> None:
            if selected:
                metrics = selected.copy()
                selected.clear()
                tune.report(metrics, checkpoint=tune.Checkpoint.from_directory(own))

        def on_progress(progress: training.Progress) -> None:
            report()
            if progress.selection is not None:
                selected.update({"step": progress.step, **(progress.score or {})})

        settings = {key: value for key, value in config.items() if key != "seed"}
        training.train(
            found, out=own, seed=config.get("seed"), set={**changes, **settings}, resume=True, threads=threads,
            callback=on_progress, progress=False,
        )
        report()

    return run
