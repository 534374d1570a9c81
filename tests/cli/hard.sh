#!/usr/bin/env bash
# Engine hard through the program: what it writes besides frames, that a stopped run writes the same, and scenes
# that cannot be.
source "$(dirname "$0")/support/check.bash"

cat >"$work/gas.yaml" <<'END'
title: A small gas
materials: {ball: {density: 1, restitution: 1}}
box: {lo: [0, 0, 0], hi: [1, 1, 1], periodic: [x, y]}
walls:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
  lid: {plane: {point: [0, 0, 1], normal: [0, 0, -1]}}
bodies: [{radius: 0.03, velocity_spread: 1, random: {count: 150}}]
engine: hard
duration: 4
output: {series: 0.1, trajectory: 0.05, events: true}
END
if "$JOSTLE" run "$work/gas.yaml" --out "$work/out" --json >"$work/o.txt" 2>"$work/e.txt"; then :; else
    grep -q "needs HDF5\|need HDF5\|need libyaml\|needs libyaml" "$work/e.txt" && { echo "skipped: $(cat "$work/e.txt")"; exit 0; }
    cat "$work/e.txt"; fail "the run"
fi

# Every collision is in the log, in order, and the series counts the same.
python3 - "$work/out" "$work/o.txt" <<'END' || fail "events.csv and series.csv"
import csv, json, sys
folder, told = sys.argv[1], json.loads(open(sys.argv[2]).read().splitlines()[-1])
events = list(csv.DictReader(open(folder + "/events.csv")))
series = list(csv.DictReader(open(folder + "/series.csv")))
assert len(events) == told["events"] > 1000, (len(events), told["events"])
assert [int(e["event"]) for e in events] == list(range(len(events)))
times = [float(e["time"]) for e in events]
assert times == sorted(times) and times[-1] <= 4
assert all(float(e["speed"]) > 0 for e in events)
balls = [e for e in events if e["wall"] == "-1"]
walls = [e for e in events if e["b"] == "-1"]
assert len(balls) + len(walls) == len(events) and {e["wall"] for e in walls} == {"0", "1"}
assert all(int(e["a"]) < int(e["b"]) for e in balls)
last = series[-1]
assert int(float(last["collisions"])) == len(balls) and int(float(last["wall_collisions"])) == len(walls)
for name in ("pressure", "rate", "free_path", "displacement2", "kurtosis", "temperature", "translational", "rotational", "fraction"):
    assert name in last, name
assert abs(float(last["translational"]) - float(last["kinetic"])) < 1e-12
# p V = N kT Z, and the rate is what the log says.
n, v = 150, 1.0
assert abs(float(last["pressure"]) * v / (n * float(last["temperature"])) - float(last["compressibility"])) < 0.02
assert abs(float(last["rate"]) - 2 * len(balls) / (n * 4.0)) < 1e-9
assert told["files"]["event_log"].endswith("events.csv")
END

# Stopped half way and resumed: the same bytes.
"$JOSTLE" run "$work/gas.yaml" --out "$work/half" --until 1.7 --quiet 2>/dev/null || fail "half a run"
echo "999999,1" >>"$work/half/events.csv" # what a killed process may leave
"$JOSTLE" resume "$work/half" --until 4 --quiet 2>/dev/null || fail "resume"
cmp "$work/out/events.csv" "$work/half/events.csv" || fail "events.csv of a resumed run"
cmp "$work/out/series.csv" "$work/half/series.csv" || fail "series.csv of a resumed run"

# Distributions: densities that sum up to one, nothing within a diameter.
expect 0 "<v^4>/<v^2>^2" "$JOSTLE" distribution "$work/out" --csv "$work/d.csv" --bins 60
python3 - "$work/d.csv" <<'END' || fail "distribution"
import csv, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1]))]
assert len(rows) == 60
for at, density in (("v", "v_density"), ("v", "v_maxwell"), ("speed", "speed_density"), ("speed", "speed_maxwell")):
    step = rows[1][at] - rows[0][at]
    total = sum(r[density] for r in rows) * step
    assert abs(total - 1) < 0.005, (density, total)
assert all(r["g"] == 0 for r in rows if r["r"] < 0.0585) and max(r["g"] for r in rows) > 0.9
assert max(abs(r["v_density"] - r["v_maxwell"]) for r in rows) < 0.06
END
"$JOSTLE" distribution "$work/out" --csv - >"$work/stdout.csv" 2>/dev/null || fail "distribution to standard output"
head -1 "$work/stdout.csv" | grep -q '^v,v_density,v_maxwell,speed,' || fail "columns of a distribution"
expect 2 "has no frames at the times asked for" "$JOSTLE" distribution "$work/out" --from 99
expect 64 "must be a number above 0" "$JOSTLE" distribution "$work/out" --reach -1
if "$JOSTLE" plot "$work/out/events.csv" speed --png "$work/e.png" 2>/dev/null; then
    "$JOSTLE" distribution "$work/out" --png "$work/d.png" >/dev/null 2>&1 && [ -s "$work/d.png" ] || fail "picture of a distribution"
    "$JOSTLE" plot "$work/out" pressure rate displacement2 --png "$work/s.png" 2>/dev/null || fail "plot of gas columns"
fi

# Growth ends at a pressure, long before the scene does.
cat >"$work/grow.yaml" <<'END'
materials: {ball: {density: 1}}
box: {lo: [0, 0, 0], hi: [1, 1, 1], periodic: all}
bodies: [{radius: 0.05, velocity_spread: 1, random: {count: 300}}]
engine: {type: hard, growth: 1, growth_pressure: 8}
duration: 3
output: {series: 0.1}
END
"$JOSTLE" run "$work/grow.yaml" --out "$work/grow" --quiet 2>/dev/null || fail "growth"
python3 - "$work/grow/series.csv" <<'END' || fail "growth to a pressure"
import csv, sys
fraction = [float(r["fraction"]) for r in csv.DictReader(open(sys.argv[1]))]
assert fraction[0] < 0.17 and 0.38 < fraction[-1] < 0.46 and fraction[-1] == fraction[-10], fraction[::5]
END

# Scenes that cannot be are named, not run.
bad() { # words, body of the scene
    printf 'materials: {b: {density: 1}}\nengine: hard\nduration: 1\n%s\n' "$2" >"$work/bad.yaml"
    expect 2 "$1" "$JOSTLE" run "$work/bad.yaml" --out "$work/bad"
    absent "$work/bad/"
}
bad "bodies 0 and 1 overlap at the start" 'bodies: [{list: [{position: [0, 0, 0], radius: 0.6}, {position: [1, 0, 0], radius: 0.6}]}]'
bad "less than the smallest body" 'walls: {c: {box: {lo: [0, 0, 0], hi: [1, 1, 1]}}}
bodies: [{list: [{position: [0.5, 0.5, 0.5], radius: 0.6}]}]'
bad "larger than the period along x" 'box: {lo: [0, 0, 0], hi: [1, 1, 1], periodic: all}
bodies: [{list: [{position: [0.5, 0.5, 0.5], radius: 0.6}]}]'
bad "overlaps wall 'c' at the start" 'walls: {c: {box: {lo: [0, 0, 0], hi: [3, 3, 3]}}}
bodies: [{list: [{position: [0.5, 1.5, 1.5], radius: 0.6}]}]'
bad "radius" 'bodies: [{list: [{position: [0, 0, 0], radius: -0.6}]}]'
bad "no factories" 'bodies: [{radius: 0.1, factory: {rate: 10, region: {lo: [0, 0, 0], hi: [1, 1, 1]}}}]'
bad "no servos" 'walls: {w: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, servo: {direction: [0, 0, 1], force: 1, speed_max: 1}}}
bodies: [{list: [{position: [0, 0, 1], radius: 0.1}]}]'
bad "swings" 'walls: {w: {cylinder: {point: [0, 0, 0], axis: [0, 0, 1], radius: 2}, motion: {amplitude: [0.1, 0, 0], frequency: 1}}}
bodies: [{list: [{position: [0, 0, 1], radius: 0.1}]}]'
printf 'materials: {b: {density: -1}}\nengine: hard\nduration: 1\nbodies: [{list: [{position: [0, 0, 0], radius: 0.6}]}]\n' >"$work/negative.yaml"
expect 2 "density" "$JOSTLE" run "$work/negative.yaml" --out "$work/bad"
sed 's/growth_pressure: 8/growth_pressure: 0.5/' "$work/grow.yaml" >"$work/low.yaml"
expect 2 "growth_pressure" "$JOSTLE" run "$work/low.yaml" --out "$work/bad"

# Gravity and nothing to fall on: a warning, an end, and an alarm for what left.
cat >"$work/fall.yaml" <<'END'
materials: {b: {density: 1}}
gravity: 9.81
box: {lo: [0, 0, 0], hi: [5, 5, 5]}
bodies: [{list: [{position: [1, 1, 1], radius: 0.1}, {position: [3, 1, 1], radius: 0.1}]}]
engine: hard
duration: 2
END
expect 0 "bodies fall for ever" "$JOSTLE" check "$work/fall.yaml"
expect 0 "outside the box" "$JOSTLE" run "$work/fall.yaml" --out "$work/fall"
finish
