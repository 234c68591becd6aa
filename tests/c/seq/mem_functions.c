// memcpy, memmove, memset, memcmp, memchr with every small length, offset and overlap.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t h = 3;
static void hash(const unsigned char *b, size_t n) {
  for (size_t i = 0; i < n; i++) h = (h ^ b[i]) * 0x100000001b3u;
}
static void reset(unsigned char *b) {
  for (int i = 0; i < 64; i++) b[i] = (unsigned char)(i * 7 + 1);
}

int main(void) {
  unsigned char a[64], b[64];
  for (volatile size_t n = 0; n <= 40; n++) {
    reset(a);
    memset(b, 0, 64);
    memcpy(b + n % 5, a + n % 3, n);
    hash(b, 64);
    reset(a);
    memmove(a + 3, a, n);
    hash(a, 64);
    reset(a);
    memmove(a, a + 5, n);
    hash(a, 64);
    reset(a);
    memset(a + n % 7, (int)n * 3 - 300, n);
    hash(a, 64);
  }
  printf("%016lx\n", h);
  reset(a);
  reset(b);
  b[20]++;
  int r = 0;
  for (volatile size_t n = 0; n < 40; n++) {
    int c = memcmp(a, b, n), d = memcmp(b, a, n);
    r = r * 3 % 100003 + (c > 0) - (c < 0) + 2 * (d > 0);
  }
  printf("%d\n", r);
  volatile unsigned char hi = 0x80, lo = 0x7f;
  unsigned char x[1] = {hi}, y[1] = {lo};
  printf("%d\n", memcmp(x, y, 1) > 0);
  reset(a);
  unsigned char *p = memchr(a, 36, 64);
  printf("%td %d\n", p ? p - a : -1, memchr(a, 3, 5) == NULL);
  p = memrchr(a, 36, 64);
  printf("%td\n", p ? p - a : -1);
  unsigned char *e = mempcpy(b, "abc", 3);
  printf("%td %c\n", e - b, b[2]);
  p = memccpy(b, "hello world", ' ', 12);
  printf("%td\n", p - b);
  p = memmem(b, 6, "lo", 2);
  printf("%td\n", p - b);
  struct {
    int i[100];
  } s1, s2;
  for (int i = 0; i < 100; i++) s1.i[i] = i * i;
  memcpy(&s2, &s1, sizeof s1);
  memmove(&s2.i[1], &s2.i[0], 99 * sizeof(int));
  hash((unsigned char *)&s2, sizeof s2);
  printf("%016lx\n", h);
  return (int)(h % 256);
}
