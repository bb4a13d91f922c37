#!/usr/bin/env bash
# Trains for a few seconds, interrupts with Ctrl-C, resumes and evaluates. Usage: short_training.sh HOGNOSE WORK
set -euo pipefail
hognose=$1 work=$2
"$hognose" train experiments/quickstart.toml --out "$work/run" --seed 1 \
    --set train.total_steps=96_000 --set train.learning_starts=2_000 --set train.num_envs=32 \
    --set train.evaluate_every=32_000 --set train.evaluation_games=50 --set train.checkpoint_every=16_000 \
    --set train.log_every=3_200 --set evaluation.games=100 &
trainer=$!
until [ -n "$(find "$work/run/checkpoints" -name 'step-*.safetensors' 2>/dev/null)" ]; do
    kill -0 "$trainer" || { echo "training ended before its first checkpoint"; exit 1; }
    sleep 0.2
done
kill -INT "$trainer"
status=0
wait "$trainer" || status=$?
[ "$status" -eq 130 ] || { echo "an interrupted run must exit with 130, not $status"; exit 1; }
"$hognose" train --resume "$work/run"
"$hognose" curves "$work/run" --out "$work/curves"
"$hognose" evaluate --board 6x6 --policies "shortcut,dqn:$work/run" --games 100 --json "$work/evaluate.json"

# A short version with two snakes.
"$hognose" train duel-quickstart --out "$work/duels" --set train.total_steps=20_480 --set train.evaluation_pairs=2 \
    --set train.learning_starts=2_048 --set train.evaluate_every=20_480 --set evaluation.games=8
"$hognose" train --resume "$work/duels" --set train.total_steps=30_720 > "$work/resumed.txt"
grep -q resuming "$work/resumed.txt"
"$hognose" duel --bots "selfplay:$work/duels:1,greedy" --games 8
