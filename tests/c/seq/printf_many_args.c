// printf with many arguments of mixed types, positional ones, and nested calls in arguments.
#include <stdio.h>
#include <string.h>

static const char *num(int i) {
  static char buf[4][16];
  static int k;
  k = (k + 1) % 4;
  sprintf(buf[k], "<%d>", i);
  return buf[k];
}

int main(void) {
  printf("%d %f %s %c %ld %g %x %Lf %hd %u %e %p %lld %a %d %d %d %d %f %f %f %f %f %f %f %s\n", 1, 2.0, "three", '4', 5l, 6.5, 7u, 8.25L,
         (short)9, 10u, 11.0, (void *)0x12, 13ll, 14.0, 15, 16, 17, 18, 19., 20., 21., 22., 23., 24., 25., "end");
  printf("%5$d %4$d %3$d %2$d %1$d %1$d\n", 1, 2, 3, 4, 5);
  printf("%2$*1$d|%2$-*1$d|%4$.*3$f\n", 6, 42, 2, 3.14159);
  const char *a = num(1), *b = num(2), *c = num(3);
  printf("%s %s %s %zu\n", a, b, c, strlen(a));
  char out[200];
  int n = sprintf(out, "%s|%10.4s|%-10s|%c", "abc", "truncated", "left", 'x');
  printf("%d %s\n", n, out);
  n = printf("%s%s%s\n", "", "x", "");
  printf("%d\n", n);
  printf("%03d:%02d:%06.3f\n", 7, 5, 9.8765);
  printf("%-20s|%20s|\n", "left", "right");
  printf("%.*s|%.*s|\n", 3, "abcdef", 0, "zzz");
  printf("%s", "no newline until");
  printf(" here\n");
  return n;
}
