"""DQN in one file, as CleanRL does it, on the native vector environment with final observations.

``python examples/dqn.py`` needs torch. It trains on 6x6 for half a minute on one core. Then its snakes are 29 cells
long on average (random: 6), and it wins one game in five.
"""

import copy

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

import hognose

ENVS, STEPS, LEARNING_STARTS, BATCH, GAMMA, CAPACITY = 64, 4000, 50, 256, 0.97, 100_000


def network(inputs: int, actions: int) -> nn.Module:
    """A network that values actions."""
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, actions))


def main() -> None:
    """Trains, and evaluates on other games."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    draws = np.random.default_rng(0)
    envs = hognose.SnakeVectorEnv(
        ENVS, width=6, height=6, observation="features", autoreset_mode=AutoresetMode.SAME_STEP
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    online = network(inputs, actions)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=5e-4)
    replay = {
        "observation": np.zeros((CAPACITY, inputs), np.float32),
        "action": np.zeros(CAPACITY, np.int64),
        "reward": np.zeros(CAPACITY, np.float32),
        "next_observation": np.zeros((CAPACITY, inputs), np.float32),
        "next_mask": np.zeros((CAPACITY, actions), np.bool_),
        "terminated": np.zeros(CAPACITY, np.bool_),
    }

    def greedy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The allowed action of the highest value."""
        with torch.no_grad():
            values = online(torch.from_numpy(observations)).numpy()
        return np.where(masks, values, -np.inf).argmax(axis=1)

    observations, infos = envs.reset(seed=0)
    stored = 0
    for step in range(STEPS):
        masks = infos["action_mask"].astype(np.bool_)
        explores = draws.random(ENVS) < max(0.02, 1 - step / (0.3 * STEPS))
        random = (draws.random(masks.shape) * masks).argmax(axis=1)
        chosen = np.where(explores, random, greedy(observations, masks))
        next_observations, rewards, terminations, truncations, infos = envs.step(chosen)
        # What follows the last step of an episode is its final observation, not the first one of the next episode.
        true_next, next_masks = next_observations.copy(), infos["action_mask"].astype(np.bool_)
        if "final_obs" in infos:
            for env in np.flatnonzero(infos["_final_obs"]):
                true_next[env] = infos["final_obs"][env]
                next_masks[env] = infos["final_info"]["action_mask"][env]
        rows = (stored + np.arange(ENVS)) % CAPACITY
        for name, values in zip(
            replay, (observations, chosen, rewards, true_next, next_masks, terminations), strict=True
        ):
            replay[name][rows] = values
        stored += ENVS
        observations = next_observations
        if step < LEARNING_STARTS:
            continue
        rows = draws.integers(min(stored, CAPACITY), size=BATCH)
        batch = {name: torch.from_numpy(values[rows]) for name, values in replay.items()}
        with torch.no_grad():
            best = target(batch["next_observation"]).masked_fill(~batch["next_mask"], -torch.inf).amax(dim=1)
            goals = batch["reward"] + GAMMA * torch.where(batch["terminated"], 0.0, best)
        values = online(batch["observation"]).gather(1, batch["action"][:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(values, goals)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 200 == 0:
            target.load_state_dict(online.state_dict())

    rows = hognose.evaluate({"random": "random", "dqn": greedy}, board=(6, 6), games=200, observation="features")
    for row in rows:
        low, high = row["mean_length_interval"]
        mean_length = f"mean length {row['mean_length']:5.1f} [{low:.1f}, {high:.1f}]"
        print(f"{row['name']:8} {mean_length}, wins {row['wins']} of 200")


if __name__ == "__main__":
    main()
