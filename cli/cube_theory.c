/* cube_theory.c — how often hard balls in a cube collide, without fitting anything.
 *
 * Far from walls N balls collide ½ N ν times per unit time, ν = 4 n σ² χ √(π kT/m), with χ after
 * Carnahan and Starling. In a cube of the paper's size walls and the number of balls matter:
 *
 * 1. Centres reach only a cube of edge L = w − σ, in which their density is ρ = N/L³.
 * 2. Two balls at contact must both be inside. Shifted by σ in a random direction, the cube
 * overlaps itself by the share F(t) = 1 − 3t/2 + 2t²/π − t³/(4π), t = σ/L. So to lowest order in
 * the density the rate is ½ N (N − 1)/L³ · 4 σ² √(π kT/m) · F: exact for two balls.
 * 3. Collisions transfer momentum: the virial theorem ties their rate to the pressure P on the
 * walls, rate · m σ √(π kT/m) = 3 P L³ − 3 N kT, and P = p(n) − 4 γ(n)/L for a fluid of bulk
 * density n with surface tension γ against a hard wall, where N = n L³ + 6 L² Γ, Γ = −dγ/dμ. With
 * Carnahan and Starling's p and scaled-particle theory's γ σ²/kT = −(9/2π) φ² (1 + φ)/(1 − φ)³ this
 * gives the χ to multiply step 2 with. To lowest order it must give F up to its second term, and
 * does.
 * 4. Third balls: N − 2 of them are left, not N.
 * 5. The energy is fixed, not the temperature: a mean of |v| over the sphere of 3 N components is
 *    larger than Maxwell's at the same energy by √(3N/2) Γ(3N/2)/Γ(3N/2 + ½) ≈ 1 + 1/(12 N).
 *
 * Walls are hit 6 L² P/kT √(kT/(2π m)) times per unit time. */
#include <math.h>

#include "cube.h"

/* Carnahan and Starling: the value of the pair correlation at contact. */
static double contact_value(double phi)
{
    return (1.0 - 0.5 * phi) / pow(1.0 - phi, 3.0);
}

double cube_theory_bulk(size_t n, double w, double r, double kt)
{
    const double count = (double)n, sigma = 2.0 * r;
    const double density = count / (w * w * w), phi = density * M_PI / 6.0 * pow(sigma, 3.0);
    return 0.5 * count * 4.0 * density * sigma * sigma * contact_value(phi) * sqrt(M_PI * kt);
}

/* Surface tension over kT against a hard wall, at the surface that centres reach (σ = 1). */
static double tension(double phi)
{
    return -4.5 / M_PI * phi * phi * (1.0 + phi) / pow(1.0 - phi, 3.0);
}

/* Balls per area beyond the bulk's density, Γ = −(dγ/dn) / (dμ/dn) (σ = 1). */
static double adsorption(double phi)
{
    const double slope = -4.5 / M_PI *
                         ((2.0 * phi + 3.0 * phi * phi) / pow(1.0 - phi, 3.0) +
                          3.0 * phi * phi * (1.0 + phi) / pow(1.0 - phi, 4.0));
    const double phi2 = phi * phi;
    const double dp_dn =
        (1.0 + 4.0 * phi + 4.0 * phi2 - 4.0 * phi2 * phi + phi2 * phi2) / pow(1.0 - phi, 4.0);
    return -phi * slope / dp_dn;
}

/* The pressure on the walls over kT, for a mean density rho in a cube of edge L (σ = 1). */
static double wall_pressure(double rho, double L)
{
    double n = rho;
    for (int k = 0; k < 100; k++) /* a contraction: the second term is small */
        n = rho - 6.0 * adsorption(M_PI / 6.0 * n) / L;
    const double phi = M_PI / 6.0 * n;
    return n * (1.0 + 4.0 * phi * contact_value(phi)) - 4.0 * tension(phi) / L;
}

cube_rates cube_theory(size_t n, double w, double r, double kt)
{
    const double count = (double)n, sigma = 2.0 * r;
    const double L = w / sigma - 1.0, t = 1.0 / L; /* σ = 1 from here */
    const double rho = count / (L * L * L), second = 2.0 * M_PI / 3.0 * rho * rho;
    const double F = 1.0 - 1.5 * t + 2.0 / M_PI * t * t - t * t * t / (4.0 * M_PI);
    const double excess = wall_pressure(rho, L) - rho;
    const double chi = 1.0 + (excess / (second * (1.0 - 1.5 * t)) - 1.0) * (1.0 - 2.0 / count);
    const double half = 1.5 * count;
    const double fixed_energy = sqrt(half) * exp(lgamma(half) - lgamma(half + 0.5));
    const double speed = sqrt(kt) / sigma * fixed_energy;
    const double pressure = rho + second * (1.0 - 1.0 / count) * F * chi;
    return (cube_rates){.balls = 2.0 * count * (count - 1.0) / (L * L * L) * sqrt(M_PI) * speed *
                                 F * chi,
                        .walls = 6.0 * L * L * pressure * speed / sqrt(2.0 * M_PI)};
}
