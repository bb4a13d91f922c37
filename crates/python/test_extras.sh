#!/usr/bin/env bash
# The tests that need torch, Stable-Baselines3 or Ray, in a virtual environment of their own (kept in .venv-extras).
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv .venv-extras
.venv-extras/bin/pip install --quiet --upgrade '.[sb3,ray]' pytest
.venv-extras/bin/python -m pytest -m sb3
.venv-extras/bin/python -m pytest -m ray
