// Heap stress: many blocks of many sizes, freed and grown in scrambled order, contents checked throughout.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static struct {
  unsigned char *p;
  size_t n;
  unsigned char fill;
} b[N];
static uint32_t seed = 4;

static uint32_t rnd(void) { return (seed = seed * 1664525u + 1013904223u) >> 12; }
static int ok(int i) {
  for (size_t k = 0; k < b[i].n; k++)
    if (b[i].p[k] != b[i].fill) return 0;
  return 1;
}
static int overlap(void) {
  int n = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      if (b[i].p && b[j].p) {
        uintptr_t a = (uintptr_t)b[i].p, c = (uintptr_t)b[j].p;
        n += a < c + b[j].n && c < a + b[i].n;
      }
  return n;
}

int main(void) {
  int bad = 0, allocs = 0, frees = 0, grows = 0;
  for (int round = 0; round < 600; round++) {
    int i = (int)(rnd() % N);
    if (!b[i].p) {
      b[i].n = 1 + rnd() % (round % 50 ? 200 : 5000);
      b[i].p = round & 1 ? malloc(b[i].n) : calloc(1, b[i].n);
      if (!b[i].p) return 9;
      b[i].fill = (unsigned char)round;
      memset(b[i].p, b[i].fill, b[i].n);
      allocs++;
    } else if (rnd() % 3) {
      bad += !ok(i);
      free(b[i].p);
      b[i].p = NULL;
      frees++;
    } else {
      size_t n = 1 + rnd() % 400;
      unsigned char *q = realloc(b[i].p, n);
      if (!q) return 9;
      size_t keep = n < b[i].n ? n : b[i].n;
      for (size_t k = 0; k < keep; k++) bad += q[k] != b[i].fill;
      memset(q, b[i].fill, n);
      b[i].p = q;
      b[i].n = n;
      grows++;
    }
    if (round % 100 == 0) bad += overlap();
  }
  for (int i = 0; i < N; i++) {
    if (b[i].p) bad += !ok(i);
    free(b[i].p);
  }
  printf("%d %d %d %d\n", bad, allocs, frees, grows);
  return bad + allocs % 100;
}
