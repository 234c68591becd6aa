// Atomic pointers (fetch_add, compare exchange, lists) and atomic float/double via CAS.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *next;
  int v;
};
static struct node *_Atomic list;

static void push(struct node *n) {
  n->next = atomic_load_explicit(&list, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&list, &n->next, n, memory_order_release, memory_order_relaxed))
    ;
}
static double add_double(_Atomic double *p, double d) {
  double old = atomic_load(p);
  while (!atomic_compare_exchange_weak(p, &old, old + d))
    ;
  return old;
}
static float max_float(_Atomic float *p, float x) {
  float old = *p;
  while (old < x && !atomic_compare_exchange_strong(p, &old, x))
    ;
  return old;
}
static int f1(void) { return 1; }
static int f2(void) { return 2; }

int main(void) {
  for (int i = 0; i < 10; i++) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 1;
    n->v = i * i;
    push(n);
  }
  int s = 0;
  for (struct node *n = atomic_exchange(&list, NULL), *next; n; n = next) {
    s = (s * 3 + n->v) % 10007;
    next = n->next;
    free(n);
  }
  printf("%d %d\n", s, list == NULL);
  _Atomic double d = 0.5;
  double acc = 0;
  for (int i = 0; i < 20; i++) acc += add_double(&d, i * 0.1);
  printf("%a %a\n", (double)d, acc);
  _Atomic float f = -1;
  const float in[] = {0.5f, -3, 7.25f, 2, 8};
  for (int i = 0; i < 5; i++) printf("%g ", max_float(&f, in[i]));
  printf("%g\n", (float)f);
  printf("%g\n", (float)atomic_exchange(&f, 1.25f));
  int arr[10];
  for (int i = 0; i < 10; i++) arr[i] = i * 11;
  int *_Atomic p = arr;
  int *a = atomic_fetch_add(&p, 3), *b = atomic_fetch_sub(&p, 1);
  printf("%d %d %d\n", *a, *b, *p);
  int (*_Atomic fn)(void) = f1;
  printf("%d ", fn());
  fn = f2;
  printf("%d\n", atomic_load(&fn)());
  _Atomic(void *) vp = NULL;
  void *expect = arr;
  printf("%d ", atomic_compare_exchange_strong(&vp, &expect, &s));
  printf("%d\n", expect == NULL);
  return s & 0xff;
}
