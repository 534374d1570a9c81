/* region.c — boxes, spheres and cylinders that bodies are placed in. */
#include "scene/region.h"

#include <math.h>

#define PI 3.14159265358979323846

bool jo_region_holds(const jo_region *g, int dim, const bool open[3], const double x[3], double r)
{
    double along = 0.0, square = 0.0;
    switch (g->kind) {
    case JO_REGION_BOX:
        for (int a = 0; a < dim; a++)
            if (open[a] ? x[a] < g->lo[a] || x[a] > g->hi[a]
                        : x[a] - r < g->lo[a] || x[a] + r > g->hi[a])
                return false;
        return true;
    case JO_REGION_SPHERE:
        for (int a = 0; a < dim; a++)
            square += (x[a] - g->centre[a]) * (x[a] - g->centre[a]);
        return r <= g->radius && square <= (g->radius - r) * (g->radius - r);
    case JO_REGION_CYLINDER:
        for (int a = 0; a < 3; a++)
            along += (x[a] - g->centre[a]) * g->axis[a];
        for (int a = 0; a < 3; a++) {
            const double d = x[a] - g->centre[a] - along * g->axis[a];
            square += d * d;
        }
        return along >= r && along <= g->length - r && r <= g->radius &&
               square <= (g->radius - r) * (g->radius - r);
    }
    return false;
}

void jo_region_push(const jo_region *g, int dim, const bool open[3], const double x[3], double r,
                    double push[3])
{
    if (g->kind == JO_REGION_BOX) {
        for (int a = 0; a < dim; a++)
            if (!open[a])
                push[a] += fmax(g->lo[a] + r - x[a], 0.0) - fmax(x[a] + r - g->hi[a], 0.0);
        return;
    }
    const bool cylinder = g->kind == JO_REGION_CYLINDER;
    double along = 0.0, square = 0.0, radial[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < dim && cylinder; a++)
        along += (x[a] - g->centre[a]) * g->axis[a];
    for (int a = 0; a < dim; a++) {
        radial[a] = x[a] - g->centre[a] - along * (cylinder ? g->axis[a] : 0.0);
        square += radial[a] * radial[a];
    }
    const double distance = sqrt(square), excess = distance + r - g->radius;
    const double lift = cylinder ? fmax(r - along, 0.0) - fmax(along + r - g->length, 0.0) : 0.0;
    for (int a = 0; a < dim; a++) {
        if (excess > 0.0 && distance > 0.0) push[a] -= radial[a] / distance * excess;
        if (cylinder) push[a] += g->axis[a] * lift;
    }
}

double jo_region_volume(const jo_region *g, int dim)
{
    double volume = 1.0;
    switch (g->kind) {
    case JO_REGION_BOX:
        for (int a = 0; a < dim; a++)
            volume *= g->hi[a] - g->lo[a];
        return volume;
    case JO_REGION_SPHERE:
        return dim == 2 ? PI * g->radius * g->radius
                        : 4.0 / 3.0 * PI * g->radius * g->radius * g->radius;
    case JO_REGION_CYLINDER:
        return PI * g->radius * g->radius * g->length;
    }
    return 0.0;
}

void jo_region_bounds(const jo_region *g, int dim, double lo[3], double hi[3])
{
    for (int a = 0; a < 3; a++) {
        lo[a] = hi[a] = 0.0;
        if (a >= dim) continue;
        double side;
        switch (g->kind) {
        case JO_REGION_BOX:
            lo[a] = g->lo[a];
            hi[a] = g->hi[a];
            break;
        case JO_REGION_SPHERE:
            lo[a] = g->centre[a] - g->radius;
            hi[a] = g->centre[a] + g->radius;
            break;
        case JO_REGION_CYLINDER:
            side = g->radius * sqrt(fmax(0.0, 1.0 - g->axis[a] * g->axis[a]));
            lo[a] = g->centre[a] + fmin(0.0, g->length * g->axis[a]) - side;
            hi[a] = g->centre[a] + fmax(0.0, g->length * g->axis[a]) + side;
            break;
        }
    }
}

double jo_region_room(const jo_region *g, int dim, const bool open[3])
{
    double room = (double)INFINITY;
    switch (g->kind) {
    case JO_REGION_BOX:
        for (int a = 0; a < dim; a++)
            if (!open[a]) room = fmin(room, 0.5 * (g->hi[a] - g->lo[a]));
        return room;
    case JO_REGION_SPHERE:
        return g->radius;
    case JO_REGION_CYLINDER:
        return fmin(g->radius, 0.5 * g->length);
    }
    return room;
}

void jo_region_open_axes(const jo_region *g, const jo_scene *scene, bool open[3])
{
    for (int a = 0; a < 3; a++) {
        const double period = scene->domain.hi[a] - scene->domain.lo[a];
        open[a] = g->kind == JO_REGION_BOX && a < scene->dim && scene->domain.periodic[a] &&
                  g->hi[a] - g->lo[a] >= period * (1.0 - 1e-12);
    }
}

bool jo_region_draw(const jo_region *g, int dim, double r, const double u[3], double x[3])
{
    x[0] = x[1] = x[2] = 0;
    if (g->kind == JO_REGION_BOX) {
        for (int a = 0; a < dim; a++) {
            const double room = g->hi[a] - g->lo[a] - 2 * r;
            if (room < 0) return false;
            x[a] = g->lo[a] + r + u[a] * room;
        }
        return true;
    }
    if (g->radius < r || (g->kind == JO_REGION_CYLINDER && dim == 3 && g->length < 2 * r))
        return false;
    const double angle = 2 * PI * u[0], room = g->radius - r;
    if (g->kind == JO_REGION_SPHERE && dim == 3) {
        const double up = 2 * u[1] - 1, flat = sqrt(1 - up * up), d = room * cbrt(u[2]);
        x[0] = g->centre[0] + d * flat * cos(angle);
        x[1] = g->centre[1] + d * flat * sin(angle);
        x[2] = g->centre[2] + d * up;
        return true;
    }
    const double d = room * sqrt(u[1]);
    if (dim == 2) {
        x[0] = g->centre[0] + d * cos(angle);
        x[1] = g->centre[1] + d * sin(angle);
        return true;
    }
    /* Two directions across the axis. */
    const int least = fabs(g->axis[0]) < 0.6 ? 0 : fabs(g->axis[1]) < 0.6 ? 1 : 2;
    double e[3] = {0, 0, 0}, p[3], q[3], norm = 0;
    e[least] = 1;
    for (int a = 0; a < 3; a++)
        p[a] = e[a] - g->axis[least] * g->axis[a];
    for (int a = 0; a < 3; a++)
        norm += p[a] * p[a];
    for (int a = 0; a < 3; a++)
        p[a] /= sqrt(norm);
    for (int a = 0; a < 3; a++)
        q[a] = g->axis[(a + 1) % 3] * p[(a + 2) % 3] - g->axis[(a + 2) % 3] * p[(a + 1) % 3];
    const double along = r + u[2] * (g->length - 2 * r);
    for (int a = 0; a < 3; a++)
        x[a] = g->centre[a] + along * g->axis[a] + d * (cos(angle) * p[a] + sin(angle) * q[a]);
    return true;
}
