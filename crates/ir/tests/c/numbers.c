/* Numbers: wide integers, floats of every format, complex, vectors. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

const u128 wide = ((u128)0xfedcba9876543210ull << 64) | 0x0123456789abcdefull;
const i128 most_negative = (i128)1 << 127;
unsigned _BitInt(37) odd_width = 0x1fffffffff;

u128 mix(u128 a, i128 b, int shift) {
    u128 q = a / ((u128)b | 1);
    return (q * wide) ^ (a << (shift & 127)) ^ (u128)(b >> 3) ^ (a % 1000000007u);
}

_BitInt(37) bits(_BitInt(37) a, _BitInt(37) b) { return a * b + (_BitInt(37))odd_width; }

long double extended[] = { 0.1L, -1.0L, 1e4000L, __builtin_infl(), __builtin_nanl("") };
__float128 quad[] = { 0.1Q, -2.5Q, 1e-4000Q };
_Float16 halves[] = { 0.1f16, 65504.0f16, 6e-8f16 };
float singles[] = { 0.1f, 1e-45f, 3.4e38f, __builtin_inff(), -0.0f, __builtin_nanf("0x123") };
double doubles[] = { 0.1, 5e-324, 1.7e308, __builtin_inf(), __builtin_nans("") };

long double widen(float f, double d, int i, unsigned long u, i128 w) {
    return (long double)f + (long double)d * i - (long double)u + (long double)w + extended[1];
}
__float128 widest(long double l, int i) { return (__float128)l * quad[0] + i; }
_Float16 narrow(float f, _Float16 h) { return (_Float16)f * h + halves[0]; }

int to_int(long double l, double d, float f) { return (int)l + (int)(unsigned)d + (int)(signed char)f + (int)(bool)d; }
uint64_t to_u64(double d) { return (uint64_t)d; }

int ordered(double a, double b) {
    return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * (a != b) + 16 * isunordered(a, b) + 32 * islessgreater(a, b) +
           64 * !(a >= b) + 128 * !(a > b);
}

double maths(double x, float y) {
    return sqrt(x) + fabs(-x) + fma(x, x, x) + floor(x) + copysign(x, -y) + fmod(x, 3.0) + fmin(x, y) - -x;
}

double complex rotate(double complex z, float complex w) {
    return z * (1.0 + 2.0 * I) / w + conj(z) * cabs(z);
}
long double complex lrotate(long double complex z) { return z * z; }

typedef int v4si __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef unsigned char v16qi __attribute__((vector_size(16)));
typedef double v8df __attribute__((vector_size(64)));
typedef short v8hi __attribute__((vector_size(16)));

v4si constant_vector = { 1, -2, 3, 4 };

v4si vectors(v4si a, v4si b, int n) {
    v4si c = a * b + constant_vector;
    c[n & 3] = a[1];
    c ^= (a < b) & ~c;
    return __builtin_shufflevector(c, b, 3, 2, 4, -1) << 2;
}
v4sf convert(v4si a, v4sf f) { return __builtin_convertvector(a, v4sf) / f - -f; }
v4si reinterpret(v4sf f) { return (v4si)f; }
v16qi bytes(v16qi a) { return a + (v16qi){ 0, 0, 3 } + 7; }
v8df wide_vector(v8df *p, double s) { return *p * s; }
typedef int e4 __attribute__((ext_vector_type(4)));
e4 choose(e4 c, e4 a, e4 b) { return (c ? a : b).wzyx; }

float dot(const float *restrict a, const float *restrict b, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}
int reduce(const short *p, int n) {
    int best = 0, total = 0;
    for (int i = 0; i < n; i++) {
        total += p[i];
        if (p[i] > best) best = p[i];
    }
    return total ^ best;
}
void gather(int *restrict out, const int *restrict table, const int *restrict index) {
    for (int i = 0; i < 64; i++) out[i] = table[index[i] & 255] * 3;
}
void saxpy(double *x, const double *y, double a) {
    for (int i = 0; i < 1024; i++) x[i] = a * x[i] + y[i];
}

uint32_t rotate_left(uint32_t x, int n) { return x << (n & 31) | x >> (-n & 31); }
uint64_t swap(uint64_t x) { return __builtin_bswap64(x) ^ (uint64_t)__builtin_clzll(x | 1); }
int saturate(int a, int b) { return __builtin_elementwise_add_sat(a, b); }
bool flip(bool a, bool b) { return (a && !b) || (a ^ b); }
