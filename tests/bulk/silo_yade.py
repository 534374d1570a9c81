# The silo of dosta-silo.yaml in YADE, one of the codes that Dosta et al. (2024) compare: M1, large orifice, moduli
# divided by 1000, from grains at rest in the silo and without a lid; grains above z = -65 mm every 20 ms.
#     yade -j1 -n -x tests/bulk/silo_yade.py FOLDER start.csv SECONDS [STEP]
# FOLDER is the one that JOSTLE_BULK_DATA names; docs/validation.md tells how start.csv (x,y,z,r) is made.
import math
import sys
import time

folder, start, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
O.dt = float(sys.argv[4]) if len(sys.argv) > 4 else 80e-6

# YADE takes a facet for a ball of twice the grain's radius, which makes walls softer by sqrt(2/3); this modulus of
# steel, instead of 1e6, gives the contact with a flat wall that two bodies of 1e6 have.
M1, steel = (O.materials.append(FrictMat(young=young, poisson=0.2, density=density, frictionAngle=0.3))
             for young, density in ((1e6, 2500), (1e6 / (2 * math.sqrt(2 / 3) - 1), 7200)))


def table(grains, wall):
    return MatchMaker(matches=[(M1, M1, grains), (M1, steel, wall)])


with open(start) as file:
    next(file)
    places = sorted((list(map(float, line.split(","))) for line in file), key=lambda p: (p[0] // 0.008, p[1] // 0.008))  # faster
    grains = O.bodies.append([sphere(p[:3], p[3], material=M1) for p in places])
with open(folder + "/Silo/walls (large orifice).txt") as file:
    next(file)
    O.bodies.append([facet((c[0:3], c[3:6], c[6:9]), material=steel) for c in (list(map(float, line.split())) for line in file) if c])

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()], verletDist=0.0004),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=table(0.5, 0.4), es=table(1, 1),  # es = 1: no tangential dashpot
                                                       frictAngle=table(math.atan(0.3), math.atan(0.2)))],
                    [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(gravity=(0, 0, -9.8), damping=0.0),
]


def tell():
    global grains
    for k in (k for k in grains if O.bodies[k].state.pos[2] < -0.1):
        O.bodies.erase(k)
    grains = [k for k in grains if O.bodies[k]]
    print("  t %.3f s: %6d grains above -65 mm; %.0f s of computing"
          % (O.time, sum(O.bodies[k].state.pos[2] > -0.065 for k in grains), time.time() - began), flush=True)


began = time.time()
tell()
while O.time < seconds - 0.01:
    O.run(round(0.02 / O.dt), True)
    tell()
