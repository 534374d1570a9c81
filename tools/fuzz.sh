#!/usr/bin/env bash
# Coverage-guided fuzzing of every file reader (libFuzzer with the address and undefined-behaviour
# sanitizers): builds the preset `fuzz`, gives every fuzzer in tests/fuzz a number of executions, prints
# how many were run and what came of it, and fails on any finding. One execution parses its input three
# times, with different options.
#   FUZZ_RUNS    executions for each fuzzer; default 1000000, a few minutes in all
#   FUZZ_ONLY    names of fuzzers to run, e.g. "fuzz_csv fuzz_xyz"; default all
#   FUZZ_SEED    the seed; default 0: another one each time
# The seeds in tests/fuzz/corpus are not changed; inputs found on the way are dropped, those that fail
# are kept in out/fuzz, and `build/fuzz/tests/FUZZER FILE` repeats the failure.
set -eu
cd "$(dirname "$0")/.."
runs=${FUZZ_RUNS:-1000000}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz >/dev/null
mkdir -p out/fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 total=0

for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    format=${name#fuzz_}
    if [ -n "${FUZZ_ONLY:-}" ] && [[ " $FUZZ_ONLY " != *" $name "* ]]; then continue; fi
    mkdir -p "$work/$name"
    for seeds in tests/fuzz/corpus/*/; do
        # Each fuzzer starts from its own format; the one that finds the format, from all of them.
        kind=$(basename "$seeds")
        if [ "$kind" = "$format" ] || { [ "$format" = any ] && [ "$kind" != number ]; }; then
            for seed in "$seeds"*; do cp "$seed" "$work/$name/$kind-$(basename "$seed")"; done
        fi
    done
    options=()
    for words in tests/fuzz/*.dict; do
        [ "$format" = any ] && cat "$words" >>"$work/any.dict"
    done
    [ "$format" = any ] && options+=("-dict=$work/any.dict")
    [ -f "tests/fuzz/$format.dict" ] && options+=("-dict=tests/fuzz/$format.dict")
    if "build/fuzz/tests/$name" "$work/$name" "${options[@]}" -runs="$runs" -seed="${FUZZ_SEED:-0}" \
        -timeout=20 -rss_limit_mb=2048 -artifact_prefix="out/fuzz/$name-" >"$work/log" 2>&1; then
        done_runs=$(sed -n 's/^Done \([0-9]*\) runs in .*/\1/p' "$work/log")
        seconds=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) .*/\1/p' "$work/log")
        edges=$(grep -o 'cov: [0-9]*' "$work/log" | tail -1 | cut -d' ' -f2)
        echo "$name: $done_runs executions in $seconds s, $edges edges covered, nothing found"
        total=$((total + done_runs))
    else
        echo "$name: FAILED"
        tail -40 "$work/log"
        failed=1
    fi
done
echo "fuzzing: $total executions, $([ $failed -eq 0 ] && echo 'nothing found' || echo 'with findings, see above')"
exit $failed
