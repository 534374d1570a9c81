#!/usr/bin/env bash
# Runs that are changed while they go on (--replay) end with the same state for any number of threads, in
# pieces, and after a stop; what cannot be is refused by file and line.
source "$(dirname "$0")/../cli/support/check.bash"
small=$here/../repro/support/small.yaml
hard=$here/../repro/support/hard.yaml
solids=$here/../web/solids.yaml
hash() { tail -n 1 "$1" | sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p'; }

# repeat NAME SCENE UNTIL PIECE : with NAME.csv
repeat() {
    local name=$1 scene=$2 until=$3 piece=$4 file=$work/$1.csv first
    expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$until" --threads 1 --out "$work/$name-plain"
    first=$(hash "$work/.out")
    expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$until" --threads 1 --replay "$file" --out "$work/$name-1"
    checks=$((checks + 1))
    [ "$(hash "$work/.out")" != "$first" ] || fail "$name: the changes changed nothing"
    first=$(hash "$work/.out")
    expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$until" --threads 2 --replay "$file" --out "$work/$name-2"
    same "$name with 2 threads" "$(hash "$work/.out")" "$first"
    same "$name: the changes are kept" "$(cat "$work/$name-1/changes.csv")" "$(cat "$file")"
    # In pieces: what is still to come is in the folder.
    expect 0 '"status": "complete"' "$JOSTLE" run "$scene" --json --until "$piece" --threads 2 --replay "$file" --out "$work/$name-3"
    expect 0 '"status": "complete"' "$JOSTLE" resume "$work/$name-3" --json --until "$until" --threads 1
    same "$name in pieces" "$(hash "$work/.out")" "$first"
    same "$name: the changes are kept in pieces" "$(cat "$work/$name-3/changes.csv")" "$(cat "$file")"
    # Elsewhere, from the same checkpoint.
    expect 0 "" "$JOSTLE" run "$scene" --quiet --until "$piece" --replay "$file" --out "$work/$name-4"
    expect 0 '"status": "complete"' "$JOSTLE" resume "$work/$name-4" --json --until "$until" --out "$work/$name-5"
    same "$name elsewhere" "$(hash "$work/.out")" "$first"
}

cat >"$work/soft.csv" <<'END'
step,time,change
0,0,friction grain grain 0.2
200,0.01,gravity 1 0 -12
800,0.04,add grain 0.004 0 0 0.11
800,0.04,add grain 0.003 0.011 0 0.11 moving 0 0.1 -1
1000,0.05,wall floor open
1100,0.055,restitution grain grain 0.9
1500,0.075,gravity 0 0.5 -9.81
END
repeat soft "$small" 0.1 0.05
same "bodies were added" "$(grep -c 'add' "$work/soft-1/changes.csv")" 2

cat >"$work/solid.csv" <<'END'
step,time,change
10,0,add rocks 0.02 0 0 0.4 moving 0 0 -1 shape 2
20,0,gravity 0 0 -30
40,0,friction rocks cubes 0
END
expect 0 '"status": "complete"' "$JOSTLE" run "$solids" --json --until 0.02 --threads 1 --replay "$work/solid.csv" --out "$work/solid-1"
first=$(hash "$work/.out")
expect 0 '"status": "complete"' "$JOSTLE" run "$solids" --json --until 0.02 --threads 2 --replay "$work/solid.csv" --out "$work/solid-2"
same "polyhedra with 2 threads" "$(hash "$work/.out")" "$first"
expect 0 "" "$JOSTLE" run "$solids" --quiet --until 0.005 --replay "$work/solid.csv" --out "$work/solid-3"
expect 0 '"status": "complete"' "$JOSTLE" resume "$work/solid-3" --json --until 0.02
same "polyhedra in pieces" "$(hash "$work/.out")" "$first"

cat >"$work/hard.csv" <<'END'
step,time,change
0,0,restitution grain grain 0.5
0,0.0312345,gravity 1 0 -3
0,0.0412345,gravity 0 0 0
0,0.05,friction grain grain 0
0,0.06,gravity 0 0 -9.81
END
repeat hard "$hard" 0.1 0.045

# Stopped by a signal on the way.
"$JOSTLE" run "$small" --quiet --until 0.1 --replay "$work/soft.csv" --out "$work/stopped" 2>/dev/null &
pid=$!
for _ in $(seq 200); do [ -s "$work/stopped/series.csv" ] && break; sleep 0.02; done
kill -TERM $pid 2>/dev/null
wait $pid
expect 0 "" "$JOSTLE" resume "$work/stopped" --json
expect 0 "" "$JOSTLE" run "$small" --json --until 0.1 --replay "$work/soft.csv" --out "$work/whole"
same "stopped" "$(tail -n 1 "$work/stopped/run.json" | sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p')" "$(hash "$work/.out")"

# Killed as soon as there is something to resume: what is to come is there already.
"$JOSTLE" run "$small" --quiet --until 0.1 --replay "$work/soft.csv" --out "$work/killed" 2>/dev/null &
pid=$!
until [ -e "$work/killed/checkpoint.h5" ] || ! kill -0 $pid 2>/dev/null; do :; done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
expect 0 "" "$JOSTLE" resume "$work/killed" --json
same "killed at the start" "$(hash "$work/.out")" "$(hash "$work/whole/run.json")"

# What cannot be.
bad() { # fragment row…
    local fragment=$1
    shift
    { echo "step,time,change"; printf '%s\n' "$@"; } >"$work/bad.csv"
    expect 2 "$fragment" "$JOSTLE" run "$small" --quiet --until 0.01 --replay "$work/bad.csv" --out "$work/refused"
    rm -rf "$work/refused"
}
bad "bad.csv:2: the scene has no material 'gran'" "0,0,friction gran grain 0.1"
bad "bad.csv:3: 'weight' cannot be changed" "0,0,gravity 0 0 0" "1,0,weight 3"
bad "bad.csv:2: gravity's z is missing" "0,0,gravity 0 0"
bad "bad.csv:2: gravity's y is 'up', which is no number" "0,0,gravity 0 up 0"
bad "bad.csv:2: '4' is one word too many" "0,0,gravity 0 0 0 4"
bad "bad.csv:2: a wall can be 'open' or 'shut', not 'ajar'" "0,0,wall floor ajar"
bad "bad.csv:3: is earlier than the row before" "9,0,gravity 0 0 0" "8,0,gravity 0 0 1"
bad "bad.csv:2: begins with no number of steps" "x,0,gravity 0 0 0"
bad "was refused: gravity must be finite" "3,0,gravity 0 0 inf"
bad "was refused: restitution between 'grain' and 'grain' is 2" "3,0,restitution grain grain 2"
bad "was refused: there is no room at" "3,0,add grain 0.004 0 0 0"
echo "step;time" >"$work/other.csv"
expect 2 "is not a file of changes" "$JOSTLE" run "$small" --quiet --replay "$work/other.csv" --out "$work/refused"
absent "$work/refused"
expect 1 "cannot be read" "$JOSTLE" run "$small" --quiet --replay "$work/none.csv" --out "$work/refused"
expect 64 "--replay is for new runs" "$JOSTLE" resume "$work/soft-1" --replay "$work/soft.csv"
finish
