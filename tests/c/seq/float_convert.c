// Conversions float<->integer and between floating types, in all directions.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t h = 17;
static void mix(uint64_t v) { h = (h ^ v) * 0x100000001b3u; }
static void mixd(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  mix(u);
}
static void mixf(float d) {
  uint32_t u;
  memcpy(&u, &d, 4);
  mix(u);
}

int main(void) {
  volatile uint64_t u[] = {0, 1, 255, 65535, 16777217, 0xffffffff, 0x20000000000001, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000400, 0x8000000000000401, 0xffffffffffffffff};
  for (int i = 0; i < 12; i++) {
    uint64_t x = u[i];
    mixf((float)x);
    mixd((double)x);
    mixf((float)(int64_t)x);
    mixd((double)(int64_t)x);
    mixf((float)(uint32_t)x);
    mixd((double)(int32_t)x);
    mixf((float)(int16_t)x);
    mixd((double)(uint8_t)x);
    printf("%.9g %.17g %.21Lg %.9g %.17g\n", (float)x, (double)x, (long double)x, (float)(int64_t)x, (double)(int64_t)x);
  }
  volatile double d[] = {0.0, 0.5, 0.999999, 1.5, 100.7, 127.9, -0.9, -1.5, -100.7, -127.99};
  for (int i = 0; i < 10; i++) {
    double x = d[i];
    mix((uint64_t)(int8_t)x);
    mix((uint64_t)(int16_t)x);
    mix((uint64_t)(int32_t)x);
    mix((uint64_t)(int64_t)x);
    mix((uint64_t)(int64_t)(float)x);
    mix((uint64_t)(int64_t)(long double)x);
    if (x > -1) {
      mix((uint8_t)x);
      mix((uint16_t)x);
      mix((uint32_t)x);
      mix((uint64_t)x);
      mix((uint64_t)(float)x);
    }
    printf("%d %ld ", (int)x, (long)(float)x);
  }
  puts("");
  volatile double wide[] = {4294967295.0, 2147483648.5, 9223372036854774784.0, 9223372036854775808.0, 18446744073709549568.0};
  printf("%u %u\n", (uint32_t)wide[0], (uint32_t)wide[1]);
  printf("%ld %lu %lu\n", (int64_t)wide[2], (uint64_t)wide[3], (uint64_t)wide[4]);
  printf("%lu\n", (uint64_t)(long double)wide[4]);
  volatile double n[] = {1.1, 16777217.0, 1e-40, 1e39, -1e-46, 3.4028235677973366e38, 1.00000005960464477539, 1.00000017881393432617};
  for (int i = 0; i < 8; i++) {
    mixf((float)n[i]);
    printf("%a ", (double)(float)n[i]);
  }
  puts("");
  printf("%016lx\n", h);
  return (int)(h % 256);
}
