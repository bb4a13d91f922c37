"""Networks of agents in PyTorch, in both directions. Importing this module needs torch.

>>> import tempfile, hognose.torch
>>> network = hognose.torch.load("quickstart-6x6")                        # an agent's network as a torch.nn.Module
>>> own = hognose.torch.QNetwork((6, 11, 11), 20, actions=3, hidden=[64]) # or one of your own, trained by you
>>> spec = hognose.torch.spec(hognose.EnvConfig(width=6, height=6))
>>> hognose.torch.save(own, spec, path := tempfile.mkdtemp() + "/policy.safetensors")
>>> hognose.evaluate(["greedy", f"dqn:{path}"], board="6x6", games=20)[1]["win_rate"]
0.0
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hognose import _hognose
from hognose.agents import expect_agents, load_agent
from hognose.config import EnvConfig, board_text

__all__ = ["QNetwork", "load", "save", "spec"]


class QNetwork(nn.Module):
    """The network of hognose's agents: 3x3 convolutions, if there are any, then fully connected layers with ReLU, then
    dueling heads: value + advantage - mean advantage (Wang et al., 2016).

    Args:
        planes: The planes of an observation, their rows and their columns; see :class:`hognose.Parts`.
        scalars: The number of scalars that follow the planes.
        actions: The number of outputs: one for each action, or 1 where positions are valued.
        hidden: The units of each hidden layer.
        channels: The channels of each convolution. Without them all values go to the hidden layers.
    """

    def __init__(
        self,
        planes: tuple[int, int, int],
        scalars: int,
        *,
        actions: int,
        hidden: Sequence[int],
        channels: Sequence[int] = (),
    ) -> None:
        super().__init__()
        depth, rows, columns = planes
        sizes = [depth, *channels]
        self.planes = planes
        self.convolutions = nn.ModuleList(
            nn.Conv2d(before, after, 3, padding="same") for before, after in zip(sizes, sizes[1:])
        )
        widths = [sizes[-1] * rows * columns + scalars, *hidden]
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in zip(widths, widths[1:]))
        self.value = nn.Linear(widths[-1], 1)
        self.advantage = nn.Linear(widths[-1], actions)

    def forward(self, observations: Tensor) -> Tensor:
        """The outputs of observations, rows x values."""
        x = observations
        if self.convolutions:
            depth, rows, columns = self.planes
            picture = depth * rows * columns
            seen = x[:, :picture].reshape(-1, depth, rows, columns)
            for layer in self.convolutions:
                seen = torch.relu(layer(seen))
            x = torch.cat([seen.flatten(1), x[:, picture:]], 1)
        for layer in self.hidden:
            x = torch.relu(layer(x))
        advantage = self.advantage(x)
        outputs: Tensor = self.value(x) + advantage - advantage.mean(1, keepdim=True)
        return outputs


def load(name: str | os.PathLike[str]) -> QNetwork:
    """The network of an agent, with its weights. Its outputs agree with the agent's up to rounding.

    Args:
        name: As :func:`hognose.load_agent` has it.
    """
    agent = load_agent(name)
    planes, scalars, actions = agent.inputs
    network = agent.network
    module = QNetwork(
        planes, scalars, actions=actions, hidden=network["hidden"], channels=network.get("channels", ())
    )
    weights = agent.weights()
    with torch.no_grad():
        for path, parameter in module.named_parameters():
            array = weights[_name(path, module)]
            parameter.copy_(torch.from_numpy(array.T.copy() if _is_matrix(path) else array))
    return module


def spec(config: EnvConfig) -> dict[str, Any]:
    """What an agent sees and does that was trained in environments of this configuration: see :attr:`Agent.spec`.

    Its dtype must be ``float32``, since agents see values from 0 to 1. A network that was trained on ``uint8``
    observations divided by 255 has seen the same, and so has the spec of ``float32``.

    An agent may play by any rules on its board, so ``foods``, ``tail_entry`` and ``start`` are no part of it. Give them
    again where it is evaluated.
    """
    if config.dtype != "float32":
        raise ValueError(f"agents see values from 0 to 1, as with dtype='float32', got dtype={config.dtype!r}")
    if config.frame_stack != 1:
        raise ValueError(f"agents see one frame, got frame_stack={config.frame_stack}")
    if config.boards:
        raise ValueError("the spec of an agent of several boards is not made of a configuration; got boards")
    return {
        "board": board_text(config.width, config.height, config.torus),
        "observation": config.observation,
        "action": config.action,
        "mask": config.mask,
    }


def save(module: nn.Module, spec: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a network as a policy file, which the binary, the page and :func:`hognose.evaluate` play as ``dqn:PATH``.

    Args:
        module: A :class:`QNetwork`, or an ``nn.Sequential`` of ``Linear`` layers with a ``ReLU`` after each but the
            last: a Q-value for each action of flat observations (an ``nn.Flatten`` may come first).
        spec: What it was trained to see and do: :func:`spec` of an environment, or ``spec`` of an agent.
        path: The file, which is replaced if it is there.

    Raises:
        ValueError: The module is none of these, or does not fit the spec.
        OSError: The file can't be written.
    """
    expect_agents("write an agent")
    network = module if isinstance(module, QNetwork) else _dueling(module)
    hidden = [layer.out_features for layer in _linear(network.hidden)]
    description: dict[str, Any] = {"kind": "mlp", "hidden": hidden}
    if network.convolutions:
        channels = [int(layer.weight.shape[0]) for layer in network.convolutions]
        description = {"kind": "cnn", "channels": channels, "hidden": hidden}
    weights = {_name(path, network): _array(path, parameter) for path, parameter in network.named_parameters()}
    _hognose.save_policy(os.fspath(path), json.dumps(dict(spec)), json.dumps(description), weights)


def _array(path: str, parameter: Tensor) -> NDArray[np.float32]:
    array = parameter.detach().to("cpu", torch.float32).numpy()
    return np.ascontiguousarray(array.T if _is_matrix(path) else array)


def _is_matrix(path: str) -> bool:
    """Whether a parameter is the matrix of a fully connected layer, which policy files have inputs first."""
    return path.endswith("weight") and not path.startswith("convolutions")


def _name(path: str, network: QNetwork) -> str:
    """The name of a parameter in policy files."""
    if not network.convolutions:
        return f"Mlp.{path}"
    return f"Cnn.{path}" if path.startswith("convolutions") else f"Cnn.head.{path}"


def _linear(layers: Iterable[nn.Module]) -> list[nn.Linear]:
    return [layer for layer in layers if isinstance(layer, nn.Linear)]


def _dueling(module: nn.Module) -> QNetwork:
    """A plain network as one with dueling heads: its value is the mean of the Q-values."""
    layers = [layer for layer in module.children() if not isinstance(layer, nn.Flatten)]
    kinds = [nn.Linear if index % 2 == 0 else nn.ReLU for index in range(len(layers))]
    fits = isinstance(module, nn.Sequential) and all(map(isinstance, layers, kinds)) and len(layers) % 2 == 1
    if not fits or len(layers) < 3 or any(layer.bias is None for layer in _linear(layers)):
        raise ValueError(
            "expected a hognose.torch.QNetwork or an nn.Sequential of Linear layers with a ReLU after each but the "
            f"last, got {module}"
        )
    *hidden, last = _linear(layers)
    planes = (0, 0, 0)
    network = QNetwork(
        planes, hidden[0].in_features, actions=last.out_features, hidden=[layer.out_features for layer in hidden]
    )
    with torch.no_grad():
        for own, theirs in zip(_linear(network.hidden), hidden, strict=True):
            own.load_state_dict(theirs.state_dict())
        network.advantage.load_state_dict(last.state_dict())
        network.value.weight.copy_(last.weight.mean(0, keepdim=True))
        network.value.bias.copy_(last.bias.mean(0, keepdim=True))
    return network
