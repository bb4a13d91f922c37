#!/usr/bin/env bash
# Builds the page in dist/: static files for any host. `hognose page` serves them on this machine.
#
#   build.sh [--without-agents] [--address URL] [--source URL] [--book URL] [OPTIONS OF CARGO BUILD]
#
# --without-agents leaves out trained agents and the part Learn: burn takes ten minutes of CPU time.
# --address is the page's address, which pictures of shared links need. --source and --book are linked from the page.
set -euo pipefail
cd "$(dirname "$0")"

agents=yes address= links=
# link RELATION URL
link() {
    if [[ ! $2 =~ ^[A-Za-z0-9:/._~-]+$ ]]; then
        echo "error: expected a URL of letters, digits and :/._~-, got \"$2\"" >&2
        exit 2
    fi
    links+="<link rel=\"$1\" href=\"$2\">"
}
while [ $# -gt 0 ]; do
    case $1 in
        --without-agents) agents=no ;;
        --address) address=${2:?expected a URL after --address}; link canonical "${address%/}/"; shift ;;
        --source) link code-repository "${2:?expected a URL after --source}"; shift ;;
        --book) link help "${2:?expected a URL after --book}"; shift ;;
        *) break ;;
    esac
    shift
done
rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
target=${CARGO_TARGET_DIR:-$PWD/target}
# wasm32-unknown-unknown has no SIMD by default; all recent browsers support it.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C target-feature=+simd128"

new=$(mktemp -d "$PWD/dist.XXXXXX")
trap 'rm -rf "$new"' EXIT

# build FOLDER [OPTIONS]
build() {
    cargo build --release --lib --target wasm32-unknown-unknown "${@:2}"
    echo "writing the JavaScript of $1: the first time, this compiles wasm-bindgen"
    cargo run --package hognose-web-bind -- "$target/wasm32-unknown-unknown/release/hognose_web.wasm" "$1"
}
build "$new" "$@"
# A second, larger build with agents, loaded on demand.
mkdir "$new/agents"
if [ $agents = yes ]; then
    build "$new/agents" --features agents "$@"
    echo "rounding the weights of trained agents"
    cargo run --package hognose-web-shrink -- ../../checkpoints "$new/agents"
else
    echo '{ "module": 0, "agents": [] }' > "$new/agents/agents.json"
fi
mkdir "$new/duel"
for rules in 2021 2020; do
    cp "../../checkpoints/duel-$rules/policy.safetensors" "$new/duel/$rules.safetensors"
done
cp -R www/. "$new"
cp ../../LICENSE-* "$new"
# The page shows how much of the WebAssembly has arrived. Its service worker keeps all files but the agents.
files=$(cd "$new" && find . -type f ! -path './agents/*.wasm' ! -path './agents/*.safetensors' ! -name 'LICENSE*' \
    ! -name sw.js ! -name share.png | sort | sed 's/.*/"&"/' | paste -sd,)
sed -i.old "s|\[\"./\"\]|[\"./\",$files]|" "$new/sw.js"
bytes=$(wc -c < "$new/hognose_bg.wasm" | tr -d ' ')
learned=0
[ $agents = no ] || learned=$(wc -c < "$new/agents/hognose_bg.wasm" | tr -d ' ')
sed -i.old -e "s|data-bytes=\"0\" data-agents=\"0\"|data-bytes=\"$bytes\" data-agents=\"$learned\"|" \
    -e "s|content=\"share.png\"|content=\"${address:+${address%/}/}share.png\"|" -e "s|^</head>|$links</head>|" "$new/index.html"
rm "$new"/*.old
chmod 755 "$new"

# A running server has either the old files or the new ones.
rm -rf dist
mv "$new" dist
trap - EXIT
echo "dist: $(find dist -type f | wc -l) files, $(du -sk dist | cut -f1) kB"
for module in $(cd dist && ls hognose_bg.wasm agents/hognose_bg.wasm 2> /dev/null); do
    echo "$module: $(gzip -9 < "dist/$module" | wc -c) bytes compressed"
done
