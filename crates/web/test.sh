#!/usr/bin/env bash
# Tests the page: lints, and tests in a browser. It installs its requirements: the WebAssembly target, and on Debian as
# root Chromium and Node. `test.sh full` also builds agents, tests the Rust code without a browser, tests more window
# sizes, and fuzzes the parsers.
set -euo pipefail
cd "$(dirname "$0")"

# Node from other sources includes npm, and Debian's npm would conflict with it.
missing=()
command -v chromium > /dev/null || missing+=(chromium)
command -v node > /dev/null || missing+=(nodejs)
command -v npm > /dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    apt-get -qq update
    apt-get -qq install --yes --no-install-recommends "${missing[@]}" > /dev/null
fi
rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
(cd tests && npm ci --silent --no-audit --no-fund)

cargo fmt --all --check
cargo clippy --all-targets --locked -- -D warnings
if [ "${1:-}" = full ]; then
    cargo test --lib --tests --locked
    cargo clippy --lib --target wasm32-unknown-unknown --features agents --locked -- -D warnings
    cargo test --lib --features agents --locked
    ./build.sh --locked
else
    ./build.sh --without-agents --locked
fi
FULL=${1:-} node --test --test-reporter spec tests/*.test.mjs
if [ "${1:-}" = full ]; then
    cargo clippy --package hognose-web-bind --locked -- -D warnings
    cargo clippy --lib --target wasm32-unknown-unknown --locked -- -D warnings
    cargo run --release --locked --example fuzz -- 10_000_000
fi
