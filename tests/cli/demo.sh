#!/usr/bin/env bash
# tools/demo.sh, small: simulates, searches, and leaves its pictures.
source "$(dirname "$0")/support/check.bash"
[ "$("$JOSTLE" list --json | field pictures)" = true ] || { echo "built without pictures"; exit 0; }
export JOSTLE_DEMO_N=2e4 JOSTLE_DEMO_UNTIL=0.01 JOSTLE_DEMO_OUT=$work/demo
expect 0 "Crushed rock flows" bash "$here/../../tools/demo.sh" "$JOSTLE"
expect 0 "method    " bash "$here/../../tools/demo.sh" "$JOSTLE" # a second time, too
expect 0 "Look at $work/demo/hopper.png" bash "$here/../../tools/demo.sh" "$JOSTLE"
for file in hopper.png hopper-plots.png million.png hopper/trajectory.h5 hopper/series.csv; do
    checks=$((checks + 1))
    [ -s "$work/demo/$file" ] || fail "the demo left no $file"
done
# Nobody looks at a screen here: it says so, and leaves a video where there is ffmpeg.
expect 0 "There is no display here" bash "$here/../../tools/demo.sh" "$JOSTLE"
if command -v ffmpeg >/dev/null; then
    checks=$((checks + 1))
    [ -s "$work/demo/hopper.mp4" ] || fail "the demo left no video"
fi
# The gallery needs the viewer's build; without one it says why.
expect 64 "which one? 'jostle demo --list' names them" "$JOSTLE" demo
finish
