// LRU cache: hash map plus doubly linked list in fixed storage.
#include <stdio.h>
#include <string.h>

enum { CAP = 8, BUCKETS = 16 };
struct item {
  int key, val;
  struct item *prev, *next, *chain;
};
struct lru {
  struct item pool[CAP], *bucket[BUCKETS], head;
  int used, hits, misses, evicted;
};

static void unlink_item(struct item *i) {
  i->prev->next = i->next;
  i->next->prev = i->prev;
}
static void to_front(struct lru *c, struct item *i) {
  i->next = c->head.next;
  i->prev = &c->head;
  i->next->prev = i;
  c->head.next = i;
}
static struct item **slot(struct lru *c, int key) {
  struct item **p = &c->bucket[(unsigned)key * 2654435761u >> 28];
  while (*p && (*p)->key != key) p = &(*p)->chain;
  return p;
}
static int get(struct lru *c, int key) {
  struct item *i = *slot(c, key);
  if (!i) {
    c->misses++;
    return -1;
  }
  c->hits++;
  unlink_item(i);
  to_front(c, i);
  return i->val;
}
static void put(struct lru *c, int key, int val) {
  struct item **p = slot(c, key), *i = *p;
  if (i) {
    unlink_item(i);
  } else {
    if (c->used < CAP) {
      i = &c->pool[c->used++];
    } else {
      i = c->head.prev;
      unlink_item(i);
      struct item **q = slot(c, i->key);
      *q = i->chain;
      c->evicted++;
      p = slot(c, key);
    }
    i->key = key;
    i->chain = NULL;
    *p = i;
  }
  i->val = val;
  to_front(c, i);
}

int main(void) {
  static struct lru c;
  c.head.prev = c.head.next = &c.head;
  long sum = 0;
  unsigned s = 1;
  for (int i = 0; i < 500; i++) {
    s = s * 1103515245u + 12345u;
    int key = (int)(s >> 16) % 20;
    if (key > 12) key %= 5;
    int v = get(&c, key);
    if (v < 0) put(&c, key, key * 100 + i % 100);
    else sum += v;
    if (i % 50 == 0) put(&c, key, i);
  }
  printf("%ld hits %d misses %d evicted %d\n", sum, c.hits, c.misses, c.evicted);
  for (struct item *i = c.head.next; i != &c.head; i = i->next) printf("%d=%d ", i->key, i->val);
  puts("");
  for (struct item *i = c.head.prev; i != &c.head; i = i->prev) printf("%d ", i->key);
  puts("");
  return c.evicted & 0xff;
}
