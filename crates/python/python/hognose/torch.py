"""Import and export of agents' networks in PyTorch. Importing this module needs torch.

>>> import tempfile, hognose.torch
>>> network = hognose.torch.load("quickstart-6x6")                        # an agent's network as a torch.nn.Module
>>> own = hognose.torch.QNetwork(746, 3, hidden=[64])                     # or your own, trained by you
>>> spec = hognose.torch.spec(hognose.EnvConfig(width=6, height=6))
>>> hognose.torch.save(own, spec, path := tempfile.mkdtemp() + "/policy.safetensors")
>>> hognose.evaluate(["greedy", f"dqn:{path}"], board="6x6", games=20)[1]["win_rate"]
0.0
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from hognose import _hognose
from hognose.agent import expect_agents, load_agent
from hognose.config import EnvConfig, board_text

__all__ = ["QNetwork", "load", "save", "spec"]


class QNetwork(nn.Module):
    """The network of hognose's agents: fully connected layers.

    Dueling heads compute several outputs as value + advantage - mean advantage (Wang et al., 2016).

    Args:
        inputs: The number of values of an observation; see :class:`hognose.Parts`.
        outputs: The number of outputs: one for each action, or 1 to evaluate positions.
        hidden: The units of each hidden layer.
        dueling: Whether to use dueling heads if there are several outputs.
        activation: What follows each hidden layer.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        hidden: Sequence[int],
        dueling: bool = True,
        activation: Literal["relu", "tanh"] = "relu",
    ) -> None:
        super().__init__()
        widths = [inputs, *hidden]
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in zip(widths, widths[1:]))
        self.dueling = dueling and outputs > 1
        self.activation = activation
        self.value = nn.Linear(widths[-1], 1 if self.dueling else outputs)
        if self.dueling:
            self.advantage = nn.Linear(widths[-1], outputs)

    def forward(self, observations: Tensor) -> Tensor:
        """Returns the outputs for observations, rows x inputs."""
        x = observations
        for layer in self.hidden:
            x = torch.relu(layer(x)) if self.activation == "relu" else torch.tanh(layer(x))
        value: Tensor = self.value(x)
        if not self.dueling:
            return value
        advantage: Tensor = self.advantage(x)
        return value + advantage - advantage.mean(1, keepdim=True)


def load(name: str | os.PathLike[str]) -> QNetwork:
    """Loads the network of an agent. Its outputs agree with the agent's up to rounding.

    Args:
        name: An agent, as in :func:`hognose.load_agent`.
    """
    agent = load_agent(name)
    (planes, rows, columns), scalars, outputs = agent.inputs
    module = QNetwork(planes * rows * columns + scalars, outputs, **agent.network)
    weights = agent.weights()
    with torch.no_grad():
        for path, parameter in module.named_parameters():
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(weights[path].T)))
    return module


def spec(config: EnvConfig) -> dict[str, Any]:
    """Returns the specification of an agent trained in environments of this configuration: see :attr:`Agent.spec`.

    The dtype must be ``float32``, since agents see values from 0 to 1. Use it also for a network that was trained on
    ``uint8`` observations divided by 255, which are the same.

    An agent may play by any rules on its board, so the specification does not include ``foods``, ``tail_entry`` and
    ``start``. Give them again for an evaluation.
    """
    if config.dtype != "float32":
        raise ValueError(f"agents see values from 0 to 1, as with dtype='float32', got dtype={config.dtype!r}")
    if config.frame_stack != 1:
        raise ValueError(f"agents see one frame, got frame_stack={config.frame_stack}")
    if config.boards:
        raise ValueError("a spec needs a configuration of one board, got boards")
    return {
        "board": board_text(config.width, config.height, config.torus),
        "observation": config.observation,
        "action": config.action,
        "mask": config.mask,
    }


def save(module: nn.Module, spec: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a network to a policy file, which the binary, the page and :func:`hognose.evaluate` play as ``dqn:PATH``.

    Args:
        module: A :class:`QNetwork`, or an ``nn.Sequential``, nested or not, of ``Linear`` layers with a ``ReLU`` or a
            ``Tanh`` after each except the last, from flat observations (an ``nn.Flatten`` may come first) to a Q-value
            for each action, or to a logit: agents take the action with the highest output. For PPO of
            Stable-Baselines3 it is ``nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)``.
        spec: The specification: :func:`spec` of an environment, or ``spec`` of an agent.
        path: The file, which is replaced if it exists.

    Raises:
        ValueError: The module is neither, or does not fit the spec.
        OSError: The file can't be written.
    """
    expect_agents("write an agent")
    network = module if isinstance(module, QNetwork) else _plain(module)
    hidden = [layer.out_features for layer in _linear(network.hidden)]
    description = {"hidden": hidden, "dueling": network.dueling, "activation": network.activation}
    # Matrices in policy files are inputs x outputs.
    arrays = {path: parameter.detach().to("cpu", torch.float32).numpy() for path, parameter in network.named_parameters()}
    weights = {path: np.ascontiguousarray(array.T) for path, array in arrays.items()}
    _hognose.save_policy(os.fspath(path), json.dumps(dict(spec)), json.dumps(description), weights)


def _linear(layers: Iterable[nn.Module]) -> list[nn.Linear]:
    return [layer for layer in layers if isinstance(layer, nn.Linear)]


def _flat(module: nn.Module) -> Iterator[nn.Module]:
    """Yields the layers of a network in order, also of those within it."""
    if isinstance(module, nn.Sequential):
        for layer in module:
            yield from _flat(layer)
    elif not isinstance(module, nn.Flatten):
        yield module


def _plain(module: nn.Module) -> QNetwork:
    """Converts a plain network to one without dueling heads."""
    layers = list(_flat(module))
    activation: Literal["relu", "tanh"] = "tanh" if any(isinstance(layer, nn.Tanh) for layer in layers) else "relu"
    kinds = [nn.Linear, nn.Tanh if activation == "tanh" else nn.ReLU]
    fits = all(isinstance(layer, kinds[index % 2]) for index, layer in enumerate(layers)) and len(layers) % 2 == 1
    if not fits or len(layers) < 3 or any(layer.bias is None for layer in _linear(layers)):
        raise ValueError(
            "expected a hognose.torch.QNetwork, or an nn.Sequential of Linear layers with a ReLU after each except "
            f"the last, or a Tanh after each, got {module}"
        )
    *hidden, last = _linear(layers)
    sizes = [layer.out_features for layer in hidden]
    network = QNetwork(hidden[0].in_features, last.out_features, hidden=sizes, dueling=False, activation=activation)
    with torch.no_grad():
        for own, theirs in zip([*_linear(network.hidden), network.value], [*hidden, last], strict=True):
            own.load_state_dict(theirs.state_dict())
    return network
