// Arrays of structs: sorting, searching, swapping, two-dimensional, in loops.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rec {
  char name[12];
  int age;
  double score;
  struct {
    short lo, hi;
  } range[2];
};

static int by_score(const void *a, const void *b) {
  const struct rec *x = a, *y = b;
  return (x->score > y->score) - (x->score < y->score);
}
static int by_name(const void *a, const void *b) { return strcmp(((const struct rec *)a)->name, ((const struct rec *)b)->name); }

int main(void) {
  struct rec r[40];
  unsigned seed = 42;
  for (int i = 0; i < 40; i++) {
    seed = seed * 1103515245u + 12345u;
    snprintf(r[i].name, sizeof r[i].name, "n%05u", seed >> 16);
    r[i].age = (int)(seed >> 20) % 90;
    r[i].score = (seed >> 8 & 0xffff) / 100.0;
    for (int k = 0; k < 2; k++) r[i].range[k].lo = (short)(i - k), r[i].range[k].hi = (short)(i + k * 10);
  }
  qsort(r, 40, sizeof *r, by_score);
  for (int i = 0; i < 40; i += 13) printf("%s %d %.2f %d\n", r[i].name, r[i].age, r[i].score, r[i].range[1].hi);
  qsort(r, 40, sizeof *r, by_name);
  for (int i = 0; i < 40; i += 13) printf("%s %d\n", r[i].name, r[i].range[0].lo);
  struct rec key = r[17];
  struct rec *f = bsearch(&key, r, 40, sizeof *r, by_name);
  printf("%td\n", f ? f - r : -1);
  for (int i = 0, j = 39; i < j; i++, j--) {
    struct rec t = r[i];
    r[i] = r[j];
    r[j] = t;
  }
  long h = 0;
  for (const struct rec *p = r; p != r + 40; ++p) h = (h * 131 + p->age + (long)(p->score * 100) + p->range[1].lo) % 1000000007;
  printf("%ld\n", h);
  struct rec grid[3][4];
  for (int i = 0; i < 12; i++) grid[i / 4][i % 4] = r[i];
  int ages = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) ages = ages * 3 + grid[i][j].age;
  printf("%d\n", ages);
  return (int)(h & 0xff);
}
