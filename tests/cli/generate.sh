#!/usr/bin/env bash
# jostle generate: every layout and size law, the same bytes every time, what was asked for.
source "$(dirname "$0")/support/check.bash"

for layout in random lattice close jittered packing clusters shell line slab; do
    for dim in 2 3; do
        expect 0 "wrote 300" "$JOSTLE" generate --layout $layout --dim $dim --n 300 --seed 5 \
            --fraction 0.3 -o "$work/a.csv"
        expect 0 "wrote 300" "$JOSTLE" generate --layout $layout --dim $dim --n 300 --seed 5 \
            --fraction 0.3 -o "$work/b.csv"
        cmp -s "$work/a.csv" "$work/b.csv" || fail "$layout, ${dim}D: two runs differ"
        same "$layout, ${dim}D: read back" "$("$JOSTLE" detect "$work/a.csv" --json | field n)" 300
    done
done
for sizes in equal uniform log-uniform bimodal giant; do
    expect 0 "wrote" "$JOSTLE" generate --sizes $sizes --d-min 0.01 --d-max 0.3 --n 500 --contacts 2 -o "$work/s.csv"
    python3 - "$work/s.csv" $sizes <<'END' || fail "sizes $sizes"
import sys
d = [2 * float(l.split(",")[-1]) for l in open(sys.argv[1]) if l[0] in "-0123456789"]
assert len(d) == 500 and min(d) >= 0.01 - 1e-12 and max(d) <= 0.3 + 1e-12, (len(d), min(d), max(d))
few = len(set(round(x, 9) for x in d))
assert (few <= 2) == (sys.argv[2] in ("equal", "bimodal", "giant")), few
END
done
"$JOSTLE" generate --n 200 --seed 1 -o - >"$work/1.csv" || fail "to standard output"
"$JOSTLE" generate --n 200 --seed 2 -o - >"$work/2.csv"
cmp -s "$work/1.csv" "$work/2.csv" && fail "the seed does not matter"
same "n like 1e2" "$("$JOSTLE" generate --n 1e2 -o - | "$JOSTLE" detect - --json | field n)" 100

expect 64 "give one of" "$JOSTLE" generate --n 5 --density 100 --edge 3 -o "$work/x.csv"
expect 64 "belongs to --sizes bimodal" "$JOSTLE" generate --n 5 --big 0.5 -o "$work/x.csv"
expect 64 "set both, --d-min" "$JOSTLE" generate --n 5 --d-min 2 -o "$work/x.csv"
expect 64 "needs --fraction" "$JOSTLE" generate --n 5 --layout jittered --edge 3 -o "$work/x.csv"
absent "$work/x.csv"
expect 0 "the spacing of a lattice" "$JOSTLE" generate --n 5 --layout lattice --edge 3 -o "$work/lattice.csv"

# Every workload can be made, small.
for name in $("$JOSTLE" list --json | python3 -c 'import json,sys; print(*[w["name"] for w in json.load(sys.stdin)["workloads"]])'); do
    expect 0 "" "$JOSTLE" generate --workload "$name" --n 200 -o "$work/w.csv"
done
# Options beside a workload change it.
"$JOSTLE" generate --workload A3 --n 100 --dim 2 --density 50 -o "$work/w.csv" 2>/dev/null
same "a workload in 2D" "$("$JOSTLE" detect "$work/w.csv" --json | field dim)" 2
# A format without a box says how to give it again; with it, both files have the same contacts.
"$JOSTLE" generate --workload M3-periodic --n 300 -o "$work/box.xyz" 2>"$work/.err" || fail "box.xyz"
grep -q "does not state" "$work/.err" && fail "xyz states the box"
"$JOSTLE" generate --workload M3-periodic --n 300 -o "$work/box.csv" 2>"$work/.err" || fail "box.csv"
options=$(sed -n 's/.*read it with //p' "$work/.err")
# shellcheck disable=SC2086
same "a periodic box given again" "$("$JOSTLE" detect "$work/box.csv" $options --json | field pairs_hash)" \
    "$("$JOSTLE" detect "$work/box.xyz" --json | field pairs_hash)"
same "a periodic file" "$("$JOSTLE" detect "$work/box.xyz" --json | field periodic)" xyz
# Contacts as asked for: 3 per particle, edge effects aside.
"$JOSTLE" generate --n 20000 --sizes equal --d-max 1 --contacts 3 --periodic all -o "$work/c.npy" 2>/dev/null
edge=$("$JOSTLE" generate --n 20000 --sizes equal --d-max 1 --contacts 3 -o "$work/c.npy" 2>&1 | sed 's/.*edge \([^ ]*\).*/\1/')
count=$("$JOSTLE" detect "$work/c.npy" --periodic all --box "$edge" --count)
python3 -c "import sys; sys.exit(not abs($count / 20000 - 3) < 0.1)" || fail "contacts per particle: $count / 20000"
finish
