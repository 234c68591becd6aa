// Atomic structs of 2, 3, 4, 8 bytes: load, store, exchange, compare_exchange.
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct s2 {
  unsigned char a, b;
};
struct s4 {
  short x, y;
};
struct s8 {
  int lo, hi;
};
struct node_ref {
  unsigned index, tag;
};

static _Atomic struct s4 g4;
static _Atomic struct node_ref head;
static unsigned next_of[16];

static void push(unsigned i) {
  struct node_ref old = atomic_load(&head), new;
  do {
    next_of[i] = old.index;
    new.index = i;
    new.tag = old.tag + 1;
  } while (!atomic_compare_exchange_weak(&head, &old, new));
}
static unsigned pop(void) {
  struct node_ref old = atomic_load(&head), new;
  do {
    if (!old.index) return 0;
    new.index = next_of[old.index];
    new.tag = old.tag + 1;
  } while (!atomic_compare_exchange_strong(&head, &old, new));
  return old.index;
}

int main(void) {
  _Atomic struct s2 a2;
  atomic_init(&a2, ((struct s2){1, 2}));
  struct s2 v2 = atomic_exchange(&a2, ((struct s2){5, 6}));
  printf("%d %d\n", v2.a, v2.b);
  v2 = a2;
  printf("%d %d\n", v2.a, v2.b);
  atomic_init(&g4, ((struct s4){3, 4}));
  struct s4 v4 = g4;
  v4.x += 10;
  g4 = v4;
  v4 = atomic_load_explicit(&g4, memory_order_acquire);
  printf("%d %d\n", v4.x, v4.y);
  _Atomic struct s8 a8 = (struct s8){1, -1};
  struct s8 want = {1, 1};
  int ok = atomic_compare_exchange_strong(&a8, &want, ((struct s8){7, 7}));
  printf("%d %d %d\n", ok, want.lo, want.hi);
  ok = atomic_compare_exchange_strong(&a8, &want, ((struct s8){8, 9}));
  struct s8 now = atomic_load(&a8);
  printf("%d %d %d\n", ok, now.lo, now.hi);
  for (unsigned i = 1; i < 10; i++) push(i);
  unsigned h = 0, p;
  while ((p = pop())) h = h * 3 + p;
  struct node_ref end = head;
  printf("%u %u %u\n", h, end.index, end.tag);
  printf("%zu %zu %zu\n", sizeof a2, sizeof g4, sizeof a8);
  return (int)end.tag;
}
