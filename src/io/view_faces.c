/* view_faces.c — polyhedra as the picture shows them: the faces that look at the eye, projected.
 *
 * A body is its shape scaled to its radius, turned by its quaternion and moved to its centre. Under
 * parallel projection a face is a convex polygon whose depth is linear over the screen. */
#include <math.h>

#include "io/view.h"
#include "jostle/features.h"
#include "scene/survey.h"

static bool add_face(face_marks *out, const jo_polyhedron_view *shape, size_t f,
                     const double seen[3], const double (*axes)[3], double scale, uint32_t rgb)
{
    const double *n = shape->planes + 4 * f;
    double normal[3];
    for (int a = 0; a < 3; a++)
        normal[a] = axes[a][0] * n[0] + axes[a][1] * n[1] + axes[a][2] * n[2];
    if (normal[2] <= 1e-3) return true; /* it looks away, or is seen from its edge */
    if (!jo_buffer_grow(&out->facet, out->count * sizeof(facet), out->count + 1, sizeof(facet)))
        return false;
    facet *made = (facet *)out->facet.data + out->count;
    *made = (facet){.first = (uint32_t)out->corners, .rgb = rgb};
    /* In pixels, the plane is normal · (x - x0, y0 - y, z - z0) = offset. */
    const double offset = n[3] * scale;
    made->depth[0] =
        (float)(seen[2] + (offset + normal[0] * seen[0] - normal[1] * seen[1]) / normal[2]);
    made->depth[1] = (float)(-normal[0] / normal[2]);
    made->depth[2] = (float)(normal[1] / normal[2]);
    for (int a = 0; a < 3; a++)
        made->normal[a] = (float)normal[a];
    uint32_t h = shape->face_edge[f];
    do {
        const double *p = shape->points + 3 * (size_t)shape->origin[h];
        if (!jo_buffer_grow(&out->corner, 2 * out->corners * sizeof(float), 2 * (out->corners + 1),
                            sizeof(float)))
            return false;
        float *to = (float *)out->corner.data + 2 * out->corners++;
        to[0] =
            (float)(seen[0] + scale * (axes[0][0] * p[0] + axes[0][1] * p[1] + axes[0][2] * p[2]));
        to[1] =
            (float)(seen[1] - scale * (axes[1][0] * p[0] + axes[1][1] * p[1] + axes[1][2] * p[2]));
        made->count++;
        h = shape->next[h];
    } while (h != shape->face_edge[f]);
    out->count++;
    return true;
}

bool jo_view_faces(const view *v, const jo_bodies *bodies, const jo_picture *picture,
                   const colouring *colours, face_marks *out)
{
    for (size_t i = 0; i < bodies->n; i++) {
        if (picture->shape[i] == JO_NO_SHAPE) continue;
        const jo_polyhedron_view shape = jo_polyhedron_look(picture->shapes[picture->shape[i]]);
        jo_pose pose;
        double centre[3], seen[3], axes[3][3];
        for (int a = 0; a < 3; a++) {
            centre[a] = body_centre(bodies, i, a);
            if (v->periodic[a]) {
                const double period = v->hi[a] - v->lo[a];
                centre[a] -= period * floor((centre[a] - v->lo[a]) / period);
            }
        }
        jo_pose_turn(&pose, picture->q + 4 * i);
        jo_view_project(v, centre, &seen[0], &seen[1], &seen[2]);
        const double *screen[3] = {v->right, v->up, v->eye};
        for (int s = 0; s < 3; s++) /* the shape's axes on the screen */
            for (int k = 0; k < 3; k++)
                axes[s][k] = screen[s][0] * pose.turn[k] + screen[s][1] * pose.turn[3 + k] +
                             screen[s][2] * pose.turn[6 + k];
        const double scale = body_radius(bodies, i) / shape.radius * v->scale;
        const uint32_t rgb = jo_colouring_body(colours, bodies, i);
        for (size_t f = 0; f < shape.faces; f++)
            if (!add_face(out, &shape, f, seen, (const double(*)[3])axes, scale, rgb)) return false;
    }
    return true;
}
