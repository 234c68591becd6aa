// Recursive data: expression trees, symbolic differentiation, Catalan counting, flood fill, subsets, partitions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct e {
  char op;
  double v;
  struct e *a, *b;
} e;
static int nodes;
static e *mk(char op, double v, e *a, e *b) {
  e *n = malloc(sizeof *n);
  if (!n) exit(9);
  *n = (e){op, v, a, b};
  nodes++;
  return n;
}
static e *copy(const e *x) { return x ? mk(x->op, x->v, copy(x->a), copy(x->b)) : NULL; }
static e *diff(const e *x) {
  switch (x->op) {
    case 'c': return mk('c', 0, NULL, NULL);
    case 'x': return mk('c', 1, NULL, NULL);
    case '+': return mk('+', 0, diff(x->a), diff(x->b));
    default: return mk('+', 0, mk('*', 0, diff(x->a), copy(x->b)), mk('*', 0, copy(x->a), diff(x->b)));
  }
}
static void drop(e *x) {
  if (!x) return;
  drop(x->a);
  drop(x->b);
  free(x);
  nodes--;
}
static e *simple(e *x) {
  if (!x->a) return x;
  x->a = simple(x->a);
  x->b = simple(x->b);
  if (x->a->op == 'c' && x->b->op == 'c') {
    double v = x->op == '+' ? x->a->v + x->b->v : x->a->v * x->b->v;
    drop(x);
    return mk('c', v, NULL, NULL);
  }
  for (int k = 0; k < 2; k++) {
    e **side = k ? &x->b : &x->a, **other = k ? &x->a : &x->b;
    if ((*side)->op == 'c' && (*side)->v == (x->op == '*')) {
      e *keep = *other;
      *other = NULL;
      drop(x);
      return keep;
    }
    if (x->op == '*' && (*side)->op == 'c' && (*side)->v == 0) {
      drop(x);
      return mk('c', 0, NULL, NULL);
    }
  }
  return x;
}
static void show(const e *x) {
  if (x->op == 'c') printf("%g", x->v);
  else if (x->op == 'x') printf("x");
  else {
    printf("(");
    show(x->a);
    printf("%c", x->op);
    show(x->b);
    printf(")");
  }
}
static double eval(const e *x, double v) {
  return x->op == 'c' ? x->v : x->op == 'x' ? v : x->op == '+' ? eval(x->a, v) + eval(x->b, v) : eval(x->a, v) * eval(x->b, v);
}
static char map[6][13] = {"............", ".####..###..", ".#..#..#.#..", ".#..####.#..", ".#.......#..", ".#########.."};
static int flood(int y, int x) {
  if (y < 0 || y > 5 || x < 0 || x > 11 || map[y][x] != '.') return 0;
  map[y][x] = '~';
  return 1 + flood(y - 1, x) + flood(y + 1, x) + flood(y, x - 1) + flood(y, x + 1);
}
static int partitions(int n, int max) {
  if (n == 0) return 1;
  int s = 0;
  for (int k = n < max ? n : max; k > 0; k--) s += partitions(n - k, k);
  return s;
}
static int parens(char *buf, int at, int open, int close, int n, int out) {
  if (at == 2 * n) {
    buf[at] = 0;
    if (out) printf("%s ", buf);
    return 1;
  }
  int c = 0;
  if (open < n) buf[at] = '(', c += parens(buf, at + 1, open + 1, close, n, out);
  if (close < open) buf[at] = ')', c += parens(buf, at + 1, open, close + 1, n, out);
  return c;
}
static int subset(const int *a, int n, int want) { return want == 0 ? 1 : n == 0 || want < 0 ? 0 : subset(a + 1, n - 1, want) + subset(a + 1, n - 1, want - *a); }

int main(void) {
  e *x = mk('x', 0, NULL, NULL), *p = mk('+', 0, mk('*', 0, copy(x), mk('*', 0, copy(x), x)), mk('*', 0, mk('c', 3, NULL, NULL), mk('x', 0, NULL, NULL)));
  e *d = diff(p);
  show(p);
  puts("");
  show(d);
  puts("");
  d = simple(d);
  show(d);
  printf("\n%g %g\n", eval(p, 2), eval(d, 2));
  drop(p);
  drop(d);
  printf("%d\n", nodes);
  printf("%d ", flood(0, 0));
  printf("%d ", flood(3, 2));
  printf("%d\n", flood(2, 8));
  char buf[20];
  int c = parens(buf, 0, 0, 0, 3, 1);
  printf("%d %d %d\n", c, parens(buf, 0, 0, 0, 7, 0), partitions(20, 20));
  int a[] = {3, 34, 4, 12, 5, 2, 7, 8};
  printf("%d\n", subset(a, 8, 19));
  return c;
}
