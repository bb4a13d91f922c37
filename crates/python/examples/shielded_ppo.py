"""MaskablePPO with a mask of safe moves: it wins every game from the start, and learns to win faster.

``python examples/shielded_ppo.py`` needs ``hognose[sb3]`` and takes half a minute.
"""

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from hognose.sb3 import make_vec_env

BOARD = {"width": 4, "height": 4, "mask": "safe", "starvation": None, "observation": "egocentric"}


def play(model: MaskablePPO, games: int) -> tuple[int, float]:
    """Plays games, and returns the number of wins and the mean number of steps."""
    env = make_vec_env(32, seed=1, **BOARD)
    observations, won, steps = env.reset(), [], []
    while len(won) < games:
        masks = np.stack(env.env_method("action_masks"))
        actions, _ = model.predict(observations, action_masks=masks, deterministic=False)
        observations, _, dones, infos = env.step(actions)
        for env_index in np.flatnonzero(dones):
            won.append(infos[env_index]["is_success"])
            steps.append(infos[env_index]["episode"]["l"])
    return sum(won[:games]), float(np.mean(steps[:games]))


def main() -> None:
    """Plays without training, trains, and plays again."""
    torch.set_num_threads(1)
    env = make_vec_env(16, seed=0, reward={"step": -0.05}, **BOARD)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=128, batch_size=512, n_epochs=4, gamma=0.98, learning_rate=1e-3, seed=0
    )
    for trained in (0, 60_000):
        if trained:
            model.learn(trained)
        won, steps = play(model, 500)
        print(f"after {trained:6} steps: {won} of 500 games won, {steps:.1f} steps per game")


if __name__ == "__main__":
    main()
