#!/usr/bin/env bash
# jostle, jostle --help, --version, list: what there is, and suggestions for slips of the pen.
source "$(dirname "$0")/support/check.bash"

expect 64 "Usage: jostle COMMAND" "$JOSTLE"
expect 0 "Examples:" "$JOSTLE" --help
expect 0 "jostle 0." "$JOSTLE" --version
for command in run resume demo render plot distribution check schema detect generate compare tune reproduce list; do
    expect 0 "  jostle $command" "$JOSTLE" "$command" --help
    expect 0 "Usage: jostle $command" "$JOSTLE" help "$command"
    expect 0 "Usage: jostle $command" "$JOSTLE" "$command" -h
    expect 64 "there is no option '--frobnicate'" "$JOSTLE" "$command" --frobnicate
done
expect 64 "did you mean 'detect'?" "$JOSTLE" detct
expect 64 "did you mean 'reproduce'?" "$JOSTLE" reproduse
expect 64 "there is no command 'xyzzy'" "$JOSTLE" xyzzy
expect 64 "did you mean '--method'?" "$JOSTLE" detect x.csv --mehtod cells
expect 64 "did you mean 'brute'?" "$JOSTLE" list brut
expect 64 "did you mean '--json'?" "$JOSTLE" list --jason

expect 0 "all pairs" "$JOSTLE" list
expect 0 "auto" "$JOSTLE" list
expect 0 "N(N-1)/2" "$JOSTLE" list brute
"$JOSTLE" list --json >"$work/list.json" || fail "list --json"
"$JOSTLE" schema >"$work/schema.txt" || fail "schema"
python3 - "$work/list.json" "$work/schema.txt" <<'END' || fail "list --json is not as promised"
import json, re, sys
o = json.load(open(sys.argv[1]))
names = [m["name"] for m in o["broad"]]
assert sorted(names) == sorted("brute radial cells subcells verlet sweep hgrid grid".split()), names
assert all(m["summary"] and "\n" not in m["summary"] for m in o["broad"])
assert "csv" in [f["name"] for f in o["formats"]]
assert [e["name"] for e in o["engines"]] == ["soft", "hard", "kinetic"]
schema = open(sys.argv[2]).read()
for part in "normal damping tangential rolling cohesion".split():
    offered = re.search(r"^  %s +(.*), default" % part, schema, re.M).group(1).split(", ")
    assert offered == [p["name"] for p in o["laws"] if p["part"] == part], part
assert {"A2", "B2", "C2", "A3", "B3", "C3", "P2", "D3", "L3"} <= {w["name"] for w in o["workloads"]}
assert [p["paper"] for p in o["papers"]] == [1, 2, 3, 4, 5]
END
# Every method can be shown on its own, and is in the text list.
for method in brute radial cells subcells verlet sweep hgrid grid auto; do
    expect 0 "$method" "$JOSTLE" list "$method"
done
checks=$((checks + 1))
"$JOSTLE" list >/dev/full 2>"$work/.err"
same "exit code on a full disk" $? 2
finish
