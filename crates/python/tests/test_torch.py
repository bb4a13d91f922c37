"""Networks of agents in PyTorch and as ONNX."""

from pathlib import Path

import numpy as np
import pytest

import hognose
from hognose import _hognose

pytestmark = [
    pytest.mark.sb3,
    pytest.mark.skipif(not hasattr(_hognose, "train"), reason="hognose was built without agents"),
]
CONFIG = hognose.EnvConfig(width=5, height=5)


@pytest.fixture
def observations():
    envs = hognose.SnakeVectorEnv(100, width=5, height=5)
    envs.reset(seed=0)
    for step in range(20):
        seen, *_ = envs.step(np.full(100, step % 3))
    return seen


def by_onnx(agent, observations):
    """Returns the outputs of an agent's network in an ONNX runtime."""
    import onnxruntime

    import hognose.onnx

    path = agent.with_suffix(".onnx")
    hognose.onnx.save(agent, path)
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    return session.run(["q_values"], {"observations": observations})[0]


@pytest.mark.parametrize("dueling", [True, False])
def test_networks_survive_a_round_trip(tmp_path, observations, dueling):
    import torch

    import hognose.torch as there

    torch.manual_seed(0)
    module = there.QNetwork(506, 3, hidden=[32, 16], dueling=dueling)
    there.save(module, there.spec(CONFIG), tmp_path / "own.safetensors")
    agent = hognose.load_agent(tmp_path / "own.safetensors")
    with torch.no_grad():
        expected = module(torch.from_numpy(observations)).numpy()
        back = there.load(tmp_path / "own.safetensors")
        assert np.array_equal(back(torch.from_numpy(observations)).numpy(), expected)
        assert np.abs(by_onnx(tmp_path / "own.safetensors", observations) - expected).max() < 1e-5
    assert np.abs(agent.q_values(observations) - expected).max() < 1e-5
    assert hognose.evaluate([agent], board="5x5", games=5)[0]["mean_length"] >= 1


def test_plain_networks_of_q_values_are_agents(tmp_path, observations):
    import torch
    from torch import nn

    import hognose.torch as there

    torch.manual_seed(0)
    module = nn.Sequential(nn.Flatten(), nn.Linear(506, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3))
    there.save(module, there.spec(CONFIG), tmp_path / "own.safetensors")
    with torch.no_grad():
        expected = module(torch.from_numpy(observations)).numpy()
    assert np.abs(hognose.load_agent(tmp_path / "own.safetensors").q_values(observations) - expected).max() < 1e-5


def test_a_policy_of_stable_baselines3_is_an_agent(tmp_path, observations):
    import torch
    from stable_baselines3 import PPO

    import hognose.sb3
    import hognose.torch as there

    envs = hognose.sb3.make_vec_env(4, seed=0, width=5, height=5)
    policy = PPO("MlpPolicy", envs, n_steps=32, device="cpu").learn(128).policy
    path = tmp_path / "own.safetensors"
    module = torch.nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)
    there.save(module, there.spec(CONFIG), path)
    agent = hognose.load_agent(path)
    assert agent.network["activation"] == "tanh"
    with torch.no_grad():
        expected = module(torch.from_numpy(observations)).numpy()
        assert np.array_equal(there.load(path)(torch.from_numpy(observations)).numpy(), expected)
    assert np.abs(agent.q_values(observations) - expected).max() < 1e-5
    assert np.abs(by_onnx(path, observations) - expected).max() < 1e-5
    seen = envs.reset()
    assert np.array_equal(agent.q_values(seen).argmax(1), policy.predict(seen, deterministic=True)[0])


def test_a_network_of_stable_baselines3_is_an_agent(tmp_path):
    from stable_baselines3 import DQN

    import hognose.sb3
    import hognose.torch as there

    envs = hognose.sb3.make_vec_env(4, seed=0, width=5, height=5)
    model = DQN("MlpPolicy", envs, learning_starts=64, device="cpu").learn(256)
    there.save(model.q_net.q_net, there.spec(CONFIG), tmp_path / "own.safetensors")
    agent = hognose.load_agent(tmp_path / "own.safetensors")
    seen = envs.reset()
    assert np.array_equal(agent.q_values(seen).argmax(1), model.predict(seen, deterministic=True)[0])


def test_every_shipped_agent_survives_a_round_trip(tmp_path):
    import hognose.torch as there

    shipped = Path(__file__).parents[3].glob("checkpoints/*/policy.safetensors")
    folders = sorted(path.parent for path in shipped if not path.parent.name.startswith("duel-"))
    assert len(folders) > 3
    for folder in folders:
        agent = hognose.load_agent(folder)
        there.save(there.load(folder), agent.spec, tmp_path / "copy.safetensors")
        copy = hognose.load_agent(tmp_path / "copy.safetensors")
        assert (copy.spec, copy.network) == (agent.spec, agent.network)
        weights, copied = agent.weights(), copy.weights()
        assert weights.keys() == copied.keys() and all(np.array_equal(weights[name], copied[name]) for name in weights)


def test_mismatched_networks_are_refused(tmp_path):
    from torch import nn

    import hognose.torch as there

    path = tmp_path / "none.safetensors"

    def refused(text, module, spec=there.spec(CONFIG)):
        with pytest.raises(ValueError, match=text):
            there.save(module, spec, path)
        assert not path.exists()

    refused("expected a hognose.torch.QNetwork, or an nn.Sequential", nn.Sequential(nn.Linear(506, 3)))
    refused("expected a hognose.torch.QNetwork", nn.Sequential(nn.Linear(506, 9), nn.Sigmoid(), nn.Linear(9, 3)))
    mixed = [nn.Linear(506, 9), nn.Tanh(), nn.Linear(9, 9), nn.ReLU(), nn.Linear(9, 3)]
    refused("expected a hognose.torch.QNetwork", nn.Sequential(*mixed))
    refused("expected a hognose.torch.QNetwork", nn.Linear(506, 3))
    refused("hidden.0.weight", nn.Sequential(nn.Linear(505, 9), nn.ReLU(), nn.Linear(9, 3)))
    refused("value", nn.Sequential(nn.Linear(506, 9), nn.ReLU(), nn.Linear(9, 4)))
    plain = nn.Sequential(nn.Linear(506, 9), nn.ReLU(), nn.Linear(9, 3))
    refused("board", plain, {"observation": "egocentric"})
    for wrong in ({"dtype": "uint8"}, {"frame_stack": 2}, {"boards": ["4x4..5x5"], "observation": "centered"}):
        with pytest.raises(ValueError, match="got"):
            there.spec(hognose.EnvConfig(width=5, height=5, **wrong))
