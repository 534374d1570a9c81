/* peer_lammps.cpp — LAMMPS' neighbour lists of granular particles.
 *
 * atom_style sphere with pair gran/hooke asks for a half list of finite-size particles, which
 * reaches exactly r_i + r_j + skin: with no skin it is the contact list itself. The stages are
 * called as Verlet::setup and Verlet::run call them (wrap, bins, exchange, spatial sort, borders,
 * build), without forces, thermodynamics or output. Bins for the list and for the sort are half the
 * cutoff, or half the mean spacing where that is more (with the default the sparse systems cost
 * LAMMPS several times as much). Where sizes span more than a factor 4.5 the `multi` binning with
 * one collection per factor of two is used, which is meant for that.
 *
 *   lammps         from the caller's order: positions and radii written into the atom arrays in
 * file order, then everything above (creating atoms, far slower, is left out) lammps-sorted  the
 * build alone, with the atoms already stored in spatial order: what a running simulation pays,
 * though not what a caller with unsorted data can have lammps-skin-P  the moving system with a skin
 * of P % of a mean diameter: the caller's positions written into the atom arrays, neighbor->decide,
 * a build when it says so, and a pass over the list with the exact test lammps-own-P   the same,
 * but the positions are moved in LAMMPS' own, spatially sorted storage, untimed, as its integrator
 * would move them */
#include "peer.h"

#include <lammps/lammps.h>

#include <lammps/atom.h>
#include <lammps/comm.h>
#include <lammps/domain.h>
#include <lammps/library.h>
#include <lammps/neigh_list.h>
#include <lammps/neighbor.h>
#include <string>
#include <vector>

namespace {

using LAMMPS_NS::LAMMPS;

struct State {
    LAMMPS *lmp;
    bool ready; /* the atoms hold the positions in spatial order, and the list has been built */
};

std::string number(double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", v);
    return text;
}

std::string style_commands(const peer_spheres *s, double skin)
{
    const double ratio = s->r_min > 0 ? s->r_max / s->r_min : 1000;
    /* Bins of half the cutoff are the default; where bodies are sparse, larger ones are better. */
    double volume = 1;
    for (int a = 0; a < s->dim; a++)
        volume *= s->hi[a] - s->lo[a];
    const double half_spacing = 0.5 * std::pow(volume / (double)s->n, 1.0 / s->dim);
    const double bin = std::max(s->r_max + skin / 2, half_spacing);
    if (ratio <= 4.5)
        return "neighbor " + number(skin) + " bin\nneigh_modify binsize " + number(bin) +
               "\natom_modify sort 1000 " + number(bin) + "\n";
    std::string intervals;
    int count = 0;
    for (double d = 2 * s->r_max; count < 10 && d > s->r_min; d /= 2, count++) {
        double bins =
            1; /* of half a diameter each; far more than bodies would only cost, or fail */
        for (int a = 0; a < s->dim; a++)
            bins *= 2 * (s->hi[a] - s->lo[a]) / d + 1;
        if (count > 0 && bins > (double)s->n) break;
        intervals = " " + number(d * (1 + 1e-12)) + intervals;
    }
    return "neighbor " + number(skin) + " multi\nneigh_modify collection/interval " +
           std::to_string(count) + intervals + "\ncomm_modify mode multi vel yes\n";
}

std::string box_commands(const peer_spheres *s)
{
    const double pad = 2 * s->r_max;
    std::string text = "region box block";
    for (int a = 0; a < s->dim; a++)
        text += " " + number(s->lo[a] - pad) + " " + number(s->hi[a] + pad);
    return text + (s->dim == 2 ? " -0.5 0.5" : "") + " units box\ncreate_box 1 box\n";
}

void write_atoms(State *own, const peer_spheres *s)
{
    LAMMPS_NS::Atom *atom = own->lmp->atom;
    for (size_t i = 0; i < s->n; i++) {
        atom->tag[i] = (int)i + 1;
        atom->x[i][0] = s->x[i];
        atom->x[i][1] = s->y[i];
        atom->x[i][2] = s->z[i];
        atom->radius[i] = s->r[i];
    }
}

void rebuild(State *own, bool sort)
{
    LAMMPS *lmp = own->lmp;
    lmp->domain->pbc();
    lmp->domain->reset_box();
    lmp->comm->setup();
    lmp->neighbor->setup_bins();
    lmp->comm->exchange();
    if (sort) lmp->atom->sort();
    lmp->comm->borders();
    lmp->neighbor->build(1);
}

void *create_with_skin(const peer_spheres *s, double skin)
{
    char program[] = "lammps", screen[] = "-screen", log[] = "-log", none[] = "none",
         cite[] = "-nocite";
    char *arguments[] = {program, screen, none, log, none, cite};
    State *own = new State();
    own->lmp = static_cast<LAMMPS *>(lammps_open_no_mpi(6, arguments, nullptr));
    if (own->lmp == nullptr) return own;
    const std::string flat = s->dim == 2 ? "dimension 2\n" : "";
    const std::string setup =
        "units lj\n" + flat + "atom_style sphere\nboundary f f " + (s->dim == 2 ? "p" : "f") +
        "\nnewton on\ncomm_modify vel yes\n" + box_commands(s) +
        "pair_style gran/hooke 1000.0 NULL 0.0 NULL 0.0 0\npair_coeff * *\n" +
        "neigh_modify every 1 delay 0 check yes one 20000 page 400000\n" + style_commands(s, skin);
    lammps_commands_string(own->lmp, setup.c_str());
    std::vector<int> ids(s->n), types(s->n, 1);
    std::vector<double> centres(3 * s->n), velocities(3 * s->n, 0.0);
    for (size_t i = 0; i < s->n; i++) {
        ids[i] = (int)i + 1;
        centres[3 * i] = s->x[i];
        centres[3 * i + 1] = s->y[i];
        centres[3 * i + 2] = s->z[i];
    }
    lammps_create_atoms(own->lmp, (int)s->n, ids.data(), types.data(), centres.data(),
                        velocities.data(), nullptr, 0);
    if ((size_t)own->lmp->atom->nlocal != s->n) {
        lammps_close(own->lmp);
        own->lmp = nullptr;
        return own;
    }
    write_atoms(own, s);
    lammps_command(own->lmp, "run 0 post no");
    own->ready = true;
    return own;
}

void *create(const peer_spheres *s)
{
    return create_with_skin(s, 0.0);
}

void destroy(void *state)
{
    State *own = static_cast<State *>(state);
    if (own->lmp != nullptr) lammps_close(own->lmp);
    delete own;
}

/* Passes over the list with the exact test, on LAMMPS' own arrays, in their order. */
void report(const State *own, peer_pairs *out)
{
    const LAMMPS_NS::Atom *atom = own->lmp->atom;
    const LAMMPS_NS::NeighList *list = own->lmp->neighbor->lists[0];
    for (int k = 0; k < list->inum; k++) {
        const int i = list->ilist[k];
        const double *xi = atom->x[i];
        for (int m = 0; m < list->numneigh[i]; m++) {
            const int j = list->firstneigh[i][m] & NEIGHMASK;
            const double *xj = atom->x[j];
            const double dx = xi[0] - xj[0], dy = xi[1] - xj[1], dz = xi[2] - xj[2];
            const double reach = atom->radius[i] + atom->radius[j];
            double square = dx * dx + dy * dy;
            square += dz * dz;
            if (reach * reach - square >= 0)
                peer_emit(out, (size_t)atom->tag[i] - 1, (size_t)atom->tag[j] - 1);
        }
    }
}

bool find(void *state, const peer_spheres *s, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (own->lmp == nullptr) return false;
    write_atoms(own, s);
    rebuild(own, true);
    report(own, out);
    return true;
}

bool find_sorted(void *state, const peer_spheres *, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (own->lmp == nullptr) return false;
    own->lmp->neighbor->build(1);
    report(own, out);
    return true;
}

template <int percent> void *create_skin(const peer_spheres *s)
{
    return create_with_skin(s, percent / 100.0 * (s->r_min + s->r_max));
}

void place(void *state, const peer_spheres *s)
{
    State *own = static_cast<State *>(state);
    if (own->lmp == nullptr) return;
    LAMMPS_NS::Atom *atom = own->lmp->atom;
    for (size_t k = 0; k < s->n; k++) {
        const size_t i = (size_t)atom->tag[k] - 1;
        atom->x[k][0] = s->x[i];
        atom->x[k][1] = s->y[i];
        atom->x[k][2] = s->z[i];
    }
}

bool update_own(void *state, const peer_spheres *, peer_pairs *out)
{
    State *own = static_cast<State *>(state);
    if (own->lmp == nullptr) return false;
    if (own->lmp->neighbor->decide()) rebuild(own, false);
    report(own, out);
    return true;
}

bool update(void *state, const peer_spheres *s, peer_pairs *out)
{
    place(state, s);
    return update_own(state, s, out);
}

} // namespace

#define LAMMPS_TEXT "LAMMPS 7 Jan 2022"

extern "C" const peer peer_lammps = {
    "lammps",
    LAMMPS_TEXT,
    "half list of finite-size particles without skin: wrap, bins, spatial sort, build",
    create,
    destroy,
    find,
    nullptr,
    nullptr,
    PEER_STATIC};
extern "C" const peer peer_lammps_sorted = {
    "lammps-sorted", LAMMPS_TEXT, "the list build alone, atoms already stored in spatial order",
    create,          destroy,     find_sorted,
    nullptr,         nullptr,     PEER_STATIC | PEER_SORTED};

#define SKIN_PEERS(percent)                                                                        \
    extern "C" const peer peer_lammps_skin_##percent = {"lammps-skin-" #percent,                   \
                                                        LAMMPS_TEXT,                               \
                                                        "list with a skin of " #percent            \
                                                        " % of a mean diameter",                   \
                                                        create_skin<percent>,                      \
                                                        destroy,                                   \
                                                        find,                                      \
                                                        update,                                    \
                                                        nullptr,                                   \
                                                        PEER_MOVING};                              \
    extern "C" const peer peer_lammps_own_##percent = {                                            \
        "lammps-own-" #percent,                                                                    \
        LAMMPS_TEXT,                                                                               \
        "the same, positions moved in place in spatial order, untimed",                            \
        create_skin<percent>,                                                                      \
        destroy,                                                                                   \
        find,                                                                                      \
        update_own,                                                                                \
        place,                                                                                     \
        PEER_MOVING | PEER_SORTED}
SKIN_PEERS(20);
SKIN_PEERS(30);
SKIN_PEERS(50);
SKIN_PEERS(100);
