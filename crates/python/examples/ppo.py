"""PPO in one file, in CleanRL's style, with action masks, on the native vector environment.

``python examples/ppo.py`` needs torch. It trains on 6x6 for about four minutes on one core, and prints its learning
curve and a comparison with solvers.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

import hognose

ENVS, ROLLOUT, EPOCHS, MINIBATCH = 128, 64, 3, 1024
GAMMA, LAMBDA, CLIP, LEARNING_RATE, ENTROPY, VALUE = 0.98, 0.95, 0.2, 1e-3, 0.01, 0.5
OBSERVATION = "egocentric"


class Agent(nn.Module):
    """A policy network and a value network without shared layers."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Initializes orthogonal weights; the policy starts nearly uniform."""
        super().__init__()

        def layers(outputs: int, gain: float) -> nn.Sequential:
            linear = [nn.Linear(inputs, 256), nn.Linear(256, 128), nn.Linear(128, outputs)]
            for layer, own in zip(linear, (2**0.5, 2**0.5, gain), strict=True):
                nn.init.orthogonal_(layer.weight, own)
                nn.init.zeros_(layer.bias)
            return nn.Sequential(linear[0], nn.ReLU(), linear[1], nn.ReLU(), linear[2])

        self.policy, self.value = layers(actions, 0.01), layers(1, 1.0)

    def log_probabilities(self, observations: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Returns the log-probabilities of all actions; forbidden ones have a probability of nearly 0."""
        return self.policy(observations).masked_fill(~masks, -1e9).log_softmax(dim=1)


def main() -> None:
    """Trains an agent, and evaluates it on other games."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of weights, games and exploration")
    parser.add_argument("--steps", type=int, default=2_000_000, help="environment steps")
    parser.add_argument("--out", type=Path, help="JSON file for curve and table")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(1)
    envs = hognose.SnakeVectorEnv(
        ENVS, width=6, height=6, observation=OBSERVATION, starvation=72, autoreset_mode=AutoresetMode.SAME_STEP
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    agent = Agent(inputs, actions)
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)

    def greedy(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Returns the most likely action."""
        with torch.no_grad():
            return agent.log_probabilities(torch.from_numpy(observations), torch.from_numpy(masks)).argmax(1).numpy()

    def evaluate(games: int, seed: int, *others: str) -> list[dict]:
        """Evaluates the agent on 6x6, next to other policies."""
        policies = {**{name: name for name in others}, "ppo": greedy}
        return hognose.evaluate(policies, "6x6", games, seed, observation=OBSERVATION)

    observations, infos = envs.reset(seed=arguments.seed)
    now, masks = torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]).bool()
    seen = torch.zeros(ROLLOUT, ENVS, inputs)
    allowed = torch.zeros(ROLLOUT, ENVS, actions, dtype=torch.bool)
    chosen = torch.zeros(ROLLOUT, ENVS, dtype=torch.int64)
    likely, rewards, values, ends = (torch.zeros(ROLLOUT, ENVS) for _ in range(4))
    rounds = max(1, arguments.steps // (ROLLOUT * ENVS))
    curve: list[dict] = []
    spent = 0.0
    for played in range(rounds):
        started = time.process_time()
        left = 1 - played / rounds
        optimizer.param_groups[0]["lr"] = left * LEARNING_RATE

        for step in range(ROLLOUT):
            with torch.no_grad():
                log_probabilities = agent.log_probabilities(now, masks)
                values[step] = agent.value(now)[:, 0]
            drawn = torch.multinomial(log_probabilities.exp(), 1)
            seen[step], allowed[step], chosen[step] = now, masks, drawn[:, 0]
            likely[step] = log_probabilities.gather(1, drawn)[:, 0]
            observations, paid, terminations, truncations, infos = envs.step(chosen[step].numpy())
            rewards[step] = torch.from_numpy(paid)
            ends[step] = torch.from_numpy(terminations | truncations)
            # At a truncation, bootstrap from the value of the final observation.
            cut = np.flatnonzero(truncations)
            if len(cut):
                with torch.no_grad():
                    finals = torch.from_numpy(np.stack(list(infos["final_obs"][cut])))
                    rewards[step, cut] += GAMMA * agent.value(finals)[:, 0]
            now, masks = torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]).bool()

        with torch.no_grad():
            following = agent.value(now)[:, 0]
        advantages = torch.zeros(ROLLOUT, ENVS)
        advantage = torch.zeros(ENVS)
        for step in reversed(range(ROLLOUT)):
            goes_on = 1 - ends[step]
            surprise = rewards[step] + GAMMA * goes_on * following - values[step]
            advantage = surprise + GAMMA * LAMBDA * goes_on * advantage
            advantages[step], following = advantage, values[step]
        returns = advantages + values

        batch = [tensor.flatten(0, 1) for tensor in (seen, allowed, chosen, likely, advantages, returns)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(ROLLOUT * ENVS).split(MINIBATCH):
                observation, mask, action, before, gain, goal = (tensor[rows] for tensor in batch)
                log_probabilities = agent.log_probabilities(observation, mask)
                ratio = (log_probabilities.gather(1, action[:, None])[:, 0] - before).exp()
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
                value_loss = (agent.value(observation)[:, 0] - goal).square().mean()
                entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
                loss = policy_loss + VALUE * value_loss - left * ENTROPY * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        spent += time.process_time() - started

        if (played + 1) * 10 // rounds > played * 10 // rounds:
            (row,) = evaluate(200, 1)
            steps, win_rate, length = (played + 1) * ROLLOUT * ENVS, row["win_rate"], row["mean_length"]
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
