#!/usr/bin/env bash
# tools/demo.sh, small: simulates, searches, and leaves its pictures.
source "$(dirname "$0")/support/check.bash"
[ "$("$JOSTLE" list --json | field pictures)" = true ] || { echo "built without pictures"; exit 0; }
export JOSTLE_DEMO_N=2e4 JOSTLE_DEMO_UNTIL=0.01 JOSTLE_DEMO_OUT=$work/demo
expect 0 "Silo discharge" bash "$here/../../tools/demo.sh" "$JOSTLE"
expect 0 "method    " bash "$here/../../tools/demo.sh" "$JOSTLE" # a second time, too
expect 0 "Look at $work/demo/silo.png" bash "$here/../../tools/demo.sh" "$JOSTLE"
for file in silo.png silo-plots.png million.png silo/trajectory.h5 silo/series.csv; do
    checks=$((checks + 1))
    [ -s "$work/demo/$file" ] || fail "the demo left no $file"
done
finish
