"""Trains sb3-contrib's MaskablePPO on 6x6, and prints its learning curve and a comparison with solvers.

``python examples/maskable_ppo.py`` needs ``hognose[sb3]``. It trains on one core.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import hognose
from hognose.sb3 import make_vec_env

OBSERVATION = "egocentric"


class Curve(BaseCallback):
    """Evaluates the agent ten times in total between rollouts, outside the measured time."""

    def __init__(self, steps: int) -> None:
        """Stores the number of training steps."""
        super().__init__()
        self.steps, self.points, self.apart = steps, [], 0.0

    def _on_training_start(self) -> None:
        self.started = time.process_time()

    def _on_rollout_start(self) -> None:
        if len(self.points) < self.num_timesteps * 10 // self.steps:
            self.play()

    def _on_step(self) -> bool:
        return True

    def play(self) -> None:
        """Adds a point to the curve."""
        now = time.process_time()
        spent = now - self.started - self.apart
        (row,) = evaluate(self.model, 200, 1)
        win_rate, length = row["win_rate"], row["mean_length"]
        point = {"steps": self.num_timesteps, "cpu_seconds": spent, "win_rate": win_rate, "mean_length": length}
        self.points.append(point)
        print(f"{self.num_timesteps:9,} steps, {spent:4.0f} s: wins {win_rate:.3f}, length {length:.1f}", flush=True)
        self.apart += time.process_time() - now


def evaluate(model: MaskablePPO, games: int, seed: int, *others: str) -> list[dict]:
    """Evaluates the agent on 6x6, next to other policies."""

    def maskable_ppo(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    return hognose.evaluate([*others, maskable_ppo], "6x6", games, seed, observation=OBSERVATION)


def main() -> None:
    """Trains an agent, and evaluates it on other games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, games and exploration")
    parser.add_argument("--steps", type=int, default=2_500_000, help="environment steps")
    parser.add_argument("--out", type=Path, help="JSON file for curve and table")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    env = make_vec_env(128, seed=arguments.seed, width=6, height=6, observation=OBSERVATION, starvation=72)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=1024, n_epochs=3, gamma=0.98, ent_coef=0.003,
        learning_rate=lambda left: 1e-3 * left, seed=arguments.seed,
        policy_kwargs={"net_arch": [256, 128], "activation_fn": torch.nn.ReLU},
    )
    curve = Curve(arguments.steps)
    model.learn(arguments.steps, callback=curve)
    curve.play()
    rows = evaluate(model, 1000, 0, "hamiltonian", "certified", "shortcut", "greedy", "random")
    for row in rows:
        steps_won = f"{row['mean_steps_won']:.1f}" if row["mean_steps_won"] else "-"
        print(f"{row['name']:12} wins {row['win_rate']:.3f}, length {row['mean_length']:.1f}, steps to win {steps_won}")
    if arguments.out:
        arguments.out.write_text(json.dumps({"curve": curve.points, "rows": rows}))


if __name__ == "__main__":
    main()
