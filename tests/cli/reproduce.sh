#!/usr/bin/env bash
# jostle reproduce N --quick --json: the promised object, within its time, with the right physics.
source "$(dirname "$0")/support/check.bash"

for paper in 1 2 4 5; do
    start=$SECONDS
    "$JOSTLE" reproduce $paper --quick --json --out "$work/r$paper" >"$work/$paper.json" 2>"$work/.err" ||
        { fail "reproduce $paper"; cat "$work/.err"; }
    echo "paper $paper took $((SECONDS - start)) s"
    for file in index.html rows.csv; do
        [ -s "$work/r$paper/$file" ] || fail "reproduce $paper --out wrote no $file"
    done
    grep -q "</html>" "$work/r$paper/index.html" || fail "the page is not whole"
    grep -qE "src=\"http|href=\"http" "$work/r$paper/index.html" && fail "the page needs the network"
done
if "$JOSTLE" list --json | grep -q '"pictures": true'; then
    for file in fig1-stages.svg fig2-divided.png cube.png; do
        [ -s "$work/r4/$file" ] || fail "reproduce 4 --out drew no $file"
    done
    for file in fig1-triangulation.png fig3-before.png fig3-after.png fig4-hopper.png fig4-outflow.svg; do
        [ -s "$work/r5/$file" ] || fail "reproduce 5 --out drew no $file"
    done
fi
grep -q '^"measured",11,0.00[0-9]*,[0-9]' "$work/r4/fig2-divided.csv" || fail "no error bar in the data of a plot"
# Paper 3 needs convex hulls; a build without them says so.
if "$JOSTLE" reproduce 3 --quick --json --out "$work/r3" >"$work/3.json" 2>"$work/.err"; then
    [ -s "$work/r3/index.html" ] || fail "reproduce 3 --out wrote no page"
    grep -q '"paper",2762,58' "$work/r3/fig6-time.csv" || fail "no point of the paper in Fig. 6"
elif grep -q libqhull "$work/.err"; then
    rm "$work/3.json"
else
    fail "reproduce 3"
    cat "$work/.err"
fi
python3 - "$work" <<'END' || fail "the rows are not as promised"
import json, os, re, sys
reports = {}
papers = [n for n in (1, 2, 3, 4, 5) if os.path.exists(f"{sys.argv[1]}/{n}.json")]
assert len(papers) >= 4
for paper in papers:
    o = json.load(open(f"{sys.argv[1]}/{paper}.json"))
    assert o["paper"] == paper and len(o["rows"]) > 20, (paper, len(o["rows"]))
    for row in o["rows"]:
        assert {"name", "paper", "ours", "unit", "note"} <= set(row), row
        assert isinstance(row["ours"], (int, float)) and not isinstance(row["ours"], bool), row
        assert row["paper"] is None or isinstance(row["paper"], (int, float)), row
    names = [r["name"] for r in o["rows"]]
    assert len(set(names)) == len(names), "two rows of one name"
    reports[paper] = {r["name"]: r for r in o["rows"]}

# Paper 1: contacts per particle from geometry; sampling error and edges allow a few per cent.
for name, geometry in {"2D A": 0.900, "2D B": 0.198, "2D C": 0.0260,
                       "3D A": 0.933, "3D B": 0.0980, "3D C": 0.00483}.items():
    ours = reports[1][name]["ours"]
    assert 0.85 * geometry < ours < 1.15 * geometry, (name, ours, geometry)
assert reports[1]["3D C"]["paper"] == 0.04 and "cannot be right" in reports[1]["3D C"]["note"]
for table, cells in {"Table 1, LCM100": 100, "Table 1, LCM204": 49, "Table 1, LCM625": 16, "Table 1, LCM1111": 9,
                     "Table 2, LCM11": 9, "Table 2, LCM25": 4, "Table 2, LCM100": 1, "Table 3, LCM101": 1}.items():
    assert f" {cells} cells" in reports[1][table]["note"], reports[1][table]

# Paper 2: counts are exact, the lecture's criterion misses contacts, the safe one does not.
rows = reports[2]
assert rows["pairs tested by brute"]["ours"] == rows["pairs tested by brute"]["paper"] == 4000 * 3999 / 2
assert rows["contacts missed by the lecture's criterion"]["ours"] > 0
assert rows["contacts missed by the safe criterion"]["ours"] == 0
growth = rows["their growth from N = 1000 to 8000"]["ours"]
assert 3 < growth < 5, growth

# Paper 3: every computation is counted, most take one iteration, and time does not grow with faces.
if 3 in reports:
    rows = reports[3]
    for faces in (4, 8, 20, 32, 40, 80, 100, 140, 160, 200, 400, 600, 920):
        took = [rows[f"{faces} faces, {n}"]["ours"] for n in
                ("1 iteration", "2 iterations", "3 iterations", "4 or more iterations")]
        assert sum(took) == 100000 and took[0] > 96000, (faces, took)
        assert f"{3 * faces + 2} features" in rows[f"{faces} faces, time"]["note"], rows[f"{faces} faces, time"]
    assert rows["4 faces, 1 iteration"]["paper"] == 98290 and rows["920 faces, time"]["paper"] == 58
    assert rows["time at 920 faces over time at 4"]["ours"] < 3, rows["time at 920 faces over time at 4"]
    assert "100 % overlap" in rows["4 faces, overlap followed"]["note"]

# Paper 4: collisions per frame and both kinds of rates as kinetic theory has them, nothing fitted.
rows = reports[4]
for nbs in range(4, 12):
    row = rows[f"collisions per frame, nbs = {nbs}"]
    theory = float(re.search(r"theory ([0-9.]+)", row["note"])[1])
    error = float(re.search(r"± ([0-9.e+-]+)", row["note"])[1])
    assert abs(row["ours"] - theory) < 5 * error + 0.02 * theory, row
    assert row["paper"] > 1, row
for nbs in range(2, 12):
    for kind in ("balls", "walls"):
        row = rows[f"{kind}, measured over predicted, nbs = {nbs}"]
        error = float(re.search(r"± ([0-9.e+-]+)", row["note"])[1])
        assert error < 0.05 and abs(row["ours"] - 1) < 5 * error + 0.02, row
slope = rows["slope over nbs^4, from the authors' samples"]
assert abs(slope["ours"] - slope["paper"]) < 0.5e-5, slope
assert 0.0043 < rows["slope over nbs^4, measured"]["ours"] < 0.0051, rows["slope over nbs^4, measured"]
assert abs(rows["slope over nbs^4 without walls, kinetic theory"]["ours"] - 0.767 * 3 / 400 / 3**0.5) < 1e-5
assert rows["nbs = 11, t12"]["paper"] == 22.72 and rows["nbs = 11, t12"]["ours"] > 0
if "largest nbs at 20 frames/s, paper4" in rows:  # with pictures
    assert rows["largest nbs at 20 frames/s, paper4"]["ours"] > 4
# Far beyond: the same physics, and many more balls in the same time.
for nbs in (11, 20, 40):
    for kind in ("balls", "walls"):
        row = rows[f"hard, nbs = {nbs}, {kind}, measured over predicted"]
        error = float(re.search(r"± ([0-9.e+-]+)", row["note"])[1])
        assert error < 0.05 and abs(row["ours"] - 1) < 5 * error + 0.01, row
assert rows["hard over paper4, collisions per second at nbs = 11"]["ours"] > 5
ours = [rows[f"largest nbs at 20 frames/s, {name}, without drawing"]["ours"] for name in ("paper4", "hard")]
assert ours[1] > 1.5 * ours[0] > 10, ours

# Paper 5: hoppers empty, wider necks let more through (10 and 12 cm empty a hundred grains before they tell apart), and nothing ever
# overlaps.
rows = reports[5]
assert rows["triangles"]["ours"] > rows["corners"]["ours"] > 100
rates = []
for name in ("neck 8", "slope 60, neck 10", "neck 12"):
    assert rows[f"{name}: grains left"]["ours"] == 0, rows[f"{name}: grains left"]
    assert rows[f"{name}: time to empty it"]["ours"] < 60
    assert 0.5 < rows[f"{name}: nearest collision"]["ours"] < 1.01, rows[f"{name}: nearest collision"]
    rates.append(rows[f"{name}: discharge"]["ours"])
assert rates[0] < 0.85 * min(rates[1:]) and 150 < rates[0] < 400, rates
END
expect 0 "cannot be right" cat "$work/1.json"
finish
