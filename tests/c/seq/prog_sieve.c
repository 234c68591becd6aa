// Sieves of Eratosthenes (bytes, bits, linear), Miller-Rabin, factorisation, totients.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 5000 };
static unsigned char comp[N];
static uint64_t bits[N / 64 + 1];
static int lp[N], primes[N];

static uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m) { return (uint64_t)((unsigned __int128)a * b % m); }
static uint64_t powmod(uint64_t b, uint64_t e, uint64_t m) {
  uint64_t r = 1;
  for (b %= m; e; e >>= 1, b = mulmod(b, b, m))
    if (e & 1) r = mulmod(r, b, m);
  return r;
}
static int is_prime(uint64_t n) {
  static const int bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2) return 0;
  for (int i = 0; i < 12; i++)
    if (n % (uint64_t)bases[i] == 0) return n == (uint64_t)bases[i];
  int s = __builtin_ctzll(n - 1);
  uint64_t d = (n - 1) >> s;
  for (int i = 0; i < 12; i++) {
    uint64_t x = powmod((uint64_t)bases[i], d, n);
    int ok = x == 1 || x == n - 1;
    for (int k = 1; k < s && !ok; k++) {
      x = mulmod(x, x, n);
      ok = x == n - 1;
    }
    if (!ok) return 0;
  }
  return 1;
}

int main(void) {
  int a = 0, b = 0, np = 0;
  for (int i = 2; i < N; i++) {
    if (comp[i]) continue;
    a++;
    for (int j = i * i; j < N; j += i) comp[j] = 1;
  }
  memset(bits, 0xff, sizeof bits);
  for (uint64_t i = 2; i < N; i++) {
    if (!(bits[i / 64] >> i % 64 & 1)) continue;
    b++;
    for (uint64_t j = 2 * i; j < N; j += i) bits[j / 64] &= ~(1ull << j % 64);
  }
  for (int i = 2; i < N; i++) {
    if (!lp[i]) lp[i] = primes[np++] = i;
    for (int k = 0; k < np && primes[k] <= lp[i] && i * primes[k] < N; k++) lp[i * primes[k]] = primes[k];
  }
  printf("%d %d %d last %d\n", a, b, np, primes[np - 1]);
  long twins = 0, tot = 0;
  for (int i = 1; i < np; i++) twins += primes[i] - primes[i - 1] == 2;
  for (int n = 2; n < 1000; n++) {
    int phi = n, m = n;
    while (m > 1) {
      int p = lp[m];
      phi -= phi / p;
      while (m % p == 0) m /= p;
    }
    tot += phi;
  }
  printf("%ld %ld\n", twins, tot);
  const uint64_t big[] = {1000000007, 18446744073709551557u, 18446744073709551556u, 3215031751, 341550071728321};
  for (int i = 0; i < 5; i++) printf("%d", is_prime(big[i]));
  puts("");
  for (int n = 4998; n > 1;) {
    printf("%d ", lp[n]);
    n /= lp[n];
  }
  puts("");
  return a & 0xff;
}
