/* peer_cgal.cpp — CGAL's Box_intersection_d: the streamed segment tree of Zomorodian and
 * Edelsbrunner.
 *
 * The bounding boxes go, by value, to box_self_intersection_d with closed boxes. The cutoff below
 * which it sweeps instead of splitting is 1000: on 10^5 bodies that took half the time of the
 * default, 10 (of 10, 50, 200, 500, 1000 and 2000). A sequence of pointers was no faster. Every
 * pair of boxes is then tested exactly in the callback. */
#include "peer.h"

#include <CGAL/box_intersection_d.h>
#include <CGAL/version.h>
#include <vector>

namespace {

template <int D> using Box = CGAL::Box_intersection_d::Box_with_info_d<double, D, uint32_t>;

struct State {
    std::vector<Box<2>> flat;
    std::vector<Box<3>> solid;
};

void *create(const peer_spheres *)
{
    return new State;
}

void destroy(void *state)
{
    delete static_cast<State *>(state);
}

template <int D> void search(std::vector<Box<D>> &boxes, const peer_spheres *s, peer_pairs *out)
{
    const double *centre[3] = {s->x, s->y, s->z};
    boxes.clear();
    boxes.reserve(s->n);
    for (size_t i = 0; i < s->n; i++) {
        double lo[D], hi[D];
        for (int a = 0; a < D; a++) {
            /* One unit in the last place outward: x - r may round inward. */
            lo[a] = std::nextafter(centre[a][i] - s->r[i], -INFINITY);
            hi[a] = std::nextafter(centre[a][i] + s->r[i], INFINITY);
        }
        boxes.emplace_back(lo, hi, (uint32_t)i);
    }
    CGAL::box_self_intersection_d(
        boxes.begin(), boxes.end(),
        [s, out](const Box<D> &a, const Box<D> &b) { peer_test(s, out, a.info(), b.info()); },
        std::ptrdiff_t(1000));
}

bool find(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (s->dim == 2)
        search<2>(own->flat, s, out);
    else
        search<3>(own->solid, s, out);
    return true;
}

} // namespace

extern "C" const peer peer_cgal = {
    "cgal",
    "CGAL " CGAL_VERSION_STR,
    "box_self_intersection_d on bounding boxes, exact test in the callback",
    create,
    destroy,
    find,
    nullptr,
    nullptr,
    PEER_STATIC | PEER_MOVING};
