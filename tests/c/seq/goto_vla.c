// VLAs with early exits: break, continue, goto and return out of their scopes; stack reuse in long loops.
#include <stdio.h>
#include <string.h>

static int leave(int n, int how) {
  for (int i = 0; i < 10; i++) {
    char v[n + i];
    memset(v, i + 1, sizeof v);
    if (i == 3 && how == 0) return v[n];
    if (i == 4 && how == 1) break;
    if (i == 5 && how == 2) goto out;
    if (i % 2 && how == 3) continue;
    n += v[0] & 1;
  }
  return n;
out:
  return -n;
}
static long churn(int rounds) {
  long s = 0;
  for (int i = 0; i < rounds; i++) {
    int v[1000 + i % 7];
    v[0] = i;
    v[999] = i * 2;
    s += v[0] + v[999] + (long)(sizeof v / sizeof *v);
  }
  return s;
}
static int nested(int a, int b) {
  int x[a];
  for (int i = 0; i < a; i++) {
    int y[b + i];
    for (int j = 0; j < b + i; j++) y[j] = i * j;
    x[i] = y[b + i - 1];
    {
      int z[x[i] + 1];
      z[x[i]] = x[i] * 2;
      x[i] = z[x[i]];
    }
  }
  int s = 0;
  for (int i = 0; i < a; i++) s += x[i];
  return s;
}

int main(void) {
  for (int h = 0; h < 5; h++) printf("%d ", leave(5, h));
  printf("\n%ld\n%d\n", churn(2000), nested(6, 3));
  return nested(3, 2);
}
