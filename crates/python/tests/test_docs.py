"""The examples in the documentation run, and answer what they say."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from hognose import _hognose

MODULES = [
    "hognose",
    "hognose.agents",
    "hognose.config",
    "hognose.duel",
    "hognose.duel_config",
    "hognose.duel_env",
    "hognose.duel_vector",
    "hognose.env",
    "hognose.evaluation",
    "hognose.parts",
    "hognose.records",
    "hognose.tablebase",
    pytest.param("hognose.torch", marks=pytest.mark.sb3),
    "hognose.training",
    "hognose.vector",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name in ("hognose.agents", "hognose.torch", "hognose.training") and not hasattr(_hognose, "train"):
        pytest.skip("hognose was built without agents")
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


MARKS = {
    "Stable-Baselines3": [pytest.mark.sb3, pytest.mark.skipif(not hasattr(_hognose, "train"), reason="needs agents")],
    "PufferLib": [pytest.mark.puffer],
    "RLlib": [pytest.mark.ray],
}
PARTS = re.split("^## ", (Path(__file__).parents[1] / "COMING_FROM.md").read_text(), flags=re.MULTILINE)[1:]


@pytest.mark.parametrize(
    "part", [pytest.param(part, id=name, marks=MARKS.get(name, [])) for part in PARTS for name in [part.split("\n")[0]]]
)
@pytest.mark.filterwarnings("default")
def test_the_ways_from_other_libraries(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(re.search("```python\n(.*?)```", part, re.DOTALL)[1], {})
