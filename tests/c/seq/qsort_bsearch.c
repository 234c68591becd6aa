// qsort and bsearch on several element types and sizes; qsort_r, lfind.
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cmp_int(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}
static int cmp_dbl(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}
static int cmp_str(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int cmp_chr(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
struct rec {
  int key;
  char pad[9];
};
static int cmp_rec(const void *a, const void *b) {
  const struct rec *x = a, *y = b;
  return x->key != y->key ? (x->key > y->key ? 1 : -1) : x->pad[0] - y->pad[0];
}
static int cmp_ctx(const void *a, const void *b, void *ctx) {
  int m = *(int *)ctx;
  int x = *(const int *)a % m, y = *(const int *)b % m;
  return x != y ? x - y : *(const int *)a - *(const int *)b;
}

int main(void) {
  int a[100];
  unsigned s = 1;
  for (int i = 0; i < 100; i++) {
    s = s * 1103515245u + 12345u;
    a[i] = (int)(s >> 16) % 1000 - 200;
  }
  qsort(a, 100, sizeof *a, cmp_int);
  int sorted = 1;
  for (int i = 1; i < 100; i++) sorted &= a[i - 1] <= a[i];
  printf("%d %d %d %d\n", sorted, a[0], a[50], a[99]);
  int found = 0;
  for (int k = -200; k < 800; k++) found += bsearch(&k, a, 100, sizeof *a, cmp_int) != NULL;
  printf("%d\n", found);
  double d[] = {1.5, -2, 1e9, 0, -0.5, 3};
  qsort(d, 6, sizeof *d, cmp_dbl);
  for (int i = 0; i < 6; i++) printf("%g ", d[i]);
  puts("");
  const char *w[] = {"pear", "apple", "fig", "banana", "cherry", "apricot"};
  qsort(w, 6, sizeof *w, cmp_str);
  for (int i = 0; i < 6; i++) printf("%s ", w[i]);
  const char *key = "fig";
  const char **hit = bsearch(&key, w, 6, sizeof *w, cmp_str);
  printf("%td\n", hit - w);
  char t[] = "sphinx of black quartz";
  qsort(t, strlen(t), 1, cmp_chr);
  printf("[%s]\n", t);
  struct rec r[30];
  memset(r, 0, sizeof r);
  for (int i = 0; i < 30; i++) r[i].key = i * 7 % 10, r[i].pad[0] = (char)('a' + i % 26);
  qsort(r, 30, sizeof *r, cmp_rec);
  for (int i = 0; i < 30; i += 4) printf("%d%c ", r[i].key, r[i].pad[0]);
  puts("");
  int m = 7;
  qsort_r(a + 50, 20, sizeof *a, cmp_ctx, &m);
  for (int i = 50; i < 70; i += 3) printf("%d ", a[i]);
  puts("");
  size_t n = 100;
  int want = a[60];
  int *p = lfind(&want, a, &n, sizeof *a, cmp_int);
  printf("%d\n", p ? *p == want : -1);
  qsort(a, 0, sizeof *a, cmp_int);
  qsort(a, 1, sizeof *a, cmp_int);
  return found & 0xff;
}
