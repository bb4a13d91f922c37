"""Measures the cost of training from Python against the binary, and the gain from a second Ray worker.

``python benches/training.py --binary ../../target/release/hognose`` trains ``quickstart`` on one thread. CPU times
come from the runs' manifests: medians of rounds, each of which trains with both in turn. The sweep trains six runs on a
local Ray cluster of one worker and of two; it needs Ray.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import hognose


def of_binary(binary: str, out: Path, settings: dict[str, int]) -> float:
    """Returns the CPU seconds of a run of the binary."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [binary, "train", "quickstart", "--threads", "1", "--out", str(out), *words]
    subprocess.run(command, check=True, capture_output=True)
    return float(json.loads((out / "manifest.json").read_text())["cpu_seconds"])


def of_python(out: Path, settings: dict[str, int]) -> float:
    """Returns the CPU seconds of a run from Python."""
    return float(hognose.train("quickstart", out=out, set=settings, threads=1).manifest["cpu_seconds"])


def of_cluster(workers: int, out: Path, settings: dict[str, int]) -> float:
    """Returns the wall seconds of six runs on a cluster."""
    import ray

    import hognose.ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    # Starts the workers and imports the package there, outside the measured time.
    hognose.ray.train("quickstart", range(workers), out=out / "first", set={**settings, "train.total_steps": 20_000})
    started = time.perf_counter()
    hognose.ray.train("quickstart", range(6), out=out / "sweep", set=settings)
    seconds = time.perf_counter() - started
    ray.shutdown()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the release build of hognose")
    parser.add_argument("--steps", type=int, default=192_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    settings = {"train.total_steps": arguments.steps, "evaluation.games": 100}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rounds = [
            (
                of_binary(arguments.binary, folder / f"binary{number}", settings),
                of_python(folder / f"python{number}", settings),
            )
            for number in range(arguments.rounds)
        ]
        binary, python = (statistics.median(column) for column in zip(*rounds))
        print(f"CPU seconds of a run: the binary {binary:.1f}, from Python {python:.1f}, ratio {python / binary:.3f}")
        one, two = (of_cluster(workers, folder / f"workers{workers}", settings) for workers in (1, 2))
        print(f"six runs: one worker {one:.1f} s, two workers {two:.1f} s, {one / two:.2f} x")


if __name__ == "__main__":
    main()
