#!/usr/bin/env bash
# jostle detect: the contract, every method and format, periodic boxes, output files, pictures.
source "$(dirname "$0")/support/check.bash"

"$JOSTLE" generate --workload A3 --n 500 --seed 7 -o "$work/a3.csv" 2>/dev/null || fail "generate a3"
"$JOSTLE" generate --workload L2 --n 400 --seed 8 -o "$work/l2.csv" 2>/dev/null || fail "generate l2"
methods=$("$JOSTLE" list --json | python3 -c 'import json,sys; print(*[m["name"] for m in json.load(sys.stdin)["broad"]])')

# The contract: one object whose hash an independent program confirms, for every method.
for file in a3 l2; do
    read -r count hash < <(python3 "$here/support/reference.py" "$work/$file.csv")
    for method in $methods auto; do
        "$JOSTLE" detect "$work/$file.csv" --method "$method" --json >"$work/o.json" || fail "$method on $file"
        same "$method, $file: contacts" "$(field contacts <"$work/o.json")" "$count"
        same "$method, $file: hash" "$(field pairs_hash <"$work/o.json")" "$hash"
        same "$method, $file: asked" "$(field asked <"$work/o.json")" "$method"
        [ "$method" = auto ] || same "method" "$(field method <"$work/o.json")" "$method"
    done
    same "$file: unordered" "$("$JOSTLE" detect "$work/$file.csv" --unordered --json | field pairs_hash)" "$hash"
    same "$file: one thread" "$("$JOSTLE" detect "$work/$file.csv" -t 1 --json | field pairs_hash)" "$hash"
    same "$file: count" "$("$JOSTLE" detect "$work/$file.csv" --count)" "$count"
    same "$file: from a pipe" "$("$JOSTLE" detect - --count <"$work/$file.csv")" "$count"
done
python3 - "$work/o.json" <<'END' || fail "the types in detect --json"
import json, sys
o = json.load(open(sys.argv[1]))
assert o["n"] == 400 and o["dim"] == 2 and o["seconds"] > 0 and len(o["pairs_hash"]) == 16, o
assert isinstance(o["why"], str) and o["why"] and o["method"] != "auto"
assert set(o["stages"]) == {"survey", "build", "search", "order", "events"}, o["stages"]
END

# Periodic boxes: all, some and no axes.
edge=$(python3 -c 'print((500 / 1000) ** (1 / 3))')
for axes in xyz xy z none; do
    read -r count hash < <(python3 "$here/support/reference.py" "$work/a3.csv" "$edge" "${axes/none/}")
    for method in $methods auto; do
        same "$method periodic $axes" \
            "$("$JOSTLE" detect "$work/a3.csv" -m "$method" --periodic $axes --box "$edge" --json | field pairs_hash)" "$hash"
    done
done
same "--box as lo,hi" "$("$JOSTLE" detect "$work/a3.csv" -p all --box "0,$edge" --count)" \
    "$("$JOSTLE" detect "$work/a3.csv" -p xyz --box "0,$edge,0,$edge,0,$edge" --count)"
# The file is not known to have a box, so a periodic axis without --box is misuse (csv may state one).
printf '0,0,0,1\n' >"$work/one.csv"
expect 64 "needs a box" "$JOSTLE" detect "$work/one.csv" --periodic x
expect 64 "letters of xyz" "$JOSTLE" detect "$work/one.csv" --periodic xq
expect 64 "letters of xyz" "$JOSTLE" detect "$work/one.csv" --periodic ""
expect 64 "none is periodic" "$JOSTLE" detect "$work/one.csv" --box 10
expect 64 "without a z" "$JOSTLE" detect "$work/l2.csv" --periodic z --box 10
expect 64 "1, 2, 4 or 6" "$JOSTLE" detect "$work/one.csv" --periodic x --box 1,2,3
expect 64 "must have an extent" "$JOSTLE" detect "$work/one.csv" --periodic x --box 1,0
expect 64 "4 numbers, but the particles are 3D" "$JOSTLE" detect "$work/one.csv" --periodic x --box 0,1,0,1

# Every format that can be written can be read again, to the same contacts.
want=$("$JOSTLE" detect "$work/a3.csv" --json | field pairs_hash)
for format in $("$JOSTLE" list --json | python3 -c 'import json,sys
for f in json.load(sys.stdin)["formats"]:
    if f["reads"] and f["writes"]: print(f["name"] + f["extensions"].split()[0])'); do
    name=${format%%.*} extension=.${format#*.}
    "$JOSTLE" generate --workload A3 --n 500 --seed 7 -o "$work/copy$extension" 2>/dev/null || fail "write $name"
    same "format $name" "$("$JOSTLE" detect "$work/copy$extension" --json | field pairs_hash)" "$want"
    same "format $name by name" "$("$JOSTLE" detect "$work/copy$extension" --format "$name" --json | field pairs_hash)" "$want"
done
expect 64 "did you mean 'csv'?" "$JOSTLE" detect "$work/a3.csv" --format cvs

# Pairs as files.
"$JOSTLE" detect "$work/a3.csv" -o "$work/pairs.csv" 2>/dev/null || fail "pairs.csv"
"$JOSTLE" detect "$work/a3.csv" -o "$work/pairs.npy" 2>/dev/null || fail "pairs.npy"
"$JOSTLE" detect "$work/a3.csv" -o - >"$work/stdout.csv" || fail "pairs to stdout"
same "pairs on stdout" "$(cat "$work/stdout.csv")" "$(cat "$work/pairs.csv")"
python3 - "$work/pairs.csv" "$work/pairs.npy" "$want" "$here/support" <<'END' || fail "pair files"
import struct, sys
M = (1 << 64) - 1
def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & M
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & M
    return z ^ z >> 31
lines = open(sys.argv[1]).read().split()
assert lines[0] == "i,j"
pairs = [tuple(map(int, l.split(","))) for l in lines[1:]]
assert pairs == sorted(pairs) and all(i < j for i, j in pairs)
assert f"{sum(mix(i << 32 | j) for i, j in pairs) & M:016x}" == sys.argv[3]
raw = open(sys.argv[2], "rb").read()
assert raw[:6] == b"\x93NUMPY"
start = 10 + struct.unpack("<H", raw[8:10])[0]
assert b"'<u4'" in raw[:start] and str((len(pairs), 2)).encode() in raw[:start]
flat = struct.unpack(f"<{2 * len(pairs)}I", raw[start:])
assert list(zip(flat[::2], flat[1::2])) == pairs
END

# The summary, the reason, the counters; workloads without a file.
expect 0 "contacts  " "$JOSTLE" detect "$work/a3.csv"
expect 0 "hash      $want" "$JOSTLE" detect "$work/a3.csv"
expect 0 "memory    " "$JOSTLE" detect "$work/a3.csv" --stats
expect 0 ": " "$JOSTLE" detect "$work/a3.csv" --why
same "a workload is its file" "$("$JOSTLE" detect --workload A3 --n 500 --seed 7 --json | field pairs_hash)" "$want"
expect 0 "particles 20 000" "$JOSTLE" detect --workload B2 --n 20k
expect 64 "belong to --workload" "$JOSTLE" detect "$work/a3.csv" --n 10
expect 64 "not both" "$JOSTLE" detect "$work/a3.csv" --workload A3
expect 64 "give a FILE" "$JOSTLE" detect

# Options of methods.
for options in "-m cells --per-cell 5" "-m cells --cell 0.2" "-m radial --origin 9,9,9" "-m verlet --skin 0.05" "-m grid --cell 0.3"; do
    # shellcheck disable=SC2086
    same "$options" "$("$JOSTLE" detect "$work/a3.csv" $options --json | field pairs_hash)" "$want"
done
expect 64 "not both" "$JOSTLE" detect "$work/a3.csv" -m cells --cell 1 --per-cell 1

# An option that the method does not read is not passed over in silence.
expect 0 "--per-cell changes nothing for method auto; it is for cells" "$JOSTLE" detect "$work/a3.csv" --per-cell 5
"$JOSTLE" detect "$work/a3.csv" -m grid --cell 0.3 --count >/dev/null 2>"$work/.err"
same "an option that is read needs no word" "$(cat "$work/.err")" ""

# One JSON object, whatever else is asked; a summary with counters has the reason in it.
"$JOSTLE" detect "$work/a3.csv" --json --count --why --stats | python3 -c 'import json, sys; json.load(sys.stdin)' \
    || fail "--json with --count, --why and --stats"
expect 0 "memory    " "$JOSTLE" detect "$work/a3.csv" --stats --why

# Nothing, one, coincident.
printf '' >"$work/empty.csv"
"$JOSTLE" detect "$work/empty.csv" --count >"$work/.out" 2>&1
case $? in 0) same "no particles" "$(cat "$work/.out")" 0 ;; 2) ;; *) fail "an empty file" ;; esac
same "one particle" "$("$JOSTLE" detect "$work/one.csv" --count)" 0
printf 'x,y,r\n1,1,0\n1,1,0\n1,1,0.5\n' >"$work/same.csv"
same "coincident" "$("$JOSTLE" detect "$work/same.csv" --count)" 3

# Progress: a line on a terminal, nothing in a pipe.
"$JOSTLE" detect --workload A3 --n 2e4 --count >/dev/null 2>"$work/.err"
same "progress in a pipe" "$(cat "$work/.err")" ""
python3 - "$JOSTLE" <<'END' || fail "no progress on a terminal"
import os, pty, subprocess, sys
try:
    master, slave = pty.openpty()
except OSError as error:  # a container without /dev/pts
    sys.exit(print("skipped: a terminal:", error))
run = subprocess.run([sys.argv[1], "detect", "--workload", "A3", "--n", "2e4", "--count"], stdout=subprocess.PIPE, stderr=slave)
os.close(slave)
seen = b""
try:  # a terminal hands its bytes over in pieces; after the last one it is empty (macOS) or an error (Linux)
    while piece := os.read(master, 65536):
        seen += piece
except OSError:
    pass
assert run.returncode == 0 and run.stdout.strip().isdigit(), run
assert b"\rsearching" in seen.replace(b"\x1b[K", b"") and seen.endswith(b"\r\x1b[K"), seen
END

if [ "$("$JOSTLE" list --json | field pictures)" = true ]; then
    expect 0 "drew" "$JOSTLE" detect "$work/a3.csv" --png "$work/a3.png"
    expect 0 "drew" "$JOSTLE" detect "$work/l2.csv" --png "$work/l2.png"
    expect 64 "pictures end in" "$JOSTLE" detect "$work/missing.csv" --png "$work/a3.jpg"
    expect 64 "leave out" "$JOSTLE" detect "$work/a3.csv" --png - --count
    "$JOSTLE" detect "$work/l2.csv" --png - >"$work/out.png" 2>"$work/.err" || fail "--png -"
    same "a picture alone on standard output" "$(cmp "$work/out.png" "$work/l2.png" 2>&1; cat "$work/.err")" ""
    same "a PNG" "$(head -c 4 "$work/l2.png" | tail -c 3)" PNG
fi
finish
