// Callbacks out of library functions: qsort inside a comparator, longjmp and printf from one, bsearch recursion.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf env;
static int calls, inner_calls;

static int cmp_int(const void *a, const void *b) {
  inner_calls++;
  return *(const int *)a - *(const int *)b;
}
static int median(const int *row) {
  int t[5];
  memcpy(t, row, sizeof t);
  qsort(t, 5, sizeof *t, cmp_int);
  return t[2];
}
static int cmp_median(const void *a, const void *b) {
  calls++;
  int x = median(a), y = median(b);
  return x != y ? x - y : memcmp(a, b, 5 * sizeof(int));
}
static int cmp_throw(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  if (x == 13 || y == 13) longjmp(env, 13);
  return x - y;
}
static int cmp_range(const void *key, const void *elem) {
  const int *k = key, *e = elem;
  return *k < e[0] ? -1 : *k > e[1];
}

int main(void) {
  int rows[8][5];
  for (int i = 0; i < 40; i++) rows[i / 5][i % 5] = i * 37 % 41;
  qsort(rows, 8, sizeof rows[0], cmp_median);
  for (int i = 0; i < 8; i++) printf("%d ", median(rows[i]));
  printf("%d\n", calls > 0 && inner_calls > calls);
  int v[] = {5, 3, 13, 1, 2};
  if (setjmp(env) == 0) {
    qsort(v, 5, sizeof *v, cmp_throw);
    puts("sorted");
  } else {
    puts("thrown out of qsort");
  }
  int ranges[6][2];
  for (int i = 0; i < 6; i++) ranges[i][0] = i * 10, ranges[i][1] = i * 10 + 6;
  for (int k = 0; k < 60; k += 7) {
    int(*r)[2] = bsearch(&k, ranges, 6, sizeof ranges[0], cmp_range);
    printf("%d ", r ? (int)(r - ranges) : -1);
  }
  puts("");
  return 11;
}
