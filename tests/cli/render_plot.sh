#!/usr/bin/env bash
# jostle render and jostle plot: pictures, movies and series of a small run; what they say when they cannot.
source "$(dirname "$0")/support/check.bash"

cat >"$work/scene.yaml" <<'END'
title: A few beads in a box
materials: {glass: {density: 2500, young: 1 MPa, poisson: 0.3, restitution: 0.5, friction: 0.4},
            steel: {density: 7800, young: 1 MPa, poisson: 0.3, restitution: 0.5, friction: 0.4}}
gravity: 9.81
bodies:
  - {name: a, material: glass, radius: 4 mm, random: {count: 12, region: {lo: [0, 0, 0], hi: [4 cm, 4 cm, 6 cm]}}}
  - {name: b, material: steel, radius: 5 mm, random: {count: 6, region: {lo: [0, 0, 0], hi: [4 cm, 4 cm, 6 cm]}}}
walls:
  tray: {box: {lo: [0, 0, 0], hi: [4 cm, 4 cm, 6 cm]}, material: glass}
duration: 0.1 s
output: {series: 2 ms, trajectory: 10 ms}
END
if "$JOSTLE" run "$work/scene.yaml" --out "$work/out" --json >"$work/o.txt" 2>"$work/e.txt"; then :; else
    grep -q "needs HDF5\|need HDF5\|need libyaml\|needs libyaml" "$work/e.txt" && { echo "skipped: $(cat "$work/e.txt")"; exit 0; }
    cat "$work/e.txt"; fail "the run"
fi
run=$work/out/trajectory.h5
png() { head -c 8 "$1" | od -An -tx1 | grep -q "89 50 4e 47"; }
size() { python3 -c 'import struct, sys; print("%dx%d" % struct.unpack(">II", open(sys.argv[1], "rb").read(24)[16:]))' "$1"; }

# Pictures: the last frame by default, any frame, any colour, any size.
"$JOSTLE" render "$run" 2>"$work/e.txt" || fail "render"
png "$work/out/trajectory.png" || fail "trajectory.png"
grep -q "drew frame 10 of 11" "$work/e.txt" || fail "which frame: $(cat "$work/e.txt")"
"$JOSTLE" render "$work/out" --png "$work/folder.png" 2>/dev/null || fail "render of a run's folder"
cmp "$work/folder.png" "$work/out/trajectory.png" || fail "the folder's trajectory is what is drawn"
"$JOSTLE" plot "$work/out" --png "$work/folder-plot.png" 2>/dev/null || fail "plot of a run's folder"
for colour in speed size force contacts material id spin; do
    "$JOSTLE" render "$run" --png "$work/$colour.png" --colour $colour --size 300x260 2>/dev/null || fail "--colour $colour"
    same "$colour: size" "$(size "$work/$colour.png")" 300x260
done
cmp -s "$work/speed.png" "$work/material.png" && fail "speed and material look the same"
"$JOSTLE" render "$run" --frame 0 --png "$work/f0.png" 2>/dev/null && "$JOSTLE" render "$run" --frame -11 --png "$work/f11.png" 2>/dev/null
cmp "$work/f0.png" "$work/f11.png" || fail "frame 0 is frame -11 of 11"
"$JOSTLE" render "$run" --png - --view top --dark --no-walls --range 0,1 --title X >"$work/stdout.png" || fail "to standard output"
png "$work/stdout.png" || fail "standard output is a PNG"
"$JOSTLE" render "$run" --png "$work/look.svg" --bounds 0,0.04,0,0.04,0,0.06 2>/dev/null && grep -q "<svg" "$work/look.svg" || fail "svg"

# All frames: pictures of one size, and a movie where there is ffmpeg.
"$JOSTLE" render "$run" --frames "$work/stills" --every 3 --size 200x200 2>/dev/null || fail "--frames"
same "stills" "$(ls "$work/stills" | tr '\n' ' ')" "000000.png 000001.png 000002.png 000003.png "
if command -v ffmpeg >/dev/null; then
    "$JOSTLE" render "$run" --mp4 "$work/run.mp4" --size 201x151 --fps 10 2>/dev/null || fail "--mp4"
    if command -v ffprobe >/dev/null; then
        same "movie" "$(ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of csv=p=0 "$work/run.mp4")" "202,152,11"
    fi
fi
mkdir "$work/bin"
expect 1 "movies need ffmpeg, which is not installed" env PATH="$work/bin" "$JOSTLE" render "$run" --mp4 "$work/no.mp4"
[ ! -e "$work/no.mp4" ] || fail "a movie without ffmpeg"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/ffmpeg" && chmod +x "$work/bin/ffmpeg"
expect 1 "ffmpeg" env PATH="$work/bin:$PATH" "$JOSTLE" render "$run" --mp4 "$work/no.mp4"
same "nothing is left of a movie that failed" "$(ls "$work" | grep -c 'no\.mp4')" 0

# What cannot be.
expect 64 "which run" "$JOSTLE" render
expect 64 "has 11 frames, 0 to 10" "$JOSTLE" render "$run" --frame 11 --png "$work/x.png"
expect 64 "did you mean 'speed'" "$JOSTLE" render "$run" --colour sped
expect 64 "two numbers that grow" "$JOSTLE" render "$run" --range 2,1
expect 64 "must be like 1280x720" "$JOSTLE" render "$run" --size 10
expect 64 "needs two angles" "$JOSTLE" render "$run" --view 3
expect 1 "No such file" "$JOSTLE" render "$work/absent.h5"
expect 2 "is not an HDF5 file" "$JOSTLE" render "$work/scene.yaml" --png "$work/x.png"
expect 64 "png, .svg or .pdf" "$JOSTLE" render "$run" --png "$work/x.gif"

# Series, from the trajectory and from the CSV: the same picture but for the title.
"$JOSTLE" plot "$run" 2>"$work/e.txt" || fail "plot"
png "$work/out/trajectory-series.png" || fail "trajectory-series.png"
"$JOSTLE" plot "$work/out/series.csv" 2>"$work/e.txt" || fail "plot of a table"
png "$work/out/series.png" || fail "series.png"
same "columns" "$("$JOSTLE" plot "$run" --list)" "$(head -1 "$work/out/series.csv" | tr ',' '\n')"
"$JOSTLE" plot "$run" kinetic+elastic coordination --svg "$work/a.svg" 2>"$work/e.txt" || fail "plot columns"
grep -q "drew 2 panels of 51 rows" "$work/e.txt" || fail "panels: $(cat "$work/e.txt")"
grep -q "<svg" "$work/a.svg" || fail "a.svg"
"$JOSTLE" plot "$work/out/series.csv" --png "$work/csv.png" 2>/dev/null || fail "plot csv"
printf 'time,kinetic\n0,1\n1,2\n2,' >"$work/torn.csv" # a run was killed while it wrote the last row
"$JOSTLE" run "$work/scene.yaml" --set 'output={series: 2 ms}' --out "$work/table" --quiet >/dev/null || fail "a run without a trajectory"
"$JOSTLE" plot "$work/table" --png "$work/table.png" 2>/dev/null || fail "plot of a folder without a trajectory"
"$JOSTLE" plot "$work/torn.csv" --png "$work/torn.png" 2>"$work/e.txt" || fail "plot a torn csv"
grep -q "of 2 rows" "$work/e.txt" || fail "rows of a torn csv: $(cat "$work/e.txt")"
expect 64 "no column 'kinetik'; did you mean 'kinetic'" "$JOSTLE" plot "$run" kinetik --png "$work/x.png"
printf 'time,kinetic\n0,1\n1,abc\n' >"$work/bad.csv"
expect 2 "bad.csv:3: 'abc' is not a number" "$JOSTLE" plot "$work/bad.csv" --png "$work/x.png"
printf 'time,kinetic\n0\n' >"$work/bad.csv"
expect 2 "bad.csv:2: expected 2 values, found 1" "$JOSTLE" plot "$work/bad.csv" --png "$work/x.png"
: >"$work/empty.csv"
expect 2 "is empty" "$JOSTLE" plot "$work/empty.csv" --png "$work/x.png"
printf 'time,kinetic\n' >"$work/empty.csv"
expect 2 "has no series" "$JOSTLE" plot "$work/empty.csv" --png "$work/x.png"
expect 1 "No such file" "$JOSTLE" plot "$work/absent.csv" --png "$work/x.png"
[ ! -e "$work/x.png" ] || fail "a picture of nothing"
finish
