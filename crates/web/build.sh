#!/usr/bin/env bash
# Builds the page: static files in dist/, which any host serves. `hognose page` serves them on this machine.
# With --without-agents first, trained agents and the part Learn are left out: burn takes ten minutes of CPU time.
# Other options go to `cargo build`, such as --locked.
set -euo pipefail
cd "$(dirname "$0")"

agents=yes
if [ "${1:-}" = --without-agents ]; then
    agents=no
    shift
fi
rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
target=${CARGO_TARGET_DIR:-$PWD/target}
# wasm32-unknown-unknown has no SIMD unless it is asked for; all browsers of the last years do.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128"

new=$(mktemp -d "$PWD/dist.XXXXXX")
trap 'rm -rf "$new"' EXIT

# build FOLDER [OPTIONS]
build() {
    cargo build --release --lib --target wasm32-unknown-unknown "${@:2}"
    cargo run --quiet --package hognose-web-bind -- \
        "$target/wasm32-unknown-unknown/release/hognose_web.wasm" "$1"
}
build "$new" "$@"
# A second time with agents, for whoever asks for one: it is larger.
mkdir "$new/agents"
if [ $agents = yes ]; then
    build "$new/agents" --features agents "$@"
    cargo run --quiet --package hognose-web-shrink -- ../../checkpoints "$new/agents"
else
    echo '{ "module": 0, "agents": [] }' > "$new/agents/agents.json"
fi
cp -R www/. "$new"
cp ../../LICENSE-* "$new"
chmod 755 "$new"

# A page that is being served goes on with the old files or has the new ones.
rm -rf dist
mv "$new" dist
trap - EXIT
echo "dist: $(find dist -type f | wc -l) files, $(du -sk dist | cut -f1) kB"
for module in $(cd dist && ls hognose_bg.wasm agents/hognose_bg.wasm 2> /dev/null); do
    echo "$module: $(gzip -9 < "dist/$module" | wc -c) bytes compressed"
done
