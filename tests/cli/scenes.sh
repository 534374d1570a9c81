#!/usr/bin/env bash
# jostle check and jostle schema on what is right: shipped scenes, JSON, the printed reference.
source "$(dirname "$0")/support/check.bash"
SOURCE_DIR=${SOURCE_DIR:-$here/../..}

# Every shipped scene is valid.
while IFS= read -r scene; do
    expect 0 "fine" "$JOSTLE" check "$scene"
done < <(find "$SOURCE_DIR/scenes" -name '*.yaml' -o -name '*.json' -path '*scenes*')

# The reference in docs/ is the one the program prints.
checks=$((checks + 1))
"$JOSTLE" schema --markdown | cmp -s - "$SOURCE_DIR/docs/scene-file.md" ||
    fail "docs/scene-file.md is not up to date; run: jostle schema --markdown > docs/scene-file.md"
expect 0 "shear_rate" "$JOSTLE" schema
expect 64 "nothing to do" "$JOSTLE" schema walls
"$JOSTLE" schema --json >"$work/schema.json" || fail "schema --json"
python3 - "$work/schema.json" <<'END' || fail "schema --json is not as promised"
import json, sys
o = json.load(open(sys.argv[1]))
sections = {s["name"]: s for s in o["sections"]}
assert len(sections) == len(o["sections"]), "two sections of one name"
for s in o["sections"]:
    assert s["summary"] and s["keys"]
    for k in s["keys"]:
        assert k["name"] and k["type"] and k["meaning"], k
        assert k["section"] is None or k["section"] in sections, k
assert {"materials", "bodies", "walls", "engine", "output"} <= set(sections)
END
# The examples on the page are valid: each in its frame.
python3 - "$work/schema.json" "$JOSTLE" "$work" <<'END' || fail "an example of the reference is refused"
import json, subprocess, sys
o = json.load(open(sys.argv[1]))
materials = """materials:
  glass: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9}
  steel: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9}
"""
body = "bodies: [{material: glass, list: [{position: [0, 0, 0.2], radius: 1 mm}]}]\n"
wrong = 0
examples = [] # what stands behind "# dimension: 2" is one of its own
for s in o["sections"]:
    text = s["example"]
    if text is None or s["name"] in ("bodies.file", "walls.mesh", "bodies.radius", "region"):
        continue
    if s["name"] == "bodies.shape":
        solid, flat = text.split("  # dimension: 2, engine: kinetic\n")
        examples += [(s["name"], solid, False), (s["name"], "bodies:\n" + flat, True)]
    else:
        examples.append((s["name"], text, "# dimension: 2" in text))
for name, text, flat in examples:
    s = {"name": name}
    one = "materials:\n  glass: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9}\n"
    scene = "duration: 1 s\nbox: {lo: [-1, -1, -1], hi: [1, 1, 1]}\n"
    if s["name"] == "box":
        scene = "duration: 1 s\n"
    if flat:
        scene = "dimension: 2\nduration: 1 s\nbox: {lo: [-1, -1], hi: [1, 1]}\n"
    if s["name"].startswith("walls."):
        if s["name"] == "walls.motion":
            text = "w: {plane: {point: [0, 0, 0], normal: +z}, %s}" % text
        text = "walls:\n  " + text
    if not text.startswith("materials"):
        text += "\n" + (materials if "steel" in text else one)
    if not text.startswith("bodies"):
        text += "\n" + (body.replace("0, 0, 0.2", "0, 0.2") if flat else body)
    elif flat:
        text += "\nengine: kinetic\nwalls: {frame: {box: {lo: [-1, -1], hi: [1, 1]}}}\n"
    path = sys.argv[3] + "/example.yaml"
    open(path, "w").write(scene + text)
    r = subprocess.run([sys.argv[2], "check", path], capture_output=True, text=True)
    if r.returncode != 0:
        print(s["name"], r.stderr, scene + text, sep="\n")
        wrong = 1
sys.exit(wrong)
END

# JSON is YAML.
cat >"$work/scene.json" <<'END'
{"materials": {"g": {"density": "2.5 g/cm^3", "young": 1e7, "poisson": 0.2, "restitution": 0.9}},
 "bodies": [{"radius": 0.01, "random": {"count": 100, "region": {"lo": [0, 0, 0], "hi": [1, 1, 1]}}}],
 "walls": {"floor": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 1]}}},
 "duration": 1}
END
"$JOSTLE" check --json --place "$work/scene.json" >"$work/check.json" || fail "check --json"
python3 - "$work/check.json" <<'END' || fail "check --json is not as promised"
import json, sys
o = json.load(open(sys.argv[1]))
assert o["valid"] is True and o["problems"] == [] and o["bodies"] == 100 and o["walls"] == 1, o
END
echo '{}' >"$work/none.json"
"$JOSTLE" check --json "$work/none.json" >"$work/check.json" 2>/dev/null
same "exit code of check --json on a bad scene" $? 2
python3 - "$work/check.json" <<'END' || fail "check --json of a bad scene is not as promised"
import json, sys
o = json.load(open(sys.argv[1]))
assert o["valid"] is False and len(o["problems"]) == 3, o
assert all(p["line"] == 1 and p["severity"] == "error" for p in o["problems"])
END

# A warning is told, and the scene is fine.
cat >"$work/warned.yaml" <<'END'
materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9, rolling_friction: 0.1}}
bodies: [{list: [{position: [0, 0, 1], radius: 0.1}]}]
duration: 1
END
expect 0 "warning: materials have rolling_friction, but law.rolling is none" "$JOSTLE" check "$work/warned.yaml"
# A mesh beside the scene file, wherever the program runs.
mkdir "$work/folder"
printf 'vertex1_X[m] vertex1_Y[m] vertex1_Z[m] vertex2_X[m] vertex2_Y[m] vertex2_Z[m] vertex3_X[m] vertex3_Y[m] vertex3_Z[m]\n0\t0\t0\t1\t0\t0\t0\t1\t0\n' >"$work/folder/walls.txt"
{ cat "$work/warned.yaml"; echo 'walls: {a: {mesh: {file: walls.txt, scale: 0.001}}}'; } >"$work/folder/scene.yaml"
expect 0 "mesh of 1" "$JOSTLE" check "$work/folder/scene.yaml"
# What only walls are made of needs no coefficients for a contact with itself: it is fine, and runs.
cat >"$work/walls.yaml" <<'END'
materials: {g: {density: 2500, young: 1e7, poisson: 0.2}, w: {young: 1e8, poisson: 0.3}}
contacts: [{between: [g, g], restitution: 0.9}, {between: [g, w], restitution: 0.8}]
bodies: [{material: g, list: [{position: [0, 0, 1], radius: 0.1}]}]
walls: {floor: {plane: {point: [0, 0, 0], normal: +z}, material: w}}
duration: 1 ms
END
expect 0 "fine" "$JOSTLE" check "$work/walls.yaml"
expect 0 '"status": "complete"' "$JOSTLE" run "$work/walls.yaml" --json --out "$work/walls"
# What nothing is made of, a pattern for others, needs nothing at all.
sed 's/^materials: {/materials: {pattern: {density: 1}, /' "$work/walls.yaml" >"$work/pattern.yaml"
expect 0 "fine" "$JOSTLE" check "$work/pattern.yaml"
expect 0 '"status": "complete"' "$JOSTLE" run "$work/pattern.yaml" --json --out "$work/pattern"
# Some editors put a byte-order mark first.
{ printf '\xef\xbb\xbf'; cat "$work/walls.yaml"; } >"$work/marked.yaml"
expect 0 "fine" "$JOSTLE" check "$work/marked.yaml"
{ printf '\xef\xbb\xbf'; sed 's/^duration/durations/' "$work/walls.yaml"; } >"$work/marked.yaml"
expect 2 "marked.yaml:5:1: error: unknown key 'durations'" "$JOSTLE" check "$work/marked.yaml"
# Polyhedra have room where the sphere inside them has: a rod in a tube, a cube in a slit. What is open may
# be narrower than any body: they lie on it.
material='materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9}}'
rod='bodies: [{radius: 5 cm, shape: {solid: prism, sides: 6, height: 20}, list: [{position: [0, 0, 6 cm]}]}]'
cube='bodies: [{radius: 1 cm, shape: cube, orientation: [1, 0, 0, 0], list: [{position: [0, 0, 6 mm]}]}]'
tube='cylinder: {point: [0, 0, 0], axis: +z, length: 12 cm, caps: true'
roomy() { # bodies, walls
    printf '%s\n%s\nwalls: {%s}\nduration: 1 ms\n' "$material" "$1" "$2" >"$work/narrow.yaml"
}
slit='a: {plane: {point: [0, 0, 0], normal: +z}}, b: {plane: {point: [0, 0, 12 mm], normal: -z}}'
for walls in "t: {box: {lo: [-6 mm, -1, 0], hi: [6 mm, 1, 1]}}" "$slit"; do
    roomy "$cube" "$walls"
    expect 0 '"problems": []' "$JOSTLE" check --json "$work/narrow.yaml"
    expect 0 '"alarms": []' "$JOSTLE" run "$work/narrow.yaml" --json --force --out "$work/narrow"
done
roomy "$rod" "t: {$tube, radius: 2 cm}}"
expect 0 '"problems": []' "$JOSTLE" check --json "$work/narrow.yaml"
expect 0 '"alarms": []' "$JOSTLE" run "$work/narrow.yaml" --json --force --out "$work/narrow"
roomy "$rod" "t: {$tube, radius: 4 mm}}"
expect 2 "wall 't' is 0.008 wide inside, less than the smallest body is thick, 0.0086" "$JOSTLE" check "$work/narrow.yaml"
roomy "$cube" "${slit/12 mm/11 mm}"
expect 2 "no body has room there" "$JOSTLE" check "$work/narrow.yaml"
roomy "${cube/6 mm/57 mm}" "t: {cylinder: {point: [0, 0, 0], axis: +z, length: 5 cm, radius: 5 mm}}"
expect 0 "warning: wall 't' is 0.01 wide inside, less than the smallest body is thick" "$JOSTLE" check "$work/narrow.yaml"
# On a lattice, bodies that are turned alike decide by what they are, not by the spheres around them.
stacked() { # shape, orientation, lattice, spacing
    printf '%s\nbodies: [{radius: 10 mm, shape: %s, orientation: %s, lattice: {kind: %s, spacing: %s, region: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1]}}}]\nduration: 1 ms\n' \
        "$material" "$@" >"$work/stacked.yaml"
}
for good in '[1, 0, 0, 0]|cubic|11.56 mm' '[1, 1, 0, 0]|cubic|11.56 mm' '[1, 0, 0, 0]|fcc|16.34 mm'; do
    IFS='|' read -r turn lattice spacing <<<"$good"
    stacked cube "$turn" "$lattice" "$spacing"
    expect 0 '"problems": []' "$JOSTLE" check --json "$work/stacked.yaml"
    expect 0 '"alarms": []' "$JOSTLE" run "$work/stacked.yaml" --json --force --out "$work/stacked"
done
stacked cube '[1, 0, 0, 0]' cubic '11.5 mm'
expect 0 "warning: bodies number 1 have a spacing of 0.0115: they overlap by 4.7e-05 at the start" "$JOSTLE" check "$work/stacked.yaml"
stacked cube '[1, 0, 0, 0]' fcc '11.56 mm'
expect 2 "they would overlap by 0.00337" "$JOSTLE" check "$work/stacked.yaml"
stacked cube '[2, 1, 0, 0]' cubic '11.56 mm'
expect 2 "they would overlap by 0.0023" "$JOSTLE" check "$work/stacked.yaml"
# Rods along a diagonal: not the nearest overlap, but those behind.
stacked '{solid: prism, sides: 4, height: 30}' '[1.4142136, -1, 1, 0]' cubic '4 mm'
expect 2 "they would overlap by 0.00094" "$JOSTLE" check "$work/stacked.yaml"
stacked cube random cubic '11.56 mm'
expect 2 "they would overlap, turned at random" "$JOSTLE" check "$work/stacked.yaml"
# A file whose surface is dented: its hull will do, if that is asked for.
printf 'OFF\n5 6 0\n0 0 0\n3 0 0\n0 3 0\n0 0 3\n0.5 0.5 0.5\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 4\n3 2 3 4\n3 3 1 4\n' >"$work/dented.off"
for hull in false true; do
    printf '%s\nbodies: [{radius: 1 cm, shape: {file: dented.off, hull: %s}, list: [{position: [0, 0, 1]}]}]\nduration: 1 ms\n' "$material" $hull >"$work/hull-$hull.yaml"
done
expect 2 "take the hull of its points ('hull: true' with a file)" "$JOSTLE" check "$work/hull-false.yaml"
expect 0 '"problems": []' "$JOSTLE" check --json "$work/hull-true.yaml"
expect 0 '"status": "complete"' "$JOSTLE" run "$work/hull-true.yaml" --json --out "$work/hull"
# Particle files are read, too; one may be empty, but that is told.
printf 'x,y,z,r\n0,0,1,-1\n' >"$work/wrong.csv"
printf 'x,y,z,r\n' >"$work/empty.csv"
for file in wrong empty; do
    printf 'materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9}}\nbodies: [{file: %s.csv}]\nduration: 1\n' $file >"$work/$file.yaml"
done
expect 2 "wrong.csv:2: r is -1" "$JOSTLE" check "$work/wrong.yaml"
expect 0 "warning: there are no bodies in it" "$JOSTLE" check "$work/empty.yaml"
# Options of other engines, and parts of the law that have nothing to do, are told.
{ cat "$work/walls.yaml"; echo 'engine: {growth: 1, patience: 3}'; echo 'law: {rolling: epsd, cohesion: liquid}'; } >"$work/idle.yaml"
for told in "engine soft has no growth" "engine soft has no patience" "no materials have rolling_friction" "no materials have liquid_volume"; do
    expect 0 "warning: $told" "$JOSTLE" check "$work/idle.yaml"
done
# Orientations of round bodies are told, each group's once, where it is given first.
turned() { # DIMENSION ENGINE GROUP
    printf 'dimension: %s\nengine: %s\nmaterials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.9, friction: 0.1}}\nduration: 1\nbodies:\n- %s\n' \
        "$1" "$2" "$3" >"$work/turned.yaml"
}
unused="bodies number 1 are spheres: their orientation is not used"
turned 3 soft '{radius: 0.1, orientation: [1, 0, 0, 1], list: [{position: [0, 0, 0]}]}'
expect 0 "turned.yaml:6:30: warning: $unused" "$JOSTLE" check "$work/turned.yaml"
turned 3 hard '{radius: 0.1, orientation: random, list: [{position: [0, 0, 0], orientation: random}]}'
expect 0 "turned.yaml:6:30: warning: $unused" "$JOSTLE" check "$work/turned.yaml"
same "warnings of a group" "$(grep -c warning "$work/.err")" 1
turned 3 soft '{radius: 0.1, list: [{position: [0, 0, 0]}, {position: [1, 0, 0], orientation: [1, 0, 0, 1]}, {position: [2, 0, 0], orientation: random}]}'
expect 0 "turned.yaml:6:82: warning: $unused" "$JOSTLE" check "$work/turned.yaml"
same "warnings of a list" "$(grep -c warning "$work/.err")" 1
turned 2 soft '{radius: 0.1, orientation: random, list: [{position: [0, 0]}]}'
expect 0 "warning: bodies number 1 are discs: their orientation" "$JOSTLE" check "$work/turned.yaml"
turned 3 soft '{radius: 0.1, shape: cube, orientation: random, list: [{position: [0, 0, 0], orientation: [1, 0, 0, 1]}]}'
expect 0 "fine" "$JOSTLE" check "$work/turned.yaml"
same "warnings of cubes" "$(cat "$work/.err")" ""
turned 2 kinetic '{radius: 0.1, orientation: random, list: [{position: [0, 0]}]}'
echo 'walls: {around: {cylinder: {point: [0, 0], radius: 1}}}' >>"$work/turned.yaml"
expect 0 "fine" "$JOSTLE" check "$work/turned.yaml"
same "warnings of discs with corners" "$(grep -c orientation "$work/.err")" 0
# What a run has written can be the beginning of another: cubes where they are, turned as they are.
cat >"$work/fill.yaml" <<'END'
materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.2}}
bodies: [{radius: {uniform: [8 mm, 12 mm]}, shape: cube, random: {count: 5, region: {lo: [0, 0, 0], hi: [0.1, 0.1, 0.1]}}}]
walls: {floor: {plane: {point: [0, 0, 0], normal: +z}}}
gravity: 9.81
duration: 0.1
output: {dump: 0.1}
END
expect 0 '"status": "complete"' "$JOSTLE" run "$work/fill.yaml" --json --out "$work/fill"
sed 's|^bodies.*|bodies: [{shape: cube, file: {path: fill/dump.lammpstrj, frame: last}}]|' "$work/fill.yaml" >"$work/go.yaml"
expect 0 "come from a dump with velocities or spins, which are not read" "$JOSTLE" check "$work/go.yaml"
expect 0 '"status": "complete"' "$JOSTLE" run "$work/go.yaml" --json --out "$work/go"
python3 - "$work/fill" "$work/go" <<'END' || fail "a dump is not where the run begins"
import sys
def frame(folder, index):
    text = open(folder + "/dump.lammpstrj").read().split("ITEM: TIMESTEP\n")[1 + index]
    names, *rows = text.split("ITEM: ATOMS ")[1].splitlines()
    return [dict(zip(names.split(), map(float, row.split()))) for row in rows]
end, begin = frame(sys.argv[1], 1), frame(sys.argv[2], 0)
assert len(end) == len(begin) == 5
for a, b in zip(end, begin):
    for key in ("id", "x", "y", "z", "radius", "shape"):
        assert a[key] == b[key], (key, a, b)
    for key in ("quatw", "quati", "quatj", "quatk"):
        assert abs(a[key] - b[key]) < 1e-15, (key, a, b)
END
# What polyhedra are like: of a cube in a sphere of radius r the edge is 2 r / sqrt(3).
cat >"$work/like.yaml" <<'END'
materials: {g: {density: 2000, young: 1e7, poisson: 0.2, restitution: 0.2}}
box: {lo: [0, 0, 0], hi: [1, 1, 1]}
bodies:
  - {name: alike, radius: 1 cm, shape: cube, random: {count: 30}}
  - {name: mixed, radius: {uniform: [1 cm, 2 cm]}, shape: {solid: rock, faces: 20, variants: 3}, lattice: {kind: cubic, count: 40}}
  - {name: balls, radius: 1 cm, random: {count: 1}}
duration: 1
END
expect 0 "alike          6               1.54e-06           0.003079" "$JOSTLE" check "$work/like.yaml"
for place in "" --place; do
    "$JOSTLE" check --json $place "$work/like.yaml" >"$work/check.json" || fail "check --json $place"
    python3 - "$work/check.json" "$place" <<'END' || fail "what check --json $place says of polyhedra is wrong"
import json, sys
alike, mixed = json.load(open(sys.argv[1]))["polyhedra"]
edge = 0.02 / 3 ** 0.5
near = lambda a, b: abs(a / b - 1) < 1e-12
assert alike["group"] == 0 and alike["faces"] == [6, 6] and alike["shapes"] == 1, alike
assert all(near(e, edge) for axis in alike["extents"] for e in axis), alike
assert all(near(v, edge ** 3) for v in alike["volume"]), alike
assert all(near(m, 2000 * edge ** 3) for m in alike["mass"]), alike
assert near(alike["mass_together"], 30 * 2000 * edge ** 3), alike
assert mixed["faces"][0] <= mixed["faces"][1] == 20 and mixed["shapes"] == 3, mixed
assert mixed["volume"][1] > 5 * mixed["volume"][0] and near(mixed["mass"][0], 2000 * mixed["volume"][0]), mixed
if sys.argv[2]:
    assert 40 * mixed["mass"][0] < mixed["mass_together"] < 40 * mixed["mass"][1], mixed
else:
    assert mixed["mass_together"] is None, mixed
END
done
# Polyhedra meet a wall at a periodic border, not its images.
cat >"$work/border.yaml" <<'END'
materials: {g: {density: 2500, young: 1e7, poisson: 0.2, restitution: 0.2}}
box: {lo: [-1, 0, -1], hi: [1, 1, 1], periodic: [y]}
bodies: [{radius: 0.05, shape: cube, list: [{position: [0, 0.5, 0]}]}]
walls: {drum: {cylinder: {point: [0, 0, 0], axis: +y, length: 1, radius: 0.5}}}
duration: 1
END
expect 0 "border.yaml:4:26: warning: wall 'drum' ends at the border along y" "$JOSTLE" check "$work/border.yaml"
sed -i 's/length: 1,/length: inf,/' "$work/border.yaml"
expect 0 "fine" "$JOSTLE" check "$work/border.yaml"
same "warnings of an endless drum" "$(cat "$work/.err")" ""
# Parts of the law that polyhedra do not have.
stacked cube '[1, 0, 0, 0]' cubic '11.56 mm'
echo 'law: {rolling: epsd, tangential: mindlin_force, dashpot_loads_spring: true}' >>"$work/stacked.yaml"
for told in "rolling friction" "law.tangential mindlin_force" "law.dashpot_loads_spring"; do
    expect 0 "warning: $told acts between spheres and walls alone" "$JOSTLE" check "$work/stacked.yaml"
done
checks=$((checks + 1))
"$JOSTLE" check "$work/warned.yaml" >/dev/full 2>/dev/null
same "exit code on a full disk" $? 2
finish
