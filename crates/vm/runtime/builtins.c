/* Functions of the compiler's own library which clang calls by name in its IR for C on x86-64: complex multiplication
 * and division with the infinities of C's Annex G, and powers with an integer exponent.
 *
 * Nothing else is needed: 128-bit integers, their conversions, overflow checks and bit counts stay instructions and
 * intrinsics in the IR. The results agree with those of libgcc, which a native program is linked with.
 *
 * The text is read once for each type: this file includes itself. */

#ifndef REAL

#include <float.h>

#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)

/* Annex G: an infinite operand is "boxed" to ones and zeros with its signs, and NaNs beside it count as zeros. */
#define BOX(x) COPYSIGN(isinf(x) ? 1 : 0, x)
#define NAN_TO_ZERO(x) (isnan(x) ? COPYSIGN(0, x) : (x))

#define REAL float
#define WIDE double
#define MULTIPLY __mulsc3
#define DIVIDE __divsc3
#define POWER __powisf2
#define COPYSIGN(x, y) __builtin_copysignf(x, y)
#include "builtins.c"

#define REAL double
#define MULTIPLY __muldc3
#define DIVIDE __divdc3
#define POWER __powidf2
#define COPYSIGN(x, y) __builtin_copysign(x, y)
#define ABS(x) __builtin_fabs(x)
#define LARGEST DBL_MAX
#define SMALLEST DBL_MIN
#define PRECISION DBL_EPSILON
#include "builtins.c"

#define REAL long double
#define MULTIPLY __mulxc3
#define DIVIDE __divxc3
#define POWER __powixf2
#define COPYSIGN(x, y) __builtin_copysignl(x, y)
#define ABS(x) __builtin_fabsl(x)
#define LARGEST LDBL_MAX
#define SMALLEST LDBL_MIN
#define PRECISION LDBL_EPSILON
#include "builtins.c"

#else

REAL _Complex MULTIPLY(REAL a, REAL b, REAL c, REAL d);
REAL _Complex DIVIDE(REAL a, REAL b, REAL c, REAL d);
REAL POWER(REAL base, int exponent);

REAL _Complex MULTIPLY(REAL a, REAL b, REAL c, REAL d) {
    REAL ac = a * c, bd = b * d, ad = a * d, bc = b * c;
    REAL x = ac - bd, y = ad + bc;
    if (isnan(x) && isnan(y)) {
        int again = 0;
        if (isinf(a) || isinf(b)) {
            a = BOX(a), b = BOX(b), c = NAN_TO_ZERO(c), d = NAN_TO_ZERO(d);
            again = 1;
        }
        if (isinf(c) || isinf(d)) {
            c = BOX(c), d = BOX(d), a = NAN_TO_ZERO(a), b = NAN_TO_ZERO(b);
            again = 1;
        }
        if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {
            a = NAN_TO_ZERO(a), b = NAN_TO_ZERO(b), c = NAN_TO_ZERO(c), d = NAN_TO_ZERO(d);
            again = 1;
        }
        if (again) {
            x = (REAL)__builtin_inf() * (a * c - b * d);
            y = (REAL)__builtin_inf() * (a * d + b * c);
        }
    }
    return __builtin_complex(x, y);
}

REAL _Complex DIVIDE(REAL a, REAL b, REAL c, REAL d) {
    REAL x, y;
#ifdef WIDE
    /* The wider type has room for all intermediate results. */
    WIDE denominator = (WIDE)c * c + (WIDE)d * d;
    x = (REAL)(((WIDE)a * c + (WIDE)b * d) / denominator);
    y = (REAL)(((WIDE)b * c - (WIDE)a * d) / denominator);
#else
    /* Smith's method: with the quotient of the divisor's parts, the smaller by the larger, the intermediate results
     * stay near the operands. Where these are so large or so small that it would still lose bits, all are scaled
     * before, after Baudin and Smith. `turned` is the case where the imaginary part is the larger one. */
    int turned = ABS(c) < ABS(d);
    REAL p = turned ? b : a, q = turned ? a : b, large = turned ? d : c, small = turned ? c : d;
    REAL room = LARGEST / 2 * PRECISION;
    if (ABS(large) >= LARGEST / 2)
        p /= 2, q /= 2, large /= 2, small /= 2;
    if (ABS(large) < PRECISION || (ABS(p) < SMALLEST && ABS(q) < room && ABS(large) < room) ||
        (ABS(q) < SMALLEST && ABS(p) < room && ABS(large) < room))
        p /= PRECISION, q /= PRECISION, large /= PRECISION, small /= PRECISION;
    /* Annex G's rules below look at the scaled operands. */
    a = turned ? q : p, b = turned ? p : q, c = turned ? small : large, d = turned ? large : small;
    REAL ratio = small / large, denominator = small * ratio + large;
    /* A subnormal ratio has lost bits: then divide first. */
    int exact = ABS(ratio) > SMALLEST;
    REAL shift = exact ? p * ratio : small * (p / large);
    x = ((exact ? q * ratio : small * (q / large)) + p) / denominator;
    y = (turned ? shift - q : q - shift) / denominator;
#endif
    if (isnan(x) && isnan(y)) {
        if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {
            x = COPYSIGN((REAL)__builtin_inf(), c) * a;
            y = COPYSIGN((REAL)__builtin_inf(), c) * b;
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {
            a = BOX(a), b = BOX(b);
            x = (REAL)__builtin_inf() * (a * c + b * d);
            y = (REAL)__builtin_inf() * (b * c - a * d);
        } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {
            c = BOX(c), d = BOX(d);
            x = 0 * (a * c + b * d);
            y = 0 * (b * c - a * d);
        }
    }
    return __builtin_complex(x, y);
}

REAL POWER(REAL base, int exponent) {
    unsigned rest = exponent < 0 ? -(unsigned)exponent : (unsigned)exponent;
    REAL product = rest % 2 ? base : 1;
    while (rest >>= 1) {
        base *= base;
        if (rest % 2)
            product *= base;
    }
    return exponent < 0 ? 1 / product : product;
}

#undef REAL
#undef WIDE
#undef MULTIPLY
#undef DIVIDE
#undef POWER
#undef COPYSIGN
#undef ABS
#undef LARGEST
#undef SMALLEST
#undef PRECISION

#endif
