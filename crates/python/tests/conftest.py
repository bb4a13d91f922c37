"""What several tests need."""

from pathlib import Path

import pytest

from hognose import _hognose


@pytest.fixture
def tiny():
    """The file of an experiment that trains in a second."""
    if not hasattr(_hognose, "train"):
        pytest.skip("hognose was built without agents")
    return Path(__file__).parents[3] / "tests" / "tiny.toml"
