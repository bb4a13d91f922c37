#!/usr/bin/env python3
"""Removes one component of an agent at a time, and compares what is learned without it.

Trains each variant of an experiment with several seeds, as Hessel et al. (2018) do for Rainbow, and writes a table and
the curves. Interrupted runs are resumed, and finished ones are skipped. Needs hognose on the PATH, and
`pip install tensorboard matplotlib`.

    experiments/ablations.py quickstart                                      # 3 seeds, 2 runs at a time
    experiments/ablations.py dqn --seeds 1 --set train.total_steps=128_000   # a quick test
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

BOTH = {
    "as it is": [],
    "no double Q-learning": ["train.bootstrap=max"],
    "no prioritized replay": ["train.replay.priority_exponent=0"],
    "1 step": ["train.n_step=1"],
    "3 steps": ["train.n_step=3"],
    "no mirror images": ["train.mirror=false"],
    "no averaged weights": ["train.average_decay=0"],
}
VARIANTS = {
    "quickstart": BOTH | {"Sarsa": ["train.bootstrap=taken"], "no afterstates": ["train.values=actions"]},
    "dqn": BOTH | {"no dueling heads": ["network.dueling=false"], "afterstates": ["train.values=afterstates"]},
}


def folder_of(arguments: argparse.Namespace, name: str) -> pathlib.Path:
    """Returns the folder of a variant's runs."""
    return arguments.out / arguments.experiment / name.replace(" ", "-")


def train(arguments: argparse.Namespace, name: str, settings: list[str]) -> str:
    """Trains a variant with all seeds, and returns a table row with its means."""
    folder = folder_of(arguments, name)
    command = ["hognose", "train", arguments.experiment, "--threads", "1", "--out", folder]
    command += ["--seeds", str(arguments.seeds)]
    for setting in [*settings, *arguments.set]:
        command += ["--set", setting]
    folder.mkdir(parents=True, exist_ok=True)
    trained = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    (folder / "log.txt").write_text(trained.stdout + trained.stderr)
    if trained.returncode != 0:
        sys.exit(f"{name}: {trained.stderr.strip() or 'interrupted'}")
    rows = [line.split("|") for line in trained.stdout.splitlines() if line.startswith("|")]
    seconds = statistics.mean(float(row[5].split()[0]) for row in rows if row[1].strip().isdigit())
    (wins, steps) = next((row[2], row[3]) for row in rows if row[1].strip().startswith("mean of"))
    changed = " ".join(f"`{setting}`" for setting in settings)
    row = f"| {name} | {changed} | {wins.strip()} | {steps.strip()} | {seconds:.0f} s |"
    print(row, flush=True)
    return row


def curve(folder: pathlib.Path) -> tuple[list[int], list[float]]:
    """Returns the steps of a variant, and the share of selection games won, averaged over its seeds."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    shares = defaultdict(dict)
    for run in folder.glob("seed*"):
        events = EventAccumulator(str(run))
        events.Reload()
        for event in events.Scalars("eval/win_rate"):
            shares[event.step][run] = event.value
    steps = sorted(shares)
    return steps, [statistics.mean(shares[step].values()) for step in steps]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=VARIANTS)
    parser.add_argument("--seeds", type=int, default=3, help="training seeds per variant")
    parser.add_argument("--jobs", type=int, default=2, help="variants trained in parallel")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="setting for all variants")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs/ablations"))
    arguments = parser.parse_args()
    import matplotlib.pyplot as plt

    variants = VARIANTS[arguments.experiment]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda variant: train(arguments, *variant), variants.items()))
    head = "| variant | `--set` | wins | steps when won | CPU time of a seed |\n|---|---|--:|--:|--:|\n"
    table = arguments.out / f"{arguments.experiment}.md"
    table.write_text(head + "\n".join(rows) + "\n")

    figure, axes = plt.subplots(figsize=(8, 5))
    for name in variants:
        axes.plot(*curve(folder_of(arguments, name)), label=name)
    axes.set(xlabel="environment steps", ylabel="share of selection games won", ylim=(0, 1))
    axes.legend()
    figure.savefig(picture := table.with_suffix(".svg"), bbox_inches="tight")
    print(f"{table} has the table, {picture} the curves")


if __name__ == "__main__":
    main()
