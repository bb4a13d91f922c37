#!/usr/bin/env bash
# The tests that need torch, Stable-Baselines3, Ray or PufferLib, in a virtual environment of their own (kept in .venv-extras).
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv .venv-extras
.venv-extras/bin/pip install --quiet --upgrade '.[sb3,ray]' pytest
.venv-extras/bin/python -m pytest -m sb3
.venv-extras/bin/python -m pytest -m ray

# PufferLib's build downloads from elsewhere, but its emulation layer is Python alone. It leaves a link where it is imported.
files=https://files.pythonhosted.org/packages/7c/e1/5292f9b69c6263707b40ba04a87e6b9bcc177281d31092f77afd90c412f1
curl --silent --show-error --fail "$files/pufferlib-3.0.0.tar.gz" | tar xz -C .venv-extras
.venv-extras/bin/pip install --quiet gym pettingzoo psutil
cd .venv-extras
PYTHONPATH=$PWD/pufferlib-3.0.0 bin/python -m pytest .. -m puffer
