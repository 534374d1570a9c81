#!/usr/bin/env bash
# jostle run and resume: what they write and print, and what they say when something is wrong.
source "$(dirname "$0")/support/check.bash"
small=$here/../repro/support/small.yaml
cd "$work" || exit 1

# A run: the plan, the files, the end.
cp "$small" scene.yaml
expect 0 "walls    3: cylinder 'drum', plane 'floor' until 0.15, cone 'funnel'" "$JOSTLE" run scene.yaml --until 0.1
expect 0 "the run is complete" "$JOSTLE" resume scene-out
expect 64 "the checkpoint is at time 0.1 already, and --until says 0.05" "$JOSTLE" resume scene-out --until 0.05
for file in series.csv trajectory.h5 run.pvd walls.pvd dump.lammpstrj checkpoint.h5 run.json vtp/bodies_000002.vtp; do
    checks=$((checks + 1))
    [ -s "scene-out/$file" ] || fail "the run left no $file"
done
same "rows of series.csv" "$(wc -l <scene-out/series.csv)" 52
same "frames in run.pvd" "$(grep -c 'bodies_' scene-out/run.pvd)" 3
checks=$((checks + 1))
grep -q '^time,step,bodies,kinetic,potential,elastic,dissipated,work,gone,balance,contacts,wall_contacts,coordination,' scene-out/series.csv ||
    fail "series.csv has another header"
for column in overlap_mean overlap_max stress_xx stress_zz gate_below_mass gate_below_flow wall_drum_fx wall_funnel_tz; do
    checks=$((checks + 1))
    head -n 1 scene-out/series.csv | grep -q ",$column\(,\|\$\)" || fail "series.csv has no column $column"
done

# The JSON: one line, the last, with what is promised; numbers that agree with the series.
expect 0 "" "$JOSTLE" run scene.yaml --json --until 0.05 --out json --threads 2
cp .out json.txt
same "lines of --json" "$(wc -l <json.txt)" 1
cmp -s json.txt json/run.json || fail "run.json is not what --json printed"
python3 - json.txt json/series.csv <<'END' || fail "--json is not as promised"
import csv, json, sys
o = json.loads(open(sys.argv[1]).read().splitlines()[-1])
rows = list(csv.DictReader(open(sys.argv[2])))
last = rows[-1]
assert o["engine"] == "soft" and o["status"] == "complete"
assert o["steps"] == 1000 and abs(o["sim_time"] - 0.05) < 1e-12
assert o["bodies"] == int(last["bodies"]) > 160
assert o["contacts"] == int(last["contacts"])
for name in "kinetic potential elastic dissipated work gone balance".split():
    assert o["energy"][name] == float(last[name]), name
assert o["energy"]["potential"] > 0 and o["energy"]["kinetic"] > 0
assert len(o["state_hash"]) == 16 and int(o["state_hash"], 16) >= 0
assert isinstance(o["alarms"], list)
assert o["seconds"] > 0 and o["rate"] > 0 and o["memory"]["engine_per_body"] > 0
assert o["files"]["trajectory"] == "json/trajectory.h5"
assert all(float(r["time"]) == round(int(r["step"]) * 5e-5, 9) for r in rows)  # 0.035, not 0.035000000000000003
assert [int(r["step"]) for r in rows] == [40 * k for k in range(26)]
END
expect 0 "" "$JOSTLE" run scene.yaml --quiet --until 0.01 --out quiet
same "what --quiet prints" "$(cat .out .err)" ""

# A step that is chosen: the run ends when it should, and rows are where they should be.
expect 0 '"sim_time": 0.021,' "$JOSTLE" run scene.yaml --set engine.time_step=auto --set duration=21ms --out chosen --json
same "times of rows" "$(cut -d, -f1 chosen/series.csv | tail -n +2 | tr '\n' ' ')" \
    "0 0.002 0.004 0.006 0.008 0.01 0.012 0.014 0.016 0.018 0.02 "

# A folder that holds a run is not overwritten, unless told to; other files in it stay.
expect 1 "holds another run" "$JOSTLE" run scene.yaml
expect 1 "jostle resume scene-out" "$JOSTLE" run scene.yaml
echo mine >scene-out/notes.txt
expect 0 "complete" "$JOSTLE" run scene.yaml --force --until 0.02
same "a file of one's own" "$(cat scene-out/notes.txt)" mine
absent scene-out/vtp/bodies_000001.vtp
expect 1 "is a file" "$JOSTLE" run scene.yaml --out scene.yaml

# Bad scenes: all that is wrong, with its place; exit code 2; no folder.
sed 's/friction: 0.5/frictoin: 0.5/; s/duration: 0.3 s/duration: 0.3 kg/' scene.yaml >bad.yaml
expect 2 "bad.yaml:6:" "$JOSTLE" run bad.yaml
expect 2 "did you mean 'friction'?" "$JOSTLE" run bad.yaml --json
expect 2 "duration" "$JOSTLE" run bad.yaml
absent bad-out
expect 1 "missing.yaml" "$JOSTLE" run missing.yaml
sed 's/series: 2 ms/series: 1e-12 s/; /^engine:/d' scene.yaml >often.yaml
expect 2 "surely not meant" "$JOSTLE" run often.yaml
absent often-out
sed 's/count: 160/count: 100000/' scene.yaml >full.yaml
expect 2 "full.yaml" "$JOSTLE" run full.yaml
absent full-out

# The command line.
expect 64 "which scene?" "$JOSTLE" run
expect 64 "which run?" "$JOSTLE" resume
expect 64 "it must be above 0" "$JOSTLE" run scene.yaml --until -1
expect 64 "above 0" "$JOSTLE" run scene.yaml --until 0
expect 64 "finite" "$JOSTLE" run scene.yaml --until inf
expect 64 "--until is 'soon'; it wants a time such as 10 ms" "$JOSTLE" run scene.yaml --until soon
expect 64 "--until is '5 kg', a mass; it wants a time such as 10 ms" "$JOSTLE" run scene.yaml --until "5 kg"
expect 64 "--until has the unknown unit 'mss'; did you mean 'ms'?" "$JOSTLE" run scene.yaml --until 5mss
expect 0 '"sim_time": 0.01,' "$JOSTLE" run scene.yaml --until "10 ms" --out units --json
expect 64 "it must be 1 to" "$JOSTLE" run scene.yaml --threads 0
expect 64 "one at a time" "$JOSTLE" run scene.yaml bad.yaml
expect 64 "did you mean '--until'?" "$JOSTLE" run scene.yaml --untill 3

# Values of the scene from the command line: checked like those of the file, and stored with the run.
expect 0 '"steps": 200,' "$JOSTLE" run scene.yaml --set "engine.time_step=25 us" --set duration=5ms --out set --json
expect 0 "" "$JOSTLE" resume set --until 6ms --quiet
same "rows with --set" "$(wc -l <set/series.csv)" 5
expect 0 "" "$JOSTLE" run scene.yaml --set engine.time_step=25us --set "materials.grain.cohesion_density=1 kJ/m^3" --set law.cohesion=sjkr \
    --until 1ms --out cohesive --quiet
expect 2 "error: --set engine.timestep=1e-6: unknown key 'timestep'" "$JOSTLE" run scene.yaml --set engine.timestep=1e-6
expect 2 "error: --set duration=3kg: duration is '3kg'" "$JOSTLE" run scene.yaml --set duration=3kg --out no
expect 2 "error: --set gravity=down: gravity is 'down'" "$JOSTLE" run scene.yaml --set duration=1 --set gravity=down --out no
expect 2 "bad.yaml:6:" "$JOSTLE" run bad.yaml --set duration=1 --out no
expect 2 "--set walls[0].name=x: 'walls[0].name' cannot be set" "$JOSTLE" run scene.yaml --set walls[0].name=x --out no
expect 64 "must be like engine.time_step=1e-6" "$JOSTLE" run scene.yaml --set duration
expect 0 "duration   3 s" "$JOSTLE" check scene.yaml --set duration=3
expect 2 "scene.yaml: error: --set engine.timestep=1e-6: unknown key 'timestep'" "$JOSTLE" check scene.yaml --set engine.timestep=1e-6
expect 2 '"text": "--set duration=3kg: duration is' "$JOSTLE" check scene.yaml --set duration=3kg --json
expect 64 "must be like engine.time_step=1e-6" "$JOSTLE" check scene.yaml --set duration
expect 64 "--set is for new runs" "$JOSTLE" resume set --set duration=1
expect 1 "missing.yaml" "$JOSTLE" run missing.yaml --set duration=1
absent no

# Checkpoints that are none.
expect 1 "nothing.h5" "$JOSTLE" resume nothing.h5
expect 2 "scene.yaml" "$JOSTLE" resume scene.yaml
head -c 3000 scene-out/checkpoint.h5 >cut.h5
expect 2 "cut.h5" "$JOSTLE" resume cut.h5
expect 2 "" "$JOSTLE" resume scene-out/trajectory.h5

# Going on elsewhere leaves the first folder alone, and another run there, too.
before=$(cat scene-out/series.csv scene-out/run.pvd | cksum)
expect 0 "complete" "$JOSTLE" resume scene-out/checkpoint.h5 --until 0.04 --out elsewhere
same "the first folder" "$(cat scene-out/series.csv scene-out/run.pvd | cksum)" "$before"
same "rows elsewhere" "$(wc -l <elsewhere/series.csv)" 11
expect 1 "holds another run" "$JOSTLE" resume scene-out --until 0.04 --out elsewhere
expect 0 "complete" "$JOSTLE" resume scene-out --until 0.03 --out elsewhere --force
same "rows elsewhere, again" "$(wc -l <elsewhere/series.csv)" 6
expect 0 "complete" "$JOSTLE" resume elsewhere/checkpoint.h5 --until 0.04 --out ./elsewhere/../elsewhere
same "rows elsewhere, longer" "$(wc -l <elsewhere/series.csv)" 11
# A series that is not this run's is not touched.
echo "time,other" >elsewhere/series.csv
expect 2 "its columns are not those" "$JOSTLE" resume elsewhere
same "another series" "$(cat elsewhere/series.csv)" "time,other"

# A full disk (a limit on the size of files): a sentence, exit code 2, and what was there is whole.
(
    ulimit -f 200 # blocks of 1024 bytes
    exec "$JOSTLE" run scene.yaml --out limited --quiet 2>limited.txt
)
same "exit code on a full disk" $? 2
checks=$((checks + 1))
grep -q "error: limited/.*cannot be written: File too large" limited.txt || fail "a full disk: $(cat limited.txt)"
if [ -e limited ]; then
    same "leftovers on a full disk" "$(find limited -name '*.tmp*')" ""
    expect 0 "complete" "$JOSTLE" resume limited --until 0.3
    expect 0 "complete" "$JOSTLE" run scene.yaml --out whole
    cmp -s limited/series.csv whole/series.csv || fail "after a full disk, series.csv is another"
fi
(
    ulimit -f 2
    exec "$JOSTLE" run scene.yaml --out tiny --quiet 2>limited.txt
)
same "exit code when nothing can be written" $? 2
absent tiny
"$JOSTLE" run scene.yaml --until 0.01 --force --json >/dev/full 2>.err
same "exit code of --json > /dev/full" $? 2

# An alarm names the wall by its name, and bodies by the ids of the trajectory, from 0.
cat >deep.yaml <<'EOF'
materials: {g: {density: 2500, young: 5 MPa, poisson: 0.3, restitution: 0.6, friction: 0.5}}
bodies: [{list: [{position: [0, 0, 9 mm], radius: 5 mm}, {position: [0.1, 0, 4 mm], radius: 5 mm}]}]
walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}
duration: 0.1 ms
EOF
expect 0 "body 1 overlaps wall 'floor' by 0.2 of the radius at the start" "$JOSTLE" run deep.yaml

# Bodies with a shape: the dump says how they are turned.
cat >turned.yaml <<'EOF'
materials: {g: {density: 2500, young: 5 MPa, poisson: 0.3, restitution: 0.6, friction: 0.5}}
bodies:
  - {shape: cube, radius: 5 mm, list: [{position: [0, 0, 0], orientation: [3, 0, 4, 0], spin: [0, 0, 10]}]}
  - {radius: 5 mm, list: [{position: [0.1, 0, 0]}]}
duration: 1 ms
output: {dump: 1 ms, vtp: 1 ms}
EOF
expect 0 "" "$JOSTLE" run turned.yaml
same "columns of a dump with shapes" "$(grep -c '^ITEM: ATOMS .* fx fy fz quatw quati quatj quatk shape$' turned-out/dump.lammpstrj)" 2
same "the first orientations" "$(sed -n '12,13p' turned-out/dump.lammpstrj | cut -d' ' -f 16-20 | tr '\n' ';')" "0.6 0 0.8 0 1;1 0 0 0 0;"
checks=$((checks + 1))
awk '/^ITEM: ATOMS/ {frame++} frame == 2 && $1 == 1 && NF == 20 {turned = $19; norm = $16^2 + $17^2 + $18^2 + $19^2}
     END {exit !(turned > 0.002 && turned < 0.006 && norm > 1 - 1e-9 && norm < 1 + 1e-9)}' turned-out/dump.lammpstrj || fail "the dump's orientations do not turn"
checks=$((checks + 1))
grep -qa 'Name="orientation" NumberOfComponents="4"' turned-out/vtp/bodies_000001.vtp || fail "VTP files have no orientation"
grep -qa 'type="Int32" Name="shape"' turned-out/vtp/bodies_000001.vtp || fail "VTP files do not tell shapes"

# Two runs never share a folder.
"$JOSTLE" run scene.yaml --until 30 --out busy --quiet &
child=$!
for _ in $(seq 50); do [ -e busy/checkpoint.h5 ] && break; sleep 0.1; done
expect 1 "another run of jostle is writing there" "$JOSTLE" resume busy
expect 1 "another run of jostle is writing there" "$JOSTLE" run scene.yaml --out busy --force
kill -TERM $child
wait $child
same "exit code after SIGTERM" $? 143
# A terminal that is closed ends a run as Ctrl-C does: with a checkpoint at where it was.
"$JOSTLE" run scene.yaml --until 30 --out closed >closed.out 2>closed.err &
child=$!
for _ in $(seq 50); do [ -e closed/checkpoint.h5 ] && break; sleep 0.1; done
kill -HUP $child
wait $child
same "exit code after SIGHUP" $? 129
grep -q "resume" closed.err closed.out || fail "a run ended by SIGHUP does not say how to go on"
# Of runs that begin at the same time in one folder, one alone gets it, even where it ends before the others look.
for k in 1 2 3 4 5; do
    for one in a b c; do
        { "$JOSTLE" run scene.yaml --out "same$k" --until 0.001 --json >"$one.out" 2>"$one.err"; echo $? >"$one.code"; } &
    done
    wait
    same "who got the folder" "$(cat a.code b.code c.code | sort | tr -d '\n')" 011
done
finish
