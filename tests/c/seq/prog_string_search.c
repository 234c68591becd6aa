// String search: naive, KMP, Boyer-Moore-Horspool, Rabin-Karp, all agreeing; Z function.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int (*searcher)(const char *, int, const char *, int, int *);

static int naive(const char *t, int n, const char *p, int m, int *cmp) {
  int hits = 0;
  for (int i = 0; i + m <= n; i++) {
    int j = 0;
    while (j < m && (++*cmp, t[i + j] == p[j])) j++;
    hits += j == m;
  }
  return hits;
}
static int kmp(const char *t, int n, const char *p, int m, int *cmp) {
  int f[32] = {0}, hits = 0;
  for (int i = 1, k = 0; i < m; i++) {
    while (k && p[i] != p[k]) k = f[k - 1];
    if (p[i] == p[k]) k++;
    f[i] = k;
  }
  for (int i = 0, k = 0; i < n; i++) {
    while (k && (++*cmp, t[i] != p[k])) k = f[k - 1];
    if (++*cmp, t[i] == p[k]) k++;
    if (k == m) {
      hits++;
      k = f[k - 1];
    }
  }
  return hits;
}
static int bmh(const char *t, int n, const char *p, int m, int *cmp) {
  int skip[256], hits = 0;
  for (int i = 0; i < 256; i++) skip[i] = m;
  for (int i = 0; i < m - 1; i++) skip[(unsigned char)p[i]] = m - 1 - i;
  for (int i = 0; i + m <= n;) {
    int j = m - 1;
    while (j >= 0 && (++*cmp, t[i + j] == p[j])) j--;
    hits += j < 0;
    i += j < 0 ? 1 : skip[(unsigned char)t[i + m - 1]];
  }
  return hits;
}
static int rk(const char *t, int n, const char *p, int m, int *cmp) {
  const uint32_t B = 257;
  uint32_t hp = 0, ht = 0, top = 1;
  int hits = 0;
  for (int i = 0; i < m; i++) {
    hp = hp * B + (unsigned char)p[i];
    ht = ht * B + (unsigned char)t[i];
    if (i) top *= B;
  }
  for (int i = 0; i + m <= n; i++) {
    if (hp == ht) {
      ++*cmp;
      hits += !memcmp(t + i, p, (size_t)m);
    }
    if (i + m < n) ht = (ht - (unsigned char)t[i] * top) * B + (unsigned char)t[i + m];
  }
  return hits;
}

int main(void) {
  char text[601];
  uint32_t x = 9;
  for (int i = 0; i < 600; i++) {
    x = x * 1664525 + 1013904223;
    text[i] = "ab"[x >> 28 > 6];
  }
  text[600] = 0;
  const char *pats[] = {"aba", "abab", "aaaaa", "bbabba", "abc", "b"};
  const searcher fn[] = {naive, kmp, bmh, rk};
  int total = 0;
  for (int i = 0; i < 6; i++) {
    printf("%s:", pats[i]);
    int first = -1;
    for (int k = 0; k < 4; k++) {
      int cmp = 0, h = fn[k](text, 600, pats[i], (int)strlen(pats[i]), &cmp);
      printf(" %d/%d", h, cmp);
      if (first >= 0 && h != first) return 1;
      first = h;
    }
    total += first;
    puts("");
  }
  int z[601] = {0}, zs = 0;
  for (int i = 1, l = 0, r = 0; i < 600; i++) {
    if (i < r) z[i] = r - i < z[i - l] ? r - i : z[i - l];
    while (i + z[i] < 600 && text[z[i]] == text[i + z[i]]) z[i]++;
    if (i + z[i] > r) l = i, r = i + z[i];
    zs = (zs * 3 + z[i]) % 10007;
  }
  printf("%d %d\n", total, zs);
  return total & 0xff;
}
