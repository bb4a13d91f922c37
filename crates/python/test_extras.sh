#!/usr/bin/env bash
# Runs the tests that need torch, ONNX, Stable-Baselines3, TorchRL, Ray, PettingZoo or PufferLib, with a wheel as it
# would be published. They run in their own virtual environment, which is kept in .venv-extras. Versions come from
# tests/constraints.txt; `./test_extras.sh newest` installs the newest ones.
set -euo pipefail
cd "$(dirname "$0")"
case "${1:-pinned}" in
    pinned) versions=(--constraint tests/constraints.txt) ;;
    newest) versions=() ;;
    *)
        echo "usage: $0 [newest]" >&2
        exit 2
        ;;
esac
venv=.venv-extras
python3 -m venv "$venv"

rm -rf "$venv/wheel"
"$venv/bin/pip" wheel --quiet --no-deps --wheel-dir "$venv/wheel" .
wheel=$(echo "$venv"/wheel/hognose-*-abi3-*.whl)
bytes=$(stat --format %s "$wheel")
echo "the wheel has $bytes bytes"
if ((bytes >= 16000000)); then
    echo "expected less than 16 MB, as crates/python/README.md says" >&2
    exit 1
fi

"$venv/bin/pip" install --quiet --upgrade "${versions[@]}" "$wheel[sb3,ray,pettingzoo,onnx,test]" onnxruntime pandas supersuit torchrl
"$venv/bin/pip" install --quiet --force-reinstall --no-deps "$wheel"
"$venv/bin/python" -m pytest -m sb3
"$venv/bin/python" -m pytest -m ray
"$venv/bin/python" -m pytest -m pettingzoo

# This installs the newest PufferLib with a wheel (2.0.2). Building a newer one downloads sources from elsewhere. The
# releases that it requires are too old for our Gymnasium, but it works with the installed ones.
"$venv/bin/pip" install --quiet "${versions[@]}" --no-deps --only-binary pufferlib pufferlib
"$venv/bin/pip" install --quiet "${versions[@]}" gym psutil
"$venv/bin/python" -m pytest -m puffer
