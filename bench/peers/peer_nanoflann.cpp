/* peer_nanoflann.cpp — nanoflann's kd-tree over centres, searched with a radius.
 *
 * A kd-tree of points knows no radii, so a sphere must look r_i + r_max far. For near-equal sizes
 * one tree does; for wide ranges the spheres are split into classes by factors of two in radius, a
 * tree each, and a sphere looks into its own and the larger classes: the way a user of nanoflann
 * would have to take. Leaves of 20 points, the best of 5, 10, 20 and 40. Queries run in the order
 * of the tree's leaves, which keeps them in cache. */
#include "peer.h"

#include <memory>
#include <nanoflann.hpp>
#include <vector>

namespace {

struct Cloud {
    const peer_spheres *s = nullptr;
    std::vector<uint32_t> ids;
    std::vector<double> xyz; /* packed: nanoflann reads a point's coordinates together */
    double r_max = 0;
    size_t kdtree_get_point_count() const { return ids.size(); }
    double kdtree_get_pt(size_t i, size_t a) const { return xyz[3 * i + a]; }
    template <class B> bool kdtree_get_bbox(B &) const { return false; }
};

template <int D>
using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud,
                                                 D, uint32_t>;

struct State {
    std::vector<Cloud> clouds;
};

void *create(const peer_spheres *)
{
    return new State;
}

void destroy(void *state)
{
    delete static_cast<State *>(state);
}

/* A result set that tests exactly as points come, instead of collecting them. */
struct Tester {
    const peer_spheres *s;
    peer_pairs *out;
    const Cloud *cloud;
    double square;
    uint32_t self;
    bool same_class;
    size_t size() const { return 0; }
    bool full() const { return true; }
    double worstDist() const { return square; }
    bool addPoint(double, uint32_t index)
    {
        const uint32_t other = cloud->ids[index];
        if (!same_class || other > self) peer_test(s, out, self, other);
        return true;
    }
};

void classify(State *own, const peer_spheres *s)
{
    size_t classes = 1;
    const double r_min = s->r_min > 0 ? s->r_min : s->r_max * 1e-3;
    const double ratio = s->r_max / r_min;
    if (ratio > 4.5) classes = (size_t)std::ceil(std::log2(ratio));
    own->clouds.resize(classes);
    for (Cloud &c : own->clouds) {
        c.s = s;
        c.ids.clear();
        c.xyz.clear();
        c.r_max = 0;
    }
    for (size_t i = 0; i < s->n; i++) {
        const double level =
            classes == 1 ? 0 : std::floor(std::log2(std::max(s->r[i], r_min) / r_min));
        Cloud &c = own->clouds[std::min((size_t)level, classes - 1)];
        c.ids.push_back((uint32_t)i);
        c.xyz.insert(c.xyz.end(), {s->x[i], s->y[i], s->z[i]});
        c.r_max = std::max(c.r_max, s->r[i]);
    }
}

template <int D> void search(State *own, const peer_spheres *s, peer_pairs *out)
{
    classify(own, s);
    std::vector<std::unique_ptr<Tree<D>>> trees;
    for (Cloud &c : own->clouds) {
        trees.emplace_back(c.ids.empty()
                               ? nullptr
                               : new Tree<D>(D, c, nanoflann::KDTreeSingleIndexAdaptorParams(20)));
        if (trees.back()) trees.back()->buildIndex();
    }
    const nanoflann::SearchParams exact(32, 0, false);
    for (size_t k = 0; k < trees.size(); k++) {
        if (!trees[k]) continue;
        for (const uint32_t local : trees[k]->vAcc) {
            const uint32_t i = own->clouds[k].ids[local];
            for (size_t m = k; m < trees.size(); m++) {
                if (!trees[m]) continue;
                const double reach = (s->r[i] + own->clouds[m].r_max) * (1 + 1e-12);
                Tester tester{s, out, &own->clouds[m], reach * reach, i, m == k};
                trees[m]->findNeighbors(tester, &own->clouds[k].xyz[3 * local], exact);
            }
        }
    }
}

bool find(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (s->dim == 2)
        search<2>(own, s, out);
    else
        search<3>(own, s, out);
    return true;
}

} // namespace

extern "C" const peer peer_nanoflann = {"nanoflann",
                                        "nanoflann " NANOFLANN_VERSION_TEXT,
                                        "kd-tree of centres, radius r_i + r_max; one tree per "
                                        "factor of two in size where sizes span more than 4.5",
                                        create,
                                        destroy,
                                        find,
                                        nullptr,
                                        nullptr,
                                        PEER_STATIC | PEER_MOVING};
