#!/usr/bin/env bash
# Runs the benchmark of closest features: bench/features/run.sh [--quick] [--faces N] [--kind K]
# Tables go to the screen and to out/bench-features/features.txt, figures to features.csv, a plot to features.svg.
set -u
cd "$(dirname "$0")/../.."
program=${JOSTLE_BENCH_PROGRAM:-build/bench/bench/features/jostle-bench-features}
out=out/bench-features
[ -x "$program" ] || { echo "$program is missing: run 'make bench-features'" >&2; exit 1; }
mkdir -p "$out"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
echo "${processor:-unknown processor}, $(nproc) cores, $(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg)" |
    tee "$out/features.txt"
"$program" --out "$out" "$@" | tee -a "$out/features.txt"
exit "${PIPESTATUS[0]}"
