/* math.h, complex.h and fenv.h as far as they are C: functions that write through pointers, that set errno, or that
 * take complex numbers. The numbers themselves come from natives of the machine, `__tb_math_` and the name of the C
 * function, which run the host's glibc (functions that have nothing to add, such as floor, are natives under their C
 * name alone).
 *
 * errno is set as glibc 2.36 does. Of the floating-point exceptions only those of feraiseexcept leave a flag: what
 * arithmetic raises is not recorded. The only rounding mode is to nearest.
 *
 * The second half is read once for each type, with REAL and the like defined: this file includes itself. */

#ifndef REAL

#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>

#include "tb_runtime.h"

#undef I

/* fenv.h */

static _Thread_local int raised;

int fegetround(void) {
    return FE_TONEAREST;
}

int fesetround(int mode) {
    if (mode == FE_TONEAREST)
        return 0;
    if (mode == FE_UPWARD || mode == FE_DOWNWARD || mode == FE_TOWARDZERO)
        __tb_unsupported("fesetround to another mode");
    return 1;
}

int feclearexcept(int flags) {
    raised &= ~flags;
    return 0;
}

int feraiseexcept(int flags) {
    raised |= flags & FE_ALL_EXCEPT;
    return 0;
}

int fesetexcept(int flags) {
    return feraiseexcept(flags);
}

/* Whether arithmetic has raised others, nobody knows. */
static int known(int flags, const char *refusal) {
    flags &= FE_ALL_EXCEPT;
    if ((raised & flags) != flags)
        __tb_unsupported(refusal);
    return flags;
}

int fetestexcept(int flags) {
    return known(flags, "fetestexcept: which floating-point exceptions arithmetic has raised is not recorded");
}

int fegetexceptflag(fexcept_t *saved, int flags) {
    *saved = (fexcept_t)known(flags, "fegetexceptflag: which floating-point exceptions arithmetic has raised is not recorded");
    return 0;
}

int fesetexceptflag(const fexcept_t *saved, int flags) {
    raised = (raised & ~flags) | (*saved & flags & FE_ALL_EXCEPT);
    return 0;
}

int fetestexceptflag(const fexcept_t *saved, int flags) {
    return *saved & flags;
}

int fegetexcept(void) {
    return 0;
}

int feenableexcept(int flags) {
    if (flags & FE_ALL_EXCEPT)
        __tb_unsupported("feenableexcept");
    return 0;
}

int fedisableexcept(int flags) {
    (void)flags;
    return 0;
}

/* The control words of the hardware in its default state, and our flags. */
int fegetenv(fenv_t *env) {
    *env = (fenv_t){.__control_word = 0x37f, .__status_word = (unsigned short)raised, .__mxcsr = 0x1f80};
    return 0;
}

int fesetenv(const fenv_t *env) {
    if (env == FE_DFL_ENV) {
        raised = 0;
        return 0;
    }
    if (env == FE_NOMASK_ENV)
        __tb_unsupported("fesetenv to FE_NOMASK_ENV");
    if (env->__control_word != 0x37f)
        __tb_unsupported("fesetenv to another rounding mode, precision or traps");
    raised = env->__status_word & FE_ALL_EXCEPT;
    return 0;
}

int feholdexcept(fenv_t *env) {
    fegetenv(env);
    raised = 0;
    return 0;
}

int feupdateenv(const fenv_t *env) {
    int held = raised;
    fesetenv(env);
    raised |= held;
    return 0;
}

int fegetmode(femode_t *mode) {
    *mode = (femode_t){.__control_word = 0x37f, .__mxcsr = 0x1f80};
    return 0;
}

int fesetmode(const femode_t *mode) {
    if (mode != FE_DFL_MODE && mode->__control_word != 0x37f)
        __tb_unsupported("fesetmode to another rounding mode, precision or traps");
    return 0;
}

/* Written by lgamma, as POSIX wants; C does not know of it and demands that lgamma has no data races. So lgamma stores
 * it atomically: a program that never reads it cannot race on it. */
int signgam;

/* The payload that the argument of nan() denotes: an integer as strtoull reads it with base 0, and nothing else. */
static uint64_t nan_payload(const char *tag) {
    unsigned base = 10;
    if (tag[0] == '0') {
        base = 8;
        if (tag[1] == 'x' || tag[1] == 'X') {
            base = 16;
            tag += 2;
        }
    }
    uint64_t payload = 0;
    int overflow = 0;
    for (; *tag; tag++) {
        char c = *tag;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 99;
        if (digit >= base)
            return 0;
        overflow |= __builtin_mul_overflow(payload, base, &payload);
        overflow |= __builtin_add_overflow(payload, digit, &payload);
    }
    return overflow ? UINT64_MAX : payload;
}

double nan(const char *tag) {
    union {
        uint64_t bits;
        double value;
    } u = {.bits = 0x7ff8000000000000 | (nan_payload(tag) & 0x0007ffffffffffff)};
    return u.value;
}

float nanf(const char *tag) {
    union {
        uint32_t bits;
        float value;
    } u = {.bits = 0x7fc00000 | (nan_payload(tag) & 0x003fffff)};
    return u.value;
}

long double nanl(const char *tag) {
    union {
        struct {
            uint64_t mantissa;
            uint16_t sign_exp;
        } bits;
        long double value;
    } u = {.bits = {0xc000000000000000 | (nan_payload(tag) & 0x3fffffffffffffff), 0x7fff}};
    return u.value;
}

#define REAL double
#define COMPLEX double complex
#define NAME(base) base
#define NATIVE(base) __tb_math_##base
#define LIMIT(name) DBL_##name
#define LGAMMA_R lgamma_r
#include "math.c"

#define REAL float
#define COMPLEX float complex
#define NAME(base) base##f
#define NATIVE(base) __tb_math_##base##f
#define LIMIT(name) FLT_##name
#define LGAMMA_R lgammaf_r
#include "math.c"

#define REAL long double
#define COMPLEX long double complex
#define NAME(base) base##l
#define NATIVE(base) __tb_math_##base##l
#define LIMIT(name) LDBL_##name
#define LGAMMA_R lgammal_r
#include "math.c"

#else /* with REAL */

REAL NATIVE(trunc)(REAL x);
REAL NATIVE(floor)(REAL x);
REAL NATIVE(fabs)(REAL x);
REAL NATIVE(copysign)(REAL x, REAL y);

/* errno. A NaN out of no NaN is a domain error; an infinity out of finite operands a pole or an overflow. A zero is an
 * underflow where `vanished` says that it stands for something else. */

#define ONE_OPERAND(name, vanished)                                                                                    \
    REAL NATIVE(name)(REAL x);                                                                                         \
    REAL NAME(name)(REAL x) {                                                                                          \
        REAL r = NATIVE(name)(x);                                                                                      \
        if (isnan(r)) {                                                                                                \
            if (!isnan(x))                                                                                             \
                errno = EDOM;                                                                                          \
        } else if ((isinf(r) && isfinite(x)) || (r == 0 && (vanished))) {                                              \
            errno = ERANGE;                                                                                            \
        }                                                                                                              \
        return r;                                                                                                      \
    }

#define TWO_OPERANDS(name, vanished)                                                                                   \
    REAL NATIVE(name)(REAL x, REAL y);                                                                                 \
    REAL NAME(name)(REAL x, REAL y) {                                                                                  \
        REAL r = NATIVE(name)(x, y);                                                                                   \
        if (isnan(r)) {                                                                                                \
            if (!isnan(x) && !isnan(y))                                                                                \
                errno = EDOM;                                                                                          \
        } else if ((isinf(r) && isfinite(x) && isfinite(y)) || (r == 0 && (vanished))) {                               \
            errno = ERANGE;                                                                                            \
        }                                                                                                              \
        return r;                                                                                                      \
    }

#define WITH_INTEGER(name, integer)                                                                                    \
    REAL NATIVE(name)(REAL x, integer n);                                                                              \
    REAL NAME(name)(REAL x, integer n) {                                                                               \
        REAL r = NATIVE(name)(x, n);                                                                                   \
        if ((isinf(r) || r == 0) && isfinite(x) && x != 0)                                                             \
            errno = ERANGE;                                                                                            \
        return r;                                                                                                      \
    }

ONE_OPERAND(acos, 0)
ONE_OPERAND(acosh, 0)
ONE_OPERAND(asin, 0)
ONE_OPERAND(atanh, 0)
ONE_OPERAND(cos, 0)
ONE_OPERAND(cosh, 0)
ONE_OPERAND(erfc, isfinite(x))
ONE_OPERAND(exp, isfinite(x))
ONE_OPERAND(exp10, isfinite(x))
ONE_OPERAND(exp2, isfinite(x))
ONE_OPERAND(expm1, 0)
ONE_OPERAND(j0, 0)
ONE_OPERAND(j1, x != 0 && isfinite(x))
ONE_OPERAND(log, 0)
ONE_OPERAND(log10, 0)
ONE_OPERAND(log1p, 0)
ONE_OPERAND(log2, 0)
ONE_OPERAND(sin, 0)
ONE_OPERAND(sinh, 0)
ONE_OPERAND(sqrt, 0)
ONE_OPERAND(tan, 0)
ONE_OPERAND(tgamma, isfinite(x))
ONE_OPERAND(y0, 0)
ONE_OPERAND(y1, 0)

TWO_OPERANDS(atan2, x != 0 && isfinite(y))
TWO_OPERANDS(drem, 0)
TWO_OPERANDS(fdim, 0)
TWO_OPERANDS(fmod, 0)
TWO_OPERANDS(hypot, 0)
TWO_OPERANDS(pow, x != 0 && isfinite(x) && isfinite(y))
TWO_OPERANDS(remainder, 0)
TWO_OPERANDS(scalb, x != 0 && isfinite(x) && isfinite(y))

#define NEIGHBOUR(name, other)                                                                                         \
    REAL NATIVE(name)(REAL x, other y);                                                                                \
    REAL NAME(name)(REAL x, other y) {                                                                                 \
        REAL r = NATIVE(name)(x, y);                                                                                   \
        if (isfinite(x) && x != 0 && r != x && (isinf(r) || NATIVE(fabs)(r) < LIMIT(MIN)))                             \
            errno = ERANGE;                                                                                            \
        return r;                                                                                                      \
    }

NEIGHBOUR(nextafter, REAL)
NEIGHBOUR(nexttoward, long double)

WITH_INTEGER(ldexp, int)
WITH_INTEGER(scalbn, int)
WITH_INTEGER(scalbln, long)

#define BESSEL(name)                                                                                                   \
    REAL NATIVE(name)(int n, REAL x);                                                                                  \
    REAL NAME(name)(int n, REAL x) {                                                                                   \
        REAL r = NATIVE(name)(n, x);                                                                                   \
        if (isnan(r) && !isnan(x))                                                                                     \
            errno = EDOM;                                                                                              \
        else if (isfinite(x) && (isinf(r) || (r == 0 && x != 0)))                                                      \
            errno = ERANGE;                                                                                            \
        return r;                                                                                                      \
    }

BESSEL(jn)
BESSEL(yn)

int NATIVE(ilogb)(REAL x);
int NAME(ilogb)(REAL x) {
    if (x == 0 || !isfinite(x))
        errno = EDOM;
    return NATIVE(ilogb)(x);
}

long NATIVE(llogb)(REAL x);
long NAME(llogb)(REAL x) {
    if (x == 0 || !isfinite(x))
        errno = EDOM;
    return NATIVE(llogb)(x);
}

/* Pointers. */

REAL NAME(frexp)(REAL x, int *exponent) {
    if (x == 0 || !isfinite(x)) {
        *exponent = 0;
        return x + x;
    }
    *exponent = NATIVE(ilogb)(x) + 1;
    return NATIVE(scalbn)(x, -*exponent);
}

REAL NAME(modf)(REAL x, REAL *whole) {
    REAL w = NATIVE(trunc)(x);
    *whole = w;
    return isinf(x) ? NATIVE(copysign)(0, x) : NATIVE(copysign)(x - w, x);
}

/* The remainder, and the quotient's sign and last bits: those are found in what is left modulo eight divisors. */
REAL NAME(remquo)(REAL x, REAL y, int *quotient) {
    REAL r = NATIVE(remainder)(x, y);
    *quotient = 0;
    if (isnan(r) || isinf(y))
        return r;
    REAL a = NATIVE(fabs)(x), b = NATIVE(fabs)(y);
    int q = 0;
    if (b <= LIMIT(MAX) / 8)
        a = NATIVE(fmod)(a, 8 * b);
    if (b <= LIMIT(MAX) / 4 && a >= 4 * b)
        a -= 4 * b, q += 4;
    if (b <= LIMIT(MAX) / 2 && a >= 2 * b)
        a -= 2 * b, q += 2;
    if (a >= b)
        a -= b, q += 1;
    /* What is left is less than the divisor; the quotient is one more where the remainder has the other sign. */
    if ((r < 0) != (signbit(x) != 0) && r != 0)
        q += 1;
    *quotient = (signbit(x) != 0) != (signbit(y) != 0) ? -q : q;
    return r;
}

void NAME(sincos)(REAL x, REAL *sine, REAL *cosine) {
    *sine = NAME(sin)(x);
    *cosine = NAME(cos)(x);
}

/* The gamma function is negative between a negative odd number and the even one above it. */
REAL NATIVE(lgamma)(REAL x);
REAL LGAMMA_R(REAL x, int *sign) {
    REAL r = NATIVE(lgamma)(x);
    REAL below = NATIVE(floor)(x);
    int negative = x < 0 ? below != x && NATIVE(fmod)(below, 2) != 0 : x == 0 && signbit(x);
    *sign = negative ? -1 : 1;
    if (isinf(r) && isfinite(x))
        errno = ERANGE;
    return r;
}

REAL NAME(lgamma)(REAL x) {
    int sign;
    REAL r = LGAMMA_R(x, &sign);
    __atomic_store_n(&signgam, sign, __ATOMIC_RELAXED);
    return r;
}

REAL NAME(gamma)(REAL x) {
    return NAME(lgamma)(x);
}

/* complex.h. In terms of the real functions, with the special values of C's Annex G. */

#define MAKE(re, im) __builtin_complex((REAL)(re), (REAL)(im))
#define RE(z) __real__(z)
#define IM(z) __imag__(z)
#define INF ((REAL)INFINITY)
#define NOT_A_NUMBER ((REAL)NAN)
#define PI_ ((REAL)3.141592653589793238462643383279502884L)
#define LOG_2 ((REAL)0.693147180559945309417232121458176568L)
#define SIGN_OF(magnitude, x) NATIVE(copysign)(magnitude, x)
/* exp, sinh and cosh are finite up to here. */
#define LOG_MAX ((LIMIT(MAX_EXP) - 1) * LOG_2)

REAL NATIVE(asinh)(REAL x);
REAL NATIVE(tanh)(REAL x);
REAL NATIVE(fma)(REAL x, REAL y, REAL z);

REAL NAME(creal)(COMPLEX z) {
    return RE(z);
}

REAL NAME(cimag)(COMPLEX z) {
    return IM(z);
}

REAL NAME(cabs)(COMPLEX z) {
    return NAME(hypot)(RE(z), IM(z));
}

REAL NAME(carg)(COMPLEX z) {
    return NAME(atan2)(IM(z), RE(z));
}

COMPLEX NAME(conj)(COMPLEX z) {
    return MAKE(RE(z), -IM(z));
}

COMPLEX NAME(cproj)(COMPLEX z) {
    return isinf(RE(z)) || isinf(IM(z)) ? MAKE(INF, SIGN_OF(0, IM(z))) : z;
}

/* (c + i s) * factor * exp(x), where exp(x) alone may overflow. A factor is for such x only. */
static COMPLEX NAME(tb_scaled_exp)(REAL x, REAL factor, REAL c, REAL s) {
    for (int i = 0; i < 2 && x > LOG_MAX; i++) {
        REAL part = NATIVE(exp)(LOG_MAX) * factor;
        x -= LOG_MAX, c *= part, s *= part, factor = 1;
    }
    REAL e = NATIVE(exp)(x);
    return MAKE(e * c, e * s);
}

COMPLEX NAME(cexp)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (isfinite(x) && isfinite(y)) {
        COMPLEX r = NAME(tb_scaled_exp)(x, 1, NATIVE(cos)(y), NATIVE(sin)(y));
        return MAKE(RE(r), y == 0 ? y : IM(r));
    }
    if (isnan(x))
        return MAKE(x, y == 0 ? y : NOT_A_NUMBER);
    if (isfinite(x))
        return MAKE(NOT_A_NUMBER, NOT_A_NUMBER);
    REAL size = x > 0 ? INF : 0;
    if (y == 0)
        return MAKE(size, y);
    if (isfinite(y))
        return MAKE(SIGN_OF(size, NATIVE(cos)(y)), SIGN_OF(size, NATIVE(sin)(y)));
    return x > 0 ? MAKE(INF, NOT_A_NUMBER) : MAKE(0, SIGN_OF(0, y));
}

COMPLEX NAME(csinh)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (!isfinite(y)) {
        if (x == 0)
            return MAKE(x, NOT_A_NUMBER);
        return MAKE(isinf(x) ? INF : NOT_A_NUMBER, NOT_A_NUMBER);
    }
    if (y == 0)
        return MAKE(NATIVE(sinh)(x), y);
    REAL c = NATIVE(cos)(y), s = NATIVE(sin)(y);
    if (isinf(x))
        return MAKE(SIGN_OF(INF, c) * SIGN_OF(1, x), SIGN_OF(INF, s));
    if (NATIVE(fabs)(x) > LOG_MAX)
        return NAME(tb_scaled_exp)(NATIVE(fabs)(x), (REAL)0.5, c * SIGN_OF(1, x), s);
    return MAKE(NATIVE(sinh)(x) * c, NATIVE(cosh)(x) * s);
}

COMPLEX NAME(ccosh)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (!isfinite(y))
        return MAKE(isinf(x) ? INF : NOT_A_NUMBER, x == 0 ? 0 : NOT_A_NUMBER);
    if (y == 0)
        return MAKE(NATIVE(cosh)(x), isnan(x) ? y : y * SIGN_OF(1, x));
    REAL c = NATIVE(cos)(y), s = NATIVE(sin)(y);
    if (isinf(x))
        return MAKE(SIGN_OF(INF, c), SIGN_OF(INF, s) * SIGN_OF(1, x));
    if (NATIVE(fabs)(x) > LOG_MAX)
        return NAME(tb_scaled_exp)(NATIVE(fabs)(x), (REAL)0.5, c, s * SIGN_OF(1, x));
    return MAKE(NATIVE(cosh)(x) * c, NATIVE(sinh)(x) * s);
}

COMPLEX NAME(ctanh)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (isinf(x))
        return MAKE(SIGN_OF(1, x), SIGN_OF(0, isfinite(y) ? NATIVE(sin)(y) * NATIVE(cos)(y) : y));
    if (y == 0)
        return MAKE(NATIVE(tanh)(x), y);
    if (isnan(x) || !isfinite(y))
        return MAKE(x == 0 ? x : NOT_A_NUMBER, NOT_A_NUMBER);
    REAL c = NATIVE(cos)(y), s = NATIVE(sin)(y);
    if (NATIVE(fabs)(x) > LOG_MAX / 2) {
        /* The denominator is that of the general case, where cosh and sinh are the same to the last bit. */
        REAL e = NATIVE(exp)(-NATIVE(fabs)(x));
        return MAKE(SIGN_OF(1, x), 4 * s * c * e * e);
    }
    REAL sh = NATIVE(sinh)(x), ch = NATIVE(cosh)(x), denominator = sh * sh + c * c;
    return MAKE(sh * ch / denominator, s * c / denominator);
}

/* sin z = -i sinh iz, cos z = cosh iz, tan z = -i tanh iz; and so for the inverse functions below. */
COMPLEX NAME(csin)(COMPLEX z) {
    COMPLEX r = NAME(csinh)(MAKE(-IM(z), RE(z)));
    if (isnan(IM(r)) && isinf(RE(r)))
        return MAKE(IM(r), INF);
    return MAKE(IM(r), -RE(r));
}

COMPLEX NAME(ccos)(COMPLEX z) {
    return NAME(ccosh)(MAKE(-IM(z), RE(z)));
}

COMPLEX NAME(ctan)(COMPLEX z) {
    COMPLEX r = NAME(ctanh)(MAKE(-IM(z), RE(z)));
    return MAKE(IM(r), -RE(r));
}

/* Adds to a sum, and the rounding error of that to a second one. */
static void NAME(tb_add)(REAL *sum, REAL *error, REAL x) {
    REAL s = *sum + x, back = s - *sum;
    *error += (*sum - (s - back)) + (x - back);
    *sum = s;
}

/* log |z|. Near the unit circle the squares and their rounding errors are added up, so that little is lost. */
static REAL NAME(tb_log_abs)(REAL x, REAL y) {
    REAL a = NATIVE(fabs)(x), b = NATIVE(fabs)(y);
    if (a < b) {
        REAL t = a;
        a = b, b = t;
    }
    if (isinf(a) || isinf(b))
        return INF;
    if (a > LIMIT(MAX) / 2)
        return NATIVE(log)(NATIVE(hypot)(a / 2, b / 2)) + LOG_2;
    if (a < LIMIT(MIN))
        return NATIVE(log)(NATIVE(hypot)(a / LIMIT(EPSILON), b / LIMIT(EPSILON))) -
               (LIMIT(MANT_DIG) - 1) * LOG_2;
    if (a < (REAL)0.5 || a >= 2 || (a < 1 && a * a + b * b < (REAL)0.5))
        return NATIVE(log)(NATIVE(hypot)(a, b));
    if (a == 1)
        return NATIVE(log1p)(b * b) / 2;
    REAL aa = a * a, bb = b * b, sum = -1, error = 0;
    NAME(tb_add)(&sum, &error, aa);
    NAME(tb_add)(&sum, &error, bb);
    error += NATIVE(fma)(a, a, -aa) + NATIVE(fma)(b, b, -bb);
    return NATIVE(log1p)(sum + error) / 2;
}

COMPLEX NAME(clog)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    return MAKE(x == 0 && y == 0 ? -INF : NAME(tb_log_abs)(x, y), NATIVE(atan2)(y, x));
}

COMPLEX NAME(clog10)(COMPLEX z) {
    COMPLEX r = NAME(clog)(z);
    REAL log10_e = (REAL)0.434294481903251827651128918916605082L;
    return MAKE(RE(r) * log10_e, IM(r) * log10_e);
}

COMPLEX NAME(csqrt)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (isinf(y))
        return MAKE(INF, y);
    if (isinf(x)) {
        REAL other = isnan(y) ? y : 0;
        return x > 0 ? MAKE(x, SIGN_OF(other, y)) : MAKE(other, SIGN_OF(INF, y));
    }
    if (isnan(x) || isnan(y))
        return MAKE(NOT_A_NUMBER, NOT_A_NUMBER);
    if (y == 0)
        return x < 0 ? MAKE(0, SIGN_OF(NATIVE(sqrt)(-x), y)) : MAKE(NATIVE(fabs)(NATIVE(sqrt)(x)), y);
    /* Bring |z| into a range where the sum below neither overflows nor loses bits: by an even power of two. */
    int scale = 0;
    REAL size = NATIVE(fabs)(x) > NATIVE(fabs)(y) ? NATIVE(fabs)(x) : NATIVE(fabs)(y);
    if (size > LIMIT(MAX) / 4)
        scale = 2;
    else if (size < 4 * LIMIT(MIN) / LIMIT(EPSILON))
        scale = -2 * LIMIT(MANT_DIG);
    x = NATIVE(scalbn)(x, -scale), y = NATIVE(scalbn)(y, -scale);
    /* The larger part by the root; the other one by 2 re im = y, without cancellation. */
    REAL d = NATIVE(hypot)(x, y), re, im;
    if (x > 0) {
        re = NATIVE(sqrt)((d + x) / 2);
        im = y / re / 2;
    } else {
        im = NATIVE(sqrt)((d - x) / 2);
        re = NATIVE(fabs)(y / im / 2);
    }
    return MAKE(NATIVE(scalbn)(re, scale / 2), SIGN_OF(NATIVE(scalbn)(im, scale / 2), y));
}

COMPLEX NAME(cpow)(COMPLEX z, COMPLEX exponent) {
    return NAME(cexp)(exponent * NAME(clog)(z));
}

/* The inverse functions by Kahan's formulas, which keep the signs of zeros on the branch cuts. Where the argument is so
 * large that one makes no difference, by the logarithm of its double. */

COMPLEX NAME(casinh)(COMPLEX z) {
    REAL x = RE(z), y = IM(z);
    if (isnan(x) || isnan(y)) {
        if (isinf(x) || isinf(y))
            return MAKE(isinf(x) ? x : INF, NOT_A_NUMBER);
        return y == 0 ? z : MAKE(NOT_A_NUMBER, NOT_A_NUMBER);
    }
    REAL a = NATIVE(fabs)(x), b = NATIVE(fabs)(y);
    if (a > 1 / LIMIT(EPSILON) || b > 1 / LIMIT(EPSILON)) {
        REAL re = NAME(tb_log_abs)(a, b) + LOG_2;
        return MAKE(SIGN_OF(re, x), SIGN_OF(NATIVE(atan2)(b, a), y));
    }
    if (a < LIMIT(EPSILON) && b < LIMIT(EPSILON))
        return z;
    /* arcsin w for w = b + i a, turned back: the roots of 1 - w and 1 + w. */
    COMPLEX minus = NAME(csqrt)(MAKE(1 - b, -a)), plus = NAME(csqrt)(MAKE(1 + b, a));
    REAL re = NATIVE(asinh)(RE(minus) * IM(plus) - IM(minus) * RE(plus));
    REAL im = NATIVE(atan2)(b, RE(minus) * RE(plus) - IM(minus) * IM(plus));
    return MAKE(SIGN_OF(re, x), SIGN_OF(im, y));
}

COMPLEX NAME(casin)(COMPLEX z) {
    COMPLEX r = NAME(casinh)(MAKE(-IM(z), RE(z)));
    if (isnan(IM(r)) && isinf(RE(r)) && !isinf(IM(z)))
        return MAKE(IM(r), INF);
    return MAKE(IM(r), -RE(r));
}

COMPLEX NAME(cacos)(COMPLEX z) {
    REAL x = RE(z), y = IM(z), a = NATIVE(fabs)(x), b = NATIVE(fabs)(y);
    if (isnan(x) || isnan(y)) {
        if (isinf(x) || isinf(y))
            return MAKE(NOT_A_NUMBER, isinf(x) ? -INF : -y);
        return x == 0 ? MAKE(PI_ / 2, y) : MAKE(NOT_A_NUMBER, NOT_A_NUMBER);
    }
    if (a > 1 / LIMIT(EPSILON) || b > 1 / LIMIT(EPSILON)) {
        REAL im = NAME(tb_log_abs)(a, b) + LOG_2;
        return MAKE(NATIVE(atan2)(b, x), SIGN_OF(im, -y));
    }
    COMPLEX minus = NAME(csqrt)(MAKE(1 - x, -b)), plus = NAME(csqrt)(MAKE(1 + x, b));
    REAL re = 2 * NATIVE(atan2)(RE(minus), RE(plus));
    REAL im = NATIVE(asinh)(RE(minus) * IM(plus) - IM(minus) * RE(plus));
    return MAKE(re, SIGN_OF(im, -y));
}

COMPLEX NAME(cacosh)(COMPLEX z) {
    COMPLEX r = NAME(cacos)(z);
    REAL im = isnan(RE(r)) ? RE(r) : SIGN_OF(RE(r), IM(z));
    return MAKE(NATIVE(fabs)(IM(r)), im);
}

COMPLEX NAME(catanh)(COMPLEX z) {
    REAL x = RE(z), y = IM(z), a = NATIVE(fabs)(x), b = NATIVE(fabs)(y);
    if (isinf(y))
        return MAKE(SIGN_OF(0, x), SIGN_OF(PI_ / 2, y));
    if (isnan(x) || isnan(y)) {
        if (isinf(x) || x == 0)
            return MAKE(SIGN_OF(0, x), NOT_A_NUMBER);
        return MAKE(NOT_A_NUMBER, NOT_A_NUMBER);
    }
    if (a > 1 / LIMIT(EPSILON) || b > 1 / LIMIT(EPSILON)) {
        /* x / |z|^2 and a quarter turn, without squares that overflow. */
        REAL d = NATIVE(hypot)(a / 2, b / 2);
        return MAKE(SIGN_OF(isinf(a) ? 0 : a / d / d / 4, x), SIGN_OF(PI_ / 2, y));
    }
    REAL re;
    if (a == 1 && b < LIMIT(EPSILON))
        re = (LOG_2 - NATIVE(log)(b)) / 2;
    else
        re = NATIVE(log1p)(4 * a / ((1 - a) * (1 - a) + b * b)) / 4;
    REAL im = NATIVE(atan2)(2 * b, (1 - a) * (1 + a) - b * b) / 2;
    return MAKE(SIGN_OF(re, x), SIGN_OF(im, y));
}

COMPLEX NAME(catan)(COMPLEX z) {
    COMPLEX r = NAME(catanh)(MAKE(-IM(z), RE(z)));
    return MAKE(IM(r), -RE(r));
}

#undef ONE_OPERAND
#undef TWO_OPERANDS
#undef WITH_INTEGER
#undef NEIGHBOUR
#undef BESSEL
#undef MAKE
#undef RE
#undef IM
#undef INF
#undef NOT_A_NUMBER
#undef PI_
#undef LOG_2
#undef SIGN_OF
#undef LOG_MAX
#undef REAL
#undef COMPLEX
#undef NAME
#undef NATIVE
#undef LIMIT
#undef LGAMMA_R

#endif
