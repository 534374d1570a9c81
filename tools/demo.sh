#!/usr/bin/env bash
# The demo: a hopper of crushed rock is filled, opened and empties, in the browser where there is one, else
# as pictures and a short video; then a contact search over a million spheres. Says what it does and where
# to look. Run by `make demo` with the program's path.
set -eu
cd "$(dirname "$0")/.."
jostle=${1:-build/release/jostle}
out=${JOSTLE_DEMO_OUT:-out/demo}
until=${JOSTLE_DEMO_UNTIL:-1.0} # simulated seconds; the tests stop sooner
n=${JOSTLE_DEMO_N:-1e6}         # and search fewer spheres
mkdir -p "$out"

bold="" plain=""
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

say "A hopper of 200 rocks and cubes: they settle, the gate opens after 0.5 s, they flow out (scenes/hopper.yaml)."
# Where there is a screen, and a person before it, the browser shows it.
if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    : >"$out/watch.log"
    "$jostle" demo hopper --until "$until" --out "$out/hopper" --force --view 2> >(tee "$out/watch.log" >&2) &
    for _ in $(seq 100); do
        address=$(grep -o -m1 'http://[^ ]*' "$out/watch.log") && break
        sleep 0.1
    done
    [ -z "${address:-}" ] || xdg-open "$address" >/dev/null 2>&1 || true
    wait $!
else
    echo "There is no display here: pictures and a short video instead. (With one, the browser shows it as it goes.)"
    "$jostle" demo hopper --until "$until" --out "$out/hopper" --force 2>&1
fi
"$jostle" render "$out/hopper/trajectory.h5" --png "$out/hopper.png" --colour material 2>&1
"$jostle" plot "$out/hopper/trajectory.h5" --png "$out/hopper-plots.png" 2>&1
video=""
if command -v ffmpeg >/dev/null; then
    "$jostle" render "$out/hopper/trajectory.h5" --mp4 "$out/hopper.mp4" --colour material --size 640x720 2>&1 && video=", $out/hopper.mp4"
else
    echo "ffmpeg is not installed: no video"
fi

say "The search underneath: which of a million spheres of mixed sizes touch?"
"$jostle" generate --n "$n" --sizes log-uniform --d-min 0.05 --d-max 1 --contacts 2 --seed 2 \
    -o "$out/million.npy" 2>&1
"$jostle" detect "$out/million.npy" --stats --png "$out/million.png" 2>&1

say "Look at $out/hopper.png$video, $out/hopper-plots.png and $out/million.png."
echo "In the browser:  $jostle view $out/hopper   (or while it runs: $jostle demo hopper --view)"
echo "More scenes:     $jostle demo --view      (a page to choose from; by name: $jostle demo --list)"
echo "A scene of yours: copy one from scenes/, then $jostle run FILE.yaml      (more: $jostle --help)"
