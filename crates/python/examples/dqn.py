"""Double DQN with n-step returns in one file, as CleanRL does it, on the native vector environment.

``python examples/dqn.py`` needs torch. It trains on 6x6 on one core, and prints its learning curve and a table beside
solvers.
"""

import argparse
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

import hognose

ENVS, CAPACITY, LEARNING_STARTS, BATCH = 128, 2000, 100, 512
GAMMA, N_STEP, LEARNING_RATE, TARGET_EVERY, EXPLORES = 0.98, 5, 5e-4, 500, 0.02
OBSERVATION = "egocentric"


class Network(nn.Module):
    """Values actions by observations of bytes."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, actions)
        )

    def forward(self, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        """The values of the actions that the masks allow; others have minus infinity."""
        return self.layers(torch.from_numpy(observations) / 255).masked_fill(~torch.from_numpy(masks), -torch.inf)


def main() -> None:
    """Trains, and evaluates on other games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="weights, games and exploration follow from it")
    parser.add_argument("--steps", type=int, default=1_500_000, help="environment steps")
    parser.add_argument("--out", type=Path, help="where curve and table are written as JSON")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    draws = np.random.default_rng(arguments.seed)
    view = {"observation": OBSERVATION, "dtype": "uint8"}
    envs = hognose.SnakeVectorEnv(
        ENVS, width=6, height=6, starvation=72, autoreset_mode=AutoresetMode.SAME_STEP, **view
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    online = Network(inputs, actions)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=LEARNING_RATE)
    # The last steps of all environments, one row for each step.
    replay = {
        "observation": np.zeros((CAPACITY, ENVS, inputs), np.uint8),
        "mask": np.zeros((CAPACITY, ENVS, actions), np.bool_),
        "action": np.zeros((CAPACITY, ENVS), np.int64),
        "reward": np.zeros((CAPACITY, ENVS), np.float32),
        "next_observation": np.zeros((CAPACITY, ENVS, inputs), np.uint8),
        "next_mask": np.zeros((CAPACITY, ENVS, actions), np.bool_),
        "terminated": np.zeros((CAPACITY, ENVS), np.bool_),
        "ended": np.zeros((CAPACITY, ENVS), np.bool_),
    }

    def greedy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The allowed action of the highest value."""
        with torch.no_grad():
            return online(observations, masks).argmax(dim=1).numpy()

    def evaluate(games: int, seed: int, *others: str) -> list[dict]:
        """How well it plays 6x6, beside others."""
        return hognose.evaluate({**{name: name for name in others}, "dqn": greedy}, "6x6", games, seed, **view)

    observations, infos = envs.reset(seed=arguments.seed)
    masks = infos["action_mask"].astype(np.bool_)
    rounds = max(1, arguments.steps // ENVS)
    curve: list[dict] = []
    spent = 0.0
    for played in range(rounds):
        started = time.process_time()
        explores = draws.random(ENVS) < max(EXPLORES, 1 - played / (0.1 * rounds))
        random = (draws.random(masks.shape) * masks).argmax(axis=1)
        chosen = np.where(explores, random, greedy(observations, masks))
        next_observations, rewards, terminations, truncations, infos = envs.step(chosen)
        next_masks = infos["action_mask"].astype(np.bool_)
        # What follows the last step of an episode is its final observation, not the first one of the next episode.
        true_next, true_masks, ended = next_observations, next_masks, terminations | truncations
        if ended.any():
            true_next, true_masks = next_observations.copy(), next_masks.copy()
            true_next[ended] = np.stack(list(infos["final_obs"][ended]))
            true_masks[ended] = infos["final_info"]["action_mask"][ended]
        stored = (observations, masks, chosen, rewards, true_next, true_masks, terminations, ended)
        for values, told in zip(replay.values(), stored, strict=True):
            values[played % CAPACITY] = told
        observations, masks = next_observations, next_masks
        if played >= LEARNING_STARTS:
            age = draws.integers(N_STEP - 1, min(played + 1, CAPACITY), BATCH)
            first, env = (played - age) % CAPACITY, draws.integers(ENVS, size=BATCH)
            last, returns = first.copy(), np.zeros(BATCH, np.float32)
            discounts, goes_on = np.ones(BATCH, np.float32), np.ones(BATCH, np.bool_)
            for ahead in range(N_STEP):
                row = (first + ahead) % CAPACITY
                returns += np.where(goes_on, discounts * replay["reward"][row, env], 0)
                last, discounts = np.where(goes_on, row, last), np.where(goes_on, GAMMA * discounts, discounts)
                goes_on &= ~replay["ended"][row, env]
            following = replay["next_observation"][last, env], replay["next_mask"][last, env]
            with torch.no_grad():
                best = online(*following).argmax(dim=1, keepdim=True)
                worth = target(*following).gather(1, best)[:, 0]
                lost = torch.from_numpy(replay["terminated"][last, env])
                goals = torch.from_numpy(returns) + torch.from_numpy(discounts) * worth.masked_fill(lost, 0.0)
            taken = torch.from_numpy(replay["action"][first, env])[:, None]
            values = online(replay["observation"][first, env], replay["mask"][first, env]).gather(1, taken)[:, 0]
            loss = nn.functional.smooth_l1_loss(values, goals)
            optimizer.param_groups[0]["lr"] = LEARNING_RATE * max(0.05, 1 - played / rounds)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if played % TARGET_EVERY == 0:
                target.load_state_dict(online.state_dict())
        spent += time.process_time() - started

        if (played + 1) * 10 // rounds > played * 10 // rounds:
            (row,) = evaluate(200, 1)
            steps, win_rate, length = (played + 1) * ENVS, row["win_rate"], row["mean_length"]
            curve.append({"steps": steps, "cpu_seconds": spent, "win_rate": win_rate, "mean_length": length})
            print(f"{steps:9,} steps, {spent:4.0f} s: wins {win_rate:.3f}, length {length:.1f}", flush=True)

    rows = evaluate(1000, 0, "hamiltonian", "certified", "shortcut", "greedy", "random")
    for row in rows:
        steps_won = f"{row['mean_steps_won']:.1f}" if row["mean_steps_won"] else "-"
        print(f"{row['name']:12} wins {row['win_rate']:.3f}, length {row['mean_length']:.1f}, steps to win {steps_won}")
    if arguments.out:
        arguments.out.write_text(json.dumps({"curve": curve, "rows": rows}))


if __name__ == "__main__":
    main()
