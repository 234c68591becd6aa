// Big integers: factorial, Fibonacci, power, long division, decimal printing, digits of e.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { L = 40 };
typedef struct {
  uint32_t d[L];
  int n;
} big;

static big from(uint32_t x) { return (big){{x}, x != 0}; }
static void mul_small(big *b, uint32_t m) {
  uint64_t c = 0;
  for (int i = 0; i < b->n; i++) {
    c += (uint64_t)b->d[i] * m;
    b->d[i] = (uint32_t)c;
    c >>= 32;
  }
  if (c) b->d[b->n++] = (uint32_t)c;
}
static uint32_t div_small(big *b, uint32_t m) {
  uint64_t r = 0;
  for (int i = b->n - 1; i >= 0; i--) {
    r = r << 32 | b->d[i];
    b->d[i] = (uint32_t)(r / m);
    r %= m;
  }
  while (b->n && !b->d[b->n - 1]) b->n--;
  return (uint32_t)r;
}
static big add(const big *a, const big *b) {
  big r = {{0}, 0};
  uint64_t c = 0;
  int n = a->n > b->n ? a->n : b->n;
  for (int i = 0; i < n; i++) {
    c += (uint64_t)(i < a->n ? a->d[i] : 0) + (i < b->n ? b->d[i] : 0);
    r.d[i] = (uint32_t)c;
    c >>= 32;
  }
  r.n = n;
  if (c) r.d[r.n++] = (uint32_t)c;
  return r;
}
static big mul(const big *a, const big *b) {
  big r = {{0}, a->n + b->n};
  for (int i = 0; i < a->n; i++) {
    uint64_t c = 0;
    for (int j = 0; j < b->n || c; j++) {
      c += r.d[i + j] + (uint64_t)a->d[i] * (j < b->n ? b->d[j] : 0);
      r.d[i + j] = (uint32_t)c;
      c >>= 32;
    }
  }
  while (r.n && !r.d[r.n - 1]) r.n--;
  return r;
}
static void print(big b) {
  char s[500];
  int i = sizeof s;
  s[--i] = 0;
  if (!b.n) s[--i] = '0';
  while (b.n) {
    uint32_t r = div_small(&b, 1000000000);
    for (int k = 0; k < 9 && (b.n || r); k++, r /= 10) s[--i] = (char)('0' + r % 10);
  }
  puts(s + i);
}

int main(void) {
  big f = from(1);
  for (uint32_t i = 2; i <= 50; i++) mul_small(&f, i);
  print(f);
  big a = from(0), b = from(1);
  for (int i = 0; i < 300; i++) {
    big c = add(&a, &b);
    a = b;
    b = c;
  }
  print(a);
  big p = from(1), base = from(7);
  for (int e = 100; e; e >>= 1) {
    if (e & 1) p = mul(&p, &base);
    base = mul(&base, &base);
  }
  print(p);
  uint32_t m = div_small(&p, 1000003);
  printf("%u\n", m);
  print(from(0));
  // e by a spigot over a fixed array of digits
  int dig[40];
  for (int i = 0; i < 40; i++) dig[i] = 1;
  printf("2.");
  for (int k = 0; k < 30; k++) {
    int carry = 0;
    for (int i = 39; i >= 0; i--) {
      int t = dig[i] * 10 + carry;
      carry = t / (i + 2);
      dig[i] = t % (i + 2);
    }
    printf("%d", carry);
  }
  puts("");
  return (int)(m & 0xff);
}
