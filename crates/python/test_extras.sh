#!/usr/bin/env bash
# Runs the tests that need torch, ONNX, Stable-Baselines3, Ray, PettingZoo or PufferLib. They get a virtual environment
# of their own, which is kept in .venv-extras.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv .venv-extras
.venv-extras/bin/pip install --quiet --upgrade '.[sb3,ray,pettingzoo,onnx,test]' onnxruntime
.venv-extras/bin/python -m pytest -m sb3
.venv-extras/bin/python -m pytest -m ray
.venv-extras/bin/python -m pytest -m pettingzoo

# This is the newest PufferLib that comes as a wheel (2.0.2). Building a newer one downloads sources from elsewhere. The
# releases that it asks for are too old for our Gymnasium, and it works with those that are installed.
.venv-extras/bin/pip install --quiet --no-deps --only-binary pufferlib pufferlib
.venv-extras/bin/pip install --quiet gym psutil
.venv-extras/bin/python -m pytest -m puffer
