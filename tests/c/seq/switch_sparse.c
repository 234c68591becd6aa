// Sparse, negative, 64-bit, enum and GNU-range switch statements.
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static int sparse(int x) {
  switch (x) {
    case INT_MIN: return 1;
    case -1000000: return 2;
    case -7: return 3;
    case 0: return 4;
    case 99: return 5;
    case 1 << 20: return 6;
    case INT_MAX: return 7;
  }
  return 0;
}
static int wide(uint64_t x) {
  switch (x) {
    case 0: return 1;
    case 0xffffffffu: return 2;
    case 0x100000000u: return 3;
    case 0x123456789abcdef0u: return 4;
    case UINT64_MAX: return 5;
    default: return 0;
  }
}
static int swide(int64_t x) {
  switch (x) {
    case INT64_MIN: return 1;
    case -1: return 2;
    case -4294967296l: return 3;
    case INT64_MAX: return 4;
  }
  return 0;
}
static int range(int x) {
  switch (x) {
    case -10 ... -1: return 1;
    case 0: return 2;
    case 1 ... 9: return 3;
    case 10 ... 1000000: return 4;
    case 'a' + 2000000 ... 'z' + 2000000: return 5;
    default: return 6;
  }
}
static int classify(char c) {
  switch (c) {
    case '0' ... '9': return 'd';
    case 'a' ... 'z':
    case 'A' ... 'Z':
    case '_': return 'i';
    case ' ':
    case '\t': return 's';
    case -128 ... -1: return 'h';
  }
  return 'p';
}
static int wide_range(uint64_t x) {
  switch (x) {
    case 1 ... 0x7fffffffffffffff: return 1;
    case 0x8000000000000000u ... 0xfffffffffffffffeu: return 2;
  }
  return 3;
}

int main(void) {
  int s[] = {INT_MIN, INT_MIN + 1, -1000000, -7, -1, 0, 98, 99, 1 << 20, INT_MAX - 1, INT_MAX};
  for (int i = 0; i < 11; i++) printf("%d", sparse(s[i]));
  puts("");
  uint64_t w[] = {0, 1, 0xffffffff, 0x100000000, 0x123456789abcdef0, 0x9abcdef0, UINT64_MAX, 1ull << 63};
  for (int i = 0; i < 8; i++) printf("%d%d%d ", wide(w[i]), swide((int64_t)w[i]), wide_range(w[i]));
  puts("");
  printf("%d%d%d\n", swide(INT64_MIN), swide(-4294967296l), swide(INT64_MAX));
  int r[] = {-11, -10, -5, -1, 0, 1, 9, 10, 1000000, 1000001, 2000096, 2000097, 2000122, 2000123};
  for (int i = 0; i < 14; i++) printf("%d", range(r[i]));
  puts("");
  for (const char *p = "a Z9_+\t\x90~"; *p; p++) putchar(classify(*p));
  puts("");
  return range(5) + wide(UINT64_MAX);
}
