// __int128: shifts by variable amounts, bit operations, comparisons.
#include <stdint.h>
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void show(const char *what, u128 v) {
  printf("%s %016lx%016lx\n", what, (uint64_t)(v >> 64), (uint64_t)v);
}

int main(void) {
  volatile u128 base = ((u128)0xfedcba9876543210u << 64) | 0x0f1e2d3c4b5a6978u;
  u128 acc = 0;
  for (volatile unsigned s = 0; s < 128; s++) {
    acc ^= base << s;
    acc += base >> s;
    acc ^= (u128)((i128)base >> s);
    if (s % 31 == 1) {
      show("shl", base << s);
      show("shr", base >> s);
      show("sar", (u128)((i128)base >> s));
    }
  }
  show("acc", acc);
  show("and", base & acc);
  show("or ", base | acc);
  show("xor", base ^ acc);
  show("not", ~base);
  show("neg", -base);
  i128 v[] = {0, 1, -1, (i128)1 << 64, -((i128)1 << 64), (i128)base, (i128)acc, (i128)INT64_MIN};
  enum { N = sizeof v / sizeof *v };
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      u128 a = (u128)v[i], b = (u128)v[j];
      int bits = (v[i] < v[j]) | (v[i] <= v[j]) << 1 | (v[i] == v[j]) << 2 | (v[i] != v[j]) << 3 |
                 (v[i] > v[j]) << 4 | (v[i] >= v[j]) << 5 | (a < b) << 6 | (a >= b) << 7;
      printf("%02x%c", bits, j == N - 1 ? '\n' : ' ');
    }
  }
  int rot = 0;
  for (unsigned k = 1; k < 128; k += 9) {
    u128 r = (base << k) | (base >> (128 - k));
    rot += __builtin_popcountll((uint64_t)r) * (int)k;
    rot ^= __builtin_popcountll((uint64_t)(r >> 64));
  }
  printf("rot %d\n", rot);
  return (acc >> 100) == 0 ? 1 : 7;
}
