"""Shared fixtures."""

from pathlib import Path

import pytest

from hognose import _hognose


@pytest.fixture
def tiny():
    """Returns the file of an experiment that trains in a second."""
    if not hasattr(_hognose, "train"):
        pytest.skip("hognose was built without agents")
    return Path(__file__).parents[3] / "tests" / "tiny.toml"
