#!/usr/bin/env bash
# jostle demo: every scene that comes along is listed, can be read and begins to run.
source "$(dirname "$0")/support/check.bash"
cd "$work" || exit 1
expect 0 "Silo discharge" "$JOSTLE" demo --list
cp .out list.txt
for name in silo drum repose chute shear brazil-nut impact pile hopper tumbler; do
    checks=$((checks + 1))
    grep -q "^$name  *[A-Z].*" list.txt || fail "'$name' is not listed with a line"
done
for file in "$here"/../../scenes/*.yaml; do
    name=$(basename "$file" .yaml)
    checks=$((checks + 1))
    grep -q "^$name " list.txt || fail "$file is not listed"
    expect 0 '"status": "complete"' "$JOSTLE" demo "$name" --json --until 0.0005 --out "$name"
    python3 - .out <<'END' || fail "demo $name: $(cat .out)"
import json, sys
o = json.loads(open(sys.argv[1]).read().splitlines()[-1])
assert 100 <= o["bodies"] <= 30000, o["bodies"]
assert o["events"] >= 0 if o["engine"] in ("hard", "kinetic") else o["steps"] > 3
assert not o["alarms"], o["alarms"]
END
done
"$JOSTLE" demo --list --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert len(o["scenes"]) >= 7 and all(s["name"] and s["title"] for s in o["scenes"])' || fail "demo --list --json"
# The scene in the README is one.
awk '/^```yaml/ { inside = 1; next } /^```/ { inside = 0 } inside' "$here/../../README.md" >readme.yaml
expect 0 '"status": "complete"' "$JOSTLE" run readme.yaml --json --until 0.0005
expect 64 "did you mean 'silo'?" "$JOSTLE" demo sillo
expect 64 "'jostle demo --list' names them" "$JOSTLE" demo
expect 64 "leave out" "$JOSTLE" demo silo --list
# Installed elsewhere, the scenes are found from the program's place; without them it says so.
mkdir -p moved/bin moved/share/jostle lonely
cp "$JOSTLE" moved/bin/ && cp -r "$here/../../scenes" moved/share/jostle/
expect 0 "moved/bin/../share/jostle/scenes" moved/bin/jostle demo --list
cp "$JOSTLE" lonely/
expect 1 "the scenes are not there" lonely/jostle demo --list
finish
