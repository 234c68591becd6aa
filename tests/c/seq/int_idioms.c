// Integer expressions the optimiser rewrites: division by constants, multiplication by shifts, range checks, absolute values, averages.
#include <stdint.h>
#include <stdio.h>

static uint64_t h = 1;
static void mix(uint64_t v) { h = (h ^ v) * 0x100000001b3u; }

static int in_range(int x) { return x >= 10 && x <= 20; }
static int is_digit_or_x(unsigned char c) { return (c >= '0' && c <= '9') || c == 'x' || c == 'X'; }
static int sign(int x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
static uint32_t avg(uint32_t a, uint32_t b) { return (a & b) + ((a ^ b) >> 1); }
static int floor_div(int a, int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int euclid_mod(int a, int b) {
  int r = a % b;
  return r < 0 ? r + (b < 0 ? -b : b) : r;
}
static uint32_t round_up(uint32_t x, uint32_t a) { return (x + a - 1) & ~(a - 1); }
static int same_sign(int a, int b) { return (a ^ b) >= 0; }
static int leap(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }

int main(void) {
  static const int c[] = {-2147483647, -1000000, -4097, -100, -21, -1, 0, 1, 9, 10, 20, 21, 99, 1900, 2000, 65535, 1000001, 2147483647};
  enum { N = sizeof c / sizeof *c };
  for (int i = 0; i < N; i++) {
    int x = c[i];
    uint32_t u = (uint32_t)x;
    mix((uint64_t)((int64_t)x / 2 + x / 3 + x / 5 + x / 7 + x / 10 + x / 12 + x / 100 + x / 1000));
    mix((uint64_t)(x % 2 + x % 3 + x % 5 + x % 7 + x % 10 + x % 12 + x % 100 + x % 1000 + x % -13));
    mix(u / 2 + u / 3 + u / 5 + u / 7 + u / 10 + u / 641 + u / 65537 + u / 0x80000001u);
    mix(u % 3 + u % 6 + u % 9 + u % 11 + u % 60 + u % 1000000007u);
    mix((uint64_t)((int64_t)x * 3 + (int64_t)x * 5 + (int64_t)x * 9 + (int64_t)x * 15 - (int64_t)x * 31 + (int64_t)x * 100));
    mix((uint64_t)(in_range(x) + 2 * is_digit_or_x((unsigned char)x) + 4 * sign(x) + 16 * leap(x)));
    mix(avg(u, 0x80000000u) + round_up(u & 0xffffff, 64));
    mix((uint64_t)(floor_div(x, 7) ^ euclid_mod(x, 7) ^ floor_div(x, -10) ^ euclid_mod(x, -10)));
    mix((uint64_t)same_sign(x, c[N - 1 - i]));
    mix((uint64_t)((x < 0 ? -(int64_t)x : (int64_t)x) + (x > 50 ? 50 : x < -50 ? -50 : x)));
    mix((uint64_t)x / 1000000007 + (uint64_t)x % 998244353);
    mix((uint64_t)((int64_t)x * x / 12345 - (int64_t)x * x % 6789));
    mix((uint64_t)((x & 7) == 0) + (uint64_t)((x & -x) == x) + ((u >> 5 | u << 27) ^ (u << 9 | u >> 23)));
    mix((uint64_t)((uint8_t)x / 10 * 16 + (uint8_t)x % 10) + (uint64_t)((int16_t)x / 10) + (uint64_t)((int8_t)x % 3));
  }
  printf("%016lx\n", h);
  printf("%d %d %d %d\n", floor_div(-7, 2), euclid_mod(-7, 2), floor_div(7, -2), euclid_mod(-7, -2));
  printf("%u %u\n", avg(4294967295u, 4294967293u), round_up(65, 64));
  int bcd = 0;
  for (int n = 0; n < 100; n++) bcd += (n / 10 << 4 | n % 10) ^ n;
  printf("%d\n", bcd);
  return (int)(h & 0xff);
}
