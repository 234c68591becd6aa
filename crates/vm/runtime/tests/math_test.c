/* Compares runtime/math.c and runtime/builtins.c, compiled natively with their functions renamed to tb_…, with glibc
 * and libgcc: results bit by bit, errno, what is written through pointers; complex functions as printed with %.10g.
 * NaNs are all equal. math_test.sh compiles it. */
#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, checks;

/* What math.c asks of the machine. */
_Noreturn void __tb_unsupported(const char *what);
static const char *unsupported;
static jmp_buf refused;
_Noreturn void __tb_unsupported(const char *what) {
    unsupported = what;
    longjmp(refused, 1);
}

/* Its errno, apart from glibc's, which the natives under it set. */
int *tb_errno_location(void);
static int tb_errno;
int *tb_errno_location(void) {
    return &tb_errno;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const long double specials[] = {
    0.0L, -0.0L, 1, -1, 0.5L, -0.5L, 2, -2, 3, -3, 1.5L, -2.5L, 10, 0.1L, -0.1L, 0.7L, 100.5L, -37, 1e10L, -1e10L,
    INFINITY, -INFINITY, NAN, 1e-10L, 1e300L, -1e300L, 1e-300L, -1e-300L, 1e-310L, 5e-324L, DBL_MAX, -DBL_MAX, DBL_MIN,
    FLT_MAX, FLT_MIN, 1e-40L, 1e-45L, LDBL_MAX, LDBL_MIN, -LDBL_MAX, 3.6e-4951L, 88.5L, 89, -87.5L, -103.5L, -104.5L,
    709.5L, 710, -708.5L, -744.5L, -745.5L, 1023.5L, 1024, -1074.5L, -1075.5L, -1080, 11356, 11357, -11399, -11400.5L,
    16384, -16445.5L, -16450, 170.5L, 171.7L, 34.5L, 35.1L, 1755, 1756, -170.5L, -180.5L, -190.5L, 26, 27.5L, 28, 107,
    9, 9.5L, 10.1L, 38.5L, 38.6L, 308.2L, 308.3L, -323.5L, -324.5L, -45, -45.5L, 4932, 4933, -4951.5L, -4960,
    1e16L, 1e18L, 0.99999999L, 1.00000001L, -0.99999999L, 2.5e305L, 1e306L, 4e36L, -1.5L, -4, -4.5L, -1e15L - 1,
    3.14159265358979323846L, 1.57079632679489661923L, 2.71828182845904523536L, 1 + LDBL_EPSILON, 1 - LDBL_EPSILON,
    1 + DBL_EPSILON, 1 - DBL_EPSILON, 0x1.921fb6p+1L, 1e22L, 128, -126, -127, -149, -150, 1e4900L, 1e-4900L,
};

static long double operands[400];
static int n_operands;

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static int same_bits(const void *a, const void *b, size_t size, int both_nan) {
    return both_nan || memcmp(a, b, size == 16 ? 10 : size) == 0;
}

#define FAIL(...)                                                                                                      \
    do {                                                                                                               \
        static int shown;                                                                                              \
        failures++;                                                                                                    \
        if (shown++ < 6)                                                                                               \
            printf("FAIL " __VA_ARGS__);                                                                               \
    } while (0)

/* glibc's newer float functions set errno also where they rounded up to the least subnormal; math.c does not. */
#define LEAST(x) (sizeof(x) == 4 && fabsl((long double)(x)) == 0x1p-149L)

/* Equal bits, or two NaNs. */
#define SAME(a, b) same_bits(&(a), &(b), sizeof(a), (a) != (a) && (b) != (b))

#define ONE(T, name)                                                                                                   \
    do {                                                                                                               \
        T tb_##name(T);                                                                                                \
        for (int i = 0; i < n_operands; i++) {                                                                         \
            T x = (T)operands[i];                                                                                      \
            errno = 0;                                                                                                 \
            T want = name(x);                                                                                          \
            int e = errno;                                                                                             \
            tb_errno = 0;                                                                                              \
            T got = tb_##name(x);                                                                                      \
            checks++;                                                                                                  \
            if (!SAME(got, want) || (tb_errno != e && !LEAST(want)))                                                   \
                FAIL("%s(%La): %La errno %d, glibc %La errno %d\n", #name, (long double)x, (long double)got, tb_errno, \
                     (long double)want, e);                                                                            \
        }                                                                                                              \
    } while (0)

#define TWO(T, U, name)                                                                                                \
    do {                                                                                                               \
        T tb_##name(T, U);                                                                                             \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (int j = 0; j < n_operands; j++) {                                                                     \
                T x = (T)operands[i];                                                                                  \
                U y = (U)operands[j];                                                                                  \
                errno = 0;                                                                                             \
                T want = name(x, y);                                                                                   \
                int e = errno;                                                                                         \
                tb_errno = 0;                                                                                          \
                T got = tb_##name(x, y);                                                                               \
                checks++;                                                                                              \
                if (!SAME(got, want) || (tb_errno != e && !LEAST(want)))                                               \
                    FAIL("%s(%La, %La): %La errno %d, glibc %La errno %d\n", #name, (long double)x, (long double)y,    \
                         (long double)got, tb_errno, (long double)want, e);                                            \
            }                                                                                                          \
    } while (0)

static const int integers[] = {0, 1, -1, 2, 10, -10, 127, 128, -149, -150, 1023, 1024, -1074, -1075, 2000, -2200, 16384,
                               -16445, 40000, -40000, INT32_MAX, INT32_MIN};

#define INTEGER(T, I, name)                                                                                            \
    do {                                                                                                               \
        T tb_##name(T, I);                                                                                             \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (size_t j = 0; j < COUNT(integers); j++) {                                                             \
                T x = (T)operands[i];                                                                                  \
                I n = integers[j];                                                                                     \
                errno = 0;                                                                                             \
                T want = name(x, n);                                                                                   \
                int e = errno;                                                                                         \
                tb_errno = 0;                                                                                          \
                T got = tb_##name(x, n);                                                                               \
                checks++;                                                                                              \
                if (!SAME(got, want) || (tb_errno != e && !LEAST(want)))                                               \
                    FAIL("%s(%La, %ld): %La errno %d, glibc %La errno %d\n", #name, (long double)x, (long)n,           \
                         (long double)got, tb_errno, (long double)want, e);                                            \
            }                                                                                                          \
    } while (0)

#define BESSEL(T, name)                                                                                                \
    do {                                                                                                               \
        T tb_##name(int, T);                                                                                           \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (int n = -3; n < 200; n = n < 4 ? n + 1 : n * 3) {                                                     \
                T x = (T)operands[i];                                                                                  \
                errno = 0;                                                                                             \
                T want = name(n, x);                                                                                   \
                int e = errno;                                                                                         \
                tb_errno = 0;                                                                                          \
                T got = tb_##name(n, x);                                                                               \
                checks++;                                                                                              \
                if (!SAME(got, want) || (tb_errno != e && !LEAST(want)))                                               \
                    FAIL("%s(%d, %La): %La errno %d, glibc %La errno %d\n", #name, n, (long double)x,                  \
                         (long double)got, tb_errno, (long double)want, e);                                            \
            }                                                                                                          \
    } while (0)

/* A function that also writes an R through a pointer. */
#define ONE_POINTER(T, R, name)                                                                                        \
    do {                                                                                                               \
        T tb_##name(T, R *);                                                                                           \
        for (int i = 0; i < n_operands; i++) {                                                                         \
            T x = (T)operands[i];                                                                                      \
            R p = 77, q = 77;                                                                                          \
            errno = 0;                                                                                                 \
            T want = name(x, &p);                                                                                      \
            int e = errno;                                                                                             \
            tb_errno = 0;                                                                                              \
            T got = tb_##name(x, &q);                                                                                  \
            checks++;                                                                                                  \
            if (!SAME(got, want) || tb_errno != e || !SAME(p, q))                                                      \
                FAIL("%s(%La): %La %Lg errno %d, glibc %La %Lg errno %d\n", #name, (long double)x, (long double)got,   \
                     (long double)q, tb_errno, (long double)want, (long double)p, e);                                  \
        }                                                                                                              \
    } while (0)

#define REMQUO(T, name)                                                                                                \
    do {                                                                                                               \
        T tb_##name(T, T, int *);                                                                                      \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (int j = 0; j < n_operands; j++) {                                                                     \
                T x = (T)operands[i], y = (T)operands[j];                                                              \
                int p = 0, q = 0;                                                                                      \
                errno = 0;                                                                                             \
                T want = name(x, y, &p);                                                                               \
                int e = errno;                                                                                         \
                tb_errno = 0;                                                                                          \
                T got = tb_##name(x, y, &q);                                                                           \
                checks++;                                                                                              \
                if (!SAME(got, want) || tb_errno != e || (!isnan(want) && p != q))                                     \
                    FAIL("%s(%La, %La): %La %d errno %d, glibc %La %d errno %d\n", #name, (long double)x,              \
                         (long double)y, (long double)got, q, tb_errno, (long double)want, p, e);                      \
            }                                                                                                          \
    } while (0)

#define SINCOS(T, name)                                                                                                \
    do {                                                                                                               \
        void tb_##name(T, T *, T *);                                                                                   \
        for (int i = 0; i < n_operands; i++) {                                                                         \
            T x = (T)operands[i], s, c, ts, tc;                                                                        \
            errno = 0;                                                                                                 \
            name(x, &s, &c);                                                                                           \
            int e = errno;                                                                                             \
            tb_errno = 0;                                                                                              \
            tb_##name(x, &ts, &tc);                                                                                    \
            checks++;                                                                                                  \
            if (!SAME(ts, s) || !SAME(tc, c) || tb_errno != e)                                                         \
                FAIL("%s(%La): %La %La errno %d, glibc %La %La errno %d\n", #name, (long double)x, (long double)ts,    \
                     (long double)tc, tb_errno, (long double)s, (long double)c, e);                                    \
        }                                                                                                              \
    } while (0)

extern int tb_signgam;
#define LGAMMA(T, name)                                                                                                \
    do {                                                                                                               \
        T tb_##name(T);                                                                                                \
        for (int i = 0; i < n_operands; i++) {                                                                         \
            T x = (T)operands[i];                                                                                      \
            name(x), tb_##name(x);                                                                                     \
            checks++;                                                                                                  \
            if (signgam != tb_signgam)                                                                                 \
                FAIL("signgam of %s(%La): %d, glibc %d\n", #name, (long double)x, tb_signgam, signgam);                \
        }                                                                                                              \
    } while (0)

#define TO_INTEGER(T, I, name)                                                                                         \
    do {                                                                                                               \
        I tb_##name(T);                                                                                                \
        for (int i = 0; i < n_operands; i++) {                                                                         \
            T x = (T)operands[i];                                                                                      \
            errno = 0;                                                                                                 \
            I want = name(x);                                                                                          \
            int e = errno;                                                                                             \
            tb_errno = 0;                                                                                              \
            I got = tb_##name(x);                                                                                      \
            checks++;                                                                                                  \
            if (got != want || tb_errno != e)                                                                          \
                FAIL("%s(%La): %ld errno %d, glibc %ld errno %d\n", #name, (long double)x, (long)got, tb_errno,        \
                     (long)want, e);                                                                                   \
        }                                                                                                              \
    } while (0)

#define TAG(T, name)                                                                                                   \
    do {                                                                                                               \
        T tb_##name(const char *);                                                                                     \
        for (size_t i = 0; i < COUNT(tags); i++) {                                                                     \
            T want = name(tags[i]), got = tb_##name(tags[i]);                                                          \
            checks++;                                                                                                  \
            if (!same_bits(&want, &got, sizeof want, 0))                                                               \
                FAIL("%s(\"%s\")\n", #name, tags[i]);                                                                  \
        }                                                                                                              \
    } while (0)

static const char *volatile tags[] = {
    "",   "0",  "1",   "42",  "0x1234", "0xABCdef0", "017", "09", "abc", "0x", "12x", "1 2", "-3", "_1",
    "0x1fffffffffffffffff", "99999999999999999999999", "18446744073709551615", "4503599627370495", "0x8000000000000",
};

/* Complex functions: printed texts. Bits that differ are only counted. */
static int complex_checks, complex_bits;
static int digits;

static void text(char *out, long double x) {
    /* The sign of a NaN says nothing. */
    if (isnan(x))
        strcpy(out, "nan");
    else
        sprintf(out, "%.*Lg", digits, x);
}

static int agree(long double a, long double b, long double size) {
    char s[64], t[64];
    text(s, a), text(t, b);
    if (strcmp(s, t) == 0)
        return 1;
    if (!isfinite(a) || !isfinite(b))
        return 0;
    /* A last digit of the text that rounds the other way, or a part that is tiny beside the other one. */
    long double unit = powl(10, -digits);
    return fabsl(a - b) <= 2 * unit * fabsl(b) || fabsl(a - b) <= unit * 1e-4L * size;
}

#define COMPLEX1(T, name)                                                                                              \
    do {                                                                                                               \
        T _Complex tb_##name(T _Complex);                                                                              \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (int j = 0; j < n_operands; j++) {                                                                     \
                T x = (T)operands[i], y = (T)operands[j];                                                              \
                T _Complex z = __builtin_complex(x, y), got = tb_##name(z), want = name(z);                            \
                T gr = __real__ got, gi = __imag__ got, wr = __real__ want, wi = __imag__ want;                        \
                complex_checks++;                                                                                      \
                complex_bits += SAME(gr, wr) && SAME(gi, wi);                                                          \
                long double size = fabsl((long double)wr) + fabsl((long double)wi);                                    \
                int zeros = (wr == 0 && gr == 0 && signbit(wr) != signbit(gr)) ||                                      \
                            (wi == 0 && gi == 0 && signbit(wi) != signbit(gi));                                        \
                if (!agree(gr, wr, size) || !agree(gi, wi, size) || zeros)                                             \
                    FAIL("%s(%Lg, %Lg): %.*Lg %.*Lg, glibc %.*Lg %.*Lg\n", #name, (long double)x, (long double)y,      \
                         digits, (long double)gr, digits, (long double)gi, digits, (long double)wr, digits,            \
                         (long double)wi);                                                                             \
            }                                                                                                          \
    } while (0)

#define COMPLEX_REAL(T, name)                                                                                          \
    do {                                                                                                               \
        T tb_##name(T _Complex);                                                                                       \
        for (int i = 0; i < n_operands; i++)                                                                           \
            for (int j = 0; j < n_operands; j++) {                                                                     \
                T x = (T)operands[i], y = (T)operands[j];                                                              \
                T _Complex z = __builtin_complex(x, y);                                                                \
                T got = tb_##name(z), want = name(z);                                                                  \
                checks++;                                                                                              \
                if (!SAME(got, want))                                                                                  \
                    FAIL("%s(%Lg, %Lg): %La, glibc %La\n", #name, (long double)x, (long double)y, (long double)got,    \
                         (long double)want);                                                                           \
            }                                                                                                          \
    } while (0)

#define COMPLEX_POWER(T, name)                                                                                         \
    do {                                                                                                               \
        T _Complex tb_##name(T _Complex, T _Complex);                                                                  \
        static const T parts[] = {0, 1, -1, 0.5, 2, -2.5, 3, 0.1, 10, -7};                                             \
        for (int i = 0; i < 10000; i++) {                                                                              \
            T _Complex z = __builtin_complex(parts[i % 10], parts[i / 10 % 10]);                                       \
            T _Complex w = __builtin_complex(parts[i / 100 % 10], parts[i / 1000]);                                    \
            T _Complex got = tb_##name(z, w), want = name(z, w);                                                       \
            T gr = __real__ got, gi = __imag__ got, wr = __real__ want, wi = __imag__ want;                            \
            complex_checks++;                                                                                          \
            complex_bits += SAME(gr, wr) && SAME(gi, wi);                                                              \
            long double size = fabsl((long double)wr) + fabsl((long double)wi);                                        \
            if (!agree(gr, wr, size * 100) || !agree(gi, wi, size * 100))                                              \
                FAIL("%s(%Lg%+Lgi, %Lg%+Lgi): %.*Lg %.*Lg, glibc %.*Lg %.*Lg\n", #name, (long double)__real__ z,       \
                     (long double)__imag__ z, (long double)__real__ w, (long double)__imag__ w, digits,                \
                     (long double)gr, digits, (long double)gi, digits, (long double)wr, digits, (long double)wi);      \
        }                                                                                                              \
    } while (0)

/* The compiler's functions: bits, but for the signs of NaNs. */
#define ARITHMETIC(T, name)                                                                                            \
    do {                                                                                                               \
        T _Complex name(T, T, T, T);                                                                                   \
        T _Complex tb_##name(T, T, T, T);                                                                              \
        for (int i = 0; i < 400000; i++) {                                                                             \
            int few = i < 200000 ? 30 : n_operands;                                                                    \
            T a = (T)operands[next_random() % few], b = (T)operands[next_random() % few];                              \
            T c = (T)operands[next_random() % few], d = (T)operands[next_random() % few];                              \
            T _Complex got = tb_##name(a, b, c, d), want = name(a, b, c, d);                                           \
            T gr = __real__ got, gi = __imag__ got, wr = __real__ want, wi = __imag__ want;                            \
            checks++;                                                                                                  \
            if (!SAME(gr, wr) || !SAME(gi, wi))                                                                        \
                FAIL("%s(%La, %La, %La, %La): %La %La, libgcc %La %La\n", #name, (long double)a, (long double)b,       \
                     (long double)c, (long double)d, (long double)gr, (long double)gi, (long double)wr,                \
                     (long double)wi);                                                                                 \
        }                                                                                                              \
    } while (0)

#define ONES(name) ONE(double, name); ONE(float, name##f); ONE(long double, name##l)
#define TWOS(name) TWO(double, double, name); TWO(float, float, name##f); TWO(long double, long double, name##l)
#define INTEGERS(I, name) INTEGER(double, I, name); INTEGER(float, I, name##f); INTEGER(long double, I, name##l)
#define COMPLEXES(name)                                                                                                \
    digits = 10;                                                                                                       \
    COMPLEX1(double, name);                                                                                            \
    COMPLEX1(long double, name##l);                                                                                    \
    digits = 5;                                                                                                        \
    COMPLEX1(float, name##f)
#define COMPLEX_REALS(name)                                                                                            \
    COMPLEX_REAL(double, name);                                                                                        \
    COMPLEX_REAL(float, name##f);                                                                                      \
    COMPLEX_REAL(long double, name##l)

int tb_fegetround(void), tb_fesetround(int), tb_feclearexcept(int), tb_fetestexcept(int), tb_feraiseexcept(int);
int tb_fegetenv(fenv_t *), tb_fesetenv(const fenv_t *), tb_feholdexcept(fenv_t *), tb_feupdateenv(const fenv_t *);

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition))                                                                                              \
            FAIL("line %d: %s\n", __LINE__, #condition);                                                               \
    } while (0)

static void environment(void) {
    CHECK(tb_fegetround() == FE_TONEAREST && tb_fesetround(FE_TONEAREST) == 0 && tb_fesetround(12345) != 0);
    if (!setjmp(refused)) {
        tb_fesetround(FE_UPWARD);
        CHECK(!"refused");
    }
    CHECK(unsupported && strstr(unsupported, "fesetround"));
    fenv_t env;
    CHECK(tb_feraiseexcept(FE_DIVBYZERO | FE_INEXACT) == 0);
    CHECK(tb_fetestexcept(FE_DIVBYZERO | FE_INEXACT) == (FE_DIVBYZERO | FE_INEXACT) && tb_fetestexcept(0) == 0);
    CHECK(tb_feclearexcept(FE_INEXACT) == 0 && tb_fetestexcept(FE_DIVBYZERO) == FE_DIVBYZERO);
    CHECK(tb_feholdexcept(&env) == 0);
    tb_feraiseexcept(FE_OVERFLOW);
    CHECK(tb_feupdateenv(&env) == 0);
    CHECK(tb_fetestexcept(FE_DIVBYZERO | FE_OVERFLOW) == (FE_DIVBYZERO | FE_OVERFLOW));
    CHECK(tb_fesetenv(FE_DFL_ENV) == 0);
    unsupported = NULL;
    if (!setjmp(refused)) {
        tb_fetestexcept(FE_OVERFLOW);
        CHECK(!"refused");
    }
    CHECK(unsupported && strstr(unsupported, "fetestexcept"));
    CHECK(tb_fegetenv(&env) == 0 && tb_fesetenv(&env) == 0);
}

int main(void) {
    for (size_t i = 0; i < COUNT(specials); i++)
        operands[n_operands++] = specials[i];
    for (int i = 0; i < 30; i++)
        operands[n_operands++] = ldexpl((long double)(int64_t)next_random() / 0x1p63L, (int)(next_random() % 24) - 12);
    ONES(acos); ONES(acosh); ONES(asin); ONES(atanh); ONES(cos); ONES(cosh); ONES(erfc); ONES(exp); ONES(exp10);
    ONES(exp2); ONES(expm1); ONES(j0); ONES(j1); ONES(log); ONES(log10); ONES(log1p); ONES(log2); ONES(sin);
    ONES(sinh); ONES(sqrt); ONES(tan); ONES(tgamma); ONES(y0); ONES(y1); ONES(lgamma); ONES(gamma);
    TWOS(atan2); TWOS(drem); TWOS(fdim); TWOS(fmod); TWOS(hypot); TWOS(nextafter); TWOS(pow); TWOS(remainder);
    TWOS(scalb);
    TWO(double, long double, nexttoward); TWO(float, long double, nexttowardf);
    TWO(long double, long double, nexttowardl);
    INTEGERS(int, ldexp); INTEGERS(int, scalbn); INTEGERS(long, scalbln);
    BESSEL(double, jn); BESSEL(float, jnf); BESSEL(long double, jnl);
    BESSEL(double, yn); BESSEL(float, ynf); BESSEL(long double, ynl);
    TO_INTEGER(double, int, ilogb); TO_INTEGER(float, int, ilogbf); TO_INTEGER(long double, int, ilogbl);
    TO_INTEGER(double, long, llogb); TO_INTEGER(float, long, llogbf); TO_INTEGER(long double, long, llogbl);
    ONE_POINTER(double, int, frexp); ONE_POINTER(float, int, frexpf); ONE_POINTER(long double, int, frexpl);
    ONE_POINTER(double, double, modf); ONE_POINTER(float, float, modff);
    ONE_POINTER(long double, long double, modfl);
    ONE_POINTER(double, int, lgamma_r); ONE_POINTER(float, int, lgammaf_r); ONE_POINTER(long double, int, lgammal_r);
    LGAMMA(double, lgamma); LGAMMA(float, lgammaf); LGAMMA(long double, lgammal);
    REMQUO(double, remquo); REMQUO(float, remquof); REMQUO(long double, remquol);
    SINCOS(double, sincos); SINCOS(float, sincosf); SINCOS(long double, sincosl);
    TAG(double, nan); TAG(float, nanf); TAG(long double, nanl);
    environment();
    ARITHMETIC(double, __muldc3); ARITHMETIC(float, __mulsc3); ARITHMETIC(long double, __mulxc3);
    ARITHMETIC(double, __divdc3); ARITHMETIC(float, __divsc3); ARITHMETIC(long double, __divxc3);
    COMPLEX_REALS(cabs); COMPLEX_REALS(carg); COMPLEX_REALS(creal); COMPLEX_REALS(cimag);
    COMPLEXES(conj); COMPLEXES(cproj); COMPLEXES(cexp); COMPLEXES(clog); COMPLEXES(clog10); COMPLEXES(csqrt);
    COMPLEXES(csin); COMPLEXES(ccos); COMPLEXES(ctan); COMPLEXES(csinh); COMPLEXES(ccosh); COMPLEXES(ctanh);
    COMPLEXES(casin); COMPLEXES(cacos); COMPLEXES(catan); COMPLEXES(casinh); COMPLEXES(cacosh); COMPLEXES(catanh);
    digits = 10; COMPLEX_POWER(double, cpow); COMPLEX_POWER(long double, cpowl);
    digits = 4; COMPLEX_POWER(float, cpowf);
    printf("%d checks, %d of complex functions (%d with the same bits), %d failures\n", checks, complex_checks,
           complex_bits, failures);
    return failures != 0;
}
