// Nested loops with break and continue, do/while, comma, odd loop headers.
#include <stdio.h>

int main(void) {
  int n = 0;
  for (int i = 0; i < 10; i++) {
    if (i == 3) continue;
    for (int j = 0;; j++) {
      if (j > i) break;
      if ((i + j) % 2) continue;
      n += i * j;
    }
    if (i == 8) break;
  }
  printf("%d\n", n);
  int i = 0;
  do {
    i += 3;
    if (i % 2) continue;
    n++;
  } while (i < 30);
  printf("%d %d\n", i, n);
  do n--;
  while (0);
  int a, b;
  for (a = 0, b = 100; a < b; a += 7, b -= 3) n ^= a * b;
  printf("%d %d %d\n", a, b, n);
  while (1) {
    if (n-- < 0) break;
    if (n % 1000 == 0) break;
  }
  printf("%d\n", n);
  for (char c = 'a'; c <= 'z'; c = (char)(c + 5)) putchar(c);
  puts("");
  for (unsigned char u = 250; u >= 250; u++) printf("%d ", u);
  puts("");
  for (double d = 0; d < 1; d += 0.125) n += (int)(d * 16);
  printf("%d\n", n);
  int x = (a++, b++, a + b);
  printf("%d\n", x);
  int triangle = 0;
  for (int r = 0; r < 50; triangle += r++)
    ;
  printf("%d\n", triangle);
  unsigned k = 10;
  while (k-- > 0) triangle += (int)k;
  printf("%d %u\n", triangle, k);
  long p = 1;
  int e = 0;
  for (; p < 1000000; p *= 3) e++;
  printf("%ld %d\n", p, e);
  return triangle & 0xff;
}
