// Function pointers: tables, callbacks, returning them, comparing, arrays, casts.
#include <stdio.h>
#include <stdlib.h>

typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int mod(int a, int b) { return b ? a % b : 0; }
static const struct {
  char sym;
  op fn;
} table[] = {{'+', add}, {'-', sub}, {'*', mul}, {'%', mod}};

static op pick(char c) {
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
    if (table[i].sym == c) return table[i].fn;
  return NULL;
}
static int (*choose(int k))(int, int) { return k & 1 ? &add : &mul; }
static int fold(const int *a, int n, int init, op f) {
  while (n--) init = f(init, *a++);
  return init;
}
static void each(int *a, int n, void (*f)(int *, void *), void *ctx) {
  for (int i = 0; i < n; i++) f(&a[i], ctx);
}
static void scale(int *x, void *ctx) { *x *= *(int *)ctx; }
static void collect(int *x, void *ctx) { *(long *)ctx = *(long *)ctx * 10 + *x % 10; }
static int desc(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

struct object {
  const struct vtable *vt;
  int x;
};
struct vtable {
  const char *name;
  int (*area)(const struct object *);
  void (*grow)(struct object *, int);
};
static int sq_area(const struct object *o) { return o->x * o->x; }
static int ci_area(const struct object *o) { return 3 * o->x * o->x; }
static void grow(struct object *o, int d) { o->x += d; }
static const struct vtable square = {"square", sq_area, grow}, circle = {"circle", ci_area, grow};

typedef void (*any)(void);

int main(void) {
  int a[] = {3, 1, 4, 1, 5, 9, 2, 6};
  printf("%d %d %d\n", fold(a, 8, 0, add), fold(a, 8, 1, mul), fold(a, 8, 100, pick('-')));
  printf("%d %d %d\n", pick('%')(17, 5), pick('?') == NULL, choose(1)(4, 5) + choose(2)(4, 5));
  int k = 3;
  long digits = 0;
  each(a, 8, scale, &k);
  qsort(a, 8, sizeof *a, desc);
  each(a, 8, collect, &digits);
  printf("%ld %d\n", digits, a[0]);
  op f = add, *pf = &f;
  printf("%d %d %d %d\n", f(1, 2), (*f)(1, 2), (**f)(1, 2), (*pf)(1, 2));
  printf("%d %d\n", f == add, f == sub);
  struct object objs[] = {{&square, 4}, {&circle, 2}};
  for (int i = 0; i < 2; i++) {
    objs[i].vt->grow(&objs[i], i + 1);
    printf("%s %d\n", objs[i].vt->name, objs[i].vt->area(&objs[i]));
  }
  any g = (any)mul;
  printf("%d\n", ((op)g)(6, 7));
  op (*pp)(char) = pick;
  op arr[3][2] = {{add, sub}, {mul, mod}, {pp('+'), pp('*')}};
  int r = 0;
  for (int i = 0; i < 6; i++) r = r * 3 + arr[i / 2][i % 2](i + 5, 3);
  printf("%d\n", r);
  return r & 0xff;
}
