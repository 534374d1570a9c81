#!/usr/bin/env bash
# Runs the benchmark of the event-driven engine: bench/hard/run.sh [--quick] [--n N] [--fraction F] …
# The table goes to the screen and to out/bench-hard/hard.txt, the figures to out/bench-hard/hard.csv.
set -u
cd "$(dirname "$0")/../.."
program=${JOSTLE_BENCH_PROGRAM:-build/bench/bench/hard/jostle-bench-hard}
out=out/bench-hard
[ -x "$program" ] || { echo "$program is missing: run 'make bench-hard'" >&2; exit 1; }
mkdir -p "$out"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "${processor:-unknown processor}, $(nproc) cores, $(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg)" |
    tee "$out/hard.txt"
"$program" --csv "$out/hard.csv" "$@" | tee -a "$out/hard.txt"
exit "${PIPESTATUS[0]}"
