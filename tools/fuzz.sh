#!/usr/bin/env bash
# Coverage-guided fuzzing of every file reader and of the viewer (libFuzzer with the address and undefined-behaviour
# sanitizers): builds the preset `fuzz`, gives every fuzzer in tests/fuzz a number of executions, prints
# how many were run and what came of it, and fails on any finding. One execution parses its input three
# times, with different options.
#   FUZZ_RUNS    executions for each fuzzer; default 1000000, a few minutes in all (a fortieth for
#                trajectories, where each makes a file; a tenth for the viewer's server, where each is a connection)
#   FUZZ_JOBS    fuzzers that run at the same time; default one for each processor
#   FUZZ_ONLY    names of fuzzers to run, e.g. "fuzz_csv fuzz_xyz"; default all
#   FUZZ_SEED    the seed; default 0: another one each time
# The seeds in tests/fuzz/corpus are not changed; inputs found on the way are dropped, those that fail
# are kept in out/fuzz, and `build/fuzz/tests/FUZZER FILE` repeats the failure.
set -eu
cd "$(dirname "$0")/.."
runs=${FUZZ_RUNS:-1000000}
jobs=${FUZZ_JOBS:-$(nproc)}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >/dev/null
mkdir -p out/fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs one fuzzer; its verdict goes to $work/NAME.verdict, which starts with the number of executions.
fuzz() {
    local name=$1 format=${1#fuzz_} options=() kind seeds seed count=$runs
    [ "$format" != replay ] || count=$((runs / 40))
    [ "$format" != server ] || count=$((runs / 10))
    mkdir -p "$work/$name"
    for seeds in tests/fuzz/corpus/*/; do
        # Each fuzzer starts from its own format; the one that finds the format, from all of them.
        kind=$(basename "$seeds")
        if [ "$kind" = "$format" ] || { [ "$format" = any ] && [ "$kind" != number ] && [ "$kind" != viewer ] && [ "$kind" != server ]; }; then
            for seed in "$seeds"*; do cp "$seed" "$work/$name/$kind-$(basename "$seed")"; done
        fi
    done
    if [ "$format" = any ]; then
        cat tests/fuzz/*.dict >"$work/any.dict"
        options+=("-dict=$work/any.dict")
    elif [ -f "tests/fuzz/$format.dict" ]; then
        options+=("-dict=tests/fuzz/$format.dict")
    fi
    if "build/fuzz/tests/$name" "$work/$name" "${options[@]}" -runs="$count" -seed="${FUZZ_SEED:-0}" \
        -timeout=20 -rss_limit_mb=2048 -artifact_prefix="out/fuzz/$name-" >"$work/$name.log" 2>&1; then
        sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) .*/\1 executions in \2 s/p' "$work/$name.log" |
            tr -d '\n' >"$work/$name.verdict"
        echo ", $(grep -o 'cov: [0-9]*' "$work/$name.log" | tail -1 | cut -d' ' -f2) edges covered, nothing found" \
            >>"$work/$name.verdict"
    else
        { echo "0 FAILED"; tail -40 "$work/$name.log"; } >"$work/$name.verdict"
    fi
    echo "$name: $(cat "$work/$name.verdict")"
}

names=()
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    if [ -z "${FUZZ_ONLY:-}" ] || [[ " $FUZZ_ONLY " == *" $name "* ]]; then names+=("$name"); fi
done
for name in "${names[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
    fuzz "$name" &
done
wait

total=0 failed=0
for name in "${names[@]}"; do
    read -r count word _ <"$work/$name.verdict"
    total=$((total + count))
    [ "$word" = executions ] || failed=1
done
echo "fuzzing: $total executions, $([ $failed -eq 0 ] && echo 'nothing found' || echo 'with findings, see above')"
exit $failed
