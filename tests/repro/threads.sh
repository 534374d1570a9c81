#!/usr/bin/env bash
# The number of threads, how often is written, and where a run is cut into pieces change nothing.
source "$(dirname "$0")/../cli/support/check.bash"
small=$here/../repro/support/small.yaml
hash() { tail -n 1 "$1" | sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p'; }

for threads in 1 2 3; do
    expect 0 '"status": "complete"' "$JOSTLE" run "$small" --json --threads $threads --out "$work/t$threads"
    cp "$work/.out" "$work/t$threads.json"
    same "state with $threads threads" "$(hash "$work/t$threads.json")" "$(hash "$work/t1.json")"
    checks=$((checks + 1))
    cmp -s "$work/t$threads/series.csv" "$work/t1/series.csv" || fail "series.csv differs with $threads threads"
done
same "a hash has 16 digits" "$(hash "$work/t1.json" | wc -c)" 17

# Written rarely, or in three pieces: the same state.
sed 's/^\( *series:\).*/\1 0.07/; s/^\( *trajectory:\).*/\1 0.11/; /^ *\(vtp\|dump\|checkpoint\):/d' "$small" >"$work/rare.yaml"
expect 0 '"status": "complete"' "$JOSTLE" run "$work/rare.yaml" --json --out "$work/rare"
same "state with other outputs" "$(hash "$work/.out")" "$(hash "$work/t1.json")"
expect 0 "" "$JOSTLE" run "$small" --quiet --until 0.0712 --out "$work/pieces"
expect 0 "" "$JOSTLE" resume "$work/pieces" --quiet --until 0.13
expect 0 "" "$JOSTLE" resume "$work/pieces" --json --until 0.3 --threads 2
same "state in pieces" "$(hash "$work/.out")" "$(hash "$work/t1.json")"
checks=$((checks + 1))
cmp -s "$work/pieces/series.csv" "$work/t1/series.csv" || fail "series.csv differs in pieces"

# Thousands of bodies, so that threads have work to share: rolled through walls, sheared, and in pieces.
larger() { # scene until piece
    local scene=$here/../../scenes/$1.yaml threads first
    for threads in 1 2 3; do
        expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$2" --threads $threads --out "$work/$1$threads"
        [ $threads = 1 ] && first=$(hash "$work/.out")
        same "state of $1 with $threads threads" "$(hash "$work/.out")" "$first"
    done
    expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$3" --threads 2 --out "$work/$1"
    checks=$((checks + 1))
    [ "$(hash "$work/.out")" != "$first" ] || fail "$1 does not change between $3 and $2"
    expect 0 '"status": "complete"' "$JOSTLE" resume "$work/$1" --json --until "$2" --threads 3
    same "state of $1 in pieces" "$(hash "$work/.out")" "$first"
}
larger drum 0.03 0.0171
larger shear 0.006 0.0042
finish
