"""Training agents: the runs of ``hognose train``, with the same bytes."""

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hognose import _hognose
from hognose.agents import Agent, expect_agents, load_agent
from hognose.config import json_of, plain
from hognose.games import check_seed


@dataclass(frozen=True)
class Progress:
    """How far a training run is.

    Attributes:
        step: Environment steps taken.
        total: Environment steps in all.
        gradient_steps: Gradient steps taken.
        loss: The loss, lately. None before the first gradient step.
        score: How well the agent played the last selection games. For one snake ``win_rate``, ``mean_length``,
            ``mean_steps_won`` and ``steps_per_win``, which chooses the best weights: ``mean_steps_won`` divided by
            ``win_rate``, and None while fewer than half of the games are won. Over several boards these are the
            arithmetic mean of the boards' shares of games won, and geometric means of the others. For duels ``score``
            and ``draws``. None before the first games.
        steps_per_second: Environment steps a second, lately.
        gradient_steps_per_second: Gradient steps a second, lately.
        selection: Where selection games were just played, their summaries: for one snake a list with one of each board,
            for duels one. Else None.
    """

    step: int
    total: int
    gradient_steps: int
    loss: float | None
    score: dict[str, float | None] | None
    steps_per_second: float
    gradient_steps_per_second: float
    selection: Any


Callback = Callable[[Progress], bool | None]
"""A function that hears how far training is, and stops it by answering False."""


@dataclass(frozen=True)
class Run:
    """What a training run came to.

    Attributes:
        folder: The run's folder: experiment, curves for TensorBoard, checkpoints, best weights and manifest.
        policy: The name by which the best weights play: ``dqn:FOLDER``, or ``selfplay:FOLDER:1`` for duels.
        finished: Whether all steps were taken. :func:`resume` goes on with a run that was stopped before.
        results: How the agent and others played the final games, as :func:`hognose.evaluate` or
            :func:`hognose.duel.tournament` tells it. None if they were not played now. What the agent came to is in the
            manifest, too.
    """

    folder: Path
    policy: str
    finished: bool
    results: Any

    @property
    def manifest(self) -> dict[str, Any]:
        """How the run came about, and what it took, as ``manifest.json`` has it."""
        manifest: dict[str, Any] = json.loads((self.folder / "manifest.json").read_text())
        return manifest

    def agent(self) -> Agent:
        """The agent with the best weights, of a run of one snake."""
        return load_agent(self.folder)


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
    """Trains an agent, and plays it against others in the end.

    This is what ``hognose train`` does: the checkpoints and weights are the same to the last byte. Ctrl-C saves a
    checkpoint before it raises KeyboardInterrupt, and :func:`resume` goes on from there.

    >>> import tempfile
    >>> short = {"train.total_steps": 2048, "train.learning_starts": 512, "evaluation.games": 10}
    >>> run = train("quickstart", out=f"{tempfile.mkdtemp()}/run", seed=1, set=short, progress=False)
    >>> run.finished, [row["name"] for row in run.results][:2]
    (True, ['hamiltonian', 'shortcut'])

    Args:
        experiment: A file such as those in the folder ``experiments``, or one of these by its name, such as
            ``"quickstart"``. A path that exists goes before a name.
        out: The run's folder. The default is ``runs/EXPERIMENT-seedN``.
        seed: Decides weights, training games, exploration and sampling. The default is that of the experiment.
        set: Keys of the experiment to change, such as ``{"train.batch_size": 256}``.
        init: The policy file, or a folder that holds one, whose weights training starts from.
        resume: Whether a run of this experiment goes on that the folder holds already, or stays as it is if it is
            finished. Otherwise the folder must not hold a run yet.
        threads: The number of threads. Results do not depend on it. The default is 2, or 1 on one core.
        device: Where tensors live.
        callback: It is called about 20 times a second, and after selection games. If it answers False, training saves a
            checkpoint and stops. So it does if the callback raises an exception, which is then raised here.
        progress: Whether a progress bar is shown, if tqdm is installed.

    Raises:
        ValueError: The experiment, a setting or another argument is wrong, or the folder holds a run already.
        OSError: A file can't be read or written.
        RuntimeError: Training diverged. The last checkpoint stays.
        ImportError: The package was built without agents.
    """
    told = {"seed": seed, "set": set, "init": init}
    arguments = "".join(f", {name}={value!r}" for name, value in told.items() if value is not None)
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
    """Goes on with the run in a folder, by the folder's own experiment, exactly where it was.

    Args:
        folder: The run's folder.
        set: Keys to change: ``train.total_steps``, the intervals of reports, ``train.schedule_steps``,
            ``train.learning_rate`` and ``train.max_gradient_norm``.
        threads: As :func:`train` has it.
        device: As :func:`train` has it.
        callback: As :func:`train` has it.
        progress: As :func:`train` has it.

    Raises:
        ValueError: The folder holds no run, or a setting may not change.
        OSError: A file can't be read or written.
        RuntimeError: Training diverged. The last checkpoint stays.
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
    if threads is not None and not 1 <= threads <= 256:
        raise ValueError(f"threads must be in 1..=256, got {threads}")
    changes = [f"{key}={_toml(plain(key, value))}" for key, value in (settings or {}).items()]
    bar = _bar() if progress else None

    def hear(text: str) -> bool:
        told = json.loads(text)
        warning = told.pop("warning")
        if warning is not None:
            warnings.warn(warning, RuntimeWarning, stacklevel=2)
            return True
        heard = Progress(**told)
        if bar is not None:
            _show(bar, heard)
        return callback is None or callback(heard) is not False

    try:
        text = _hognose.train(
            json_of({**request, "settings": changes, "threads": threads, "device": device}), hear
        )
    finally:
        if bar is not None:
            bar.close()
    ended = json.loads(text)
    return Run(Path(ended["folder"]), ended["agent"], ended["finished"], ended["results"])


def _toml(value: object) -> str:
    """A value as a setting has it: TOML, where a string needs no quotes."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_quoted(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_quoted(entry) for entry in value) + "]"
    return value if isinstance(value, str) else json.dumps(value)


def _quoted(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else _toml(value)


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(unit=" steps", unit_scale=True)


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
