#!/usr/bin/env bash
# The demo: a silo is filled, opened and empties; pictures and plots of it; then a contact search over
# a million spheres. Says what it does and where to look. Run by `make demo` with the program's path.
set -eu
cd "$(dirname "$0")/.."
jostle=${1:-build/release/jostle}
out=${JOSTLE_DEMO_OUT:-out/demo}
until=${JOSTLE_DEMO_UNTIL:-0.9} # simulated seconds; the tests stop sooner
n=${JOSTLE_DEMO_N:-1e6}         # and search fewer spheres
mkdir -p "$out"

bold="" plain=""
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

say "A silo of 9000 beads: they settle, the gate opens after 0.25 s, they flow out (scenes/silo.yaml)."
"$jostle" demo silo --until "$until" --out "$out/silo" --force 2>&1
"$jostle" render "$out/silo/trajectory.h5" --png "$out/silo.png" 2>&1
"$jostle" plot "$out/silo/trajectory.h5" --png "$out/silo-plots.png" 2>&1

say "The search underneath: which of a million spheres of mixed sizes touch?"
"$jostle" generate --n "$n" --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/million.npy" 2>&1
"$jostle" detect "$out/million.npy" --stats --png "$out/million.png" 2>&1

say "Look at $out/silo.png, $out/silo-plots.png and $out/million.png."
echo "More scenes:     $jostle demo --list"
echo "A scene of yours: copy one from scenes/, then $jostle run FILE.yaml      (more: $jostle --help)"
