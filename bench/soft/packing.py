# The settled packing for YADE: spheres at rest on a floor, periodic sideways.
#     yade -jN -n -x packing.py linear|hertz CENTRES NX NY WARMUP STEPS
# YADE's cell is periodic on all axes: it is made so high that nothing meets its image above. Several
# tiles get no cell but open sides, as YADE takes more than ten minutes to sort so many bodies into a
# periodic one; that leaves out the contacts across the sides, about one in a hundred. YADE's linear
# law has no dashpot; its own local damping takes the place (and costs nothing to speak of).
import math
import sys
import time

law, path, nx, ny, warmup, steps = sys.argv[1:7]
nx, ny, warmup, steps = int(nx), int(ny), int(warmup), int(steps)
floor = 10.0

tile = [tuple(map(float, line.split())) for line in open(path)]
periodic = nx * ny == 1
O.periodic = periodic
if periodic:
    O.cell.setBox(40.0 * nx, 20.0 * ny, 150.0)
if law == "hertz":
    grain = FrictMat(young=5.625e7, poisson=0.25, density=1.9098593171027440, frictionAngle=math.atan(0.5))
    physics, contact = Ip2_FrictMat_FrictMat_MindlinPhys(en=0.88, es=0.88), Law2_ScGeom_MindlinPhys_Mindlin()
else:
    # k_n = young * radius, k_t = poisson * k_n
    grain = FrictMat(young=4.0e5, poisson=2.0 / 7.0, density=1.9098593171027440, frictionAngle=math.atan(0.5))
    physics, contact = Ip2_FrictMat_FrictMat_FrictPhys(), Law2_ScGeom_FrictPhys_CundallStrack()
material = O.materials.append(grain)
for cy in range(ny):
    for cx in range(nx):
        O.bodies.append([sphere((x + 40.0 * cx, y + 20.0 * cy, z + floor), 0.5, material=material)
                         for x, y, z in tile])
bodies = len(O.bodies)
O.bodies.append(wall(floor, axis=2, sense=1, material=material))

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.05, allowBiggerThanPeriod=periodic),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()], [physics], [contact]),
    NewtonIntegrator(gravity=(0, 0, -1), damping=0.0 if law == "hertz" else 0.2),
]
O.dt = 1e-4
O.run(warmup, True)
wall_start, cpu_start = time.perf_counter(), time.process_time()
O.run(steps, True)
print("bench wall %.17g" % (time.perf_counter() - wall_start))
print("bench cpu %.17g" % (time.process_time() - cpu_start))

touching = height = 0
for i in O.interactions:
    touching += i.isReal and i.id2 < bodies and i.id1 < bodies
for body in range(bodies):
    height += O.bodies[body].state.pos[2] - floor
print("bench contacts %d" % touching)
print("bench height %.17g" % (height / bodies))
print("bench kinetic %.17g" % kineticEnergy())
