#!/usr/bin/env bash
# jostle compare and jostle tune: they agree, they give tables, JSON, CSV and plots.
source "$(dirname "$0")/support/check.bash"

expect 0 "All agree on every contact." "$JOSTLE" compare --workload L3 --n 2000 --repeat 1
expect 0 "All agree on every contact." "$JOSTLE" compare --workload packing2 --n 500 --repeat 1
expect 0 "All agree on every contact." "$JOSTLE" compare --workload B2 --n 1000 --moving 10 --step 0.05
expect 0 "left out: would take about" "$JOSTLE" compare --workload B3 --n 4e4 --methods brute,cells --limit 0.2 --repeat 1
"$JOSTLE" compare --workload M3-periodic --n 1500 --json --repeat 2 --csv "$work/c.csv" >"$work/c.json" 2>/dev/null || fail "compare --json"
python3 - "$work/c.json" "$work/c.csv" <<'END' || fail "compare's JSON and CSV"
import csv, json, sys
o = json.load(open(sys.argv[1]))
names = [m["name"] for m in o["methods"]]
assert o["agree"] is True and o["n"] == 1500 and names[0] == "brute" and names[-1] == "auto", names
assert len({m["hash"] for m in o["methods"]}) == 1 and min(m["relative"] for m in o["methods"]) == 1
rows = list(csv.DictReader(open(sys.argv[2])))
assert [r["method"] for r in rows] == names and all(r["agrees"] == "yes" for r in rows)
END
expect 64 "did you mean 'cells'?" "$JOSTLE" compare --workload A3 --methods grid,cels

expect 0 "measured best" "$JOSTLE" tune --workload D3 --n 3000 --quick --steps 5
"$JOSTLE" tune --workload D2 --n 3000 --quick --steps 5 --json --out "$work/tune" >"$work/t.json" 2>/dev/null || fail "tune --json"
python3 - "$work/t.json" <<'END' || fail "tune's JSON"
import json, sys
o = json.load(open(sys.argv[1]))
c = o["cells"]
assert len(c["curve"]) == 6 and 0.5 < c["model_lambda"] < 5 and c["best"] in c["curve"], c
assert all(p["seconds_per_particle"] > 0 for p in c["curve"])
# Larger cells never test fewer pairs, and lambda is what was asked for, or a little more.
assert [p["lambda"] for p in c["curve"]] == sorted(p["lambda"] for p in c["curve"])
assert len(o["verlet"]["curve"]) == 3 and o["verlet"]["tuned"]["skin"] >= 0
END
[ -s "$work/tune/cells.csv" ] && [ -s "$work/tune/skin.csv" ] || fail "tune --out wrote no CSV"
if [ "$("$JOSTLE" list --json | field pictures)" = true ]; then
    expect 0 "drew" "$JOSTLE" compare --workload C2 --n 500 --png "$work/c.png"
    [ -s "$work/c.png" ] && [ -s "$work/tune/cells.png" ] || fail "a plot is missing"
fi
printf '0,0,1\n1,0,1\n' >"$work/line.csv"
expect 2 "no density to tune" "$JOSTLE" tune "$work/line.csv"
expect 0 "nothing to compare" "$JOSTLE" compare "$work/line.csv" --methods grid
expect 64 "belong to --moving" "$JOSTLE" compare "$work/line.csv" --step 0.1
expect 64 "share standard output" "$JOSTLE" compare "$work/line.csv" --csv - --json
same "the table as CSV alone" "$("$JOSTLE" compare "$work/line.csv" --csv - | head -1 | cut -d, -f1-3)" method,ran_as,seconds
printf '0,0,0,0\n' >"$work/point.csv"
expect 2 "tuning needs" "$JOSTLE" tune "$work/point.csv"
finish
