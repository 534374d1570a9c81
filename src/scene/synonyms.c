/* synonyms.c — other words for the keys and choices of a scene file, for suggestions alone.
 *
 * The reader accepts one name for each thing. People come with names from papers, from other
 * programs and from the other side of the ocean; those are too far from the right one for
 * jo_suggest, which counts typing errors. A row below has such words, and what may have been meant:
 * the first that the section at hand knows is suggested, so that `position` is `point` in a plane
 * and `centre` in a ball. Words are compared as written, then without regard to case, with - for _
 * (E is a modulus, e a restitution). A row without meanings has a sentence instead of a key. The
 * cost is a few hundred comparisons for a key that is wrong. */
#include <ctype.h>
#include <string.h>

#include "scene/reader.h"

typedef struct synonym {
    const char *words;  /* with a blank on either side of each */
    const char *meant;  /* likewise; the best first */
    const char *advice; /* beyond the name; NULL: none */
} synonym;

/* A row to a line or two. */
/* clang-format off */
static const synonym synonyms[] = {
    /* the whole */
    {" particles spheres grains balls discs disks objects beads particle sphere grain body ",
     " bodies list ", NULL},
    {" wall boundaries geometry obstacles surfaces ", " walls ", NULL},
    {" material types species ", " materials material ", NULL},
    {" contact interactions interaction pairs pair_coeff ", " contacts ", NULL},
    {" laws contact_law contact_model contact_laws model models force_law pair_style physics ",
     " law ", NULL},
    {" domain cell simulation_box bounds space bounding_box ", " box region ", NULL},
    {" g gravitation gravitational_acceleration acceleration ", " gravity magnitude ", NULL},
    {" solver integrator simulation method settings options ", " engine type ", NULL},
    {" time total_time end_time t_end tend t_max tmax time_max run_time runtime until end stop "
     "stop_time simulation_time run ",
     " duration until stop ", NULL},
    {" steps n_steps nsteps timesteps iterations ", " duration ", "It is a time"},
    {" dim dimensions ndim ", " dimension ", NULL},
    {" random_seed rng ", " seed ", NULL},
    {" outputs out write save results dumps ", " output ", NULL},
    {" fluxes flux flow planes meters probes ", " gates ", NULL},
    {" name description comment ", " title name ", NULL},
    /* where */
    {" min minimum lower low lower_corner xlo smallest from ", " lo from start ", NULL},
    {" max maximum upper high upper_corner xhi largest to ", " hi until stop ", NULL},
    {" position centre center pos point location coordinates origin base at middle x r0 x0 ",
     " position point centre base pivot ", NULL},
    {" size dimensions extent ", " hi radius ",
     "A box has two corners, lo and hi; a body a radius"},
    {" pbc periodicity periodic_axes boundary boundary_conditions ", " periodic ", NULL},
    {" on_leave leave escape escaping outflow ", " leaving ", NULL},
    {" shear lees_edwards strain_rate gamma_dot gammadot shearrate ", " shear_rate ", NULL},
    {" angle inclination slope incline ", " tilt slope ", NULL},
    {" strength value amount abs ", " magnitude ", NULL},
    {" direction normal axis normal_vector n vector ", " direction normal axis ", NULL},
    {" height h l depth ", " length height ", NULL},
    {" translate translation offset move ", " shift ", NULL},
    {" factor unit units scaling ", " scale ", NULL},
    {" path file filename file_name stl stl_file mesh_file filepath url source ", " file path ",
     NULL},
    {" vertices points polygon outline nodes ", " corners vertices path triangles ", NULL},
    {" radius_2 radius2 end_radius top_radius radius_top r2 outlet_radius ", " radius_end ", NULL},
    {" inside inner inverted flip ", " outside ", "Bodies are inside unless outside is true"},
    {" lid lids ends closed capped ", " caps closed ", NULL},
    {" outlet orifice opening aperture ", " neck ", NULL},
    /* bodies */
    {" diam d ", " diameter ", NULL},
    {" diameter diam d ", " radius ", "A radius is half of the diameter"},
    {" r radii rad ", " radius ", NULL},
    {" vel v speed velocities u ", " velocity ", NULL},
    {" granular_temperature spread random_velocity velocity_random ", " velocity_spread ", NULL},
    {" angular_velocity omega w rotation rpm rotation_speed angular_speed rotate ", " spin ", NULL},
    {" quaternion q rotated ", " orientation ", NULL},
    {" frozen static immobile fix held ", " fixed ", NULL},
    {" mass weight m ", "", "mass follows from the density of the material and the size"},
    {" n number num how_many amount total ", " count ", NULL},
    {" packing_fraction volume_fraction solid_fraction phi filling fill ", " fraction ", NULL},
    {" porosity void_fraction ", " fraction ", "It is the share of solid: 1 - porosity"},
    {" lattice_constant pitch distance gap step ", " spacing ", NULL},
    {" type style kind ", " kind type solid ", NULL},
    {" generator inlet insertion insert source feeder particle_factory ", " factory ", NULL},
    {" explicit positions ", " list ", NULL},
    {" grid packed regular ", " lattice ", NULL},
    {" random_packing pack packing uniform_random ", " random ", NULL},
    {" flow_rate insertion_rate frequency per_second number_rate ", " rate ", NULL},
    {" mass_flow mass_flow_rate massflow throughput ", " mass_rate ", NULL},
    {" begin t_start start_time tstart ", " start from ", NULL},
    {" range between interval min_max ", " uniform ", NULL},
    {" gaussian gauss ", " normal ", NULL},
    {" log_normal ", " lognormal ", NULL},
    {" average mu ", " mean median ", NULL},
    {" sigma std stddev std_dev sd standard_deviation spread ", " deviation ", NULL},
    {" sizes radii discrete ", " values ", NULL},
    {" fractions probabilities shares ", " weights ", NULL},
    /* materials */
    {" rho mass_density dens ", " density ", NULL},
    {" E Y youngs_modulus young_modulus young's_modulus youngs elastic_modulus modulus "
     "youngsmodulus youngmodulus ",
     " young ", NULL},
    {" nu poissons_ratio poisson_ratio poisson's_ratio poissons poissonsratio poissonratio ",
     " poisson ", NULL},
    {" G shear_modulus ", " young ", "E = 2 G (1 + poisson)"},
    {" e cor en e_n coefficient_of_restitution restitution_coefficient restitutioncoefficient ",
     " restitution ", NULL},
    {" et e_t beta ", " tangential_restitution ", NULL},
    {" mu cof friction_coefficient coefficient_of_friction sliding_friction coulomb mu_s ",
     " friction ", NULL},
    {" mu_r mur rolling_resistance rolling_friction_coefficient ", " rolling_friction rolling ",
     NULL},
    {" k kn k_n normal_stiffness spring_constant spring ", " stiffness ", NULL},
    {" kt k_t shear_stiffness ", " tangential_stiffness ", NULL},
    {" kr k_r ", " rolling_stiffness ", NULL},
    {" gamma_n gn gamman normal_damping dashpot damping_coefficient viscosity c ", " damping ",
     NULL},
    {" gamma_t gt gammat ", " tangential_damping ", NULL},
    {" eta_r ", " rolling_damping ", NULL},
    {" tc t_c collision_time collision_duration ", " contact_time contact_duration ", NULL},
    {" work_of_adhesion adhesion adhesion_energy surfaceenergy cohesion ",
     " surface_energy cohesion ", NULL},
    {" ced cohesion_energy_density cohesive_energy_density ", " cohesion_density ", NULL},
    {" bridge_volume volume ", " liquid_volume ", NULL},
    {" contact_angle theta ", " wetting_angle ", NULL},
    /* law */
    {" tangent shear friction_law ", " tangential ", NULL},
    {" normal_force normal_law ", " normal ", NULL},
    {" rolling_resistance rolling_model ", " rolling ", NULL},
    {" hooke hookean spring spring_dashpot lsd ", " linear ", NULL},
    {" hertzian hertz_mindlin nonlinear ", " hertz mindlin ", NULL},
    {" pournin pournin_liebling ", " energy ", NULL},
    {" tsuji coefficient_restitution ", " restitution ", NULL},
    {" dashpot velocity viscoelastic ", " viscous ", NULL},
    {" off no never nothing ", " none ", NULL},
    {" cdt constant_torque ", " constant ", NULL},
    {" bridge capillary liquid_bridge willett ", " liquid ", NULL},
    {" delete destroy discard drop ", " remove ", NULL},
    {" ignore ", " keep ", NULL},
    {" error warn warning ", " alarm ", NULL},
    /* walls */
    {" pressure load sigma ", " stress force ", NULL},
    {" max_speed maximum_speed vmax ", " speed_max ", NULL},
    {" freq f hz ", " frequency ", NULL},
    {" centre_of_rotation center_of_rotation rotation_centre rotation_center pivot_point ",
     " pivot ", NULL},
    {" oscillation vibration shake moving moves ", " motion ", NULL},
    {" servo_control control controlled ", " servo ", NULL},
    {" surface_mesh triangulation trimesh ", " mesh ", NULL},
    {" tube pipe drum ", " cylinder ", NULL},
    {" funnel ", " cone hopper ", NULL},
    {" floor half_space halfspace infinite_plane ", " plane ", NULL},
    {" cuboid cube block brick ", " box ", NULL},
    /* engine, output */
    {" dt timestep delta_t deltat h step time_increment ", " time_step ", NULL},
    {" broad broad_phase neighbour neighbor neighbors neighbours contact_detection ", " search ",
     NULL},
    {" verlet_skin buffer cutoff ", " skin ", NULL},
    {" dem md molecular_dynamics soft_sphere soft_spheres ", " soft ", NULL},
    {" edmd event_driven event hard_sphere hard_spheres events ", " hard ", NULL},
    {" kt kbt thermostat ", " temperature ", NULL},
    {" h5 h5md hdf5 traj frames snapshots positions ", " trajectory ", NULL},
    {" vtk vtu paraview pvd ", " vtp ", NULL},
    {" lammps ovito lammpstrj ", " dump ", NULL},
    {" csv log energies thermo statistics stats energy ", " series ", NULL},
    {" restart state backup ", " checkpoint ", NULL},
    {" forces contact_forces force_chains ", " contacts ", NULL},
};
/* clang-format on */

enum { WORD_MAX = 40 };

/* Whether ` word ` is in the row; loosely: in whatever case, written with - or _. */
static bool holds(const char *row, const char *word, bool loosely)
{
    const size_t length = strlen(word);
    if (length == 0 || length > WORD_MAX || strchr(word, ' ') != NULL) return false;
    for (const char *at = row; *at == ' ' && at[1] != '\0'; at += 1 + strcspn(at + 1, " ")) {
        size_t k = 0;
        for (; k < length; k++) {
            const int lower = tolower((unsigned char)word[k]);
            const char c = !loosely ? word[k] : lower == '-' ? '_' : (char)lower;
            if (at[1 + k] != c) break;
        }
        if (k == length && at[1 + k] == ' ') return true;
    }
    return false;
}

/* The first word of the row that is among the names, of which each is the first member of a
 * struct. */
static const char *first_known(const char *row, const void *names, size_t count, size_t stride)
{
    for (const char *at = row; *at == ' ' && at[1] != '\0'; at += 1 + strcspn(at + 1, " ")) {
        const size_t length = strcspn(at + 1, " ");
        for (size_t k = 0; k < count; k++) {
            const char *const *name = (const char *const *)((const char *)names + k * stride);
            if (strlen(*name) == length && memcmp(*name, at + 1, length) == 0) return *name;
        }
    }
    return NULL;
}

const char *jo_synonym(const char *word, const void *names, size_t count, size_t stride,
                       const char **advice)
{
    *advice = NULL;
    for (int loosely = 0; loosely < 2; loosely++)
        for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++) {
            const synonym *s = &synonyms[k];
            if (!holds(s->words, word, loosely)) continue;
            const char *meant = first_known(s->meant, names, count, stride);
            if (meant == NULL && *s->meant != '\0') continue;
            *advice = s->advice;
            return meant;
        }
    return NULL;
}
