#!/usr/bin/env bash
# Engine kinetic through the program: what it writes, a jam that is told, pictures, and scenes that cannot be.
source "$(dirname "$0")/support/check.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$work/bin.yaml" <<'END'
title: A small bin
dimension: 2
engine: {type: kinetic, least_speed: 10 cm/s, patience: 0.3}
gravity: 9.81 m/s^2
materials: {grain: {density: 10, restitution: 0.3, friction: 0.2}}
bodies: [{radius: {uniform: [4 mm, 6 mm]}, shape: {solid: grain, corners: [4, 7]}, random: {count: 40, region: {lo: [-4 cm, 1 cm], hi: [4 cm, 14 cm]}}}]
walls:
  bin: {hopper: {neck: 4 cm, slope: 55 deg, width: 9 cm, height: 16 cm, depth: 6 cm}}
  lid: {bar: {path: [[-1.99 cm, -3 mm], [1.99 cm, -3 mm]], thickness: 3 mm}, until: 0.1 s}
box: {lo: [-20 cm, -2.5 cm], hi: [20 cm, 30 cm], leaving: remove}
gates: {outlet: {point: [0, 0], normal: -y}}
duration: 1.2 s
output: {series: 10 ms, trajectory: 40 ms, vtp: 0.4 s, triangulation: true}
END
if "$JOSTLE" run "$work/bin.yaml" --out "$work/out" --json >"$work/o.txt" 2>"$work/e.txt"; then :; else
    grep -q "needs HDF5\|need HDF5\|need libyaml\|needs libyaml" "$work/e.txt" && { echo "skipped: $(cat "$work/e.txt")"; exit 0; }
    cat "$work/e.txt"; fail "the run"
fi
python3 - "$work/out" "$work/o.txt" <<'END' || fail "series.csv and the last line"
import csv, json, sys
folder, told = sys.argv[1], json.loads(open(sys.argv[2]).read().splitlines()[-1])
assert told["engine"] == "kinetic" and told["status"] == "complete" and len(told["state_hash"]) == 16
assert told["removed"] + told["bodies"] == 40 and told["removed"] >= 30, told["removed"]
assert told["rate"] > 0 and told["overlap_max"] == 0
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(folder + "/series.csv"))]
first, last = rows[0], rows[-1]
assert first["bodies"] == 40 and last["bodies"] == told["bodies"] and last["left"] == told["removed"]
for name in ("flips", "collisions", "wall_collisions", "renewals", "left"):
    values = [r[name] for r in rows]
    assert values == sorted(values), name
    assert values[-1] > 0, name
assert 0 < last["flips"] + last["collisions"] + last["wall_collisions"] <= told["events"]
# Energy: what is there, lost, put in and carried away add up.
assert last["gate_outlet_mass"] > 0
scale = max(abs(r["potential"]) for r in rows)
inside = [abs(r["balance"]) for r in rows]
assert max(inside) < 1e-11 * scale, max(inside) / scale
# Nothing leaves while the lid is there; what left was counted by the gate.
assert all(r["left"] == 0 for r in rows if r["time"] < 0.1)
END

# Trajectory: outlines once, orientation, and sides of triangles in every frame; no two grains overlap in any.
if python3 -c 'import h5py, numpy' 2>/dev/null; then
    python3 - "$work/out/trajectory.h5" <<'END' || fail "trajectory.h5"
import h5py, numpy as np, sys
f = h5py.File(sys.argv[1])
o = f["parameters/jostle/outlines"]
ids, corners, point = o["id"][:], o["corners"][:], o["point"][:]
first = np.concatenate([[0], np.cumsum(corners)])
assert len(ids) == 40 and set(corners) <= {4, 5, 6, 7} and first[-1] == len(point)
p = f["particles/all"]
def meet(a, b):
    cross = lambda o, p, q: (p[0]-o[0])*(q[1]-o[1])-(p[1]-o[1])*(q[0]-o[0])
    for i in range(len(a)):
        for j in range(len(b)):
            s, t, u, v = a[i-1], a[i], b[j-1], b[j]
            if cross(s, t, u)*cross(s, t, v) < 0 and cross(u, v, s)*cross(u, v, t) < 0: return True
    return False
frames = p["position/value"].shape[0]
for k in range(0, frames, 5):
    id_ = p["id/value"][k]; here = np.flatnonzero(id_ >= 0)
    x, q, r = p["position/value"][k], p["orientation/value"][k], p["radius/value"][k]
    shapes = []
    for i in here:
        n = int(np.searchsorted(ids, id_[i]))
        a = 2*np.arctan2(q[i, 3], q[i, 0]); c, s = np.cos(a), np.sin(a)
        shapes.append(x[i] + point[first[n]:first[n+1]] @ np.array([[c, s], [-s, c]]))
        assert abs(np.hypot(*point[first[n]:first[n+1]].T).max() - r[i]) < 1e-12
    for a in range(len(here)):
        for b in range(a):
            if np.hypot(*(x[here[a]] - x[here[b]])) < r[here[a]] + r[here[b]]:
                assert not meet(shapes[a], shapes[b]), (k, a, b)
    sides = f["triangulation/side/value"][k]
    sides = sides[~np.isnan(sides[:, 0])]
    assert len(sides) > 2 * corners.sum() * len(here) / 40
assert f["triangulation/event/value"].shape == (frames, 1, 9)
END
fi
ls "$work/out/vtp" | grep -q '^shapes' || fail "polygons for ParaView"
grep -q '<Polys>' "$work/out/vtp/"shapes*0.vtp || fail "polygons are polygons"

# Pictures and plots.
if "$JOSTLE" plot "$work/out" flips collisions left --png "$work/s.png" 2>/dev/null; then
    expect 0 "drew frame" "$JOSTLE" render "$work/out" --png "$work/p.svg" --triangles --frame 2
    checks=$((checks + 1))
    [ "$(grep -c '<path' "$work/p.svg")" -gt 40 ] || fail "polygons are lines in an SVG"
    expect 0 "drew frame 0 of" "$JOSTLE" render "$work/out" --png "$work/p.png" --frame 0 --colour material
    "$JOSTLE" run "$work/bin.yaml" --out "$work/plain" --until 0.05 --set output.triangulation=false --quiet 2>/dev/null || fail "without triangulation"
    # The moment a run ends at, with everything the engine works with, and what happened last in words.
    expect 0 "picture" "$JOSTLE" run "$work/bin.yaml" --out "$work/moment" --until 0.07 --png "$work/moment.svg"
    "$JOSTLE" run "$work/bin.yaml" --out "$work/moment2" --until 0.07 --svg "$work/moment2.svg" --quiet || fail "--svg"
    cmp -s "$work/moment.svg" "$work/moment2.svg" || fail "the same moment gives the same picture"
    checks=$((checks + 2))
    [ "$(grep -c '<path' "$work/moment.svg")" -gt 60 ] || fail "grains and triangles in the picture of a moment"
    expect 0 "picture" "$JOSTLE" resume "$work/moment/checkpoint.h5" --until 0.09 --png "$work/moment.png"
    printf 'materials: {a: {density: 1, young: 1e6, poisson: 0.3, restitution: 0.5}}\nbodies: [{list: [{position: [0, 0, 0], radius: 1}]}]\nduration: 1\n' >"$work/soft.yaml"
    expect 2 "jostle render FOLDER" "$JOSTLE" run "$work/soft.yaml" --out "$work/soft" --png "$work/soft.png"
    absent "$work/soft/"
    expect 2 "has no triangulation" "$JOSTLE" render "$work/plain" --png "$work/q.png" --triangles
fi

# The result does not depend on how roots are found but for rounding, nor on threads at all.
"$JOSTLE" run "$work/bin.yaml" --out "$work/t2" --threads 2 --until 0.1 --json --force >"$work/a.txt" 2>/dev/null || fail "threads"
"$JOSTLE" run "$work/bin.yaml" --out "$work/t1" --threads 1 --until 0.1 --json --force >"$work/b.txt" 2>/dev/null || fail "threads"
same "the state with one and two threads" "$(grep -o '"state_hash": "[0-9a-f]*"' "$work/a.txt")" "$(grep -o '"state_hash": "[0-9a-f]*"' "$work/b.txt")"
for roots in sturm exact; do
    expect 0 '"status": "complete"' "$JOSTLE" run "$work/bin.yaml" --out "$work/$roots" --until 0.02 --json --set "engine={type: kinetic, roots: $roots}"
done

# A neck of a grain's width jams, and the program says when.
expect 0 "the hopper has jammed at t = 0.1" "$JOSTLE" run "$work/bin.yaml" --out "$work/jam" --until 0.6 \
    --set walls.bin.hopper.neck='8 mm' --set 'walls.lid.bar.path=[[-3.9 mm, -3 mm], [3.9 mm, -3 mm]]'

# A factory: what leaves is replaced, energy and numbers add up, outlines of all are in the trajectory; one that
# has no room says so.
expect 0 '"status": "complete"' "$JOSTLE" run "$root/scenes/examples/steady-polygons.yaml" --out "$work/steady" --until 1 --json --set walls.lid.until=0.3 --set output.trajectory='0.1 s'
python3 - "$work/steady" "$work/steady.json" <<'END' || fail "a factory"
import csv, sys
rows = [{k: float(v) for k, v in r.items()} for r in csv.DictReader(open(sys.argv[1] + "/series.csv"))]
last = rows[-1]
assert rows[0]["bodies"] == 0 and last["bodies"] > 200 and last["left"] > 20, last
assert last["came"] == last["bodies"] + last["left"] <= 900, last
assert max(abs(r["balance"]) for r in rows) < 1e-12 * max(abs(r["gone"]) for r in rows)
try: import h5py
except ImportError: sys.exit()
f = h5py.File(sys.argv[1] + "/trajectory.h5")
o, seen = f["parameters/jostle/outlines"], f["particles/all/id/value"][:]
ids = o["id"][:]
assert set(seen[seen >= 0]) == set(ids) and o["point"].shape[0] == o["corners"][:].sum() and list(ids) == sorted(ids)
END
expect 0 "factory 'rain' finds no room" "$JOSTLE" run "$root/scenes/examples/steady-polygons.yaml" --out "$work/full" --until 3.2 \
    --set walls.lid.until=inf --set bodies[0].factory.rate='3000 1/s' --set 'bodies[0].factory.region={lo: [-14 cm, 5 cm], hi: [14 cm, 12 cm]}'

# A press that closes on a grain: no rigid body has room there, which ends the run with a sentence.
cat >"$work/press.yaml" <<'END'
dimension: 2
engine: kinetic
materials: {grain: {density: 10, restitution: 0.5}}
bodies: [{list: [{position: [0, 0.5], radius: 0.4}]}]
walls:
  frame: {box: {lo: [-2, 0], hi: [2, 4]}}
  press: {polygon: {corners: [[-1.9, 1], [1.9, 1], [1.9, 1.5], [-1.9, 1.5]]}, motion: {velocity: [0, -0.1]}}
duration: 5
END
expect 1 "bodies are crushed at time 2.0" "$JOSTLE" run "$work/press.yaml" --out "$work/press"

# What cannot be is named, with its place.
printf 'x' >>"$work/out/checkpoint.h5"
expect 2 "checkpoint" "$JOSTLE" resume "$work/out"
sed 's/^  lid: .*/  lid: {bar: {path: [[-3 cm, -3 mm], [3 cm, -3 mm]], thickness: 3 mm}}/' "$work/bin.yaml" >"$work/bad.yaml"
expect 2 "wall 'lid'" "$JOSTLE" run "$work/bad.yaml" --out "$work/bad"
absent "$work/bad/"
finish
