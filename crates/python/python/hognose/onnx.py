"""Export of agents' networks to ONNX. Importing this module needs onnx."""

import os
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from hognose.agent import load_agent

__all__ = ["save"]

OPSET = 18
"""The version of ONNX's operators, from the end of 2022. Later runtimes support it."""


def save(name: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Writes the network of an agent as an ONNX model.

    The input ``observations`` is rows x values (float32), as in environments with ``layout="flat"``. The output
    ``q_values`` is rows x outputs: a Q-value for each action, or one value if the agent evaluates positions.

    Args:
        name: An agent, as in :func:`hognose.load_agent`.
        path: The file, which is replaced if it exists.
    """
    agent = load_agent(name)
    (planes, rows, columns), scalars, outputs = agent.inputs
    values = planes * rows * columns + scalars
    weights = agent.weights()
    graph = Graph()

    def linear(layer: str, inputs: str, output: str = "") -> str:
        matrix, bias = (weights[f"{layer}.{part}"] for part in ("weight", "bias"))
        return graph.add("Gemm", inputs, graph.constant(matrix), graph.constant(bias), output=output)

    x = "observations"
    for layer in range(len(agent.network["hidden"])):
        x = graph.add(agent.network.get("activation", "relu").capitalize(), linear(f"hidden.{layer}", x))
    if agent.network["dueling"]:
        advantage = linear("advantage", x)
        centered = graph.add("Sub", advantage, graph.add("ReduceMean", advantage, *graph.integers([1]), keepdims=1))
        graph.add("Add", linear("value", x), centered, output="q_values")
    else:
        linear("value", x, output="q_values")
    made = helper.make_graph(
        graph.nodes,
        "q_values",
        [helper.make_tensor_value_info("observations", TensorProto.FLOAT, ["rows", values])],
        [helper.make_tensor_value_info("q_values", TensorProto.FLOAT, ["rows", outputs])],
        graph.constants,
    )
    model = helper.make_model(made, producer_name="hognose", opset_imports=[helper.make_opsetid("", OPSET)])
    # Runtimes of that time support this version of the format.
    model.ir_version = 8
    onnx.checker.check_model(model)
    aside = f"{os.fspath(path)}.part"
    onnx.save(model, aside)
    os.replace(aside, path)


class Graph:
    """The nodes and constants of a model, named in the order of addition."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Adds a node, and returns the name of its output."""
        output = output or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def constant(self, array: NDArray[Any]) -> str:
        """Adds a constant, and returns its name."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def integers(self, *lists: list[int]) -> list[str]:
        """Adds constants of integers, and returns their names."""
        return [self.constant(np.array(numbers, np.int64)) for numbers in lists]
