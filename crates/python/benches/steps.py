"""Measures environment steps per second from Python, next to Rust and other installed Snake environments.

``python benches/steps.py`` measures on 12x12, with uint8 planes and action masks if an environment has them. Actions
are random among the allowed ones, and are chosen outside the measured time. Results are medians of 5 rounds, each of
which runs all environments in turn. ``--puffer`` measures our environment inside PufferLib instead.
"""

import argparse
import importlib.util
import pathlib
import re
import statistics
import subprocess
import time
from collections.abc import Callable

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import hognose

CONFIG = {"width": 12, "height": 12, "observation": "planes", "dtype": "uint8", "action": "absolute"}


def vector_rate(envs: gymnasium.vector.VectorEnv, steps: int) -> float:
    """Returns the steps per second of a vector environment."""
    draws = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)
    spent = 0.0
    for _ in range(steps):
        actions = (draws.random((envs.num_envs, 4), np.float32) * infos["action_mask"]).argmax(axis=1)
        started = time.perf_counter()
        *_, infos = envs.step(actions)
        spent += time.perf_counter() - started
    return steps * envs.num_envs / spent


def ours(steps: int, **options) -> Callable[[], float]:
    """Returns a function that measures the native vector environment."""
    envs = hognose.SnakeVectorEnv(1024, autoreset_mode=AutoresetMode.SAME_STEP, **{**CONFIG, **options})
    return lambda: vector_rate(envs, steps)


def single(steps: int) -> Callable[[], float]:
    """Returns a function that measures Gymnasium's own vector environment over our single one."""
    envs = SyncVectorEnv([lambda: hognose.SnakeEnv(**CONFIG)] * 64, autoreset_mode=AutoresetMode.SAME_STEP)
    return lambda: vector_rate(envs, steps)


def in_puffer(steps: int) -> Callable[[], float]:
    """Returns a function that measures our environment with PufferLib's native backend, which returns it as it is."""
    import pufferlib.vector

    from hognose.puffer import SnakePufferEnv

    envs = pufferlib.vector.make(SnakePufferEnv, env_kwargs={"num_envs": 1024, **CONFIG})

    def rate() -> float:
        draws = np.random.default_rng(0)
        envs.reset(seed=0)
        spent = 0.0
        for _ in range(steps):
            actions = (draws.random((1024, 4), np.float32) * envs.action_masks()).argmax(axis=1).astype(np.int32)
            started = time.perf_counter()
            envs.step(actions)
            spent += time.perf_counter() - started
        return steps * 1024 / spent

    return rate


def unmasked(steps: int, num_envs: int, workers: int) -> Callable[[], float]:
    """Returns a function that measures random turns without masks, which PufferLib's workers do not pass on.

    Without workers it measures the native vector environment.
    """
    config = {**CONFIG, "action": "relative"}

    def make():
        if not workers:
            mode = AutoresetMode.SAME_STEP
            return hognose.SnakeVectorEnv(num_envs, autoreset_mode=mode, copy=False, **config)
        import pufferlib.vector

        from hognose.puffer import SnakePufferEnv

        options = {"backend": pufferlib.vector.Multiprocessing, "num_envs": workers, "overwork": True}
        return pufferlib.vector.make(SnakePufferEnv, env_kwargs={"num_envs": num_envs // workers, **config}, **options)

    def rate() -> float:
        envs = make()
        actions = np.random.default_rng(0).integers(3, size=(steps, num_envs), dtype=np.int32)
        envs.reset(seed=0)
        started = time.perf_counter()
        for row in actions:
            envs.step(row)
        spent = time.perf_counter() - started
        envs.close()
        return actions.size / spent

    return rate


def gym_snakegame(steps: int) -> Callable[[], float]:
    """Returns a function that measures gym-snakegame's environment, one at a time."""
    import gym_snakegame  # noqa: F401

    env = gymnasium.make("gym_snakegame/SnakeGame-v0", board_size=12, n_channel=1, n_target=1, disable_env_checker=True)

    def rate() -> float:
        draws = np.random.default_rng(0)
        env.reset(seed=0)
        spent = 0.0
        for _ in range(steps):
            action = int(draws.integers(4))
            started = time.perf_counter()
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
            spent += time.perf_counter() - started
        return steps / spent

    return rate


def jumanji(rounds: int) -> Callable[[], float]:
    """Returns a function that measures Jumanji's compiled Snake-v1: many steps per call, actions chosen inside."""
    import jax
    import jumanji as package
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(package.make("Snake-v1", num_rows=12, num_cols=12))
    num_envs, steps = 1024, 100

    @jax.jit
    def play(state, masks, key):
        def step(carry, key):
            state, masks = carry
            actions = (jax.random.uniform(key, masks.shape) * masks).argmax(axis=1)
            state, timestep = env.step(state, actions)
            return (state, timestep.observation.action_mask), timestep.reward.sum()

        return jax.lax.scan(step, (state, masks), jax.random.split(key, steps))

    state, timestep = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(0), num_envs))
    carry, _ = play(state, timestep.observation.action_mask, jax.random.PRNGKey(1))

    def rate() -> float:
        nonlocal carry
        started = time.perf_counter()
        for key in jax.random.split(jax.random.PRNGKey(2), rounds):
            carry, rewards = play(*carry, key)
        rewards.block_until_ready()
        return rounds * steps * num_envs / (time.perf_counter() - started)

    return rate


def rust() -> float:
    """Returns the steps per second of the Rust crate's benchmark, which chooses actions inside the measured time."""
    command = ["cargo", "bench", "-p", "hognose-env", "--", "observations/planes u8/1 threads"]
    root = pathlib.Path(__file__).parents[3]
    text = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
    number, unit = re.findall(r"thrpt:\s+\[\S+ \S+ (\S+) (\S)elem/s", text)[-1]
    return float(number) * {"K": 1e3, "M": 1e6}[unit]


def compare(candidates: list[tuple[str, Callable[[], float]]], reference: str | None = None) -> None:
    """Prints the median rates, and the ratio of a reference (by default the first candidate) to each."""
    rounds = [[rate() for _, rate in candidates] for _ in range(5)]
    rates = {name: statistics.median(column) for (name, _), column in zip(candidates, zip(*rounds))}
    of_reference = rates[reference or candidates[0][0]]
    print(f"{'':52}{'steps/s':>12}{'native is':>12}")
    for name, rate in rates.items():
        print(f"{name:52}{rate:12,.0f}{of_reference / rate:11.2f}x")


def main() -> None:
    """Measures all environments and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rust", action="store_true", help="also run the benchmark of the Rust crate (in a clone)")
    parser.add_argument("--puffer", action="store_true", help="measure our environment inside PufferLib instead")
    arguments = parser.parse_args()
    if arguments.puffer:
        compare(
            [
                ("native, copy=False", ours(2000, copy=False)),
                ("PufferLib, native backend", in_puffer(2000)),
                ("native, copy=False, turns without masks", unmasked(2000, 1024, 0)),
                ("PufferLib, one worker, turns without masks", unmasked(2000, 1024, 1)),
                ("PufferLib, two workers, 4096 environments", unmasked(1000, 4096, 2)),
            ]
        )
        return
    candidates: list[tuple[str, Callable[[], float]]] = [
        ("native, copy=False", ours(2000, copy=False)),
        ("native, copy=False, dict observations", ours(2000, copy=False, layout="dict")),
        ("native, copy=True", ours(1000)),
        ("native, copy=False, egocentric (searches)", ours(40, copy=False, observation="egocentric")),
        ("native, copy=False, 4096 environments, 2 threads", lambda: vector_rate(big, 500)),
        ("SyncVectorEnv over the single environment (64)", single(300)),
    ]
    big = hognose.SnakeVectorEnv(4096, autoreset_mode=AutoresetMode.SAME_STEP, copy=False, threads=2, **CONFIG)
    if importlib.util.find_spec("gym_snakegame"):
        candidates.append(("gym-snakegame (1)", gym_snakegame(3000)))
    if importlib.util.find_spec("jumanji"):
        candidates.append(("jumanji Snake-v1, jit and vmap (1024)", jumanji(3)))
    if arguments.rust:
        candidates.insert(0, ("Rust bench, choice of actions included", rust))
    compare(candidates, "native, copy=False")


if __name__ == "__main__":
    main()
