# Sourced by `run` and `full`: names steps, and reports the wall time and the CPU time of all processes for each.
export CARGO_TERM_COLOR=never
# Everything is compiled only once and never debugged, so incremental compilation and debug information are off.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false
hognose=$PWD/target/release/hognose
work=$(mktemp -d)
times=$work/times
step_name=
: > "$times"
step_start=0
step_cpu=0

# step NAME: ends the previous step, and begins a new one.
step() {
    local cpu
    # The second line counts all programs that have ended; in a pipe it would count none.
    times > "$work/cpu"
    cpu=$(awk 'NR == 2 { split($0, t, /[ms ]+/); print int(60 * t[1] + t[2] + 60 * t[3] + t[4]) }' "$work/cpu")
    if [ -n "$step_name" ]; then
        printf '%5d s %5d CPU s  %s\n' $((SECONDS - step_start)) $((cpu - step_cpu)) "$step_name" | tee -a "$times"
    fi
    step_name=$1
    step_start=$SECONDS
    step_cpu=$cpu
    [ -z "$1" ] || printf '\n== %s\n' "$1"
}

# Prints the times of all steps, even if one failed.
finish() {
    local status=$?
    step ""
    printf '\n== times\n'
    cat "$times"
    [ "$status" -eq 0 ] || echo "the last step failed"
    printf '%5d s  in all\n' "$SECONDS"
    rm -rf "$work"
}
trap finish EXIT
