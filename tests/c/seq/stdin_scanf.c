// Reading stdin with scanf: numbers, words, matching failures and recovery.
#include <stdio.h>

int main(void) {
  int n = 0;
  if (scanf("%d", &n) != 1) return 1;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d;
    if (scanf("%lf", &d) != 1) return 2;
    sum += d;
  }
  printf("%d %.4f\n", n, sum);
  char name[20];
  int age;
  while (scanf("%19s %d", name, &age) == 2) printf("%s is %d\n", name, age);
  char rest[20];
  int r = scanf("%19s", rest);
  printf("%d %s\n", r, rest);
  int a = 0, b = 0;
  r = scanf(" (%d,%d)", &a, &b);
  printf("%d %d %d\n", r, a, b);
  int c;
  while ((c = getchar()) != '\n' && c != EOF) putchar(c);
  puts("|");
  unsigned x;
  r = scanf("%x%n", &x, &c);
  printf("%d %x %d\n", r, x, c);
  r = scanf("%d", &a);
  printf("%d %d\n", r, r == EOF);
  return a;
}
