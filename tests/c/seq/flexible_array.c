// Flexible array members, zero-length arrays, empty structs.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vec {
  size_t n;
  short cap;
  int item[];
};
struct old {
  char kind;
  double data[0];
};
struct empty {};
struct holder {
  int a;
  struct empty e;
  int b;
};

static struct vec *push(struct vec *v, int x) {
  if (v->n == (size_t)v->cap) {
    v->cap = (short)(v->cap * 2);
    v = realloc(v, sizeof *v + (size_t)v->cap * sizeof v->item[0]);
    if (!v) exit(9);
  }
  v->item[v->n++] = x;
  return v;
}

#pragma clang diagnostic ignored "-Wmissing-braces"

static struct {
  int len;
  char text[];
} greeting = {5, "hello"};

int main(void) {
  struct vec *v = malloc(sizeof *v + 2 * sizeof(int));
  if (!v) return 9;
  v->n = 0;
  v->cap = 2;
  for (int i = 0; i < 50; i++) v = push(v, i * i);
  long sum = 0;
  for (size_t i = 0; i < v->n; i++) sum += v->item[i];
  printf("%zu %d %ld\n", v->n, v->cap, sum);
  printf("%zu %zu\n", sizeof(struct vec), offsetof(struct vec, item));
  free(v);
  struct old *o = malloc(sizeof *o + 4 * sizeof(double));
  if (!o) return 9;
  o->kind = 'k';
  double *data = o->data;
  for (int i = 0; i < 4; i++) data[i] = i / 2.0;
  printf("%zu %g\n", sizeof *o, data[1] + data[3]);
  free(o);
  printf("%d %s\n", greeting.len, greeting.text);
  struct holder h = {.a = 1, .b = 2};
  printf("%zu %zu %d\n", sizeof(struct empty), sizeof h, h.a + h.b);
  struct empty many[10] = {{}}, one;
  one = many[0];
  (void)one;
  printf("%zu\n", sizeof many);
  return (int)(sum % 256);
}
