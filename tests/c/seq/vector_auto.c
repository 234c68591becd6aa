// Loops that clang vectorises at -O2: sums, saxpy, min/max, reversals, strides, conditionals.
#include <stdint.h>
#include <stdio.h>

enum { N = 257 };
static int32_t ia[N], ib[N], ic[N];
static float fa[N], fb[N];
static double da[N];
static uint8_t ba[N], bb[N];
static int16_t sa[N];
static int64_t la[N];

int main(void) {
  for (int i = 0; i < N; i++) {
    ia[i] = (i * 7919) % 1000 - 500;
    ib[i] = i ^ 0x55;
    fa[i] = (float)i * 0.5f;
    da[i] = i / 3.0;
    ba[i] = (uint8_t)(i * 31);
    bb[i] = (uint8_t)(i * 17 + 3);
    sa[i] = (int16_t)(i * 251);
    la[i] = (int64_t)i << 33;
  }
  int64_t sum = 0;
  for (int i = 0; i < N; i++) sum += ia[i];
  int mn = ia[0], mx = ia[0];
  for (int i = 0; i < N; i++) {
    mn = ia[i] < mn ? ia[i] : mn;
    mx = ia[i] > mx ? ia[i] : mx;
  }
  printf("%ld %d %d\n", sum, mn, mx);
  for (int i = 0; i < N; i++) ic[i] = ia[i] * ib[i] + 3;
  for (int i = 0; i < N; i++) fb[i] = 2.5f * fa[i] + fa[N - 1 - i];
  unsigned x = 0;
  for (int i = 0; i < N; i++) x ^= (unsigned)ic[i];
  printf("%08x %a %a\n", x, fb[3], fb[200]);
  int pos = 0;
  for (int i = 0; i < N; i++) pos += ia[i] > 0 ? 2 : -1;
  printf("%d\n", pos);
  unsigned sad = 0;
  for (int i = 0; i < N; i++) sad += (unsigned)(ba[i] > bb[i] ? ba[i] - bb[i] : bb[i] - ba[i]);
  printf("%u\n", sad);
  for (int i = 0; i < N; i++) bb[i] = (uint8_t)((ba[i] + bb[i] + 1) >> 1);
  unsigned bs = 0;
  for (int i = 0; i < N; i++) bs += bb[i];
  printf("%u\n", bs);
  int32_t dot = 0;
  for (int i = 0; i < N; i++) dot += sa[i] * (int16_t)ib[i];
  printf("%d\n", dot);
  int64_t ls = 0;
  for (int i = 0; i < N; i += 2) ls += la[i] >> 3;
  printf("%ld\n", ls);
  for (int i = 0; i < N; i++) da[i] = da[i] * da[i] + 1.0 / (i + 1);
  double ds = 0;
  for (int i = 0; i < N; i++) ds += da[i];
  printf("%a\n", ds);
  for (int i = 0; i < N; i++) ia[i] = (int)fb[i];
  for (int i = 0; i < N; i++) fa[i] = (float)ia[i] / 3;
  for (int i = 0; i < N; i++) ic[i] = fa[i] < 50 ? ia[i] : ~ib[i];
  unsigned hsh = 0;
  for (int i = 0; i < N; i++) hsh = hsh * 31 + (unsigned)ic[i];
  printf("%u\n", hsh);
  for (int i = 0; i < N / 2; i++) {
    int t = ic[i];
    ic[i] = ic[N - 1 - i];
    ic[N - 1 - i] = t;
  }
  int first = -1;
  for (int i = 0; i < N; i++)
    if (ic[i] == ~ib[100]) {
      first = i;
      break;
    }
  printf("%d %d\n", first, ic[0]);
  uint64_t pc = 0;
  for (int i = 0; i < N; i++) pc += (uint64_t)__builtin_popcount((unsigned)ic[i]);
  printf("%lu\n", pc);
  for (int i = 0; i < N; i++) ib[i] = (int)((unsigned)ib[i] << (i & 15)) >> (i & 7);
  int any = 0, all = 1;
  for (int i = 0; i < N; i++) any |= ib[i] < 0, all &= ib[i] != 1;
  printf("%d %d\n", any, all);
  return (int)(pc & 0xff);
}
