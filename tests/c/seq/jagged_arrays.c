// Pointers to pointers: jagged matrices, argv-like arrays, triangular tables, in-place transpose, 3-D blocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int **triangle(int n) {
  int **t = malloc((size_t)n * sizeof *t);
  if (!t) exit(9);
  for (int i = 0; i < n; i++) {
    t[i] = malloc((size_t)(i + 1) * sizeof **t);
    if (!t[i]) exit(9);
    for (int j = 0; j <= i; j++) t[i][j] = j == 0 || j == i ? 1 : t[i - 1][j - 1] + t[i - 1][j];
  }
  return t;
}
static char **words(const char *s, int *n) {
  char **w = NULL;
  for (*n = 0; *s;) {
    while (*s == ' ') s++;
    size_t k = strcspn(s, " ");
    if (!k) break;
    w = realloc(w, (size_t)(*n + 2) * sizeof *w);
    if (!w) exit(9);
    w[*n] = malloc(k + 1);
    if (!w[*n]) exit(9);
    memcpy(w[*n], s, k);
    w[(*n)++][k] = 0;
    w[*n] = NULL;
    s += k;
  }
  return w;
}
static double ***block(int a, int b, int c) {
  double ***p = malloc((size_t)a * sizeof *p);
  if (!p) exit(9);
  for (int i = 0; i < a; i++) {
    p[i] = malloc((size_t)b * sizeof **p + (size_t)(b * c) * sizeof(double));
    if (!p[i]) exit(9);
    double *data = (double *)(p[i] + b);
    for (int j = 0; j < b; j++) p[i][j] = data + j * c;
  }
  return p;
}

int main(void) {
  int **t = triangle(16);
  long s = 0;
  for (int i = 0; i < 16; i++) {
    int *row = t[i];
    for (int j = 0; j <= i; j++) s = (s * 3 + row[j]) % 1000003;
  }
  int *swap = t[3];
  t[3] = t[15];
  t[15] = swap;
  printf("%ld %d %d\n", s, t[3][7], t[15][1]);
  for (int i = 0; i < 16; i++) free(t[i]);
  free(t);
  int n;
  char **w = words("  the rain  in spain stays ", &n);
  for (char **p = w; *p; p++) printf("%s%s", *p, p[1] ? "-" : "\n");
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    char *x = w[i];
    w[i] = w[j];
    w[j] = x;
  }
  for (int i = 0; i < n; i++) {
    printf("%s ", w[i]);
    free(w[i]);
  }
  puts("");
  free(w);
  double ***b = block(3, 4, 5);
  for (int i = 0; i < 60; i++) b[i / 20][i / 5 % 4][i % 5] = i * 0.5;
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 5; k++) sum += b[i][i][k];
  printf("%g\n", sum);
  for (int i = 0; i < 3; i++) free(b[i]);
  free(b);
  return n;
}
