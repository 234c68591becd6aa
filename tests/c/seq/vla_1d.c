// One-dimensional VLAs: sizes at run time, in loops, sizeof, as parameters.
#include <stdio.h>
#include <string.h>

static long fill(int n, int a[n]) {
  long s = 0;
  for (int i = 0; i < n; i++) {
    a[i] = i * n;
    s += a[i];
  }
  return s;
}
static int rec(int n) {
  char buf[n + 1];
  memset(buf, 'a' + n % 26, (size_t)n);
  buf[n] = 0;
  int r = n > 1 ? rec(n - 1) : 0;
  return r + (int)strlen(buf) * buf[0];
}

int main(void) {
  long total = 0;
  for (int n = 1; n < 60; n += 7) {
    int v[n];
    total += fill(n, v) + (long)sizeof v;
    double d[n * 2];
    for (int i = 0; i < n * 2; i++) d[i] = i * 0.5;
    total += (long)d[n];
  }
  printf("%ld\n", total);
  printf("%d\n", rec(40));
  int k = 5;
  char text[k];
  k = 100;
  printf("%zu\n", sizeof text);
  strcpy(text, "four");
  puts(text);
  int m = 0;
again:;
  short w[m + 1];
  w[m] = (short)m;
  w[0] = (short)(w[m] + 1);
  m += w[0];
  if (m < 100) goto again;
  printf("%d\n", m);
  struct {
    int a, b;
  } st[k];
  for (int i = 0; i < k; i++) st[i].a = i, st[i].b = -i;
  int s = 0;
  for (int i = 0; i < k; i += 3) s += st[i].a * 2 + st[i].b;
  printf("%d %zu\n", s, sizeof st / sizeof st[0]);
  size_t sz = sizeof(int[k++]);
  printf("%zu %d\n", sz, k);
  return (int)(total % 256);
}
