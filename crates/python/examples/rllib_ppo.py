"""Trains RLlib's PPO on the registered environment with two env runners.

``python examples/rllib_ppo.py`` needs ``hognose[ray]`` and torch.
"""

import ray
from ray.rllib.algorithms.ppo import PPOConfig

CONFIG = {"width": 5, "height": 5, "observation": "features", "time_limit": 200}


def main() -> None:
    """Trains for a few iterations and prints the mean return of each."""
    ray.init(num_cpus=3, include_dashboard=False)
    config = (
        PPOConfig()
        # The name before the colon lets every worker import hognose.
        .environment("hognose:hognose/Snake-v0", env_config=CONFIG)
        .env_runners(num_env_runners=2, num_envs_per_env_runner=4)
        .training(train_batch_size_per_learner=2000, minibatch_size=250, num_epochs=4, lr=1e-3)
    )
    algorithm = config.build_algo()
    for iteration in range(5):
        result = algorithm.train()
        print(f"iteration {iteration}: mean return {result['env_runners']['episode_return_mean']:.2f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
