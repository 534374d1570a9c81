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
# Where there is a screen, and a person before it, the browser shows it.
if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    : >"$out/watch.log"
    "$jostle" demo silo --until "$until" --out "$out/silo" --force --view 2> >(tee "$out/watch.log" >&2) &
    for _ in $(seq 100); do
        address=$(grep -o -m1 'http://[^ ]*' "$out/watch.log") && break
        sleep 0.1
    done
    [ -z "${address:-}" ] || xdg-open "$address" >/dev/null 2>&1 || true
    wait $!
else
    "$jostle" demo silo --until "$until" --out "$out/silo" --force 2>&1
fi
"$jostle" render "$out/silo/trajectory.h5" --png "$out/silo.png" 2>&1
"$jostle" plot "$out/silo/trajectory.h5" --png "$out/silo-plots.png" 2>&1

say "The search underneath: which of a million spheres of mixed sizes touch?"
"$jostle" generate --n "$n" --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/million.npy" 2>&1
"$jostle" detect "$out/million.npy" --stats --png "$out/million.png" 2>&1

say "Look at $out/silo.png, $out/silo-plots.png and $out/million.png."
echo "In the browser:  $jostle view $out/silo     (or while it runs: $jostle demo silo --view)"
echo "More scenes:     $jostle demo --list"
echo "A scene of yours: copy one from scenes/, then $jostle run FILE.yaml      (more: $jostle --help)"
