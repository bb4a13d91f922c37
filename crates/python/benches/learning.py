"""Measures learning curves of the examples on 6x6 over several training seeds, and evaluates the trained agents.

``python benches/learning.py ppo dqn maskable_ppo`` runs these examples one after another, each on one thread, and
prints the tables of ``docs/results/python.md``. It skips runs whose files already exist in the folder.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from hognose import _hognose

GAMES = 1000
EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def of_seeds(values: list[float], games: int | None = None) -> str:
    """Returns the mean over seeds with its 95 % interval, as text."""
    mean, interval = _hognose.mean_over_seeds(values, games)
    digits = 3 if games else 1
    if mean is None:
        return "-"
    if interval is None:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} [{interval[0]:.{digits}f}, {interval[1]:.{digits}f}]"


def main() -> None:
    """Runs the examples and prints tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="+", help="names of files in examples, such as ppo")
    parser.add_argument("--seeds", type=int, default=3, help="training seeds, from 0 on")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs/learning"), help="folder of results")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for example in arguments.examples:
        files = [arguments.out / f"{example}-{seed}.json" for seed in range(arguments.seeds)]
        for seed, file in enumerate(files):
            if not file.exists():
                program = [sys.executable, EXAMPLES / f"{example}.py", "--seed", str(seed), "--out", file]
                subprocess.run(program, check=True, stdout=sys.stderr)
        results[example] = [json.loads(file.read_text()) for file in files]

    print("| | steps | CPU seconds | wins, by seed | mean length, by seed |\n|---|--:|--:|--:|--:|")
    for example, runs in results.items():
        for points in zip(*(run["curve"] for run in runs)):
            seconds = sum(point["cpu_seconds"] for point in points) / len(points)
            wins = ", ".join(f"{point['win_rate']:.3f}" for point in points)
            lengths = ", ".join(f"{point['mean_length']:.1f}" for point in points)
            print(f"| {example} | {points[0]['steps']:,} | {seconds:.0f} | {wins} | {lengths} |")

    print("\n| | wins | mean length | mean steps of games won |\n|---|--:|--:|--:|")
    for row in next(iter(results.values()))[0]["rows"][:-1]:
        low, high = row["win_rate_interval"]
        steps = "-" if row["mean_steps_won"] is None else f"{row['mean_steps_won']:.1f}"
        print(f"| {row['name']} | {row['win_rate']:.3f} [{low:.3f}, {high:.3f}] | {row['mean_length']:.1f} | {steps} |")
    for example, runs in results.items():
        rows = [run["rows"][-1] for run in runs]
        wins = of_seeds([row["win_rate"] for row in rows], GAMES)
        lengths = of_seeds([row["mean_length"] for row in rows])
        steps = of_seeds([row["mean_steps_won"] for row in rows if row["mean_steps_won"] is not None])
        print(f"| {example} | {wins} | {lengths} | {steps} |")


if __name__ == "__main__":
    main()
