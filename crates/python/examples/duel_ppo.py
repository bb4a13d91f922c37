"""MaskablePPO of sb3-contrib learns to play duels against the bot ``greedy``.

``python examples/duel_ppo.py`` needs ``hognose[sb3]``. It regularly prints the score in the last duels, in which a
draw counts half, and at the end the score of the trained agent in new duels.
"""

import argparse
from collections import deque

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecEnv

import hognose  # noqa: F401 (registers the environment)

WORTH = {"won": 1.0, "drawn": 0.5, "lost": 0.0}


class Scores(BaseCallback):
    """Prints the score in the last 200 duels every ``every`` steps."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every = every
        self.due = every
        self.last: deque[float] = deque(maxlen=200)

    def _on_step(self) -> bool:
        self.last.extend(WORTH[info["duel"]["outcome"]] for info in self.locals["infos"] if "duel" in info)
        if self.num_timesteps >= self.due and self.last:
            print(f"{self.num_timesteps:>9} steps: score {np.mean(self.last):.3f} in the last {len(self.last)} duels")
            self.due += self.every
        return True


def score(model: MaskablePPO, envs: VecEnv, duels: int) -> float:
    """Returns the score of the trained agent in new duels."""
    outcomes: list[float] = []
    observations = envs.reset()
    while len(outcomes) < duels:
        actions, _ = model.predict(observations, action_masks=get_action_masks(envs), deterministic=True)
        observations, _, _, infos = envs.step(actions)
        outcomes += [WORTH[info["duel"]["outcome"]] for info in infos if "duel" in info]
    return float(np.mean(outcomes[:duels]))


def main() -> None:
    """Trains the agent, and plays duels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300_000, help="environment steps of training")
    parser.add_argument("--opponent", default="greedy", help="the name of a bot")
    parser.add_argument("--duels", type=int, default=200, help="duels at the end")
    arguments = parser.parse_args()

    # The rewards for food and shaping help the agent learn to eat; a win is still worth more than any food.
    kwargs = {
        "opponent": arguments.opponent,
        "observation": "features",
        "reward": {"food": 0.1, "shaping": 0.5, "discount": 0.98},
    }

    def make(seed: int) -> VecEnv:
        return make_vec_env(lambda: gymnasium.make("hognose/Duel-v0", **kwargs), n_envs=8, seed=seed)

    model = MaskablePPO(
        "MlpPolicy", make(0), seed=0, n_steps=256, batch_size=512, learning_rate=1e-3, gamma=0.98, ent_coef=0.01
    )
    before = score(model, make(1), arguments.duels)
    print(f"score against {arguments.opponent} before training: {before:.3f}")
    model.learn(arguments.steps, callback=Scores(every=max(1, arguments.steps // 12)))
    after = score(model, make(1), arguments.duels)
    print(f"score against {arguments.opponent} after {arguments.steps} steps, in {arguments.duels} duels: {after:.3f}")


if __name__ == "__main__":
    main()
