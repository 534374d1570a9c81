#!/usr/bin/env bash
# A run that goes on has the shapes, meshes and bodies it began with, whatever became of their files.
source "$(dirname "$0")/../cli/support/check.bash"
hash() { tail -n 1 "$1" | sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p'; }

block() { # HEIGHT: a block on a unit square
    printf 'OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n'
    printf '%s\n' "0 0 $1" "1 0 $1" "1 1 $1" "0 1 $1"
    printf '%s\n' "4 0 3 2 1" "4 4 5 6 7" "4 0 1 5 4" "4 1 2 6 5" "4 2 3 7 6" "4 3 0 4 7"
}
tetrahedron='OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n'

mkdir -p "$work/began/files"
cd "$work/began" || exit 1
block 1 >files/block.off
printf '%s\n' "-0.1 -0.1 0  0.1 -0.1 0.01  0.1 0.1 0" "-0.1 -0.1 0  0.1 0.1 0  -0.1 0.1 0.02" >files/floor.txt
printf 'x,y,z,r\n0.05,0,0.03,0.008\n' >files/ball.csv
cat >scene.yaml <<'END'
materials: {s: {density: 2500, young: 8 MPa, poisson: 0.25, restitution: 0.3, friction: 0.5}}
gravity: 9.81
bodies:
  - {radius: 8 mm, shape: {file: files/block.off}, list: [{position: [0, 0, 3 cm], orientation: [1, .2, .3, .4]}]}
  - {radius: 6 mm, shape: {file: files/block.off}, list: [{position: [0, 0, 6 cm], orientation: [1, .5, .3, .4]}]}
  - {file: files/ball.csv}
walls: {floor: {mesh: {file: files/floor.txt}}}
duration: 0.2
output: {series: 1 ms, dump: 20 ms, vtp: 50 ms, checkpoint: 70 ms}
END
expect 0 '"status": "complete"' "$JOSTLE" run scene.yaml --json --out whole
whole=$(hash "$work/.out")
expect 0 "" "$JOSTLE" run scene.yaml --quiet --until 0.08 --out half

goes_on() { # WHAT : the half run, from where it lies now, ends as the whole one
    rm -rf "$work/run"
    cp -r "$work/began/half" "$work/run"
    expect 0 '"status": "complete"' "$JOSTLE" resume "$work/run" --json --until 0.13
    expect 0 '"status": "complete"' "$JOSTLE" resume "$work/run" --json --until 0.2 # from what a resumed run saved
    same "the state: $1" "$(hash "$work/.out")" "$whole"
    checks=$((checks + 1))
    diff -r -x run.json -x checkpoint.h5 "$work/began/whole" "$work/run" >/dev/null || fail "the files: $1"
}
goes_on "nothing happened"
block 2 >files/block.off
goes_on "another block"
# shellcheck disable=SC2059
printf "$tetrahedron" >files/block.off
goes_on "a shape with other corners"
printf '%s\n' "-0.1 -0.1 0.02  0.1 -0.1 0.02  0.1 0.1 0.02" >files/floor.txt
goes_on "another floor"
echo "no,such,thing" >files/ball.csv
goes_on "another ball"
rm -r files
goes_on "no files"
expect 2 "files/block.off: cannot be opened" "$JOSTLE" run scene.yaml --out again
mv "$work/began" "$work/elsewhere"
cp -r "$work/elsewhere/half" "$work/copy"
expect 0 '"status": "complete"' "$JOSTLE" resume "$work/copy" --json --until 0.2
same "the state: all of it moved" "$(hash "$work/.out")" "$whole"

# A file that is named twice is in the checkpoint once.
source "$here/../repro/support/python.bash"
"$python" - "$work/copy/checkpoint.h5" <<'END' || fail "the checkpoint's files are not as documented"
import h5py, sys
with h5py.File(sys.argv[1], "r") as file:
    files = {node["name"][()].decode(): node["bytes"][()].tobytes() for node in file["geometry"].values()}
assert sorted(files) == ["files/block.off", "files/floor.txt"], sorted(files)
assert files["files/block.off"].startswith(b"OFF\n8 6 0\n0 0 0\n"), files
assert len(files["files/floor.txt"].splitlines()) == 2, files
END
finish
