/* peer_boost.cpp — Boost.Geometry's R-tree, bulk loaded (packing), one intersects query per box.
 *
 * Values are (box, index) so that leaves hold their boxes; 8 values per node, the best of 8, 16 and
 * 32 here. Queries run in the order of the leaves. The tree is built anew in every call: packing is
 * its constructor, so its nodes cannot be kept. */
#include "peer.h"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>
#include <boost/version.hpp>
#include <vector>

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

namespace {

template <int D> using Point = bg::model::point<double, D, bg::cs::cartesian>;
template <int D> using Box = bg::model::box<Point<D>>;
template <int D> using Value = std::pair<Box<D>, uint32_t>;

struct State {
    std::vector<Value<2>> flat;
    std::vector<Value<3>> solid;
};

void *create(const peer_spheres *)
{
    return new State;
}

void destroy(void *state)
{
    delete static_cast<State *>(state);
}

Box<2> bounds(const double *lo, const double *hi, std::integral_constant<int, 2>)
{
    return {Point<2>(lo[0], lo[1]), Point<2>(hi[0], hi[1])};
}

Box<3> bounds(const double *lo, const double *hi, std::integral_constant<int, 3>)
{
    return {Point<3>(lo[0], lo[1], lo[2]), Point<3>(hi[0], hi[1], hi[2])};
}

template <int D> void search(std::vector<Value<D>> &values, const peer_spheres *s, peer_pairs *out)
{
    const double *centre[3] = {s->x, s->y, s->z};
    values.clear();
    values.reserve(s->n);
    for (size_t i = 0; i < s->n; i++) {
        double lo[3], hi[3];
        for (int a = 0; a < D; a++) {
            lo[a] = std::nextafter(centre[a][i] - s->r[i], -INFINITY);
            hi[a] = std::nextafter(centre[a][i] + s->r[i], INFINITY);
        }
        values.emplace_back(bounds(lo, hi, std::integral_constant<int, D>()), (uint32_t)i);
    }
    const bgi::rtree<Value<D>, bgi::quadratic<8>> tree(values.begin(), values.end());
    for (const Value<D> &value : tree) {
        const uint32_t i = value.second;
        tree.query(bgi::intersects(value.first),
                   boost::make_function_output_iterator([s, out, i](const Value<D> &other) {
                       if (other.second > i) peer_test(s, out, i, other.second);
                   }));
    }
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

extern "C" const peer peer_boost = {
    "boost-rtree",
    "Boost " BOOST_LIB_VERSION,
    "R-tree bulk loaded with bounding boxes, one intersects query per box in leaf order",
    create,
    destroy,
    find,
    nullptr,
    nullptr,
    PEER_STATIC | PEER_MOVING};
