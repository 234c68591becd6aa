// Compound literals: scope, modification, arrays, in calls, addresses, static ones.
#include <stdio.h>
#include <string.h>

struct pt {
  int x, y;
};
static int *table = (int[]){1, 2, 3, 4, 5};
static const struct pt *origin = &(const struct pt){7, 8};

static int sum(const int *a, int n) {
  int s = 0;
  while (n--) s += *a++;
  return s;
}
static int area(struct pt p) { return p.x * p.y; }
static struct pt *shift(struct pt *p, int d) {
  p->x += d;
  p->y += d;
  return p;
}

int main(void) {
  printf("%d\n", sum((int[]){10, 20, 30}, 3));
  printf("%d\n", area((struct pt){.y = 6, .x = 7}));
  printf("%d\n", shift(&(struct pt){1, 2}, 10)->y);
  int total = 0;
  for (int i = 0; i < 5; i++) {
    int *p = (int[3]){i, i * i};
    p[2] += p[0] + p[1];
    total += p[2];
  }
  printf("%d\n", total);
  table[2] = 33;
  printf("%d %d\n", sum(table, 5), origin->x * origin->y);
  char *s = (char[]){"mutable"};
  s[0] = 'M';
  puts(s);
  printf("%zu %zu\n", sizeof((int[]){1, 2, 3}), strlen((char[10]){'a', 'b'}));
  struct pt a = {1, 1};
  a = (struct pt){a.y + 1, a.x + 2};
  printf("%d %d\n", a.x, a.y);
  const struct pt **pp = (const struct pt *[]){&a, origin, NULL};
  int n = 0;
  while (*pp) n += (*pp++)->x;
  printf("%d\n", n);
  int *q = &(int){41};
  ++*q;
  printf("%d\n", *q);
  int (*fn[])(struct pt) = {area};
  printf("%d\n", fn[0]((struct pt){3, 5}));
  return *q;
}
