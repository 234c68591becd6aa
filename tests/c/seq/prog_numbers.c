// Number theory and numerals: gcd, modular inverse, CRT, roman numerals, bases, rationals, isqrt, perfect numbers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t t = a % b;
    a = b;
    b = t;
  }
  return a < 0 ? -a : a;
}
static uint64_t bgcd(uint64_t a, uint64_t b) {
  if (!a || !b) return a | b;
  int s = __builtin_ctzll(a | b);
  a >>= __builtin_ctzll(a);
  while (b) {
    b >>= __builtin_ctzll(b);
    if (a > b) {
      uint64_t t = a;
      a = b;
      b = t;
    }
    b -= a;
  }
  return a << s;
}
static int64_t inverse(int64_t a, int64_t m) {
  int64_t t = 0, nt = 1, r = m, nr = a % m;
  while (nr) {
    int64_t q = r / nr, x;
    x = t - q * nt, t = nt, nt = x;
    x = r - q * nr, r = nr, nr = x;
  }
  return r != 1 ? -1 : t < 0 ? t + m : t;
}
static void roman(int n, char *out) {
  static const struct {
    int v;
    const char *s;
  } t[] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
  *out = 0;
  for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
    for (; n >= t[i].v; n -= t[i].v) strcat(out, t[i].s);
}
static int unroman(const char *s) {
  int total = 0, last = 0;
  for (size_t i = strlen(s); i-- > 0;) {
    int v = s[i] == 'M' ? 1000 : s[i] == 'D' ? 500 : s[i] == 'C' ? 100 : s[i] == 'L' ? 50 : s[i] == 'X' ? 10 : s[i] == 'V' ? 5 : 1;
    total += v < last ? -v : v;
    last = v > last ? v : last;
  }
  return total;
}
typedef struct {
  int64_t n, d;
} rat;
static rat norm(int64_t n, int64_t d) {
  int64_t g = gcd(n, d);
  if (d < 0) g = -g;
  return (rat){n / g, d / g};
}
static rat radd(rat a, rat b) { return norm(a.n * b.d + b.n * a.d, a.d * b.d); }
static uint32_t isqrt(uint64_t x) {
  uint64_t r = 0;
  for (uint64_t b = 1ull << 31; b; b >>= 1)
    if ((r | b) * (r | b) <= x) r |= b;
  return (uint32_t)r;
}
static const char *words(int n) {
  static const char *const ones[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
  return n < 13 ? ones[n] : "many";
}

int main(void) {
  int bad = 0;
  for (int64_t a = 1; a < 60; a += 3)
    for (int64_t b = 1; b < 60; b += 4) bad += gcd(a * 6, b * 10) != (int64_t)bgcd((uint64_t)a * 6, (uint64_t)b * 10);
  printf("%d %ld %ld %ld\n", bad, gcd(-48, 36), inverse(3, 11), inverse(1234567, 1000000007));
  int64_t r[] = {2, 3, 2}, m[] = {3, 5, 7}, x = 0;
  for (int i = 0; i < 3; i++) x += r[i] * (105 / m[i]) * inverse(105 / m[i], m[i]);
  printf("%ld\n", x % 105);
  char s[32];
  for (int n = 1; n < 4000; n += 37) {
    roman(n, s);
    bad += unroman(s) != n;
  }
  roman(1994, s);
  printf("%d %s\n", bad, s);
  rat h = {0, 1};
  for (int i = 1; i <= 20; i++) h = radd(h, norm(1, i % 2 ? i : -i));
  printf("%ld/%ld\n", h.n, h.d);
  printf("%u %u %u\n", isqrt(99), isqrt(UINT64_MAX), isqrt(1ull << 40));
  for (int n = 2; n < 500; n++) {
    int sum = 1;
    for (int d = 2; d * d <= n; d++)
      if (n % d == 0) sum += d + (d * d != n ? n / d : 0);
    if (sum == n) printf("%d ", n);
  }
  int happy = 0;
  for (int n = 1; n < 100; n++) {
    int k = n;
    while (k != 1 && k != 4) {
      int t = 0;
      for (; k; k /= 10) t += k % 10 * (k % 10);
      k = t;
    }
    happy += k == 1;
  }
  printf("%d %s %s\n", happy, words(7), words(70));
  for (int base = 2; base <= 16; base += 7) {
    char buf[33];
    int i = 32;
    buf[i] = 0;
    for (unsigned v = 54321; v; v /= (unsigned)base) buf[--i] = "0123456789abcdef"[v % (unsigned)base];
    printf("%s=%ld ", buf + i, strtol(buf + i, NULL, base));
  }
  puts("");
  return happy;
}
