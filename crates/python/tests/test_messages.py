"""Messages name the argument, what it may be and what it is, in the words of Python."""

import numpy as np
import pytest

import hognose
from hognose import _hognose
from hognose.config import EnvConfig, EnvSettings
from hognose.duel_config import DuelConfig, DuelSettings, MatchConfig, MatchSettings

AGENTS = pytest.mark.skipif(not hasattr(_hognose, "train"), reason="needs agents")

ENVIRONMENTS = [
    ({"width": 1}, "width must be a whole number from 2 to 255, got 1"),
    ({"width": 256}, "width must be a whole number from 2 to 255, got 256"),
    ({"start": {"lenght": 3}}, "start must have length and margin, or column, row, heading and length, got {'lenght': 3}"),
    ({"start": {"length": "3"}}, "start['length'] must be a whole number from 1 to 255, got '3'"),
    ({"start": {"column": 1, "row": 1, "heading": "north", "length": 1}}, "start['heading'] must be up or right or"),
    ({"start": {"length": 99}}, "does not fit"),
    ({"boards": ["4x"]}, "4x"),
    ({"foods": 70000}, "foods must be a whole number from 1 to 65535, got 70000"),
    ({"start": {"length": 256}}, "start['length'] must be a whole number from 1 to 255, got 256"),
    ({"reward": {"food": np.nan}}, "reward['food'] must be a finite number (float32), got nan"),
    ({"reward": {"win": 1e300}}, "reward['win'] must be a finite number (float32), got 1e+300"),
    ({"reward": {"death": None}}, "reward['death'] must be a finite number (float32), got None"),
    ({"start": "center"}, "start must be None or a mapping such as {'length': 3, 'margin': 1}, got 'center'"),
    ({"reward": 1}, "reward must be a mapping such as {'food': 1.0}, got 1"),
    ({"reward": {"foods": 1}}, "reward has no key 'foods': its keys are food, death, win, step, starvation, shaping"),
    ({"time_limit": -1}, "time_limit must be None or a whole number from 1 to 4294967295, got -1"),
    ({"starvation": "never"}, "starvation must be 'auto', None or a whole number from 1 to 4294967295, got 'never'"),
    ({"torus": "no"}, "torus must be True or False, got 'no'"),
    ({"tail_entry": 1}, "tail_entry must be True or False, got 1"),
    ({"observation": "pixels"}, "observation must be planes or window or egocentric or centered or features, got 'pixels'"),
    ({"action": 3}, "action must be absolute or relative, got 3"),
    ({"mask": True}, "mask must be legal or safe, got True"),
    ({"dtype": "float64"}, "dtype must be uint8 or float32, got 'float64'"),
    ({"layout": "nested"}, "layout must be flat or dict, got 'nested'"),
    ({"boards": "4x4"}, "boards must be a list of boards such as ['6x6'], got '4x4'"),
    ({"held_out": [4]}, "held_out must be a list of boards such as ['6x6'], got [4]"),
    ({"starts": "endgames"}, "starts must be a list of hognose.Position, got 'endgames'"),
    ({"starts": [{"bodies": []}]}, "starts must list hognose.Position, or mappings with body and maybe board"),
    ({"start_share": "half"}, "start_share must be a number from 0 to 1, got 'half'"),
    ({"start_share": 1.5}, "start_share must be a number from 0 to 1, got 1.5"),
    ({"frame_stack": 0}, "frame_stack must be a whole number of at least 1, got 0"),
    ({"record": "yes"}, "record must be True or False, got 'yes'"),
]

DUELS = [
    ({"rules": "snakes"}, "rules must be ai-snakes-2020 or ai-snakes-2021, got 'snakes'"),
    ({"head_on": "both"}, "head_on must be longer-wins or draw, got 'both'"),
    ({"step_limit": 0}, "step_limit must be None or a whole number from 1 to 4294967295, got 0"),
    ({"redraw_after": 0}, "redraw_after must be 'preset', None or a whole number from 1 to 65535, got 0"),
    ({"foods": 70000}, "foods must be None or a whole number from 1 to 65535, got 70000"),
    ({"values": (1, 300)}, "values[1] must be a whole number from 1 to 255, got 300"),
    ({"values": (3, 1)}, "values must begin with the lowest value, got (3, 1)"),
    ({"reward": {"food": True}}, "reward['food'] must be a finite number (float32), got True"),
    ({"opponent": None}, "opponent must be a bot, got None"),
    ({"values": 3}, "values must be None or the lowest and the highest value, got 3"),
    ({"reward": {"death": 1}}, "reward has no key 'death': its keys are win, loss, draw, food, shaping, discount"),
    ({"seat": "third"}, "seat must be first or second or alternate, got 'third'"),
    ({"opponent": "gredy"}, "gredy"),
]


def refused(words, call, *arguments, error=ValueError, **others):
    with pytest.raises(error) as raised:
        call(*arguments, **others)
    message = str(raised.value)
    assert words in message, message
    assert not any(word in message for word in ("--", "..=", "struct ", "untagged", "at line")) and not message.endswith("."), message
    assert error is TypeError or message[0].islower(), message


@pytest.mark.parametrize("config, words", ENVIRONMENTS)
def test_environments(config, words):
    refused(words, hognose.SnakeEnv, **config)


@pytest.mark.parametrize("config, words", DUELS)
def test_duels(config, words):
    refused(words, hognose.DuelEnv, **config)


def test_typos_are_found_by_type_checkers_and_at_run_time():
    """The keywords of environments are those of the configurations, with their types."""
    assert EnvSettings.__annotations__ == EnvConfig.__annotations__
    assert DuelSettings.__annotations__ == DuelConfig.__annotations__
    assert MatchSettings.__annotations__ == {**DuelConfig.__annotations__, **MatchConfig.__annotations__}
    refused("unexpected keyword argument 'widht'", hognose.SnakeEnv, widht=6, error=TypeError)


def test_actions():
    env = hognose.SnakeEnv(width=6, height=6)
    env.reset(seed=0)
    for action, error, words in (
        (3, ValueError, "an action must be one whole number from 0 to 2, got 3"),
        (np.array([1]), ValueError, "an action must be one whole number from 0 to 2, got array([1])"),
        (0.5, TypeError, "an action must be a whole number from 0 to 2, got 0.5"),
        ("left", TypeError, "an action must be a whole number from 0 to 2, got 'left'"),
    ):
        refused(words, env.step, action, error=error)
    env.step(np.int64(1))
    envs = hognose.SnakeVectorEnv(2, action="absolute")
    envs.reset(seed=0)
    refused("the action of environment 1 must be from 0 to 3, got 4", envs.step, [0, 4])
    refused("the action of environment 1 must be from 0 to 3, got -7", envs.step, [0, -7])


def test_other_arguments():
    refused("threads must be a whole number from 1 to 256, got 1000", hognose.SnakeVectorEnv, 4, threads=1000)
    refused("threads must be a whole number from 1 to 256, got 0", hognose.DuelVectorEnv, 4, threads=0)
    for call in (hognose.evaluate, hognose.leaderboard, hognose.duel.tournament):
        refused("threads must be a whole number from 1 to 256, got 257", call, ["greedy", "random"], threads=257)
    refused("board must be (columns, rows) or text such as '10x10'", hognose.evaluate, ["greedy"], board=6)
    refused("board must be (columns, rows) or text such as '10x10'", hognose.evaluate, ["greedy"], board="6")
    refused("max_episode_steps must be None or a whole number", hognose.SnakeVectorEnv, 2, max_episode_steps=0)
    refused(
        "max_episode_steps and time_limit are the same limit, got 5 and 6",
        hognose.SnakeVectorEnv, 2, max_episode_steps=5, time_limit=6,
    )
    refused("options must have no keys, got ['difficulty']", hognose.SnakeEnv().reset, options={"difficulty": 3})
    refused(
        "options must have no keys but reset_mask, got ['difficulty']",
        hognose.SnakeVectorEnv(2).reset, options={"difficulty": 3},
    )
    refused("a seed must be from 0 to 18446744073709551615, got -1", hognose.SnakeEnv().reset, seed=-1)
    refused("expected a SnakeEnv or a SnakeVectorEnv, got DuelEnv", hognose.Solver("greedy").actions, hognose.DuelEnv(), error=TypeError)


@AGENTS
def test_agents_and_training(tiny, tmp_path):
    device = "device must be 'cpu', got 'cuda': the package computes on the CPU only"
    refused(device, hognose.load_agent, "quickstart-6x6", device="cuda")
    refused(device, hognose.train, tiny, out=tmp_path / "run", device="cuda")
    rate = "train.learning_rate=0.001: expected a table such as {"
    for settings, words in (
        ({"train.learning_rate": 0.001}, rate),
        ({"train.epsilon": 0.1}, "train.epsilon=0.1: expected a table such as {"),
        ("fast", "set must be a mapping such as {'train.n_step': 3}, got 'fast'"),
    ):
        refused(words, hognose.train, tiny, out=tmp_path / "run", set=settings, progress=False)
    refused("threads must be a whole number from 1 to 256, got 300", hognose.train, tiny, threads=300)
