// Integer promotions and the usual arithmetic conversions.
#include <stdint.h>
#include <stdio.h>

#define KIND(e)                                                               \
  _Generic((e), int: "int", unsigned: "unsigned", long: "long",               \
      unsigned long: "ulong", long long: "llong",                             \
      unsigned long long: "ullong", float: "float", double: "double",         \
      long double: "ldouble", short: "short", unsigned char: "uchar",         \
      signed char: "schar", char: "char", _Bool: "bool",                      \
      unsigned short: "ushort")

#pragma clang diagnostic ignored "-Wsign-compare"

int main(void) {
  volatile uint8_t a = 200, b = 100;
  volatile int8_t sa = -100;
  volatile uint16_t w = 65535;
  volatile int16_t sw = -1;
  volatile uint32_t u = 1;
  volatile int32_t i = -1;
  volatile int64_t l = -1;
  volatile uint64_t ul = 1;
  printf("%d %d %d\n", a + b, a * b, (uint8_t)(a + b));
  printf("%d %d\n", sa - a, ~a);
  printf("%d %d\n", w * 2, (int)(w + 1u));
  printf("%d %d %d\n", sw < w, i < u, l < u);
  printf("%d %d\n", l < ul, i == u * 0xffffffffu);
  printf("%u %ld %lu\n", i + u, l + u, l + ul);
  printf("%s %s %s %s\n", KIND(a + b), KIND(w + sw), KIND(u + i), KIND(u + l));
  printf("%s %s %s %s\n", KIND(ul + l), KIND(1.0f + ul), KIND(1.0f + 1.0), KIND(1.0L + 1));
  printf("%s %s %s %s\n", KIND(+a), KIND(a << 1ul), KIND('a'), KIND(a ? 1 : 2u));
  printf("%s %s %s\n", KIND((uint8_t)1), KIND(1 < 2), KIND((_Bool)1));
  a += 100;
  printf("%d\n", a);
  a -= 45;
  printf("%d\n", a);
  sa = (int8_t)(sa - 100);
  printf("%d\n", sa);
  w = (uint16_t)(w << 4);
  printf("%d\n", w);
  sw = (int16_t)(w ^ 0x8001);
  printf("%d\n", sw);
  a = 255;
  a++;
  printf("%d\n", a);
  sa = 127;
  sa++;
  printf("%d\n", sa);
  printf("%d\n", (a == 0) + (sa == -128));
  return (a == 0) * 11;
}
