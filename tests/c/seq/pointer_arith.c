// Pointer arithmetic: differences, comparisons, negative indices, casts, multi-level.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static int sum_range(const int *b, const int *e) {
  int s = 0;
  while (b < e) s += *b++;
  return s;
}
static char *find(char *s, int c) {
  for (; *s; s++)
    if (*s == c) return s;
  return NULL;
}
static void set(int **pp, int *to) { *pp = to; }
static const int *max_of(const int *a, const int *b) { return *a > *b ? a : b; }

int main(void) {
  int a[20];
  for (int i = 0; i < 20; i++) a[i] = i * i - 7 * i;
  int *p = a + 10;
  printf("%d %d %d %d\n", p[-3], *(p + 4), p[-10], 5 [a]);
  printf("%td %td\n", p - a, a - p);
  printf("%d %d %d\n", p > a, p <= &a[10], &a[20] > p);
  printf("%d\n", sum_range(a + 3, a + 17));
  char s[] = "pointer arithmetic";
  char *q = find(s, 'a');
  printf("%td %s\n", q - s, q);
  *q-- = 'A';
  *q = '_';
  puts(s);
  printf("%d\n", find(s, 'z') == NULL);
  int x = 1, y = 2, *ip = &x, **pp = &ip, ***ppp = &pp;
  set(pp, &y);
  **pp += 5;
  ***ppp *= 2;
  printf("%d %d %d\n", x, y, *max_of(&x, &y));
  int m[4][5];
  for (int i = 0; i < 20; i++) m[i / 5][i % 5] = i;
  int(*row)[5] = m;
  row += 2;
  printf("%d %d %td\n", (*row)[3], row[-1][4], (row + 1) - m);
  printf("%td %td\n", (char *)&m[3][0] - (char *)m, (char *)&m[1] - (char *)&m[0]);
  uint8_t *bytes = (uint8_t *)a;
  bytes[4] = 0xff;
  printf("%d\n", a[1]);
  int *rev = a + 20, r = 0;
  while (rev != a) r = r * 5 % 10007 + *--rev;
  printf("%d\n", r);
  const char *names[] = {"zero", "one", "two", NULL};
  const char **np = names;
  while (*++np) printf("%s%c", *np, (*np)[1]);
  puts("");
  ptrdiff_t d = &a[2] - &a[15];
  uintptr_t u = (uintptr_t)&a[6] - (uintptr_t)&a[1];
  printf("%td %ju\n", d, (uintmax_t)u);
  void *v = a;
  v = (char *)v + sizeof(int) * 8;
  printf("%d\n", *(int *)v);
  return (int)(q - s);
}
