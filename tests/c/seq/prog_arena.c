// Arena allocator with alignment, marks and growth; a free-list pool; a buddy allocator.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
  struct chunk *prev;
  size_t cap, used;
  _Alignas(max_align_t) unsigned char mem[];
};
static struct chunk *arena;
static int chunks;

static void *alloc(size_t n, size_t align) {
  size_t at = arena ? (arena->used + align - 1) & ~(align - 1) : 0;
  if (!arena || at + n > arena->cap) {
    size_t cap = n > 512 ? n : 512;
    struct chunk *c = malloc(sizeof *c + cap);
    if (!c) exit(9);
    c->prev = arena;
    c->cap = cap;
    arena = c;
    chunks++;
    at = 0;
  }
  arena->used = at + n;
  return arena->mem + at;
}
static void drop_all(void) {
  while (arena) {
    struct chunk *p = arena->prev;
    free(arena);
    arena = p;
  }
}
#define NEW(T) ((T *)alloc(sizeof(T), _Alignof(T)))

struct list {
  struct list *next;
  double v;
  char tag;
};

union cell {
  union cell *next;
  long payload[2];
};
static union cell cells[16], *free_cells;
static union cell *take(void) {
  union cell *c = free_cells;
  if (c) free_cells = c->next;
  return c;
}
static void give(union cell *c) {
  c->next = free_cells;
  free_cells = c;
}

enum { ORDERS = 7 };
static int8_t state[1 << ORDERS];
static int buddy(int order, int o, int at) {
  if (o < order || state[(1 << (ORDERS - 1 - o)) + at] == 2) return -1;
  int node = (1 << (ORDERS - 1 - o)) + at;
  if (o == order) {
    if (state[node]) return -1;
    state[node] = 2;
    return at << o;
  }
  for (int k = 0; k < 2; k++) {
    int r = buddy(order, o - 1, at * 2 + k);
    if (r >= 0) {
      state[node] = 1;
      return r;
    }
  }
  return -1;
}

int main(void) {
  struct list *l = NULL;
  int bad = 0;
  for (int i = 0; i < 60; i++) {
    char *s = alloc((size_t)(i % 7 + 1), 1);
    memset(s, 'a' + i % 26, (size_t)(i % 7 + 1));
    struct list *n = NEW(struct list);
    bad += (uintptr_t)n % _Alignof(struct list) != 0;
    *n = (struct list){l, i * 0.5, s[0]};
    l = n;
  }
  double sum = 0;
  unsigned h = 0;
  for (; l; l = l->next) sum += l->v, h = h * 31 + (unsigned char)l->tag;
  printf("%g %u %d %d\n", sum, h, chunks, bad);
  drop_all();
  for (int i = 0; i < 16; i++) give(&cells[i]);
  union cell *got[20];
  int n = 0;
  while ((got[n] = take())) n++;
  for (int i = 0; i < n; i++) got[i]->payload[1] = i;
  for (int i = 0; i < n; i += 2) give(got[i]);
  union cell *c = take();
  printf("%d %td\n", n, c - cells);
  int sizes[] = {0, 2, 1, 3, 0, 4, 5, 0, 3, 2};
  for (int i = 0; i < 10; i++) printf("%d ", buddy(sizes[i], ORDERS - 1, 0));
  puts("");
  return n;
}
