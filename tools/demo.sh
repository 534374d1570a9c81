#!/usr/bin/env bash
# The demo: a contact search over a million spheres of mixed sizes. Says which method was chosen and
# why, draws what was found, and tells where to look. Run by `make demo` with the program's path.
set -eu
cd "$(dirname "$0")/.."
jostle=${1:-build/release/jostle}
out=${JOSTLE_DEMO_OUT:-out/demo}
n=${JOSTLE_DEMO_N:-1e6} # the tests run it with fewer
mkdir -p "$out"

bold="" plain=""
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

say "A million spheres, diameters log-uniform from 1 to 20:"
"$jostle" generate --n "$n" --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/million.npy" 2>&1

say "Which of them touch?"
"$jostle" detect "$out/million.npy" --stats --png "$out/million.png" 2>&1

say "The same mix, 3000 of them, to see the contacts one by one:"
"$jostle" generate --n 3000 --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/corner.csv" 2>&1
"$jostle" detect "$out/corner.csv" --png "$out/corner.png" -o "$out/pairs.csv" 2>&1

say "And in two dimensions, a dense packing:"
"$jostle" generate --dim 2 --n 1500 --layout packing --sizes bimodal --d-min 0.4 --d-max 1 --big 0.3 \
    --fraction 0.82 --periodic xy --seed 4 -o "$out/discs.xyz" 2>&1
"$jostle" detect "$out/discs.xyz" --png "$out/discs.png" --why 2>&1

say "Look at $out/million.png, $out/corner.png and $out/discs.png."
echo "Your own particles:  $jostle detect FILE.csv --png look.png      (more: $jostle --help)"
