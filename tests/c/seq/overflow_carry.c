// Carry chains: __builtin_addc/subc, 256-bit addition and multiplication, wide comparison.
#include <stdint.h>
#include <stdio.h>

typedef struct {
  uint64_t w[4];
} u256;

static u256 add(u256 a, u256 b) {
  u256 r;
  unsigned long long c = 0;
  for (int i = 0; i < 4; i++) r.w[i] = __builtin_addcll(a.w[i], b.w[i], c, &c);
  return r;
}
static u256 sub(u256 a, u256 b) {
  u256 r;
  unsigned long long c = 0;
  for (int i = 0; i < 4; i++) r.w[i] = __builtin_subcll(a.w[i], b.w[i], c, &c);
  return r;
}
static u256 mul(u256 a, u256 b) {
  u256 r = {{0}};
  for (int i = 0; i < 4; i++) {
    unsigned __int128 c = 0;
    for (int j = 0; i + j < 4; j++) {
      c += (unsigned __int128)a.w[i] * b.w[j] + r.w[i + j];
      r.w[i + j] = (uint64_t)c;
      c >>= 64;
    }
  }
  return r;
}
static int less(u256 a, u256 b) {
  int borrow = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t d;
    int c = __builtin_sub_overflow(a.w[i], b.w[i], &d);
    c |= __builtin_sub_overflow(d, (uint64_t)borrow, &d);
    borrow = c;
  }
  return borrow;
}
static void show(const char *n, u256 a) { printf("%s %016lx%016lx%016lx%016lx\n", n, a.w[3], a.w[2], a.w[1], a.w[0]); }

int main(void) {
  u256 one = {{1}}, max = {{~0ull, ~0ull, ~0ull, ~0ull}}, f = one;
  show("max+1", add(max, one));
  show("0-1", sub((u256){{0}}, one));
  for (uint64_t i = 2; i <= 57; i++) f = mul(f, (u256){{i}});
  show("57!", f);
  u256 a = {{0x123456789abcdef0, 0xfedcba9876543210, 7, 0}}, b = {{~0ull, 1, 0, 1ull << 63}};
  show("add", add(a, b));
  show("sub", sub(a, b));
  show("mul", mul(a, b));
  printf("%d %d %d\n", less(a, b), less(b, a), less(a, a));
  unsigned char c8;
  unsigned char s8 = __builtin_addcb(200, 100, 1, &c8);
  unsigned short c16;
  unsigned short s16 = __builtin_subcs(5, 10, 0, &c16);
  unsigned c32;
  unsigned s32 = __builtin_addc(~0u, 0, 1, &c32);
  printf("%d %d %d %d %u %u\n", s8, c8, s16, c16, s32, c32);
  uint64_t hi = (uint64_t)(((unsigned __int128)a.w[0] * b.w[0]) >> 64);
  int64_t shi = (int64_t)(((__int128)(int64_t)a.w[1] * (int64_t)a.w[0]) >> 64);
  printf("%016lx %ld\n", hi, shi);
  return (int)(f.w[1] & 0xff);
}
