/* polygon_walls.c — walls of hard polygons that move.
 *
 * Between two of its turns a wall moves at constant velocity and spin. A wall that shifts, or turns
 * about its own centre of mass, needs no turns but at the start and stop of its motion. One that
 * swings, or turns about another point, has a turn every 1/32 of its period (a turn of 0.05
 * radians): it then gets the velocity that brings it, from where it is, to where it should be at
 * the next. So it is there at each turn up to rounding, nothing adds up, and is off by at most
 * amplitude (pi / 32)^2 / 2 between. */
#include <math.h>

#include "hard/polygons.h"
#include "narrow/wall.h"

static const double TURN = 6.283185307179586;

void jo_polygon_wall_pose(const polygon_wall *w, double time, double centre[2], double *angle)
{
    const jo_motion *m = &w->wall.motion;
    wall_pose pose;
    jo_wall_pose(&w->wall, time, &pose);
    const double end = time < m->stop ? time : m->stop;
    *angle = end > m->start ? m->spin[2] * (end - m->start) : 0.0;
    const double arm[2] = {w->centre[0] - m->pivot[0], w->centre[1] - m->pivot[1]};
    for (int a = 0; a < 2; a++)
        centre[a] = m->pivot[a] + pose.displacement[a] + pose.rotation[3 * a] * arm[0] +
                    pose.rotation[3 * a + 1] * arm[1];
}

/* Time between turns while it moves; infinite: none is needed. */
static double piece_of(const polygon_wall *w)
{
    const jo_motion *m = &w->wall.motion;
    double piece = (double)INFINITY;
    if (m->amplitude[0] != 0.0 || m->amplitude[1] != 0.0)
        piece = 1.0 / (m->frequency * JO_POLYGONS_PIECES);
    const double arm = hypot(w->centre[0] - m->pivot[0], w->centre[1] - m->pivot[1]);
    if (m->spin[2] != 0.0 && arm > 1e-9 * (fabs(m->pivot[0]) + fabs(m->pivot[1]) + arm))
        piece = fmin(piece, TURN / 128.0 / fabs(m->spin[2]));
    return piece;
}

double jo_polygon_wall_next(const polygon_wall *w, double time)
{
    const jo_motion *m = &w->wall.motion;
    if (!w->moves || time >= m->stop) return (double)INFINITY;
    if (time < m->start) return m->start;
    const double piece = piece_of(w);
    if (isinf(piece)) return m->stop;
    const double next = m->start + piece * (floor((time - m->start) / piece * (1.0 + 1e-12)) + 1.0);
    return next < m->stop ? next : m->stop;
}

jo_status jo_polygon_wall_steer(jo_polygons *p, size_t wall, jo_error *error)
{
    polygon_wall *w = &p->walls[wall];
    const jo_motion *m = &w->wall.motion;
    const uint64_t id = JO_POLYGONS_WALL + wall;
    double v[2] = {0.0, 0.0}, spin = 0.0;
    w->turn = jo_polygon_wall_next(w, p->time);
    if (p->time >= m->start && p->time < m->stop) {
        const polygon_now now = jo_polygons_see(p, jo_polygons_wall_body(p, wall));
        const bool steady = isinf(piece_of(w));
        double centre[2], angle;
        spin = m->spin[2];
        if (!steady) jo_polygon_wall_pose(w, w->turn, centre, &angle);
        for (int a = 0; a < 2; a++)
            v[a] = steady ? m->velocity[a] : (centre[a] - now.x[a]) / (w->turn - p->time);
    }
    return jo_kinetic_steer(p->world, id, v, spin, error);
}
