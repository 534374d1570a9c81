/* flat_sturm.c — the first root of a polynomial of degree 8 in [0, 1] by Sturm's sequence, then
 * Newton's method in a bracket: the way of Mueller & Liebling, after Ralston (1978).
 *
 * In plain double precision the sequence is not to be trusted: near a double root its last members
 * are made of rounding, and roots are missed or seen where there are none. So what it says is
 * checked: the coefficients of the polynomial in Bernstein's basis of the interval before the root
 * it found (or of the whole one) must all be positive, which proves that no root is there. Where
 * that proof fails, the sequence is made again with pairs of doubles (Dekker 1971). Its answer is
 * checked, too: a polynomial whose last coefficients are next to nothing, as a slow motion's are,
 * can exhaust even those, and a grazing pass has no such proof. Then flat_roots.c decides. */
#include "hard/flat_roots.h"

/* Numbers of twice the precision: hi + lo, |lo| at most half a unit in the last place of hi. */
typedef struct twin {
    double hi, lo;
} twin;

static inline twin fast_sum(double a, double b) /* |a| >= |b| */
{
    const double s = a + b;
    return (twin){s, b - (s - a)};
}

static inline twin two_sum(double a, double b)
{
    const double s = a + b, t = s - a;
    return (twin){s, (a - (s - t)) + (b - t)};
}

static inline twin two_product(double a, double b)
{
    const double p = a * b, sa = 134217729.0 * a, sb = 134217729.0 * b;
    const double ah = sa - (sa - a), al = a - ah, bh = sb - (sb - b), bl = b - bh;
    return (twin){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline twin twin_add(twin a, twin b)
{
    twin s = two_sum(a.hi, b.hi);
    const twin t = two_sum(a.lo, b.lo);
    s = fast_sum(s.hi, s.lo + t.hi);
    return fast_sum(s.hi, s.lo + t.lo);
}

static inline twin twin_subtract(twin a, twin b)
{
    return twin_add(a, (twin){-b.hi, -b.lo});
}

static inline twin twin_multiply(twin a, twin b)
{
    const twin p = two_product(a.hi, b.hi);
    return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline twin twin_divide(twin a, twin b)
{
    const double q1 = a.hi / b.hi;
    const twin r1 = twin_subtract(a, twin_multiply(b, (twin){q1, 0.0}));
    const double q2 = r1.hi / b.hi;
    const twin r2 = twin_subtract(r1, twin_multiply(b, (twin){q2, 0.0}));
    return twin_add(fast_sum(q1, q2), (twin){r2.hi / b.hi, 0.0});
}

#define CHAIN(name) plain_##name
#define REAL        double
#define ZERO        0.0
#define ADD(a, b)   ((a) + (b))
#define SUB(a, b)   ((a) - (b))
#define MUL(a, b)   ((a) * (b))
#define DIV(a, b)   ((a) / (b))
#define HALF_OF(a)  (a)
#define FROM(x)     ((double)(x))
#define SMALL       1e-15
#include "hard/flat_chain.h"

#define CHAIN(name) twin_##name
#define REAL        twin
#define ZERO        ((twin){0.0, 0.0})
#define ADD         twin_add
#define SUB         twin_subtract
#define MUL         twin_multiply
#define DIV         twin_divide
#define HALF_OF(a)  ((a).hi)
#define FROM(x)     ((twin){(double)(x), 0.0})
#define SMALL       1e-29
#include "hard/flat_chain.h"

/* Whether the polynomial is proved positive on [0, end]. */
static bool positive_until(const double *c, int n, double end)
{
    double b[FLAT_DEGREE + 1], power = 1.0, choose = 1.0;
    for (int k = 0; k <= n; k++) {
        b[k] = c[k] * power / choose;
        power *= end;
        choose = choose * (n - k) / (k + 1);
    }
    for (int i = 1; i <= n; i++)
        for (int k = n; k >= i; k--)
            b[k] += b[k - 1];
    for (int k = 0; k <= n; k++)
        if (!(b[k] > 0.0)) return false;
    return true;
}

/* The degree without last terms that all together are less than rounding of the others: division by
 * a polynomial with such a first coefficient leaves no digit, of twins neither. */
static int worth(const double *c, int n)
{
    double size = 0.0, dropped = 0.0;
    for (int k = 0; k <= n; k++)
        size += fabs(c[k]);
    while (n > 0 && dropped + fabs(c[n]) <= 0x1p-55 * size)
        dropped += fabs(c[n--]);
    return n;
}

/* Whether the polynomial is positive before the root, and not above zero just after it; or has
 * none. */
static bool proved(const double *c, int n, double root)
{
    if (root > 1.0) return positive_until(c, n, 1.0);
    return positive_until(c, n, root * (1.0 - 0x1p-40)) &&
           flat_poly(c, n, fmin(root * (1.0 + 0x1p-40), 1.0)) <= 0.0;
}

static double isolate_sturm(const double *c, int n)
{
    n = worth(c, n);
    if (n == 0) return (double)INFINITY;
    double root = plain_first(c, n);
    if (!proved(c, n, root)) root = twin_first(c, n);
    return proved(c, n, root) ? root : jo_flat_isolate(c, n);
}

double jo_flat_root_sturm(const double c[FLAT_DEGREE + 1], bool touching)
{
    return flat_first_fall(c, touching, isolate_sturm);
}
