"""The examples in the documentation run, and answer what they say."""

import doctest
import importlib

import pytest


MODULES = [
    "hognose",
    "hognose.config",
    "hognose.duel",
    "hognose.duel_config",
    "hognose.duel_env",
    "hognose.duel_vector",
    "hognose.env",
    "hognose.evaluation",
    "hognose.parts",
    "hognose.tablebase",
    "hognose.vector",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
