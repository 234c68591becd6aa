// __int128: add, sub, mul, div, mod, both signednesses.
#include <stdint.h>
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void print_u(u128 v) {
  char buf[48];
  int n = 48;
  buf[--n] = 0;
  do {
    buf[--n] = (char)('0' + (int)(v % 10));
    v /= 10;
  } while (v);
  printf("%s", buf + n);
}

static void print_i(i128 v) {
  if (v < 0) {
    printf("-");
    print_u(-(u128)v);
  } else {
    print_u((u128)v);
  }
}

int main(void) {
  static const int64_t parts[] = {0,  1,    -1,          2,         -7,        10,
                                  63, 1000, -1234567890, INT64_MAX, INT64_MIN, 0x123456789abcdef};
  enum { N = sizeof parts / sizeof *parts };
  uint64_t h = 1469598103934665603u;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      i128 a = (i128)parts[i] * parts[j];
      i128 b = (i128)parts[j] * 3 - parts[i];
      i128 c = a + b, d = a - b;
      i128 q = b ? a / b : 0, r = b ? a % b : 0;
      u128 ua = (u128)a, ub = (u128)b;
      u128 uq = ub ? ua / ub : 0, ur = ub ? ua % ub : 0;
      u128 um = ua * ub;
      u128 all[] = {(u128)c, (u128)d, (u128)q, (u128)r, uq, ur, um};
      for (int k = 0; k < 7; k++) {
        h = (h ^ (uint64_t)all[k]) * 1099511628211u;
        h = (h ^ (uint64_t)(all[k] >> 64)) * 1099511628211u;
      }
    }
  printf("hash %016lx\n", h);
  u128 f = 1;
  for (int i = 1; i <= 34; i++) {
    f *= (unsigned)i;
    if (i % 5 == 4 || i > 30) {
      printf("%d! = ", i);
      print_u(f);
      puts("");
    }
  }
  i128 min = (i128)((u128)1 << 127);
  print_i(min);
  puts("");
  print_i(~min);
  puts("");
  print_i(min / 1000000007);
  printf(" ");
  print_i(min % 1000000007);
  puts("");
  print_u((u128)-1 / 3);
  puts("");
  return (int)(h % 251);
}
