/* Runs the suites and counts. */
#include "harness.h"

#include <stdarg.h>

static unsigned long passed, failed, failed_before;
#define SHOWN 12

void check(bool ok, const char *file, int line, const char *format, ...)
{
    if (ok) {
        passed++;
        return;
    }
    failed++;
    if (failed - failed_before > SHOWN)
        return;
    printf("%s:%d: ", file, line);
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

static uint64_t state = 0x9e3779b97f4a7c15;

/* splitmix64 */
uint64_t random_bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

unsigned random_below(unsigned n) { return (unsigned)(random_bits() >> 32) % n; }

uint64_t random_interesting(void)
{
    switch (random_below(4)) {
    case 0:
        return (uint64_t)(int64_t)((int)random_below(200) - 100);
    case 1:
        return ((uint64_t)1 << random_below(64)) + random_below(3) - 1;
    case 2:
        return random_bits() >> random_below(64);
    default:
        return -(random_bits() >> random_below(64));
    }
}

double random_double(void)
{
    union {
        uint64_t bits;
        double value;
    } any = {random_bits()};
    switch (random_below(8)) {
    case 0:
        return any.value;
    case 1: /* few digits */
        return (double)(int)random_below(2000000) / (double[]){1, 2, 4, 8, 10, 100, 1000, 1e6}[random_below(8)];
    case 2: /* ties */
        return ((double)random_below(100000) + 0.5) / (double)((uint64_t)1 << random_below(20));
    case 3:
        return (double)(int64_t)random_interesting();
    case 4: /* subnormal */
        any.bits = (random_bits() >> random_below(52) & 0xfffffffffffff) | (any.bits & (uint64_t)1 << 63);
        return any.value;
    case 5: { /* next to a power of ten */
        char text[16];
        snprintf(text, sizeof text, "1e%d", (int)random_below(640) - 330);
        any.value = strtod(text, NULL);
        any.bits += random_below(3) - 1;
        return any.value;
    }
    case 6:
        return (double[]){0.0, -0.0, 1.0, __builtin_inf(), -__builtin_inf(), __builtin_nan(""), 9.5, 0.5, 1.5, 2.5,
                          9.995, 99.5, 0.0001, 0.00001, 999999.5, 1e15, 5e-324,
                              1.7976931348623157e308}[random_below(18)];
    default: /* a moderate exponent */
        any.bits = (any.bits & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + random_below(100)) << 52;
        return any.value;
    }
}

long double random_long_double(void)
{
    union {
        struct {
            uint64_t mantissa;
            uint16_t exponent;
        } bits;
        long double value;
    } any = {.value = 0};
    switch (random_below(5)) {
    case 0:
        return random_double();
    case 1: /* subnormal */
        any.bits.mantissa = random_bits() >> (1 + random_below(63));
        any.bits.exponent = (uint16_t)(random_below(2) << 15);
        return any.value;
    case 2: /* anything normal */
        any.bits.mantissa = random_bits() | (uint64_t)1 << 63;
        any.bits.exponent = (uint16_t)((random_below(0x7ffe) + 1) | random_below(2) << 15);
        return any.value;
    case 3:
        any.bits.mantissa = -((uint64_t)1 << random_below(64)) | (uint64_t)1 << 63;
        any.bits.exponent = (uint16_t)(16383 - 80 + (int)random_below(160));
        return any.value;
    default:
        any.bits.mantissa = random_bits() | (uint64_t)1 << 63;
        any.bits.exponent = (uint16_t)((16383 - 70 + (int)random_below(140)) | random_below(2) << 15);
        return any.value;
    }
}

static double factor = 1;

int times(int n)
{
    double wanted = n * factor;
    return wanted < 1 ? 1 : (int)wanted;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } suites[] = {
        {"printf", test_printf}, {"strto", test_strto},   {"scanf", test_scanf}, {"string", test_string},
        {"ctype", test_ctype},   {"stdlib", test_stdlib}, {"sort", test_sort},   {"rand", test_rand},
        {"stdio", test_stdio},   {"time", test_time},     {"system", test_system}, {"wide", test_wide},
        {"file", test_file},
    };
    if (getenv("SEED"))
        state = strtoull(getenv("SEED"), NULL, 0);
    if (getenv("FACTOR"))
        factor = strtod(getenv("FACTOR"), NULL);
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        if (argc > 1 && strcmp(argv[1], suites[i].name))
            continue;
        failed_before = failed;
        unsigned long before = passed;
        world_reset();
        suites[i].run();
        printf("%-8s %lu passed, %lu failed\n", suites[i].name, passed - before, failed - failed_before);
    }
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
