#!/usr/bin/env bash
# A full disk, at the start or on the way: a sentence that names the file and says what to do, exit code 2,
# nothing half-written. Played by a limit on the size of files, by /dev/full, and where mounting is
# allowed by a disk of a few hundred kilobytes.
source "$(dirname "$0")/support/check.bash"
cd "$work" || exit 1

# full KIB FRAGMENT COMMAND… : no file may grow beyond KIB; what is printed goes through a pipe, which is no file.
full() {
    local most=$1 fragment=$2 got
    shift 2
    checks=$((checks + 1))
    (
        ulimit -f "$most"
        exec "$@" 2>&1 </dev/null
    ) | cat >.said
    got=${PIPESTATUS[0]}
    if [ "$got" -ne 2 ]; then
        fail "exit code $got instead of 2 with at most $most KiB: $*: $(tail -3 .said)"
    elif ! grep -q "error: .*$fragment: cannot be .*: File too large; raise the limit" .said; then
        fail "with at most $most KiB: $*: $(tail -3 .said)"
    fi
    same "leftovers of $*" "$(find . -name '*.tmp*')" ""
}

cp "$here/../repro/support/small.yaml" scene.yaml
cat >gas.yaml <<'EOF'
materials: {glass: {density: 2500, restitution: 1}}
box: {lo: [0, 0, 0], hi: [1, 1, 1]}
walls: {cube: {box: {lo: [0, 0, 0], hi: [1, 1, 1]}}}
bodies: [{radius: 0.05, velocity_spread: 0.5, random: {count: 100}}]
engine: hard
duration: 10
output: {series: 0.1, events: true}
EOF
"$JOSTLE" run scene.yaml --out whole --quiet || fail "the run that others are compared with"

# Runs: full from the start, then from ever later bytes on. What is there is whole, and goes on to the same end.
full 0 "none/checkpoint.h5" "$JOSTLE" run scene.yaml --out none
absent none
for most in 50 130 200 400; do
    full $most "limited/[a-z_.0-9/]*" "$JOSTLE" run scene.yaml --out limited --quiet --force
    if [ -e limited ]; then
        same "the end of series.csv at $most KiB" "$(tail -c 1 limited/series.csv | od -An -c | tr -d ' ')" '\n'
        expect 0 "complete" "$JOSTLE" resume limited
        for file in series.csv dump.lammpstrj; do
            cmp -s limited/$file whole/$file || fail "after a full disk at $most KiB, $file is another"
        done
    fi
done
same "a limit that lets runs begin" "$([ -e limited/checkpoint.h5 ] && echo yes)" yes
full 0 "limited/[a-z_.0-9/]*" "$JOSTLE" resume limited --until 0.4
expect 0 "complete" "$JOSTLE" resume limited --until 0.31
full 20 "elsewhere/[a-z_.0-9/]*" "$JOSTLE" resume limited --until 0.4 --out elsewhere
absent elsewhere
full 0 "demo-out/checkpoint.h5" "$JOSTLE" demo shear --out demo-out
absent demo-out
full 12 "gas-out/.*" "$JOSTLE" run gas.yaml --quiet
if [ -e gas-out/events.csv ]; then
    same "the end of events.csv" "$(tail -c 1 gas-out/events.csv | od -An -c | tr -d ' ')" '\n'
fi

# Everything else that writes files.
"$JOSTLE" generate --n 200 -o grains.csv 2>/dev/null || fail "generate"
full 0 "x.csv" "$JOSTLE" generate --n 200 -o x.csv
full 1 "x.csv" "$JOSTLE" generate --n 2000 -o x.csv
full 1 "x.png" "$JOSTLE" generate --n 200 -o - --png x.png
full 0 "x.csv" "$JOSTLE" detect grains.csv -o x.csv
full 0 "x.png" "$JOSTLE" detect grains.csv --png x.png
full 0 "x.csv" "$JOSTLE" compare grains.csv --methods grid --csv x.csv
full 0 "x.png" "$JOSTLE" compare grains.csv --methods grid --png x.png
full 0 "tuned/.*" "$JOSTLE" tune grains.csv --out tuned
full 0 "x.csv" "$JOSTLE" distribution whole --csv x.csv
full 0 "x.png" "$JOSTLE" distribution whole --png x.png
full 0 "x.png" "$JOSTLE" plot whole --png x.png
full 0 "x.png" "$JOSTLE" render whole --png x.png
full 0 "frames/000000.png" "$JOSTLE" render whole --frames frames
full 0 "paper/.*" "$JOSTLE" reproduce 2 --quick --out paper
absent x.csv x.png
if command -v ffmpeg >/dev/null; then
    full 4 "x.mp4" "$JOSTLE" render whole --mp4 x.mp4 --every 10
    absent x.mp4
fi
same "half-written files" "$(find tuned frames paper -type f 2>/dev/null)" ""

# Standard output.
printed() { # COMMAND…
    checks=$((checks + 1))
    "$@" >/dev/full 2>.said
    local got=$?
    [ $got -eq 2 ] || fail "exit code $got instead of 2: $* >/dev/full"
    grep -q "error: standard output: cannot be written: No space left on device; make room" .said ||
        fail "$* >/dev/full: $(tail -3 .said)"
}
printed "$JOSTLE" --version
printed "$JOSTLE" --help
printed "$JOSTLE" list
printed "$JOSTLE" schema
printed "$JOSTLE" check scene.yaml
printed "$JOSTLE" run scene.yaml --until 0.01 --out printed --json
printed "$JOSTLE" resume printed --until 0.02 --json
printed "$JOSTLE" generate --n 200 -o -
printed "$JOSTLE" detect grains.csv -o -
printed "$JOSTLE" compare grains.csv --methods grid
printed "$JOSTLE" distribution whole --csv -
printed "$JOSTLE" render whole --png -

# A real disk that is full: only where one can be mounted.
small() { # KIB COMMAND… : in a folder `disk` of that size
    local size=$1
    shift
    mkdir -p disk
    unshare --user --map-root-user --mount bash -c '
        mount -t tmpfs -o size='"$size"'k none disk || exit 77
        "$@"
        code=$?
        echo "left: $(cd disk && find . -name "*.tmp*")"
        if [ -e disk/run/checkpoint.h5 ]; then
            cp -r disk/run rescued || exit 99
        fi
        exit $code' bash "$@" >.said 2>&1
}
small 1000 true
if [ $? -eq 0 ]; then
    for size in 4 300 700; do
        small $size "$JOSTLE" run scene.yaml --out disk/run --quiet
        same "exit code with a disk of $size KiB" $? 2
        checks=$((checks + 1))
        grep -q "error: disk/run/.*: cannot be .*: No space left on device; make room" .said ||
            fail "a disk of $size KiB: $(cat .said)"
        grep -q "^left: \$" .said || fail "a disk of $size KiB: $(cat .said)"
    done
    expect 0 "complete" "$JOSTLE" resume rescued
    cmp -s rescued/series.csv whole/series.csv || fail "after a full disk, series.csv is another"
    small 60 "$JOSTLE" generate --n 20000 -o disk/x.csv
    same "generate to a full disk" $? 2
    if command -v ffmpeg >/dev/null; then
        small 8 "$JOSTLE" render whole --mp4 disk/x.mp4 --every 10
        same "a movie to a full disk" $? 2
    fi
else
    echo "no disk can be mounted here: limits and /dev/full alone"
fi

finish
