#!/usr/bin/env bash
# The demo: a contact search over a million spheres of mixed sizes. Says which method was chosen and
# why, draws what was found, and tells where to look. Run by `make demo` with the program's path.
set -eu
cd "$(dirname "$0")/.."
jostle=${1:-build/release/jostle}
out=out/demo
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "1. A million spheres, diameters log-uniform from 1 to 20"
"$jostle" generate --n 1e6 --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --periodic all \
    --seed 2 -o "$out/million.npy"

say "2. Which of them touch?"
"$jostle" detect "$out/million.npy" --stats

say "3. A corner of it to look at: the same mix, 20 000 spheres"
"$jostle" generate --n 2e4 --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/corner.csv"
"$jostle" detect "$out/corner.csv" --count --png "$out/corner.png" -o "$out/pairs.csv" >/dev/null

say "4. In two dimensions, dense"
"$jostle" generate --dim 2 --n 1500 --layout packing --sizes bimodal --d-min 0.4 --d-max 1 --big 0.3 \
    --fraction 0.82 --periodic xy --seed 4 -o "$out/discs.csv"
"$jostle" detect "$out/discs.csv" --png "$out/discs.png" --why

say "Look at $out/million.png, $out/corner.png and $out/discs.png"
echo "Try it on your own particles:  $jostle detect FILE.csv      ($jostle --help tells more)"
