#!/usr/bin/env bash
# A simulation that goes wrong: alarms in words, exit code 1, the last good checkpoint and a frame to
# look at.
source "$(dirname "$0")/support/check.bash"
small=$here/../repro/support/small.yaml
cd "$work" || exit 1

# A step that is far too large.
sed 's/time_step: 50 us/time_step: 3 ms/; s/series: .*/series: 3 ms/; /^ *\(vtp\|dump\|checkpoint\|trajectory\):/d' "$small" >wild.yaml
"$JOSTLE" run wild.yaml --json >wild.json 2>wild.txt
same "exit code of a blow-up" $? 1
python3 - wild.json <<'END' || fail "the JSON of a blow-up"
import json, sys
o = json.loads(open(sys.argv[1]).read().splitlines()[-1])
assert o["status"] == "blew up", o["status"]
kinds = [a["kind"] for a in o["alarms"]]
assert o["alarms"] and all(a["text"] and a["count"] > 0 for a in o["alarms"]), kinds
END
grep -q "^alarm (.*) at time " wild.txt || fail "no alarm on stderr: $(cat wild.txt)"
grep -q "step" wild.txt || fail "the step is not named as a cause: $(cat wild.txt)"
grep -q "last good checkpoint" wild.txt || fail "the checkpoint is not named: $(cat wild.txt)"
checks=$((checks + 4))
for file in checkpoint.h5 postmortem.h5 postmortem.vtp series.csv; do
    [ -s "wild-out/$file" ] || fail "a blow-up left no $file"
    checks=$((checks + 1))
done
# From the checkpoint it goes wrong again, in the same way.
"$JOSTLE" resume wild-out --json >again.json 2>/dev/null
same "exit code of resuming it" $? 1
finish
