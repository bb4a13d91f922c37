"""Double DQN with n-step returns in one file, in CleanRL's style, on the native vector environment.

``python examples/dqn.py`` needs torch. It trains on 6x6 on one core, and prints its learning curve and a comparison
with solvers.
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


class QNetwork(nn.Module):
    """A network that maps uint8 observations to Q-values."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Creates the layers."""
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, actions)
        )

    def forward(self, observations: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        """Returns Q-values, with minus infinity for actions that the masks forbid."""
        return self.network(torch.from_numpy(observations) / 255).masked_fill(~torch.from_numpy(masks), -torch.inf)


def main() -> None:
    """Trains an agent, and evaluates it on other games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, games and exploration")
    parser.add_argument("--steps", type=int, default=1_500_000, help="environment steps")
    parser.add_argument("--num-envs", type=int, default=128, help="number of environments")
    parser.add_argument("--buffer-size", type=int, default=2000, help="steps of all environments to keep")
    parser.add_argument("--learning-starts", type=int, default=100, help="steps of all environments before learning")
    parser.add_argument("--batch-size", type=int, default=512, help="transitions per gradient step")
    parser.add_argument("--gamma", type=float, default=0.98, help="discount")
    parser.add_argument("--n-step", type=int, default=5, help="rewards before the bootstrap")
    parser.add_argument("--learning-rate", type=float, default=5e-4, help="for Adam; falls linearly to a twentieth")
    parser.add_argument("--target-network-frequency", type=int, default=500, help="gradient steps between copies")
    parser.add_argument("--start-e", type=float, default=1.0, help="epsilon at the start")
    parser.add_argument("--end-e", type=float, default=0.02, help="epsilon at the end")
    parser.add_argument("--exploration-fraction", type=float, default=0.1, help="share of steps for a fall by 1")
    parser.add_argument("--out", type=Path, help="JSON file for curve and table")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    draws = np.random.default_rng(args.seed)
    view = {"observation": "egocentric", "dtype": "uint8"}
    num_envs, capacity = args.num_envs, args.buffer_size
    envs = hognose.SnakeVectorEnv(
        num_envs, width=6, height=6, starvation=72, autoreset_mode=AutoresetMode.SAME_STEP, **view
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    q_network = QNetwork(inputs, actions)
    target_network = copy.deepcopy(q_network)
    optimizer = torch.optim.Adam(q_network.parameters(), lr=args.learning_rate)
    # The last steps of all environments, one row for each step.
    replay_buffer = {
        "observation": np.zeros((capacity, num_envs, inputs), np.uint8),
        "mask": np.zeros((capacity, num_envs, actions), np.bool_),
        "action": np.zeros((capacity, num_envs), np.int64),
        "reward": np.zeros((capacity, num_envs), np.float32),
        "next_observation": np.zeros((capacity, num_envs, inputs), np.uint8),
        "next_mask": np.zeros((capacity, num_envs, actions), np.bool_),
        "terminated": np.zeros((capacity, num_envs), np.bool_),
        "ended": np.zeros((capacity, num_envs), np.bool_),
    }

    def greedy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Returns the allowed action with the highest value."""
        with torch.no_grad():
            return q_network(observations, masks).argmax(dim=1).numpy()

    def evaluate(games: int, seed: int, *others: str) -> list[dict]:
        """Evaluates the agent on 6x6, next to other policies."""
        return hognose.evaluate({**{name: name for name in others}, "dqn": greedy}, "6x6", games, seed, **view)

    observations, infos = envs.reset(seed=args.seed)
    masks = infos["action_mask"].astype(np.bool_)
    iterations = max(1, args.steps // num_envs)
    curve: list[dict] = []
    spent = 0.0
    for played in range(iterations):
        started = time.process_time()
        fraction = played / (args.exploration_fraction * iterations)
        epsilon = max(args.end_e, args.start_e - fraction)
        explores = draws.random(num_envs) < epsilon
        random = (draws.random(masks.shape) * masks).argmax(axis=1)
        chosen = np.where(explores, random, greedy(observations, masks))
        next_observations, rewards, terminations, truncations, infos = envs.step(chosen)
        next_masks = infos["action_mask"].astype(np.bool_)
        # After the last step of an episode, the next observation is its final one, not the next episode's first one.
        true_next, true_masks, ended = next_observations, next_masks, terminations | truncations
        if ended.any():
            true_next, true_masks = next_observations.copy(), next_masks.copy()
            true_next[ended] = np.stack(list(infos["final_obs"][ended]))
            true_masks[ended] = infos["final_info"]["action_mask"][ended]
        stored = (observations, masks, chosen, rewards, true_next, true_masks, terminations, ended)
        for rows, row in zip(replay_buffer.values(), stored, strict=True):
            rows[played % capacity] = row
        observations, masks = next_observations, next_masks
        if played >= args.learning_starts:
            age = draws.integers(args.n_step - 1, min(played + 1, capacity), args.batch_size)
            first, env = (played - age) % capacity, draws.integers(num_envs, size=args.batch_size)
            last, n_step_return = first.copy(), np.zeros(args.batch_size, np.float32)
            discount, goes_on = np.ones(args.batch_size, np.float32), np.ones(args.batch_size, np.bool_)
            for ahead in range(args.n_step):
                row = (first + ahead) % capacity
                n_step_return += np.where(goes_on, discount * replay_buffer["reward"][row, env], 0)
                last, discount = np.where(goes_on, row, last), np.where(goes_on, args.gamma * discount, discount)
                goes_on &= ~replay_buffer["ended"][row, env]
            next_state = replay_buffer["next_observation"][last, env], replay_buffer["next_mask"][last, env]
            with torch.no_grad():
                # Double Q-learning: the online network selects the action, and the target network evaluates it.
                next_actions = q_network(*next_state).argmax(dim=1, keepdim=True)
                next_q = target_network(*next_state).gather(1, next_actions)[:, 0]
                terminated = torch.from_numpy(replay_buffer["terminated"][last, env])
                bootstrap = torch.from_numpy(discount) * next_q.masked_fill(terminated, 0.0)
                td_target = torch.from_numpy(n_step_return) + bootstrap
            actions_taken = torch.from_numpy(replay_buffer["action"][first, env])[:, None]
            q_values = q_network(replay_buffer["observation"][first, env], replay_buffer["mask"][first, env])
            loss = nn.functional.smooth_l1_loss(q_values.gather(1, actions_taken)[:, 0], td_target)
            optimizer.param_groups[0]["lr"] = args.learning_rate * max(0.05, 1 - played / iterations)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if played % args.target_network_frequency == 0:
                target_network.load_state_dict(q_network.state_dict())
        spent += time.process_time() - started

        if (played + 1) * 10 // iterations > played * 10 // iterations:
            (row,) = evaluate(200, 1)
            steps, win_rate, length = (played + 1) * num_envs, row["win_rate"], row["mean_length"]
            curve.append({"steps": steps, "cpu_seconds": spent, "win_rate": win_rate, "mean_length": length})
            print(f"{steps:9,} steps, {spent:4.0f} s: wins {win_rate:.3f}, length {length:.1f}", flush=True)

    rows = evaluate(1000, 0, "hamiltonian", "certified", "shortcut", "greedy", "random")
    for row in rows:
        steps_won = f"{row['mean_steps_won']:.1f}" if row["mean_steps_won"] else "-"
        print(f"{row['name']:12} wins {row['win_rate']:.3f}, length {row['mean_length']:.1f}, steps to win {steps_won}")
    if args.out:
        args.out.write_text(json.dumps({"curve": curve, "rows": rows}))


if __name__ == "__main__":
    main()
