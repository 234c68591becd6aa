// Array parameters, pointers to arrays, arrays of pointers, functions returning pointers to arrays, multi-dimensional.
#include <stdio.h>

static int sum(const int a[static 3], int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
static int grid(int g[][4], int rows) {
  int s = 0;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 4; c++) s += g[r][c] * (r + 1);
  return s;
}
static int cube(const int (*c)[2][3]) { return c[0][1][2] + c[1][0][1]; }
static int (*row_of(int (*g)[4], int r))[4] { return g + r; }
static void fill(int (*a)[5], int v) {
  for (unsigned i = 0; i < sizeof *a / sizeof **a; i++) (*a)[i] = v + (int)i;
}
typedef int triple[3];
static int use(triple t) { return t[0] * t[1] * t[2] + (int)sizeof(triple); }
static size_t decay(int a[100]) {
  int *p = a;
  return sizeof p;
}
static int strings(char *const *v) {
  int n = 0;
  while (*v) n += (*v++)[0];
  return n;
}
static void swap_rows(int (*a)[4], int (*b)[4]) {
  for (int i = 0; i < 4; i++) {
    int t = (*a)[i];
    (*a)[i] = (*b)[i];
    (*b)[i] = t;
  }
}

int main(void) {
  int a[5] = {1, 2, 3, 4, 5}, g[3][4], s[5];
  for (int i = 0; i < 12; i++) g[i / 4][i % 4] = i;
  printf("%d %d\n", sum(a, 5), grid(g, 3));
  const int c[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
  printf("%d %d\n", cube(c), (*row_of(g, 2))[3]);
  fill(&s, 7);
  printf("%d %d\n", s[0], s[4]);
  printf("%d %zu\n", use((triple){2, 3, 4}), decay((int[100]){0}));
  char x[] = "x", y[] = "y", *names[] = {x, y, NULL};
  printf("%d\n", strings(names));
  swap_rows(&g[0], &g[2]);
  printf("%d %d\n", g[0][0], g[2][3]);
  int *rows[3] = {g[2], g[1], g[0]}, **rp = rows;
  printf("%d %d %d\n", rows[0][1], rp[2][1], *(*(rp + 1) + 2));
  int(*pa)[3][4] = &g;
  printf("%d %zu %zu %zu\n", (*pa)[1][1], sizeof *pa, sizeof **pa, sizeof ***pa);
  int(*fns[2])(const int *, int) = {sum, sum};
  printf("%d\n", fns[1](a + 2, 3));
  int z[2][3][4] = {0};
  int k = 0;
  for (int(*p)[3][4] = z; p < z + 2; p++)
    for (int(*q)[4] = *p; q < *p + 3; q++)
      for (int *r = *q; r < *q + 4; r++) *r = k++;
  printf("%d %d\n", z[1][2][3], z[0][1][2]);
  return k;
}
