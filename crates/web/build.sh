#!/usr/bin/env bash
# Builds the page in dist/: static files for any host. `hognose page` serves them on this machine.
# --without-agents as the first option leaves out trained agents and the part Learn: burn takes ten minutes of CPU time.
# Other options, such as --locked, are passed to `cargo build`.
set -euo pipefail
cd "$(dirname "$0")"

agents=yes
if [ "${1:-}" = --without-agents ]; then
    agents=no
    shift
fi
rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
target=${CARGO_TARGET_DIR:-$PWD/target}
# wasm32-unknown-unknown has no SIMD by default; all recent browsers support it.
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
# A second, larger build with agents, loaded on demand.
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

# A running server has either the old files or the new ones.
rm -rf dist
mv "$new" dist
trap - EXIT
echo "dist: $(find dist -type f | wc -l) files, $(du -sk dist | cut -f1) kB"
for module in $(cd dist && ls hognose_bg.wasm agents/hognose_bg.wasm 2> /dev/null); do
    echo "$module: $(gzip -9 < "dist/$module" | wc -c) bytes compressed"
done
