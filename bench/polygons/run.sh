#!/usr/bin/env bash
# Runs the benchmarks of hard polygons: bench/polygons/run.sh [options of jostle-bench-hopper].
# The tables go to the screen and to out/bench-polygons/polygons.txt.
set -u
cd "$(dirname "$0")/../.."
programs=${JOSTLE_BENCH_PROGRAMS:-build/bench/bench/polygons}
out=out/bench-polygons
for program in jostle-bench-flat jostle-bench-scale jostle-bench-hopper; do
    [ -x "$programs/$program" ] || { echo "$programs/$program is missing: run 'make bench-polygons'" >&2; exit 1; }
done
mkdir -p "$out"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
{
    echo "${processor:-unknown processor}, $(nproc) cores, $(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg)"
    "$programs/jostle-bench-flat" && "$programs/jostle-bench-scale" && "$programs/jostle-bench-hopper" "$@"
} | tee "$out/polygons.txt"
exit "${PIPESTATUS[0]}"
