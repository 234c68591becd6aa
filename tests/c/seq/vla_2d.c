// Two- and three-dimensional VLAs, pointers to VLA types, VLA typedefs, matrix product.
#include <stdio.h>
#include <stdlib.h>

static void mul(int n, int m, int p, int a[n][m], int b[m][p], int c[n][p]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) {
      c[i][j] = 0;
      for (int k = 0; k < m; k++) c[i][j] += a[i][k] * b[k][j];
    }
}
static int trace(int n, int (*a)[n]) {
  int t = 0;
  for (int i = 0; i < n; i++) t += a[i][i];
  return t;
}
static int cube(int n) {
  int a[n][n + 1][n + 2];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++)
      for (int k = 0; k <= n + 1; k++) a[i][j][k] = i * 100 + j * 10 + k;
  return a[n - 1][n][n + 1] + (int)sizeof a + (int)sizeof a[0] + (int)sizeof a[0][0];
}

int main(void) {
  int sum = 0;
  for (int n = 2; n < 7; n++) {
    int m = n + 1;
    int a[n][m], b[m][n], c[n][n];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        a[i][j] = i + j;
        b[j][i] = i - j;
      }
    mul(n, m, n, a, b, c);
    sum += trace(n, c);
    printf("%d %zu\n", trace(n, c), sizeof c);
  }
  printf("%d %d\n", cube(3), cube(5));
  int w = 6, h = 4;
  typedef int row[w];
  w = 99;
  row *grid = malloc(sizeof(row) * (size_t)h);
  if (!grid) return 1;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < 6; x++) grid[y][x] = y * 10 + x;
  int *flat = (int *)grid;
  printf("%d %d %zu\n", flat[13], grid[3][5], sizeof(row));
  int(*p)[6] = grid + 2;
  printf("%d %d\n", (*p)[1], p[-1][0]);
  free(grid);
  return sum & 0xff;
}
