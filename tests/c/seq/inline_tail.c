// static inline, always_inline, noinline, tail calls (musttail), pure and const functions.
#include <stdint.h>
#include <stdio.h>

static inline int sq(int x) { return x * x; }
__attribute__((always_inline)) static inline uint32_t mixw(uint32_t a, uint32_t b) { return (a ^ b) * 0x9e3779b1u; }
__attribute__((noinline)) static int opaque(int x) { return x + 3; }
__attribute__((const)) static int twice(int x) { return 2 * x; }
__attribute__((pure)) static int len(const char *s) {
  int n = 0;
  while (s[n]) n++;
  return n;
}
inline int ext_inline(int x) { return x - 1; }
extern inline int ext_inline(int x);

__attribute__((noinline)) static uint64_t count_b(uint64_t n, uint64_t acc);
__attribute__((noinline)) static uint64_t count_a(uint64_t n, uint64_t acc) {
  if (n == 0) return acc;
  __attribute__((musttail)) return count_b(n - 1, acc * 3 + 1);
}
__attribute__((noinline)) static uint64_t count_b(uint64_t n, uint64_t acc) {
  if (n == 0) return ~acc;
  __attribute__((musttail)) return count_a(n - 1, acc ^ n);
}
static unsigned long fact(unsigned n, unsigned long acc) { return n < 2 ? acc : fact(n - 1, acc * n); }
__attribute__((hot, flatten)) static int all(int x) { return sq(opaque(twice(x))) + ext_inline(x); }

int main(void) {
  uint32_t h = 1;
  for (uint32_t i = 0; i < 100; i++) h = mixw(h, i) + (uint32_t)sq((int)i);
  printf("%08x\n", h);
  printf("%016lx\n", count_a(1000, 1));
  printf("%lu\n", fact(20, 1));
  printf("%d %d %d\n", all(4), len("tail call"), ext_inline(1));
  return __builtin_expect(all(1), 1) & 0xff;
}
