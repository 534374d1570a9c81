/* schema.c — every key a scene file may have, in the order the reader takes them and the reference
 * prints them. Keys that decide about others come first: dimension, law, materials. */
#include "scene/schema.h"

#include <math.h>
#include <stddef.h>

/* One key to a few lines, whatever it holds. */
/* clang-format off */

/* ---- shorthand ---- */
#define AT(type, field) offsetof(type, field)
#define ABOVE(a)        {.lo = (a), .hi = (double)INFINITY, .above_lo = true}
#define FROM(a)         {.lo = (a), .hi = (double)INFINITY}
#define BETWEEN(a, b)   {.lo = (a), .hi = (b)}
#define OVER_TO(a, b)   {.lo = (a), .hi = (b), .above_lo = true}
#define ABOVE_OR_INF(a) {.lo = (a), .hi = (double)INFINITY, .above_lo = true, .infinite = true}
#define FROM_OR_INF(a)  {.lo = (a), .hi = (double)INFINITY, .infinite = true}
#define CUSTOM(function, words) .kind = KEY_CUSTOM, .read = function, .form = words
#define END {.name = NULL}

/* ---- law ---- */
static const char *const normals[] = {"linear", "hertz", "energy", NULL};
static const char *const dampings[] = {"none", "restitution", "viscous", NULL};
static const char *const tangentials[] = {"none", "linear", "mindlin", "mindlin_force", NULL};
static const char *const rollings[] = {"none", "constant", "epsd", NULL};
static const char *const cohesions[] = {"none", "jkr", "sjkr", "liquid", NULL};

static const key_def law_keys[] = {
    {"normal", KEY_CHOICE, AT(jo_law, normal), .choices = normals, .fallback = "hertz",
     .meaning = "repulsion: a linear spring, Hertz's law, or the energy-controlled law of Pournin, "
                "Liebling and Mocellin"},
    {"damping", KEY_CHOICE, AT(jo_law, damping), .choices = dampings, .fallback = "restitution",
     .meaning = "how normal energy is lost: not at all, so that the restitution is the one given, or by "
                "coefficients given"},
    {"tangential", KEY_CHOICE, AT(jo_law, tangential), .choices = tangentials,
     .fallback = "mindlin",
     .meaning = "friction with history: no tangential force, a linear spring, Mindlin's stiffness "
                "times the displacement, or the force itself carried along"},
    {"rolling", KEY_CHOICE, AT(jo_law, rolling), .choices = rollings, .fallback = "none",
     .meaning = "resistance to rolling: a constant torque, or a spring and dashpot (Ai et al. 2011)"},
    {"cohesion", KEY_CHOICE, AT(jo_law, cohesion), .choices = cohesions, .fallback = "none",
     .meaning = "attraction: JKR (with hertz), simplified JKR, or liquid bridges"},
    {"tangential_damping", KEY_BOOL, AT(jo_law, tangential_damping), .fallback = "false",
     .meaning = "a dashpot beside the tangential spring, from the restitution (damping: viscous has a "
                "coefficient for it)"},
    {"dashpot_loads_spring", KEY_BOOL, AT(jo_law, dashpot_loads_spring), .fallback = "false",
     .meaning = "while a contact slides, set the tangential spring so that it and its dashpot together "
                "give the limit, as some codes do; results then depend on the time step"},
    {"attraction", CUSTOM(jo_read_attraction, "allow or clip"), .fallback = "allow",
     .meaning = "whether the dashpot may pull bodies back at the end of a contact; the restitution "
                "holds for either choice"},
    END};
static const section_def law_section = {
    "law", "The contact law: one choice for each part, the same for all contacts.", law_keys,
    "law: {normal: hertz, damping: restitution, tangential: mindlin, rolling: epsd}"};

/* ---- materials and contacts: the same contact keys, at different offsets ---- */
#define CONTACT_KEYS(type, member)                                                                   \
    {"restitution", KEY_REAL, AT(type, member.restitution), .bounds = OVER_TO(0, 1),                  \
     .meaning = "coefficient of restitution; needed by damping: restitution; engine hard: 1 if not "  \
                "given"},                                                                             \
    {"restitution_speed", KEY_REAL, AT(type, member.restitution_speed), .unit = DIM_SPEED,            \
     .bounds = ABOVE(0), .fallback = "none",                                                          \
     .meaning = "engine hard: slower than this v0 a collision has 1 - (1 - e) (v/v0)^(3/4)"},         \
    {"tangential_restitution", KEY_REAL, AT(type, member.tangential_restitution),                     \
     .bounds = BETWEEN(-1, 1), .fallback = "0",                                                       \
     .meaning = "engine hard: of the surfaces' sliding, where friction is enough: -1 smooth, 0 it "   \
                "ends, 1 reversed"},                                                                  \
    {"friction", KEY_REAL, AT(type, member.friction), .bounds = FROM(0), .fallback = "0",             \
     .meaning = "Coulomb's coefficient of friction"},                                                 \
    {"rolling_friction", KEY_REAL, AT(type, member.rolling_friction), .bounds = FROM(0),              \
     .fallback = "0", .meaning = "rolling torque at most this times radius times normal force"},      \
    {"stiffness", KEY_REAL, AT(type, member.normal_stiffness), .rule = UNIT_NORMAL_STIFFNESS,         \
     .bounds = ABOVE(0),                                                                              \
     .meaning = "normal stiffness: k_n of the linear law, K_n in F = K_n sqrt(R) d^(3/2) of hertz "   \
                "(without it: from young and poisson)"},                                              \
    {"tangential_stiffness", KEY_REAL, AT(type, member.tangential_stiffness),                         \
     .rule = UNIT_TANGENTIAL_STIFFNESS, .bounds = ABOVE(0),                                           \
     .fallback = "linear: 2/7 of stiffness; mindlin: from the moduli",                                \
     .meaning = "k_t of the linear law, K_t in F = K_t sqrt(R d) xi of Mindlin's"},                   \
    {"contact_time", KEY_REAL, AT(type, member.contact_time), .unit = DIM_TIME, .bounds = ABOVE(0),   \
     .meaning = "how long a collision lasts: law.normal energy, instead of stiffnesses"},             \
    {"damping", KEY_REAL, AT(type, member.normal_damping), .rule = UNIT_DAMPING, .bounds = FROM(0),   \
     .meaning = "normal dashpot of damping: viscous; linear: F = m* damping v, hertz: "               \
                "F = m* damping sqrt(R d) v"},                                                        \
    {"tangential_damping", KEY_REAL, AT(type, member.tangential_damping), .rule = UNIT_DAMPING,       \
     .bounds = FROM(0), .fallback = "half of damping",                                                \
     .meaning = "tangential dashpot of damping: viscous"},                                            \
    {"rolling_stiffness", KEY_REAL, AT(type, member.rolling_stiffness), .unit = DIM_MOMENT,           \
     .bounds = ABOVE(0), .fallback = "2.25 k_n mu_r^2 R^2",                                           \
     .meaning = "torque per angle of rolling: epsd"},                                                 \
    {"rolling_damping", KEY_REAL, AT(type, member.rolling_damping), .bounds = FROM(0),                \
     .fallback = "0.3", .meaning = "share of critical damping of rolling: epsd"},                     \
    {"surface_energy", KEY_REAL, AT(type, member.surface_energy), .unit = DIM_ENERGY_AREA,            \
     .bounds = FROM(0), .fallback = "0", .meaning = "work of adhesion: cohesion jkr"},                \
    {"cohesion_density", KEY_REAL, AT(type, member.cohesion_density), .unit = DIM_ENERGY_VOLUME,      \
     .bounds = FROM(0), .fallback = "0", .meaning = "cohesion energy density: cohesion sjkr"},        \
    {"liquid_volume", KEY_REAL, AT(type, member.liquid_volume), .unit = DIM_VOLUME,                   \
     .bounds = FROM(0), .fallback = "0", .meaning = "volume of one bridge: cohesion liquid"},         \
    {"surface_tension", KEY_REAL, AT(type, member.surface_tension), .unit = DIM_STIFFNESS,            \
     .bounds = FROM(0), .fallback = "0", .meaning = "of the liquid: cohesion liquid"},                \
    {"wetting_angle", KEY_REAL, AT(type, member.wetting_angle), .unit = DIM_ANGLE,                    \
     .bounds = BETWEEN(0, 1.5707963267948966), .fallback = "0",                                       \
     .meaning = "contact angle of the liquid: cohesion liquid"}

static const key_def material_keys[] = {
    {"density", KEY_REAL, AT(material_entry, material.density), .unit = DIM_DENSITY,
     .rule = UNIT_DENSITY, .bounds = ABOVE(0),
     .meaning = "mass per volume (in 2D per area); needed of what bodies are made of"},
    {"young", KEY_REAL, AT(material_entry, material.young), .unit = DIM_PRESSURE,
     .bounds = ABOVE(0), .meaning = "Young's modulus, for hertz and mindlin without stiffnesses"},
    {"poisson", KEY_REAL, AT(material_entry, material.poisson), .bounds = OVER_TO(-1, 0.5),
     .meaning = "Poisson's ratio, likewise"},
    CONTACT_KEYS(material_entry, own),
    END};
static const section_def material_section = {
    "materials",
    "One entry for each material, by name. Where two materials meet that `contacts` does not list, "
    "each coefficient is the mean of the two materials' own (where only one has it, that one's).",
    material_keys,
    "materials:\n"
    "  glass: {density: 2.5 g/cm^3, young: 50 MPa, poisson: 0.25, restitution: 0.9, friction: 0.3}\n"
    "  steel: {density: 7.8 g/cm^3, young: 200 MPa, poisson: 0.3, restitution: 0.8, friction: 0.2}"};

static const key_def contact_keys[] = {
    {"between", CUSTOM(jo_read_between, "two names of materials"), .required = true,
     .meaning = "the two materials; twice the same for a material with itself"},
    CONTACT_KEYS(contact_entry, given),
    END};
static const section_def contact_section = {
    "contacts",
    "A list: what two materials do where they meet. What an entry leaves out stays the mean of the two.",
    contact_keys, "contacts:\n  - {between: [glass, steel], friction: 0.1, restitution: 0.7}"};

/* ---- box, gravity ---- */
static const char *const leavings[] = {"alarm", "remove", "keep", NULL};
static const key_def box_keys[] = {
    {"lo", KEY_VECTOR, AT(jo_scene, domain.lo), .unit = DIM_LENGTH, .required = true,
     .meaning = "lower corner"},
    {"hi", KEY_VECTOR, AT(jo_scene, domain.hi), .unit = DIM_LENGTH, .required = true,
     .meaning = "upper corner"},
    {"periodic", CUSTOM(jo_read_periodic, "a list of axes, all or none"), .fallback = "none",
     .meaning = "axes on which what leaves on one side comes back on the other"},
    {"leaving", KEY_CHOICE, AT(jo_scene, leaving), .choices = leavings, .fallback = "alarm",
     .meaning = "a body that leaves the box through an open side: removed with an alarm, removed as "
                "expected, or kept"},
    {"shear_rate", KEY_REAL, AT(jo_scene, shear_rate), .unit = DIM_RATE, .fallback = "0",
     .meaning = "Lees-Edwards shear: the velocity along x grows by this with y; needs periodic x "
                "and y"},
    END};
static const section_def box_section = {
    "box", "The space the bodies live in. Its open sides are limits, not walls.", box_keys,
    "box: {lo: [0, 0, 0], hi: [10 cm, 10 cm, 50 cm], periodic: [x, y], leaving: remove}"};

static const key_def gravity_keys[] = {
    {"magnitude", KEY_REAL, AT(gravity_entry, magnitude), .unit = DIM_ACCELERATION,
     .bounds = FROM(0), .required = true, .meaning = "how strong"},
    {"direction", KEY_DIRECTION, AT(gravity_entry, direction), .fallback = "-z (2D: -y)",
     .meaning = "where to"},
    {"tilt", KEY_REAL, AT(gravity_entry, tilt), .unit = DIM_ANGLE,
     .bounds = BETWEEN(-3.1415926535897932, 3.1415926535897932), .fallback = "0",
     .meaning = "turned from the direction towards +x, as on a chute inclined by this angle"},
    END};
static const section_def gravity_section = {"gravity", "Gravity by magnitude and direction.",
                                            gravity_keys,
                                            "gravity: {magnitude: 9.81 m/s^2, tilt: 24 deg}"};

/* ---- bodies ---- */
static const key_def normal_keys[] = {
    {"mean", KEY_REAL, AT(distribution_entry, middle), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "mean"},
    {"deviation", KEY_REAL, AT(distribution_entry, deviation), .unit = DIM_LENGTH,
     .bounds = FROM(0), .required = true, .meaning = "standard deviation"},
    {"lo", KEY_REAL, AT(distribution_entry, lo), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "mean - 3 deviation", .meaning = "none is smaller"},
    {"hi", KEY_REAL, AT(distribution_entry, hi), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "mean + 3 deviation", .meaning = "none is larger"},
    END};
static const section_def normal_section = {"bodies.radius.normal", "A cut normal distribution.",
                                           normal_keys, NULL};
static const key_def lognormal_keys[] = {
    {"median", KEY_REAL, AT(distribution_entry, middle), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "median"},
    {"deviation", KEY_REAL, AT(distribution_entry, deviation), .bounds = BETWEEN(0, 10),
     .required = true, .meaning = "standard deviation of the logarithm"},
    {"lo", KEY_REAL, AT(distribution_entry, lo), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "median exp(-3 deviation)", .meaning = "none is smaller"},
    {"hi", KEY_REAL, AT(distribution_entry, hi), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "median exp(3 deviation)", .meaning = "none is larger"},
    END};
static const section_def lognormal_section = {
    "bodies.radius.lognormal", "A cut lognormal distribution.", lognormal_keys, NULL};

static const key_def sizes_keys[] = {
    {"uniform", CUSTOM(jo_read_uniform, "two lengths"), .unit = DIM_LENGTH,
     .meaning = "evenly between two values"},
    {"normal", CUSTOM(jo_read_distribution, "map"), .section = &normal_section,
     .meaning = "normally distributed"},
    {"lognormal", CUSTOM(jo_read_distribution, "map"), .section = &lognormal_section,
     .meaning = "lognormally distributed"},
    {"values", CUSTOM(jo_read_size_values, "a list of lengths"), .unit = DIM_LENGTH,
     .meaning = "one of these, at most 16"},
    {"weights", CUSTOM(jo_read_size_weights, "a list of numbers"), .fallback = "all the same",
     .meaning = "with values: how many of each, by number"},
    END};
static const section_def sizes_section = {
    "bodies.radius",
    "A distribution of radii (or of diameters): one of the forms below, where a plain length is one "
    "size for all.",
    sizes_keys,
    "radius: 1 mm\n"
    "radius: {uniform: [0.8 mm, 1.2 mm]}\n"
    "radius: {normal: {mean: 1 mm, deviation: 0.1 mm}}\n"
    "radius: {values: [1 mm, 2 mm], weights: [3, 1]}"};

static const char *const solids[] = {"sphere", "tetrahedron", "cube",    "octahedron", "dodecahedron", "icosahedron",
                                     "prism",  "rock",        "polygon", "grain",      "disc",         NULL};
static const key_def shape_keys[] = {
    {"solid", KEY_WORD, AT(shape_entry, solid), .choices = solids,
     .meaning = "by name: corners on a sphere, a prism on a cylinder, or a rock, the hull of points on "
                "an ellipsoid; 2D: a regular polygon, a random convex grain, or a disc (a polygon of many "
                "sides); or file, or vertices"},
    {"sides", KEY_COUNT, AT(shape_entry, sides), .fallback = "6; disc: 24",
     .meaning = "prism: corners of its base, 3 to 100,000; polygon, disc: 3 to 1000"},
    {"corners", CUSTOM(jo_read_shape_corners, "a number, or [fewest, most]"), .fallback = "[5, 8]",
     .meaning = "grain: how many corners each has, every number as likely; 3 to 1000"},
    {"aspect", KEY_REAL, AT(shape_entry, aspect), .bounds = FROM(1), .fallback = "1",
     .meaning = "grain: length over width of the circle that its corners are on"},
    {"height", KEY_REAL, AT(shape_entry, height), .bounds = ABOVE(0), .fallback = "1",
     .meaning = "prism: over the radius of its base"},
    {"faces", KEY_COUNT, AT(shape_entry, faces), .fallback = "100",
     .meaning = "rock: how many triangles, even, 4 or more"},
    {"axes", KEY_VECTOR, AT(shape_entry, axes), .fallback = "[1, 1, 1]",
     .meaning = "rock: half axes of the ellipsoid; only their ratios matter"},
    {"irregularity", KEY_REAL, AT(shape_entry, irregularity), .bounds = BETWEEN(0, 1),
     .fallback = "0.5; grain: 0.6",
     .meaning = "rock: 0 points as even as can be, 1 at random; grain: 0 corners evenly, below 1"},
    {"seed", KEY_COUNT, AT(shape_entry, seed), .fallback = "1", .meaning = "rock: which one"},
    {"variants", KEY_COUNT, AT(shape_entry, variants), .fallback = "1",
     .meaning = "rock: so many different ones, with seeds from `seed` on, mixed; at most 1000"},
    {"file", KEY_TEXT, AT(shape_entry, file),
     .meaning = "a convex body in an STL, OBJ or OFF file, relative to the scene file"},
    {"hull", KEY_BOOL, AT(shape_entry, hull), .fallback = "false",
     .meaning = "file: take the convex hull of all its points; what is in it need be neither convex nor closed"},
    {"vertices", CUSTOM(jo_read_shape_vertices, "a list of points"),
     .meaning = "the convex hull of these points, in any unit; 2D: a polygon's corners in order, convex or not"},
    END};
static const section_def shape_section = {
    "bodies.shape",
    "What bodies are: the name of a solid alone, or a map. In 3D bodies that are no spheres are convex "
    "polyhedra; their `radius` is that of the sphere around them, centred at their centre of mass, and "
    "sizes of a distribution are one of 16, which have its mass on average. They need engine soft. In 2D "
    "bodies that are no discs are simple polygons, which need engine kinetic; their `radius` is that of the "
    "circle around their centre of mass that holds all corners.",
    shape_keys,
    "bodies:\n"
    "  - {radius: 5 mm, shape: cube, random: {count: 5}}\n"
    "  - {radius: 5 mm, shape: {solid: prism, sides: 8, height: 2}, random: {count: 5}}\n"
    "  - {radius: 5 mm, shape: {solid: rock, faces: 60, axes: [1, 0.8, 0.6], variants: 10}, random: {count: 5}}\n"
    "  - {radius: 5 mm, shape: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, random: {count: 5}}\n"
    "  # dimension: 2, engine: kinetic\n"
    "  - {radius: {uniform: [4 mm, 8 mm]}, shape: {solid: grain, corners: [5, 8]}, random: {count: 5}}\n"
    "  - {radius: 5 mm, shape: {vertices: [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]}, random: {count: 5}}"};

static const key_def body_keys[] = {
    {"position", KEY_VECTOR, AT(body_entry, position), .unit = DIM_LENGTH,
     .meaning = "of its centre; needed, unless the body has corners"},
    {"corners", CUSTOM(jo_read_note_node, "a list of points"), .offset = AT(body_entry, corners_node),
     .unit = DIM_LENGTH,
     .meaning = "2D, engine kinetic: a simple polygon where it is, in order around it, either way; "
                "instead of position, radius and shape"},
    {"radius", KEY_REAL, AT(body_entry, radius), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "the group's", .meaning = "of the sphere or disc"},
    {"diameter", KEY_REAL, AT(body_entry, diameter), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .meaning = "instead of radius"},
    {"velocity", KEY_VECTOR, AT(body_entry, velocity), .unit = DIM_SPEED,
     .fallback = "the group's", .meaning = "at the start"},
    {"spin", KEY_TURN, AT(body_entry, spin), .unit = DIM_SPIN, .fallback = "the group's",
     .meaning = "at the start"},
    {"orientation", CUSTOM(jo_read_orientation, "a quaternion (w, x, y, z) or random"),
     .offset = AT(body_entry, orientation), .fallback = "the group's",
     .meaning = "polyhedra and polygons: how the body is turned; in 2D an angle"},
    {"fixed", KEY_BOOL, AT(body_entry, fixed), .fallback = "the group's",
     .meaning = "touched but never moved"},
    {"material", CUSTOM(jo_read_body_material, "name"), .fallback = "the group's",
     .meaning = "a name under materials"},
    END};
static const section_def list_section = {
    "bodies.list", "One body of a list.", body_keys,
    "bodies:\n  - material: glass\n    list:\n"
    "      - {position: [0, 0, 10 cm], radius: 5 mm, velocity: [0, 0, -1]}"};

static const key_def region_keys[] = {
    {"lo", KEY_VECTOR, AT(jo_region, lo), .unit = DIM_LENGTH,
     .meaning = "a box: its lower corner"},
    {"hi", KEY_VECTOR, AT(jo_region, hi), .unit = DIM_LENGTH,
     .meaning = "a box: its upper corner"},
    {"centre", KEY_VECTOR, AT(jo_region, centre), .unit = DIM_LENGTH,
     .meaning = "a sphere (2D: a circle): its centre"},
    {"base", KEY_VECTOR, AT(jo_region, centre), .unit = DIM_LENGTH,
     .meaning = "a cylinder: the centre of its base"},
    {"axis", KEY_DIRECTION, AT(jo_region, axis), .fallback = "+z",
     .meaning = "a cylinder: from the base"},
    {"length", KEY_REAL, AT(jo_region, length), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .meaning = "a cylinder: along its axis"},
    {"radius", KEY_REAL, AT(jo_region, radius), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .meaning = "of a sphere or cylinder"},
    END};
const section_def jo_region_section = {
    "region", "Where bodies are placed, wholly inside: a box, a sphere or a cylinder.", region_keys,
    "region: {lo: [0, 0, 0], hi: [1, 1, 1]}\n"
    "region: {centre: [0, 0, 0], radius: 5 cm}\n"
    "region: {base: [0, 0, 0], axis: +z, length: 20 cm, radius: 5 cm}"};
#define REGION                                                                                       \
    {"region", CUSTOM(jo_read_region, "map"), .section = &jo_region_section, .fallback = "the box",   \
     .meaning = "where"}

static const key_def file_keys[] = {
    {"path", KEY_TEXT, AT(jo_group, path), .required = true,
     .meaning = "the file, relative to the scene file"},
    {"format", KEY_TEXT, AT(jo_group, file_format), .fallback = "by the extension",
     .meaning = "a name of `jostle list`"},
    {"frame", CUSTOM(jo_read_frame, "a number, or last"), .fallback = "0",
     .meaning = "of a file with several, counted from 0"},
    END};
static const section_def file_section = {
    "bodies.file",
    "Bodies from a particle file; a plain path will do. Places and radii are read, of a LAMMPS dump also how "
    "polyhedra are turned and which shape of the group they have, so that what a run has written can be the "
    "beginning of another (see formats.md). These count more than the group's own. Velocities and spins are "
    "not read: bodies begin with the group's.",
    file_keys,
    "bodies:\n  - {material: glass, file: packing.csv}\n"
    "  - {material: glass, shape: cube, file: {path: cubes.lammpstrj, frame: last}}"};

static const char *const lattices[] = {"cubic", "bcc", "fcc", "hcp", "square", "hexagonal", NULL};
static const key_def lattice_keys[] = {
    {"kind", KEY_WORD, AT(jo_group, lattice), .choices = lattices, .required = true,
     .meaning = "which lattice; square and hexagonal in 2D, the others in 3D"},
    {"spacing", KEY_REAL, AT(jo_group, spacing), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "twice the largest radius",
     .meaning = "nearest distance of centres; polyhedra with an orientation may be as near as they fit"},
    {"count", KEY_COUNT, AT(jo_group, count), .fallback = "as many as fit",
     .meaning = "at most so many, from below"},
    REGION,
    END};
static const section_def lattice_section = {
    "bodies.lattice", "Bodies on a lattice.", lattice_keys,
    "bodies:\n  - {radius: 1 mm, lattice: {kind: fcc, spacing: 2.1 mm}}"};

static const key_def random_keys[] = {
    {"count", KEY_COUNT, AT(jo_group, count), .meaning = "how many; or fraction"},
    {"fraction", KEY_REAL, AT(jo_group, fraction), .bounds = {0.0, 1.0, true, true, false},
     .meaning = "as many as fill this share of the region (bodies with a shape: the spheres around "
                "them); or count"},
    REGION,
    END};
static const section_def random_section = {
    "bodies.random",
    "Bodies at random places that overlap no other body and no wall.",
    random_keys,
    "bodies:\n  - radius: {uniform: [1 mm, 2 mm]}\n"
    "    random: {count: 1e4, region: {lo: [0, 0, 0], hi: [20 cm, 20 cm, 50 cm]}}"};

static const key_def factory_keys[] = {
    {"rate", KEY_REAL, AT(jo_group, rate), .unit = DIM_RATE, .bounds = ABOVE(0),
     .meaning = "bodies per time; or mass_rate"},
    {"mass_rate", KEY_REAL, AT(jo_group, mass_rate), .unit = DIM_MASS_RATE, .bounds = ABOVE(0),
     .meaning = "mass per time; or rate"},
    {"count", KEY_COUNT, AT(jo_group, count), .fallback = "no limit",
     .meaning = "in all"},
    {"start", KEY_REAL, AT(jo_group, start), .unit = DIM_TIME, .bounds = FROM(0),
     .fallback = "0", .meaning = "when insertion begins"},
    {"stop", KEY_REAL, AT(jo_group, stop), .unit = DIM_TIME, .bounds = ABOVE_OR_INF(0),
     .fallback = "inf", .meaning = "when insertion ends"},
    REGION,
    END};
static const section_def factory_section = {
    "bodies.factory", "Bodies inserted while the simulation runs, where there is room.",
    factory_keys,
    "bodies:\n  - radius: 2 mm\n    velocity: [0, 0, -1]\n"
    "    factory: {rate: 500 1/s, stop: 2 s, region: {lo: [-2 cm, -2 cm, 28 cm], hi: [2 cm, 2 cm, 30 cm]}}"};

static const key_def group_keys[] = {
    {"name", KEY_NAME, AT(group_entry, group.name), .meaning = "for messages"},
    {"material", CUSTOM(jo_read_group_material, "name"),
     .fallback = "the only material there is", .meaning = "a name under materials"},
    {"radius", CUSTOM(jo_read_sizes, "length or map"), .unit = DIM_LENGTH,
     .section = &sizes_section, .meaning = "radii; for files without radii, too"},
    {"diameter", CUSTOM(jo_read_sizes, "length or map"), .unit = DIM_LENGTH,
     .section = &sizes_section, .meaning = "instead of radius"},
    {"shape", CUSTOM(jo_read_shape, "name or map"), .section = &shape_section,
     .fallback = "sphere", .meaning = "what the bodies look like"},
    {"orientation", CUSTOM(jo_read_orientation, "a quaternion (w, x, y, z) or random"),
     .offset = AT(group_entry, group.orientation), .fallback = "random; of listed bodies [1, 0, 0, 0]",
     .meaning = "polyhedra and polygons: how they are turned; [1, 0, 0, 0] is as the shape is described; "
                "in 2D an angle"},
    {"velocity", KEY_VECTOR, AT(group_entry, group.velocity), .unit = DIM_SPEED, .fallback = "0",
     .meaning = "at the start, or when inserted"},
    {"velocity_spread", KEY_REAL, AT(group_entry, group.velocity_spread), .unit = DIM_SPEED,
     .bounds = FROM(0), .fallback = "0",
     .meaning = "standard deviation of a random part of each component"},
    {"spin", KEY_TURN, AT(group_entry, group.spin), .unit = DIM_SPIN, .fallback = "0",
     .meaning = "at the start"},
    {"fixed", KEY_BOOL, AT(group_entry, group.fixed), .fallback = "false",
     .meaning = "touched but never moved"},
    {"seed", KEY_COUNT, AT(group_entry, group.seed), .fallback = "from the scene's",
     .meaning = "of this group's random numbers"},
    {"list", CUSTOM(jo_read_group_kind, "list of maps"), .section = &list_section,
     .meaning = "bodies one by one"},
    {"file", CUSTOM(jo_read_group_kind, "path or map"), .section = &file_section,
     .meaning = "bodies from a particle file"},
    {"lattice", CUSTOM(jo_read_group_kind, "map"), .section = &lattice_section,
     .meaning = "bodies on a lattice"},
    {"random", CUSTOM(jo_read_group_kind, "map"), .section = &random_section,
     .meaning = "bodies at random places"},
    {"factory", CUSTOM(jo_read_group_kind, "map"), .section = &factory_section,
     .meaning = "bodies inserted during the run"},
    END};
const section_def jo_group_section = {
    "bodies", "A list of groups of bodies; each has one of list, file, lattice, random, factory.",
    group_keys, NULL};

/* ---- walls ---- */
static const key_def plane_keys[] = {
    {"point", KEY_VECTOR, AT(wall_entry, wall.point), .unit = DIM_LENGTH, .required = true,
     .meaning = "a point of it"},
    {"normal", KEY_DIRECTION, AT(wall_entry, wall.normal), .required = true,
     .meaning = "towards the bodies"},
    END};
static const section_def plane_section = {"walls.plane", "An infinite plane.", plane_keys,
                                          "floor: {plane: {point: [0, 0, 0], normal: +z}}"};
static const key_def wall_box_keys[] = {
    {"lo", KEY_VECTOR, AT(wall_entry, wall.lo), .unit = DIM_LENGTH, .required = true,
     .meaning = "lower corner"},
    {"hi", KEY_VECTOR, AT(wall_entry, wall.hi), .unit = DIM_LENGTH, .required = true,
     .meaning = "upper corner"},
    {"outside", KEY_BOOL, AT(wall_entry, wall.outside), .fallback = "false",
     .meaning = "the bodies are outside of it"},
    END};
static const section_def wall_box_section = {"walls.box", "Six faces (2D: four sides).",
                                             wall_box_keys, NULL};
static const key_def cylinder_keys[] = {
    {"point", KEY_VECTOR, AT(wall_entry, wall.point), .unit = DIM_LENGTH, .required = true,
     .meaning = "the centre of its beginning (2D: of the circle)"},
    {"axis", KEY_DIRECTION, AT(wall_entry, wall.axis), .fallback = "+z",
     .meaning = "along it; not in 2D"},
    {"length", KEY_REAL, AT(wall_entry, wall.length), .unit = DIM_LENGTH,
     .bounds = ABOVE_OR_INF(0), .fallback = "inf", .meaning = "along the axis"},
    {"radius", KEY_REAL, AT(wall_entry, wall.radius), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "of its side"},
    {"outside", KEY_BOOL, AT(wall_entry, wall.outside), .fallback = "false",
     .meaning = "the bodies are outside of it"},
    {"caps", KEY_BOOL, AT(wall_entry, wall.caps), .fallback = "false",
     .meaning = "closed by discs at both ends"},
    END};
static const section_def cylinder_section = {
    "walls.cylinder", "The side of a cylinder (2D: a circle).", cylinder_keys,
    "drum: {cylinder: {point: [0, -3 cm, 0], axis: +y, length: 6 cm, radius: 10 cm, caps: true}}"};
static const key_def cone_keys[] = {
    {"point", KEY_VECTOR, AT(wall_entry, wall.point), .unit = DIM_LENGTH, .required = true,
     .meaning = "the centre of its beginning"},
    {"axis", KEY_DIRECTION, AT(wall_entry, wall.axis), .fallback = "+z", .meaning = "along it"},
    {"length", KEY_REAL, AT(wall_entry, wall.length), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "along the axis"},
    {"radius", KEY_REAL, AT(wall_entry, wall.radius), .unit = DIM_LENGTH, .bounds = FROM(0),
     .required = true, .meaning = "at the point"},
    {"radius_end", KEY_REAL, AT(wall_entry, wall.radius_end), .unit = DIM_LENGTH,
     .bounds = FROM(0), .required = true, .meaning = "at the other end"},
    {"outside", KEY_BOOL, AT(wall_entry, wall.outside), .fallback = "false",
     .meaning = "the bodies are outside of it"},
    {"caps", KEY_BOOL, AT(wall_entry, wall.caps), .fallback = "false",
     .meaning = "closed by discs at both ends"},
    END};
static const section_def cone_section = {"walls.cone", "The side of a truncated cone.", cone_keys,
                                         NULL};
static const key_def mesh_keys[] = {
    {"file", KEY_TEXT, AT(wall_entry, file),
     .meaning = "STL, OBJ, OFF, or a table of nine columns; relative to the scene file"},
    {"scale", KEY_REAL, AT(wall_entry, mesh_scale), .bounds = ABOVE(0), .fallback = "1",
     .meaning = "the file's coordinates times this; 0.001 for millimetres"},
    {"shift", KEY_VECTOR, AT(wall_entry, mesh_shift), .unit = DIM_LENGTH, .fallback = "0",
     .meaning = "added after scaling"},
    {"triangles", CUSTOM(jo_read_note_node, "list of lists of three points"),
     .offset = AT(wall_entry, triangles_node), .unit = DIM_LENGTH,
     .meaning = "3D: the triangles themselves instead of a file"},
    {"path", CUSTOM(jo_read_note_node, "list of points"), .offset = AT(wall_entry, path_node),
     .unit = DIM_LENGTH, .meaning = "2D: points joined by straight segments"},
    {"closed", KEY_BOOL, AT(wall_entry, mesh_closed), .fallback = "false",
     .meaning = "with path: the last point is joined to the first"},
    END};
static const section_def mesh_section = {
    "walls.mesh", "Triangles (2D: segments), solid from both sides.", mesh_keys,
    "hopper: {mesh: {file: hopper.stl, scale: 0.001}}\n"
    "ramp: {mesh: {path: [[0, 1], [1, 0], [2, 0]]}}   # dimension: 2"};

static const key_def polygon_keys[] = {
    {"corners", CUSTOM(jo_read_note_node, "list of points"), .offset = AT(wall_entry, path_node),
     .unit = DIM_LENGTH, .required = true, .meaning = "in order around it, either way"},
    {"around", KEY_BOOL, AT(wall_entry, around), .fallback = "false",
     .meaning = "the bodies are inside of it"},
    END};
static const section_def polygon_section = {
    "walls.polygon", "2D: a simple polygon, an obstacle or around the bodies.", polygon_keys,
    "wedge: {polygon: {corners: [[0, 0], [2 cm, 0], [1 cm, 2 cm]]}}   # dimension: 2"};
static const key_def bar_keys[] = {
    {"path", CUSTOM(jo_read_note_node, "list of points"), .offset = AT(wall_entry, path_node),
     .unit = DIM_LENGTH, .required = true, .meaning = "two points or more, along its middle"},
    {"thickness", KEY_REAL, AT(wall_entry, thickness), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "across"},
    END};
static const section_def bar_section = {
    "walls.bar", "2D: straight pieces one after the other, as thick as you like.", bar_keys,
    "lid: {bar: {path: [[-4 cm, 0], [4 cm, 0]], thickness: 2 mm}, until: 1 s}   # dimension: 2"};
static const key_def hopper_keys[] = {
    {"neck", KEY_REAL, AT(wall_entry, neck), .unit = DIM_LENGTH, .bounds = ABOVE(0), .required = true,
     .meaning = "width of the outlet"},
    {"slope", KEY_REAL, AT(wall_entry, slope), .unit = DIM_ANGLE,
     .bounds = {0.0, 1.5707963267948966, true, true, false}, .required = true,
     .meaning = "of the walls above the outlet against the horizontal"},
    {"width", KEY_REAL, AT(wall_entry, width), .unit = DIM_LENGTH, .bounds = ABOVE(0), .required = true,
     .meaning = "of the bin above"},
    {"height", KEY_REAL, AT(wall_entry, height), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .required = true, .meaning = "of its roof above the outlet"},
    {"depth", KEY_REAL, AT(wall_entry, depth), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "1.25 necks", .meaning = "of the chamber below, which is wider than the outlet by 1.2 of this"},
    {"point", KEY_VECTOR, AT(wall_entry, wall.point), .unit = DIM_LENGTH, .fallback = "[0, 0]",
     .meaning = "the middle of the outlet"},
    END};
static const section_def hopper_section = {
    "walls.hopper", "2D: a bin that narrows to an outlet, with a closed chamber below; the bodies are inside.",
    hopper_keys,
    "bin: {hopper: {neck: 8 cm, slope: 60 deg, width: 40 cm, height: 60 cm}}   # dimension: 2"};

static const key_def motion_keys[] = {
    {"velocity", KEY_VECTOR, AT(jo_motion, velocity), .unit = DIM_SPEED, .fallback = "0",
     .meaning = "constant translation"},
    {"spin", KEY_TURN, AT(jo_motion, spin), .unit = DIM_SPIN, .fallback = "0",
     .meaning = "rotation about an axis through the pivot"},
    {"pivot", KEY_VECTOR, AT(jo_motion, pivot), .unit = DIM_LENGTH,
     .fallback = "the wall's point, a box's middle, a mesh's origin",
     .meaning = "a point on the axis of rotation; it moves with the translation"},
    {"amplitude", KEY_VECTOR, AT(jo_motion, amplitude), .unit = DIM_LENGTH, .fallback = "0",
     .meaning = "of an oscillation, amplitude * sin(2 pi frequency (t - start) + phase)"},
    {"frequency", KEY_REAL, AT(jo_motion, frequency), .unit = DIM_FREQUENCY, .bounds = FROM(0),
     .fallback = "0", .meaning = "of the oscillation"},
    {"phase", KEY_REAL, AT(jo_motion, phase), .unit = DIM_ANGLE, .fallback = "0",
     .meaning = "of the oscillation"},
    {"start", KEY_REAL, AT(jo_motion, start), .unit = DIM_TIME, .fallback = "0",
     .meaning = "before this the wall stands still"},
    {"stop", KEY_REAL, AT(jo_motion, stop), .unit = DIM_TIME, .bounds = FROM_OR_INF(0),
     .fallback = "inf", .meaning = "after this the wall stands still"},
    END};
const section_def jo_motion_section = {"walls.motion",
                                       "How a wall moves, as a rigid body; all parts add up.",
                                       motion_keys, "motion: {spin: [0, 60 rpm, 0]}"};
static const key_def servo_keys[] = {
    {"direction", KEY_DIRECTION, AT(jo_servo, direction), .required = true,
     .meaning = "the way the wall pushes"},
    {"stress", KEY_REAL, AT(jo_servo, stress), .unit = DIM_PRESSURE, .bounds = FROM(0),
     .meaning = "target stress; or force"},
    {"area", KEY_REAL, AT(jo_servo, area), .unit = DIM_AREA, .bounds = ABOVE(0),
     .fallback = "the box's cross-section", .meaning = "that the stress acts on"},
    {"force", KEY_REAL, AT(jo_servo, force), .unit = DIM_FORCE, .bounds = FROM(0),
     .meaning = "target force; or stress"},
    {"gain", KEY_AUTO, AT(jo_servo, gain), .unit = DIM_GAIN, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "speed per missing force"},
    {"speed_max", KEY_REAL, AT(jo_servo, speed_max), .unit = DIM_SPEED, .bounds = ABOVE(0),
     .required = true, .meaning = "the wall is never faster"},
    END};
const section_def jo_servo_section = {
    "walls.servo", "Moves a wall until the bodies press on it as wanted.", servo_keys,
    "lid: {plane: {point: [0, 0, 1], normal: -z}, servo: {direction: -z, stress: 1 kPa, speed_max: 1 cm/s}}"};

static const key_def wall_keys[] = {
    {"name", KEY_NAME, AT(wall_entry, wall.name), .meaning = "for messages and output; in a map of walls, the key"},
    {"material", CUSTOM(jo_read_wall_material, "name"), .fallback = "the only material there is",
     .meaning = "a name under materials"},
    {"plane", CUSTOM(jo_read_wall_kind, "map"), .section = &plane_section,
     .meaning = "an infinite plane"},
    {"box", CUSTOM(jo_read_wall_kind, "map"), .section = &wall_box_section,
     .meaning = "the faces of a box"},
    {"cylinder", CUSTOM(jo_read_wall_kind, "map"), .section = &cylinder_section,
     .meaning = "the side of a cylinder"},
    {"cone", CUSTOM(jo_read_wall_kind, "map"), .section = &cone_section,
     .meaning = "the side of a cone"},
    {"mesh", CUSTOM(jo_read_wall_kind, "map"), .section = &mesh_section,
     .meaning = "triangles (2D: segments)"},
    {"polygon", CUSTOM(jo_read_wall_kind, "map"), .section = &polygon_section,
     .meaning = "2D: a polygon"},
    {"bar", CUSTOM(jo_read_wall_kind, "map"), .section = &bar_section,
     .meaning = "2D: a thick line"},
    {"hopper", CUSTOM(jo_read_wall_kind, "map"), .section = &hopper_section,
     .meaning = "2D: a hopper"},
    {"motion", CUSTOM(jo_read_motion, "map"), .section = &jo_motion_section,
     .fallback = "none", .meaning = "how it moves"},
    {"servo", CUSTOM(jo_read_servo, "map"), .section = &jo_servo_section, .fallback = "none",
     .meaning = "moved so that bodies press on it as wanted"},
    {"from", KEY_REAL, AT(wall_entry, wall.from), .unit = DIM_TIME, .fallback = "0",
     .meaning = "the wall is not there before"},
    {"until", KEY_REAL, AT(wall_entry, wall.until), .unit = DIM_TIME, .bounds = FROM_OR_INF(0),
     .fallback = "inf", .meaning = "the wall is not there after"},
    END};
const section_def jo_wall_section = {
    "walls",
    "A map of walls by name, or a list; each has one of plane, box, cylinder, cone, mesh, polygon, bar, hopper.",
    wall_keys, NULL};

/* ---- gates, engine, output ---- */
static const key_def gate_keys[] = {
    {"name", KEY_NAME, AT(jo_gate, name), .meaning = "for output; in a map of gates, the key"},
    {"point", KEY_VECTOR, AT(jo_gate, point), .unit = DIM_LENGTH, .required = true,
     .meaning = "a point of the plane"},
    {"normal", KEY_DIRECTION, AT(jo_gate, normal), .required = true,
     .meaning = "the way that counts as through"},
    END};
const section_def jo_gate_section = {
    "gates", "A map of planes by name, or a list: mass that has passed is measured.", gate_keys,
    "gates: {outlet: {point: [0, 0, 0], normal: -z}}"};

static const char *const engines[] = {"soft", "hard", "kinetic", NULL};
static const char *const root_methods[] = {"fast", "sturm", "exact", NULL};
static const char *const searches[] = {"auto",   "brute", "radial", "cells", "subcells",
                                       "verlet", "sweep", "hgrid",  "grid",  NULL};
static const key_def engine_keys[] = {
    {"type", KEY_WORD, AT(jo_scene, engine), .choices = engines, .fallback = "soft",
     .meaning = "soft: time steps and overlapping bodies; hard: exact collisions of balls one by one; "
                "kinetic: the same for polygons, by a triangulation that moves with them"},
    {"time_step", KEY_AUTO, AT(jo_scene, time_step), .unit = DIM_TIME, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "auto: from the Rayleigh time or the shortest contact, so that it divides the duration"},
    {"skin", KEY_AUTO, AT(jo_scene, skin), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "how far lists of neighbours reach beyond contact"},
    {"search", KEY_WORD, AT(jo_scene, broad), .choices = searches, .fallback = "auto",
     .meaning = "method of the contact search; a matter of speed alone. Engine hard has cells, and "
                "verlet: lists of neighbours"},
    {"account_energy", KEY_BOOL, AT(jo_scene, account_energy), .fallback = "true",
     .meaning = "follow dissipation contact by contact"},
    {"overlap_alarm", KEY_REAL, AT(jo_scene, overlap_alarm), .bounds = ABOVE(0),
     .fallback = "0.1", .meaning = "overlap over the smaller radius that is an alarm"},
    {"contact_duration", KEY_AUTO, AT(jo_scene, hard.contact_duration), .unit = DIM_TIME,
     .bounds = FROM(0), .fallback = "auto",
     .meaning = "hard: a collision within this time of the body's last one loses no energy, against "
                "inelastic collapse (TC model); auto: too short to matter; 0: never"},
    {"temperature", KEY_REAL, AT(jo_scene, hard.temperature), .unit = DIM_MOMENT,
     .bounds = ABOVE(0), .fallback = "no thermostat",
     .meaning = "hard: kT of a thermostat that gives bodies new velocities at random times"},
    {"thermostat_rate", KEY_REAL, AT(jo_scene, hard.thermostat_rate), .unit = DIM_RATE,
     .bounds = ABOVE(0), .meaning = "hard: how often, per body; needed with temperature"},
    {"growth", KEY_REAL, AT(jo_scene, hard.growth), .unit = DIM_RATE, .bounds = FROM(0),
     .fallback = "0",
     .meaning = "hard: radii grow by this share of what they are at the start per unit time "
                "(Lubachevsky and Stillinger)"},
    {"growth_until", KEY_REAL, AT(jo_scene, hard.growth_until), .bounds = {0.0, 1.0, true, true, false},
     .fallback = "the end", .meaning = "hard: solid fraction at which growth ends"},
    {"growth_pressure", KEY_REAL, AT(jo_scene, hard.growth_pressure), .bounds = ABOVE(1),
     .fallback = "the end", .meaning = "hard: reduced pressure p V / (N kT) at which growth ends: 1e6 is nearly jammed"},
    {"roots", KEY_CHOICE, AT(jo_scene, kinetic.roots), .choices = root_methods, .fallback = "fast",
     .meaning = "kinetic: how times at which triangles go flat are found: on the paper's series, fast or by "
                "Sturm's sequences as in the paper; or of the true motion"},
    {"gap", KEY_AUTO, AT(jo_scene, kinetic.gap), .unit = DIM_LENGTH, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "kinetic: bodies collide at this distance; auto: 1e-9 of the mean radius"},
    {"least_speed", KEY_AUTO, AT(jo_scene, kinetic.least_speed), .unit = DIM_SPEED, .bounds = ABOVE(0),
     .fallback = "auto",
     .meaning = "kinetic: slower collisions have no restitution, and bodies so in contact rest on one "
                "another; auto: 0.1 of what a fall by the mean radius gives, without gravity 1e-3 of the mean "
                "speed"},
    {"period", KEY_AUTO, AT(jo_scene, kinetic.period), .unit = DIM_TIME, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "kinetic: triangles are looked at no further ahead"},
    {"look_every", KEY_AUTO, AT(jo_scene, kinetic.look_every), .unit = DIM_TIME, .bounds = ABOVE(0),
     .fallback = "auto", .meaning = "kinetic: time between looks for bodies that have left the box"},
    {"patience", KEY_AUTO, AT(jo_scene, kinetic.patience), .unit = DIM_TIME, .bounds = ABOVE(0),
     .fallback = "auto",
     .meaning = "kinetic: a jam is when no body has left for so long since one did; auto: 40 times what a fall "
                "by the mean radius takes"},
    END};
const section_def jo_engine_section = {"engine", "Which engine, and its options; a plain name will do.",
                                       engine_keys, "engine: {type: soft, time_step: 2 us}"};

static const key_def output_keys[] = {
    {"trajectory", CUSTOM(jo_read_interval, "time, or {every: time}"),
     .offset = AT(jo_outputs, trajectory), .unit = DIM_TIME, .fallback = "not written",
     .meaning = "H5MD, trajectory.h5: every so much simulated time"},
    {"vtp", CUSTOM(jo_read_interval, "time, or {every: time}"), .offset = AT(jo_outputs, vtp),
     .unit = DIM_TIME, .fallback = "not written", .meaning = "VTP and .pvd for ParaView"},
    {"dump", CUSTOM(jo_read_interval, "time, or {every: time}"), .offset = AT(jo_outputs, dump),
     .unit = DIM_TIME, .fallback = "not written", .meaning = "LAMMPS dump text"},
    {"series", CUSTOM(jo_read_interval, "time, or {every: time}"),
     .offset = AT(jo_outputs, series), .unit = DIM_TIME, .fallback = "not written",
     .meaning = "series.csv: energies, contacts, stress, wall forces"},
    {"checkpoint", CUSTOM(jo_read_interval, "time, or {every: time}"),
     .offset = AT(jo_outputs, checkpoint), .unit = DIM_TIME, .fallback = "by checkpoint_wall alone",
     .meaning = "a state to resume from; a signal writes one, too"},
    {"checkpoint_wall", KEY_REAL, AT(jo_outputs, checkpoint_wall), .unit = DIM_TIME,
     .bounds = ABOVE_OR_INF(0), .fallback = "600 s", .meaning = "the same by wall-clock time"},
    {"contacts", KEY_BOOL, AT(jo_outputs, contacts), .fallback = "false",
     .meaning = "trajectory and vtp hold contacts with their forces, too"},
    {"events", KEY_BOOL, AT(jo_outputs, events), .fallback = "false",
     .meaning = "engine hard: events.csv, a row for every collision"},
    {"triangulation", KEY_BOOL, AT(jo_outputs, triangulation), .fallback = "false",
     .meaning = "engine kinetic: the trajectory holds the sides of triangles between polygons, and what "
                "happened last"},
    END};
static const section_def output_section = {"output", "What a run writes, and how often.",
                                           output_keys,
                                           "output: {trajectory: 20 ms, series: 1 ms}"};

/* ---- the whole ---- */
static const key_def top_keys[] = {
    {"title", KEY_TEXT, AT(jo_scene, title), .meaning = "one line, for people"},
    {"dimension", CUSTOM(jo_read_dimension, "2 or 3"), .fallback = "3",
     .meaning = "3: spheres; 2: discs in the plane z = 0, vectors have two numbers"},
    {"law", KEY_SECTION, AT(jo_scene, law), .section = &law_section,
     .meaning = "the contact law"},
    {"materials", CUSTOM(jo_read_materials, "map of maps"), .section = &material_section,
     .required = true, .meaning = "materials by name"},
    {"contacts", CUSTOM(jo_read_contacts, "list of maps"), .section = &contact_section,
     .meaning = "what pairs of materials do, where it is not the mean"},
    {"box", CUSTOM(jo_read_box, "map"), .section = &box_section, .fallback = "unbounded",
     .meaning = "the space, and its periodic axes"},
    {"gravity", CUSTOM(jo_read_gravity, "a vector, a magnitude, or a map"),
     .unit = DIM_ACCELERATION, .section = &gravity_section, .fallback = "0",
     .meaning = "a plain magnitude points to -z (2D: -y)"},
    {"seed", KEY_COUNT, AT(jo_scene, seed), .fallback = "1",
     .meaning = "of all random numbers; the same seed gives the same run"},
    {"bodies", CUSTOM(jo_read_bodies, "list of maps"), .section = &jo_group_section,
     .required = true, .meaning = "groups of bodies"},
    {"walls", CUSTOM(jo_read_walls, "map or list of maps"), .section = &jo_wall_section,
     .fallback = "none", .meaning = "walls by name"},
    {"gates", CUSTOM(jo_read_gates, "map or list of maps"), .section = &jo_gate_section,
     .fallback = "none", .meaning = "planes that mass flow is measured through"},
    {"engine", CUSTOM(jo_read_engine, "name or map"), .section = &jo_engine_section,
     .fallback = "soft", .meaning = "which engine, and its options"},
    {"duration", KEY_REAL, AT(jo_scene, duration), .unit = DIM_TIME, .bounds = ABOVE(0),
     .required = true, .meaning = "simulated time"},
    {"output", KEY_SECTION, AT(jo_scene, outputs), .section = &output_section,
     .fallback = "nothing but checkpoints", .meaning = "what to write, how often"},
    END};
const section_def jo_schema_top = {"the scene", "The keys at the top of a scene file.", top_keys,
                                   NULL};

const section_def *const jo_schema_sections[] = {
    &jo_schema_top,    &law_section,       &material_section, &contact_section,  &box_section,
    &gravity_section,  &jo_group_section,  &shape_section,    &sizes_section,   &normal_section, &lognormal_section,
    &list_section,     &file_section,      &lattice_section,  &random_section,   &factory_section,
    &jo_region_section, &jo_wall_section,  &plane_section,    &wall_box_section, &cylinder_section,
    &cone_section,     &mesh_section,      &polygon_section,  &bar_section, &hopper_section, &jo_motion_section, &jo_servo_section, &jo_gate_section,
    &jo_engine_section, &output_section,   NULL};

const char *jo_schema_unit(const key_def *key)
{
    switch (key->rule) {
    case UNIT_FIXED:
        break;
    case UNIT_DENSITY:
        return "kg/m^3; 2D: kg/m^2";
    case UNIT_NORMAL_STIFFNESS:
        return "N/m; hertz: Pa";
    case UNIT_TANGENTIAL_STIFFNESS:
        return "N/m; mindlin: Pa";
    case UNIT_DAMPING:
        return "1/s; hertz: 1/(m s)";
    }
    return key->section != NULL ? "" : jo_dimension(key->unit)->unit;
}
