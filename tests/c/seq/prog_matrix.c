// Matrices: multiply in double and long, transpose, determinant, inverse, power, LU.
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 12 };
typedef double mat[N][N];

static void mul(const mat a, const mat b, mat c) {
  mat t;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++) s += a[i][k] * b[k][j];
      t[i][j] = s;
    }
  memcpy(c, t, sizeof t);
}
static double det(const mat a) {
  mat m;
  memcpy(m, a, sizeof m);
  double d = 1;
  for (int c = 0; c < N; c++) {
    int p = c;
    for (int r = c + 1; r < N; r++)
      if (fabs(m[r][c]) > fabs(m[p][c])) p = r;
    if (m[p][c] == 0) return 0;
    if (p != c) {
      d = -d;
      for (int k = 0; k < N; k++) {
        double t = m[p][k];
        m[p][k] = m[c][k];
        m[c][k] = t;
      }
    }
    d *= m[c][c];
    for (int r = c + 1; r < N; r++) {
      double f = m[r][c] / m[c][c];
      for (int k = c; k < N; k++) m[r][k] -= f * m[c][k];
    }
  }
  return d;
}
static void invert(const mat a, mat out) {
  double w[N][2 * N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 2 * N; j++) w[i][j] = j < N ? a[i][j] : (j - N == i);
  for (int c = 0; c < N; c++) {
    double p = w[c][c];
    for (int j = 0; j < 2 * N; j++) w[c][j] /= p;
    for (int r = 0; r < N; r++)
      if (r != c) {
        double f = w[r][c];
        for (int j = 0; j < 2 * N; j++) w[r][j] -= f * w[c][j];
      }
  }
  for (int i = 0; i < N; i++) memcpy(out[i], &w[i][N], sizeof out[i]);
}
static unsigned long fib(unsigned n) {
  unsigned long r[2][2] = {{1, 0}, {0, 1}}, b[2][2] = {{1, 1}, {1, 0}}, t[2][2];
  for (; n; n >>= 1) {
    if (n & 1) {
      for (int i = 0; i < 4; i++) t[i / 2][i % 2] = r[i / 2][0] * b[0][i % 2] + r[i / 2][1] * b[1][i % 2];
      memcpy(r, t, sizeof r);
    }
    for (int i = 0; i < 4; i++) t[i / 2][i % 2] = b[i / 2][0] * b[0][i % 2] + b[i / 2][1] * b[1][i % 2];
    memcpy(b, t, sizeof b);
  }
  return r[0][1];
}

int main(void) {
  mat a, b, c, inv;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = 1.0 / (i + j + 1) + (i == j) * 2;
      b[i][j] = (i * 3 + j * 7) % 11 - 5;
    }
  mul(a, b, c);
  double tr = 0, sum = 0;
  for (int i = 0; i < N; i++) {
    tr += c[i][i];
    for (int j = 0; j < N; j++) sum += c[i][j] * (i - j);
  }
  printf("%.9f %.9f\n", tr, sum);
  printf("%.6e\n", det(a));
  invert(a, inv);
  mul(a, inv, c);
  double err = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) err += fabs(c[i][j] - (i == j));
  printf("%d\n", err < 1e-12);
  mat p;
  memcpy(p, a, sizeof p);
  for (int i = 0; i < 3; i++) mul(p, p, p);
  printf("%.8e\n", p[0][0]);
  printf("%lu %lu\n", fib(50), fib(93));
  return (int)fib(13);
}
