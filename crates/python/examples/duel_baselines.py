"""Trains a baseline for duels against bots: Stable-Baselines3's DQN or sb3-contrib's MaskablePPO.

``python examples/duel_baselines.py ppo`` needs ``hognose[sb3]``. It trains for 30 minutes of CPU time on one thread,
under the rules of 2021, against four bots. Then the agent plays tournaments against ``greedy``, ``nega:4`` and
``adder:4``. Stable-Baselines3's DQN does not use action masks in training. In the tournaments both agents play only
legal moves.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

import hognose

TEACHERS = ["greedy", "one-ply", "adder:2", "nega:2"]
JUDGES = ["greedy", "nega:4", "adder:4"]
# More than training takes.
STEPS = 10**9


class CpuTime(BaseCallback):
    """Ends training after the given seconds of CPU time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.printed = 0

    def _on_step(self) -> bool:
        spent = time.process_time()
        if spent >= self.printed + 60:
            self.printed = int(spent)
            print(f"{spent:6.0f} CPU seconds, {self.num_timesteps} steps", flush=True)
        return spent < self.seconds


def make(opponent: str) -> gymnasium.Env[NDArray[np.float32], np.int64]:
    """Makes duels against a bot. The rewards for food and shaping help the agent learn to eat."""
    env: gymnasium.Env[NDArray[np.float32], np.int64] = gymnasium.make(
        "hognose/Duel-v0",
        opponent=opponent,
        observation="features",
        reward={"food": 0.1, "shaping": 0.5, "discount": 0.98},
    )
    return env


def learner(algorithm: str) -> DQN | MaskablePPO:
    """Makes an untrained agent with eight environments, two for each bot of ``TEACHERS``."""
    envs = DummyVecEnv([lambda bot=bot: make(bot) for bot in 2 * TEACHERS])
    if algorithm == "ppo":
        return MaskablePPO(
            "MlpPolicy", envs, seed=0, n_steps=256, batch_size=512, learning_rate=1e-3, gamma=0.98, ent_coef=0.01
        )
    return DQN(
        "MlpPolicy",
        envs,
        seed=0,
        learning_rate=5e-4,
        buffer_size=200_000,
        learning_starts=10_000,
        batch_size=256,
        train_freq=1,
        gradient_steps=1,
        target_update_interval=2000,
        exploration_fraction=300_000 / STEPS,
        exploration_final_eps=0.02,
        gamma=0.98,
    )


def player(model: DQN | MaskablePPO) -> hognose.duel.Bot:
    """Returns the trained agent as a bot that plays its best legal move."""

    def play(observations: NDArray[np.float32], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        if isinstance(model, MaskablePPO):
            return model.predict(observations, action_masks=masks, deterministic=True)[0]
        with torch.no_grad():
            values = model.q_net(torch.from_numpy(observations)).numpy()
        return np.where(masks, values, -np.inf).argmax(axis=1)

    return play


def main() -> None:
    """Trains the agent, and plays duels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("algorithm", choices=["dqn", "ppo"])
    parser.add_argument("--cpu-minutes", type=float, default=30, help="CPU minutes of training")
    parser.add_argument("--games", type=int, default=400, help="duels against each bot at the end")
    arguments = parser.parse_args()

    torch.set_num_threads(1)
    model = learner(arguments.algorithm)
    model.learn(STEPS, callback=CpuTime(60 * arguments.cpu_minutes))
    print(f"{arguments.algorithm}: {model.num_timesteps} steps in {arguments.cpu_minutes} minutes of CPU time")
    for judge in JUDGES:
        bots = {arguments.algorithm: player(model), judge: judge}
        result = hognose.duel.tournament(bots, games=arguments.games, seed=1, observation="features")
        row = next(row for row in result["ranking"]["bots"] if row["bot"] == arguments.algorithm)
        low, high = row["score_interval"]
        print(f"score against {judge}: {row['score']:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    main()
