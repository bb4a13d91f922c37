"""Training of agents: the runs of ``hognose train``, byte for byte."""

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hognose import _hognose
from hognose.agent import Agent, check_device, expect_agents, load_agent
from hognose.config import check_threads, json_of, plain
from hognose.evaluation import bar_of
from hognose.games import check_seed
from hognose.rows import drawn, table_of


@dataclass(frozen=True)
class Progress:
    """The progress of a training run.

    Attributes:
        step: Environment steps taken.
        total: Environment steps in total.
        gradient_steps: Gradient steps taken.
        loss: The recent loss. None before the first gradient step.
        score: The score in the last selection games. For one snake ``win_rate``, ``mean_length``, ``mean_steps_won``
            and ``steps_per_win``, which selects the best weights: ``mean_steps_won`` divided by ``win_rate``, and None
            while the agent wins fewer than half of its games. Over several boards ``win_rate`` is the arithmetic mean,
            and the others are geometric means. For duels ``score`` and ``draws``. None before the first games.
        steps_per_second: The recent number of environment steps per second.
        gradient_steps_per_second: The recent number of gradient steps per second.
        selection: After selection games their summaries: for one snake a list with one for each board, for duels one.
            Otherwise None.
    """

    step: int
    total: int
    gradient_steps: int
    loss: float | None
    score: dict[str, float | None] | None
    steps_per_second: float
    gradient_steps_per_second: float
    selection: Any


Callback = Callable[[Progress], object]
"""A function that receives the progress of training, and stops it by returning False or 0, but not by None."""


@dataclass(frozen=True)
class Run:
    """A training run after its end.

    Attributes:
        folder: The run's folder: experiment, curves for TensorBoard, checkpoints, best weights and manifest.
        policy: The name of the best weights as a policy: ``dqn:FOLDER``, or ``selfplay:FOLDER:1`` for duels.
        finished: Whether all steps were taken. :func:`resume` continues a run that was stopped before.
        results: The results of the agent and others in the final games, as in :func:`hognose.evaluate` or
            :func:`hognose.duel.tournament`. None if this call did not play them. The manifest has the agent's results,
            too.
    """

    folder: Path
    policy: str
    finished: bool
    results: Any

    @property
    def manifest(self) -> dict[str, Any]:
        """The content of ``manifest.json``: origin, cost and results of the run."""
        manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        return manifest

    def agent(self) -> Agent:
        """Loads the agent with the best weights of a run of one snake."""
        return load_agent(self.folder)

    def curves(self) -> dict[str, tuple[list[int], list[float]]]:
        """Returns the curves of the run so far: by name, the environment steps and the values.

        The names are those in TensorBoard, such as ``eval/win_rate``.
        """
        return {name: (steps, values) for name, steps, values in _hognose.curves(self.folder)}

    def plot(self, *names: str) -> str:
        """Returns curves as SVG, one above the other; by default those of the games that select the best weights."""
        curves = self.curves()
        usual = [name for name in curves if name.startswith("eval/")]
        return drawn({name: curves[name] for name in names or usual})

    def _repr_html_(self) -> str:
        """Returns the folder, the results and the curves, for notebooks."""
        facts = {"folder": self.folder, "policy": self.policy, "finished": self.finished}
        return table_of([facts]) + self.plot()


def experiments() -> dict[str, str]:
    """Returns the shipped experiments: names, and the texts of their files; none in a package built without agents.

    >>> "quickstart" in experiments()
    True
    """
    return dict(_hognose.experiments()) if hasattr(_hognose, "experiments") else {}


def train(
    experiment: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    set: Mapping[str, object] | None = None,
    init: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    callback: Callback | None = None,
    progress: bool = True,
) -> Run:
    """Trains an agent, and finally evaluates it next to others.

    Checkpoints and weights are byte for byte the same as with ``hognose train``. Ctrl-C saves a checkpoint before it
    raises KeyboardInterrupt, and :func:`resume` continues from there.

    >>> import tempfile
    >>> short = {"train.total_steps": 2048, "train.learning_starts": 512, "evaluation.games": 10}
    >>> run = train("quickstart", out=f"{tempfile.mkdtemp()}/run", seed=1, set=short, progress=False)
    >>> run.finished, [row["name"] for row in run.results][:2]
    (True, ['hamiltonian', 'shortcut'])

    Args:
        experiment: A file such as those in the folder ``experiments``, or the name of a shipped one, such as
            ``"quickstart"``. An existing path takes precedence over a name.
        out: The run's folder. The default is ``runs/EXPERIMENT-seedN``.
        seed: The seed of weights, training games, exploration and sampling. The default is the experiment's seed.
        set: Keys of the experiment to change, such as ``{"train.batch_size": 256}``.
        init: A policy file, or a folder with one, whose weights training starts from.
        resume: Whether to resume the folder's run of this experiment, or to keep it if it is finished. Otherwise the
            folder must not hold a run.
        threads: The number of threads. Results do not depend on it. The default is 2, or 1 on one core.
        device: The device of tensors.
        callback: Called about 20 times per second, and after selection games. If it returns False or 0, training saves
            a checkpoint and stops; with None it goes on. An exception in the callback does the same, and is then raised
            here.
        progress: Whether to show a progress bar, if tqdm is installed.

    Raises:
        ValueError: The experiment, a setting or another argument is wrong, or the folder already holds a run.
        OSError: A file can't be read or written.
        RuntimeError: Training diverged. The last checkpoint remains.
        ImportError: The package was built without agents.
    """
    given = {"seed": seed, "set": set, "init": init}
    arguments = "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)
    request = {
        "experiment": os.fspath(experiment),
        "out": None if out is None else os.fspath(out),
        "seed": None if seed is None else check_seed(seed),
        "init": None if init is None else os.fspath(init),
        "again": resume,
        "command": f"hognose.train({os.fspath(experiment)!r}{arguments})",
    }
    return _train(request, set, threads, device, callback, progress)


def resume(
    folder: str | os.PathLike[str],
    *,
    set: Mapping[str, object] | None = None,
    threads: int | None = None,
    device: str = "cpu",
    callback: Callback | None = None,
    progress: bool = True,
) -> Run:
    """Resumes the run in a folder exactly where it stopped, with the folder's own experiment.

    Args:
        folder: The run's folder.
        set: Keys to change: ``train.total_steps``, the intervals of reports, ``train.schedule_steps``,
            ``train.learning_rate`` and ``train.max_gradient_norm``.
        threads: As in :func:`train`.
        device: As in :func:`train`.
        callback: As in :func:`train`.
        progress: As in :func:`train`.

    Raises:
        ValueError: The folder holds no run, or a setting may not change.
        OSError: A file can't be read or written.
        RuntimeError: Training diverged. The last checkpoint remains.
        ImportError: The package was built without agents.
    """
    path = os.fspath(folder)
    request = {
        "experiment": None, "out": path, "seed": None, "init": None, "again": False,
        "command": f"hognose.resume({path!r})",
    }
    return _train(request, set, threads, device, callback, progress)


def _train(
    request: Mapping[str, object],
    settings: Mapping[str, object] | None,
    threads: int | None,
    device: str,
    callback: Callback | None,
    progress: bool,
) -> Run:
    expect_agents("train")
    check_device(device)
    if settings is not None and not isinstance(settings, Mapping):
        raise ValueError(f"set must be a mapping such as {{'train.n_step': 3}}, got {settings!r}")
    if threads is not None:
        check_threads(threads)
    changes = [f"{key}={_toml(plain(key, value))}" for key, value in (settings or {}).items()]
    bar = bar_of(" steps") if progress else None

    def on_report(text: str) -> bool:
        report = json.loads(text)
        warning = report.pop("warning")
        if warning is not None:
            warnings.warn(warning, RuntimeWarning, stacklevel=2)
            return True
        current = Progress(**report)
        if bar is not None:
            _show(bar, current)
        answer = None if callback is None else callback(current)
        return answer is None or bool(answer)

    try:
        text = _hognose.train(
            json_of({**request, "settings": changes, "threads": threads, "device": device}), on_report
        )
    finally:
        if bar is not None:
            bar.close()
    ended = json.loads(text)
    return Run(Path(ended["folder"]), ended["agent"], ended["finished"], ended["results"])


def _toml(value: object) -> str:
    """Formats a value for a setting: TOML, except that a string needs no quotes."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_quoted(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_quoted(entry) for entry in value) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def _quoted(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else _toml(value)


def _show(bar: Any, progress: Progress) -> None:
    if bar.total != progress.total:
        bar.reset(progress.total)
        bar.initial = bar.n = progress.step
    score = progress.score or {}
    words = {name: f"{score[name]:.2f}" for name in ("win_rate", "score") if score.get(name) is not None}
    if progress.loss is not None:
        words["loss"] = f"{progress.loss:.4f}"
    bar.set_postfix(words, refresh=False)
    bar.update(progress.step - bar.n)
