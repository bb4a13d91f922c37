"""Runs the examples in the documentation and checks their results."""

import doctest
import importlib.util
import re
from pathlib import Path

import gymnasium
import pytest

import hognose
from hognose import _hognose

MODULES = [
    "hognose",
    "hognose.agent",
    "hognose.config",
    "hognose.duel",
    "hognose.duel_config",
    "hognose.duel_env",
    "hognose.duel_vector",
    "hognose.env",
    "hognose.evaluation",
    "hognose.parts",
    "hognose.records",
    "hognose.rows",
    "hognose.solvers",
    "hognose.tablebase",
    pytest.param("hognose.torch", marks=pytest.mark.sb3),
    "hognose.training",
    "hognose.vector",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name in ("hognose.agent", "hognose.torch", "hognose.training") and not hasattr(_hognose, "train"):
        pytest.skip("hognose was built without agents")
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


AGENTS = pytest.mark.skipif(not hasattr(_hognose, "train"), reason="needs agents")
MARKS = {
    "Stable-Baselines3": [pytest.mark.sb3, AGENTS],
    "PufferLib": [pytest.mark.puffer],
    "TorchRL": [pytest.mark.sb3, pytest.mark.skipif(importlib.util.find_spec("torchrl") is None, reason="needs torchrl")],
    "RLlib": [pytest.mark.ray],
}
DOCS = Path(__file__).parents[3] / "docs"
PARTS = re.split("^## ", (DOCS / "tutorials/coming-from.md").read_text(), flags=re.MULTILINE)[1:]


@pytest.mark.parametrize(
    "part", [pytest.param(part, id=name, marks=MARKS.get(name, [])) for part in PARTS for name in [part.split("\n")[0]]]
)
@pytest.mark.filterwarnings("default")
def test_coming_from_other_libraries(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(re.search("```python\n(.*?)```", part, re.DOTALL)[1], {})


# The requirements of a block in the documentation, by words in it.
NEEDS = {
    "hognose.train(": [AGENTS],
    "load_agent(": [AGENTS],
    "hognose.torch": [pytest.mark.sb3, AGENTS],
    "hognose.rllib": [pytest.mark.ray],
    "parallel_env": [pytest.mark.pettingzoo],
}
PAGES = [
    Path(__file__).parents[1] / "README.md", DOCS / "tutorials/python.md", DOCS / "tutorials/duels.md",
    DOCS / "environments/snake.md",
]
BLOCKS = [block for page in PAGES for block in re.findall("```python\n(.*?)```", page.read_text(), re.DOTALL)]
# Numbers that take long, and their replacements in the test.
SHORTER = {
    "games=1000": "games=10", "games=200": "games=6",
    "500_000": "20_000", "1_000_000": "22_000",
}


def first_allowed(observations, masks):
    return masks.argmax(axis=1)


def trained_model():
    import hognose.sb3
    from stable_baselines3 import DQN

    return DQN("MlpPolicy", hognose.sb3.make_vec_env(8, seed=0, width=6, height=6), learning_starts=64).learn(512)


@pytest.mark.parametrize("block", [
    pytest.param(block, id=f"block-{number}", marks=[mark for word in NEEDS if word in block for mark in NEEDS[word]])
    for number, block in enumerate(BLOCKS)
])
@pytest.mark.filterwarnings("default")
def test_the_documents(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    env = hognose.SnakeEnv(record=True)
    env.reset(seed=0)
    names = {"gymnasium": gymnasium, "hognose": hognose, "env": env, "report": lambda progress: True}
    names |= {"my_policy": first_allowed, "my_bot": first_allowed}
    names["endgame"] = hognose.Position("6x6", [(2, 2), (1, 2)], food=(4, 4))
    if "model." in block:
        names["model"] = trained_model()
    for long, short in SHORTER.items():
        block = block.replace(long, short)
    exec(block, names)


def test_shortened_numbers_occur():
    assert len(BLOCKS) > 5 and all(any(long in block for block in BLOCKS) for long in SHORTER)
