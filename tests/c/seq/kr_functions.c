// Old-style (K&R) definitions and unprototyped calls with default promotions.
#include <stdio.h>

#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#pragma clang diagnostic ignored "-Wstrict-prototypes"

static int add(a, b)
int a, b;
{
  return a + b;
}
static double blend(c, s, f, d)
char c;
short s;
float f;
double d;
{
  return c + s * f - d;
}
static int count(str, ch)
const char *str;
int ch;
{
  int n = 0;
  while (*str) n += *str++ == ch;
  return n;
}
static int sum_array(a, n)
int a[];
int n;
{
  return n ? a[0] + sum_array(a + 1, n - 1) : 0;
}
static int none() { return 5; }
static int apply(f, x)
int (*f)();
int x;
{
  return f(x, x + 1);
}

int main() {
  int a[] = {1, 2, 3, 4};
  printf("%d\n", add(2, 3));
  printf("%g\n", blend('A', -3, 1.5f, 0.25));
  char c = 'z';
  short s = 7;
  float f = 0.1f;
  printf("%.10g\n", blend(c, s, f, f));
  printf("%d %d %d\n", count("banana", 'a'), sum_array(a, 4), none());
  printf("%d\n", apply(add, 10));
  return none();
}
