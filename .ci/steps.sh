# Sourced by `run` and `full`: names steps, and tells how long each took.
export CARGO_TERM_COLOR=never
hognose=$PWD/target/release/hognose
work=$(mktemp -d)
times=$work/times
step_name=
: > "$times"
step_start=0

# step NAME: ends the step before, and begins one.
step() {
    if [ -n "$step_name" ]; then
        printf '%5d s  %s\n' $((SECONDS - step_start)) "$step_name" | tee -a "$times"
    fi
    step_name=$1
    step_start=$SECONDS
    [ -z "$1" ] || printf '\n== %s\n' "$1"
}

# Prints the times of all steps; also where one failed.
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
