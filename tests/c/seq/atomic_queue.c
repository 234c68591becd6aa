// Lock-free shapes run by one thread: Treiber stack, Michael-Scott queue, ring, ticket lock, RCU-like pointer swap.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  _Atomic(struct node *) next;
  int v;
};
static _Atomic(struct node *) q_head, q_tail;
static atomic_size_t r_in, r_out;
static atomic_int ring[8];
static struct {
  atomic_uint next, serving;
} ticket;
struct config {
  int a, b;
};
static struct config *_Atomic current;

static struct node *mk(int v) {
  struct node *n = malloc(sizeof *n);
  if (!n) exit(9);
  n->v = v;
  atomic_init(&n->next, NULL);
  return n;
}
static void enqueue(int v) {
  struct node *n = mk(v);
  for (;;) {
    struct node *t = atomic_load_explicit(&q_tail, memory_order_acquire), *nx = atomic_load_explicit(&t->next, memory_order_acquire);
    if (nx) {
      atomic_compare_exchange_weak(&q_tail, &t, nx);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&t->next, &nx, n, memory_order_release, memory_order_relaxed)) {
      atomic_compare_exchange_strong(&q_tail, &t, n);
      return;
    }
  }
}
static int dequeue(int *v) {
  for (;;) {
    struct node *h = atomic_load(&q_head), *nx = atomic_load(&h->next);
    if (!nx) return 0;
    *v = nx->v;
    if (atomic_compare_exchange_strong(&q_head, &h, nx)) {
      free(h);
      return 1;
    }
  }
}
static int ring_put(int v) {
  size_t i = atomic_load_explicit(&r_in, memory_order_relaxed);
  if (i - atomic_load_explicit(&r_out, memory_order_acquire) == 8) return 0;
  atomic_store_explicit(&ring[i % 8], v, memory_order_relaxed);
  atomic_store_explicit(&r_in, i + 1, memory_order_release);
  return 1;
}
static int ring_get(void) {
  size_t o = atomic_load_explicit(&r_out, memory_order_relaxed);
  if (o == atomic_load_explicit(&r_in, memory_order_acquire)) return -1;
  int v = atomic_load_explicit(&ring[o % 8], memory_order_relaxed);
  atomic_store_explicit(&r_out, o + 1, memory_order_release);
  return v;
}

int main(void) {
  struct node *dummy = mk(0);
  atomic_init(&q_head, dummy);
  atomic_init(&q_tail, dummy);
  long s = 0;
  int v;
  for (int i = 0; i < 100; i++) {
    enqueue(i);
    if (i % 3 == 0 && dequeue(&v)) s = (s * 7 + v) % 100003;
  }
  int left = 0;
  while (dequeue(&v)) left++, s = (s * 7 + v) % 100003;
  free(atomic_load(&q_head));
  printf("%ld %d\n", s, left);
  int full = 0, sum = 0;
  for (int i = 0; i < 50; i++) {
    full += !ring_put(i);
    if (i % 2) sum += ring_get();
  }
  printf("%d %d\n", full, sum);
  for (int i = 0; i < 5; i++) {
    unsigned t = atomic_fetch_add_explicit(&ticket.next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&ticket.serving, memory_order_acquire) != t) {}
    sum += (int)t;
    atomic_store_explicit(&ticket.serving, t + 1, memory_order_release);
  }
  printf("%d %u\n", sum, ticket.serving);
  static struct config c[3] = {{1, 2}, {3, 4}, {5, 6}};
  int acc = 0;
  for (int i = 0; i < 6; i++) {
    struct config *old = atomic_exchange_explicit(&current, &c[i % 3], memory_order_acq_rel);
    if (old) acc = acc * 10 + old->a;
  }
  printf("%d\n", acc);
  return left;
}
