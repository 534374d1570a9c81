# The drum of test_drum.c in YADE, one of the codes that Dosta et al. (2024) compare: the same start, walls,
# moduli (divided by 1000), friction, restitution and time step, and the same quantities every 0.1 s.
#     yade -j1 -n -x tests/bulk/drum_yade.py FOLDER SECONDS
# FOLDER is the one that JOSTLE_BULK_DATA names.
import math
import sys

folder, seconds = sys.argv[1], float(sys.argv[2])
friction = {"M1 M1": 0.3, "M1 M2": 0.2, "M1 steel": 0.2, "M2 M2": 0.4, "M2 steel": 0.2, "steel steel": 0.5}
restitution = {"M1 M1": 0.5, "M1 M2": 0.45, "M1 steel": 0.4, "M2 M2": 0.4, "M2 steel": 0.4, "steel steel": 0.6}

materials = {name: O.materials.append(FrictMat(young=young, poisson=0.2, density=density, frictionAngle=0.3))
             for name, young, density in (("M1", 1e6, 2500), ("M2", 0.5e6, 2000), ("steel", 1e6, 7200))}


def table(of_pair):
    return MatchMaker(matches=[tuple(materials[m] for m in pair.split()) + (value,) for pair, value in of_pair.items()])


grains = []
for line in open(folder + "/Drum/PartCoordinates.txt"):
    words = line.split()
    if len(words) == 4 and not words[0].startswith("Radius"):
        r, x, y, z = map(float, words)
        grains.append(sphere((x, y, z), r, material=materials["M1" if r < 0.0015 else "M2"]))
O.bodies.append(grains)
corners = [list(map(float, line.split())) for line in open(folder + "/Drum/walls.txt") if not line.startswith("vertex")]
drum = O.bodies.append([facet((c[0:3], c[3:6], c[6:9]), material=materials["steel"]) for c in corners if len(c) == 9])

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()], verletDist=0.0004),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=table(restitution), es=table(restitution),
                                                       frictAngle=table({k: math.atan(v) for k, v in friction.items()}))],
                    [Law2_ScGeom_MindlinPhys_Mindlin()]),
    RotationEngine(ids=drum, rotationAxis=(0, 1, 0), angularVelocity=2.0, rotateAroundZero=True, zeroPoint=(0, 0, 0)),
    NewtonIntegrator(gravity=(0, 0, -9.8), damping=0.0),
]
O.dt = 40e-6


def tell():
    count, zone, centre, mass, middle = [0, 0], [[0, 0], [0, 0]], [[0, 0], [0, 0]], 0, [0, 0]
    for body in grains_of():
        kind, p, m = int(body.shape.radius > 0.0015), body.state.pos, body.state.mass
        count[kind] += 1
        zone[kind][0] += p[0] > 0 and p[2] > 0
        zone[kind][1] += p[0] < 0 and p[2] < 0
        centre[kind][0] += p[0]
        centre[kind][1] += p[2]
        middle[0] += m * p[0]
        middle[1] += m * p[2]
    print("  t %.2f s: bed at %5.1f degrees; in x,z > 0: %4.1f %% of M1, %4.1f %% of M2; in x,z < 0: %4.1f %%, %4.1f %%; "
          "centres (%.2f, %.2f) and (%.2f, %.2f) mm"
          % (O.time, math.degrees(math.atan2(-middle[0], -middle[1])),
             100 * zone[0][0] / count[0], 100 * zone[1][0] / count[1], 100 * zone[0][1] / count[0], 100 * zone[1][1] / count[1],
             1000 * centre[0][0] / count[0], 1000 * centre[0][1] / count[0],
             1000 * centre[1][0] / count[1], 1000 * centre[1][1] / count[1]), flush=True)


def grains_of():
    return (O.bodies[k] for k in range(len(grains)))


tell()
while O.time < seconds - 0.01:
    O.run(2500, True)
    tell()
