"""Snake for reinforcement learning: a fast environment, an agent that learns, and players that win every game.

Importing this package registers ``hognose/Snake-v0`` and ``hognose/Duel-v0`` with Gymnasium.
``gymnasium.make("hognose:hognose/Snake-v0")`` imports the package itself.

>>> import gymnasium, hognose
>>> env = gymnasium.make("hognose/Snake-v0", width=8, height=8)
>>> duel = gymnasium.make("hognose/Duel-v0", opponent="greedy")
>>> envs = gymnasium.make_vec("hognose/Snake-v0", num_envs=4, vectorization_mode="vector_entry_point")
"""

import os

import gymnasium

from hognose import _hognose, duel, tablebase
from hognose._hognose import Position, __version__
from hognose.agent import Agent, agents, load_agent
from hognose.config import EnvConfig
from hognose.duel_config import DuelConfig
from hognose.duel_env import DuelEnv
from hognose.duel_vector import DuelVectorEnv
from hognose.env import SnakeEnv
from hognose.evaluation import evaluate, leaderboard, policies
from hognose.parts import Parts
from hognose.presets import PRESETS
from hognose.records import record, replay
from hognose.rows import Rows
from hognose.solvers import Solver
from hognose.training import Progress, Run, experiments, resume, train
from hognose.vector import SnakeVectorEnv

__all__ = [
    "PRESETS",
    "Agent",
    "DuelConfig",
    "DuelEnv",
    "DuelVectorEnv",
    "EnvConfig",
    "Parts",
    "Position",
    "Progress",
    "Rows",
    "Run",
    "SnakeEnv",
    "SnakeVectorEnv",
    "Solver",
    "__version__",
    "agents",
    "duel",
    "evaluate",
    "experiments",
    "leaderboard",
    "load_agent",
    "policies",
    "record",
    "replay",
    "resume",
    "tablebase",
    "train",
]

# Windows has no forks.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_hognose.forked)

gymnasium.register(
    id="hognose/Snake-v0",
    entry_point="hognose.env:SnakeEnv",
    vector_entry_point="hognose.vector:SnakeVectorEnv",
)
gymnasium.register(
    id="hognose/Duel-v0",
    entry_point="hognose.duel_env:DuelEnv",
    vector_entry_point="hognose.duel_vector:duels_against_a_bot",
)
