// Functions with many parameters: integer, floating, mixed, on stack, recursive.
#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static long ints(int a, long b, char c, short d, unsigned e, uint8_t f, int64_t g, int h, uint16_t i, long j) {
  return a + b * 2 + c * 3 + d * 4 + e * 5l + f * 6 + g * 7 + h * 8 + i * 9 + j * 10;
}
__attribute__((noinline)) static double dbls(double a, float b, double c, float d, double e, float f, double g, float h, double i, float j, long double k) {
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + (double)k * 11;
}
__attribute__((noinline)) static double mixed(int a, double b, long c, float d, char e, double f, int g, double h, short i, double j, long k, double l,
                    uint64_t m, double n, int o, double p, int q, double r, __int128 s, int t, __int128 u) {
  double w = a + b - (double)c + d - e + f * g - h + i * j + (double)k - l;
  return w + (double)m * 0.5 + n - o + p * q + r + (double)(s >> 66) + t + (double)(int64_t)u;
}
__attribute__((noinline)) static int bools(_Bool a, signed char b, unsigned char c, short d, unsigned short e, _Bool f, signed char g, short h) {
  return a + b * 2 + c * 4 + d * 8 + e * 16 + f * 32 + g * 64 + h * 128;
}
static int rec(int a, int b, int c, int d, int e, int f, int g, int h) {
  return a == 0 ? b + c * 2 + d * 3 + e * 4 + f * 5 + g * 6 + h * 7 : rec(a - 1, h, b, c, d, e, f, g);
}

int main(void) {
  printf("%ld\n", ints(1, -2, 'c', -4, 5, 250, 1l << 33, -8, 65535, 10));
  printf("%.10g\n", dbls(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5L));
  printf("%.12g\n", mixed(1, 2.5, 3, 4.5f, 'e', 6.25, 7, 8.125, 9, 10, 11, 12, 1ull << 40, 14, 15, 16, 17, 18, -((__int128)3 << 66), 20, -21));
  printf("%d\n", bools(1, -2, 255, -300, 65535, 0, -128, 32767));
  for (int i = 0; i < 10; i++) printf("%d ", rec(i, 1, 2, 3, 4, 5, 6, 7));
  puts("");
  long (*volatile p)(int, long, char, short, unsigned, uint8_t, int64_t, int, uint16_t, long) = ints;
  return (int)(p(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}
