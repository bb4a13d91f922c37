"""Snake for reinforcement learning: a fast environment, an agent that learns, and players that win every game.

Importing this package registers ``hognose/Snake-v0`` and ``hognose/Duel-v0`` with Gymnasium.
``gymnasium.make("hognose:hognose/Snake-v0")`` imports the package itself.

>>> import gymnasium, hognose
>>> env = gymnasium.make("hognose/Snake-v0", width=8, height=8)
>>> duel = gymnasium.make("hognose/Duel-v0", opponent="greedy")
>>> envs = gymnasium.make_vec("hognose/Snake-v0", num_envs=4, vectorization_mode="vector_entry_point")
"""

import gymnasium

from hognose import duel, tablebase
from hognose._hognose import Position, Solver, __version__
from hognose.agents import Agent, load_agent
from hognose.config import EnvConfig
from hognose.duel_config import DuelConfig
from hognose.duel_env import DuelEnv
from hognose.duel_vector import DuelVectorEnv
from hognose.env import SnakeEnv
from hognose.evaluation import evaluate, leaderboard, policies
from hognose.parts import Parts
from hognose.records import record, replay
from hognose.training import Progress, Run, resume, train
from hognose.vector import SnakeVectorEnv

__all__ = [
    "Agent",
    "DuelConfig",
    "DuelEnv",
    "DuelVectorEnv",
    "EnvConfig",
    "Parts",
    "Position",
    "Progress",
    "Run",
    "SnakeEnv",
    "SnakeVectorEnv",
    "Solver",
    "__version__",
    "duel",
    "evaluate",
    "leaderboard",
    "load_agent",
    "policies",
    "record",
    "replay",
    "resume",
    "tablebase",
    "train",
]

gymnasium.register(
    id="hognose/Snake-v0",
    entry_point="hognose.env:SnakeEnv",
    vector_entry_point="hognose.vector:SnakeVectorEnv",
)
gymnasium.register(id="hognose/Duel-v0", entry_point="hognose.duel_env:DuelEnv")
