// Ring buffers: fixed power of two with free-running indices, overwriting, and a deque.
#include <stdint.h>
#include <stdio.h>

enum { CAP = 16 };
struct ring {
  uint8_t head, tail;
  int data[CAP];
};
static int put(struct ring *r, int v) {
  if ((uint8_t)(r->head - r->tail) == CAP) return 0;
  r->data[r->head++ % CAP] = v;
  return 1;
}
static int get(struct ring *r, int *v) {
  if (r->head == r->tail) return 0;
  *v = r->data[r->tail++ % CAP];
  return 1;
}
struct deque {
  int a[10], first, n;
};
static void push_back(struct deque *d, int v) {
  if (d->n == 10) d->first = (d->first + 1) % 10, d->n--;
  d->a[(d->first + d->n++) % 10] = v;
}
static void push_front(struct deque *d, int v) {
  if (d->n == 10) d->n--;
  d->first = (d->first + 9) % 10;
  d->a[d->first] = v;
  d->n++;
}
static int pop_back(struct deque *d) { return d->a[(d->first + --d->n) % 10]; }

int main(void) {
  struct ring r = {250, 250, {0}};
  int full = 0, empty = 0, v;
  long sum = 0;
  unsigned s = 3;
  for (int i = 0; i < 1000; i++) {
    s = s * 1103515245u + 12345u;
    if (s >> 16 & 1) full += !put(&r, i);
    else if (get(&r, &v)) sum = (sum * 3 + v) % 1000003;
    else empty++;
  }
  printf("%d %d %ld %d\n", full, empty, sum, (uint8_t)(r.head - r.tail));
  struct deque d = {.n = 0};
  for (int i = 0; i < 25; i++) {
    if (i % 3) push_back(&d, i);
    else push_front(&d, -i);
  }
  for (int i = 0; i < d.n; i++) printf("%d ", d.a[(d.first + i) % 10]);
  int p = pop_back(&d);
  printf("| %d %d\n", p, d.n);
  return full & 0xff;
}
