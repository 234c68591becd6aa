// Loops the optimiser turns into intrinsics or closed forms: memset, memcpy, strlen, popcount, sums, abs, min, max.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };
static char buf[N + 1], src[N + 1];
static int a[N], b[N];
static uint64_t q[N];

static int my_strlen(const char *s) {
  int n = 0;
  while (*s++) n++;
  return n;
}
static int my_strcmp(const char *x, const char *y) {
  while (*x && *x == *y) x++, y++;
  return (unsigned char)*x - (unsigned char)*y;
}
static int pop(uint64_t x) {
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}
static int lz(uint32_t x) {
  int n = 0;
  while (x) {
    x >>= 1;
    n++;
  }
  return 32 - n;
}
static unsigned tri(unsigned n) {
  unsigned s = 0;
  for (unsigned i = 1; i <= n; i++) s += i;
  return s;
}
static unsigned cubes(unsigned n) {
  unsigned s = 0;
  for (unsigned i = 0; i < n; i++) s += i * i * i;
  return s;
}
static int digits(unsigned long n) {
  int d = 0;
  do d++;
  while (n /= 10);
  return d;
}

int main(void) {
  volatile int n = N;
  for (int i = 0; i < n; i++) buf[i] = 'z';
  for (int i = 0; i < n; i++) src[i] = (char)('a' + i % 20);
  printf("%d ", my_strlen(buf));
  for (int i = 0; i < n; i++) buf[i] = src[i];
  printf("%d %s\n", my_strcmp(buf, src), buf + 90);
  for (int i = 0; i < n; i++) a[i] = -1;
  for (int i = 0; i < n; i++) q[i] = 0x0101010101010101u;
  for (int i = 0; i < n; i++) b[i] = i - 50;
  for (int i = n - 1; i > 0; i--) a[i] = a[i - 1];
  for (int i = 1; i < n; i++) b[i - 1] = b[i];
  int s = 0, mx = -1000, mn = 1000, as = 0;
  for (int i = 0; i < n; i++) {
    s += a[i];
    mx = mx > b[i] ? mx : b[i];
    mn = mn < b[i] ? mn : b[i];
    as += abs(b[i]);
  }
  printf("%d %d %d %d\n", s, mx, mn, as);
  int p = 0;
  for (int i = 0; i < n; i++) p += pop(q[i] * (uint64_t)(i + 1));
  printf("%d %d %d %d\n", p, lz(1), lz(0x80000000u), lz(0));
  printf("%u %u\n", tri((unsigned)n * 1000), cubes((unsigned)n));
  printf("%d %d\n", digits(0), digits(18446744073709551615u));
  unsigned d = 0;
  for (int i = 0; i < n; i++) d += (unsigned)i > 60u ? (unsigned)i - 60u : 0u;
  uint8_t sat = 0;
  for (int i = 0; i < n; i++) sat = sat > 250 ? 255 : (uint8_t)(sat + 5);
  printf("%u %d\n", d, sat);
  int eq = 0;
  for (int i = 0; i < 4; i++) eq += __builtin_memcmp(buf + i * 20, src, 16) == 0;
  printf("%d\n", eq);
  int first = -1, last = -1;
  for (int i = 0; i < n && first < 0; i++)
    if (buf[i] == 'q') first = i;
  for (int i = n; i-- > 0 && last < 0;)
    if (buf[i] == 'q') last = i;
  printf("%d %d\n", first, last);
  return p & 0xff;
}
