// goto: backward, forward, out of nested loops, into blocks, error unwinding.
#include <stdio.h>
#include <stdlib.h>

static int collatz(unsigned long n) {
  int steps = 0;
top:
  if (n == 1) goto done;
  steps++;
  if (n & 1) goto odd;
  n /= 2;
  goto top;
odd:
  n = 3 * n + 1;
  goto top;
done:
  return steps;
}
static int find(int m[4][4], int want) {
  int i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 4; j++)
      if (m[i][j] == want) goto found;
  return -1;
found:
  return i * 10 + j;
}
static int open_all(int fail_at, char *log) {
  int rc = -1;
  void *a = NULL, *b = NULL, *c = NULL;
  if (fail_at == 1 || !(a = malloc(1))) goto out;
  *log++ = 'a';
  if (fail_at == 2 || !(b = malloc(2))) goto free_a;
  *log++ = 'b';
  if (fail_at == 3 || !(c = malloc(3))) goto free_b;
  *log++ = 'c';
  rc = 0;
  free(c);
  *log++ = 'C';
free_b:
  free(b);
  *log++ = 'B';
free_a:
  free(a);
  *log++ = 'A';
out:
  *log = 0;
  return rc;
}
static int into(int x) {
  int r = 0;
  if (x) goto inside;
  while (r < 5) {
    r += 2;
  inside:
    r += 1;
  }
  return r;
}

int main(void) {
  int m[4][4];
  for (int i = 0; i < 16; i++) m[i / 4][i % 4] = i * 3;
  printf("%d %d %d\n", collatz(27), collatz(97), collatz(1));
  printf("%d %d\n", find(m, 33), find(m, 34));
  for (int i = 0; i < 4; i++) {
    char log[16];
    int rc = open_all(i, log);
    printf("%d %s\n", rc, log);
  }
  printf("%d %d\n", into(0), into(1));
  int n = 0;
loop : {
  int local = n * 2;
  n += local + 1;
  if (n < 1000) goto loop;
}
  printf("%d\n", n);
  return collatz(27);
}
