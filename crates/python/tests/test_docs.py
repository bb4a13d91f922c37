"""The examples in the documentation run, and answer what they say."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["hognose", "hognose.config", "hognose.env", "hognose.evaluation", "hognose.vector"])
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0
