// Hash table with open addressing and one with chaining: insert, delete, grow, iterate.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  char *key;
  int val;
  enum { FREE, USED, DEAD } st;
};
struct map {
  struct entry *e;
  size_t cap, used, live;
};

static uint32_t hash(const char *s) {
  uint32_t h = 2166136261u;
  while (*s) h = (h ^ (unsigned char)*s++) * 16777619u;
  return h;
}
static char *dup(const char *s) {
  size_t n = strlen(s) + 1;
  char *d = malloc(n);
  if (!d) exit(3);
  return memcpy(d, s, n);
}
static void put(struct map *m, const char *key, int val);
static void grow(struct map *m) {
  struct map n = {calloc(m->cap ? m->cap * 2 : 8, sizeof *n.e), m->cap ? m->cap * 2 : 8, 0, 0};
  if (!n.e) exit(3);
  for (size_t i = 0; i < m->cap; i++) {
    if (m->e[i].st == USED) put(&n, m->e[i].key, m->e[i].val);
    if (m->e[i].st == USED) free(m->e[i].key);
  }
  free(m->e);
  *m = n;
}
static struct entry *find(struct map *m, const char *key) {
  if (!m->cap) return NULL;
  for (size_t i = hash(key) & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
    if (m->e[i].st == FREE) return NULL;
    if (m->e[i].st == USED && !strcmp(m->e[i].key, key)) return &m->e[i];
  }
}
static void put(struct map *m, const char *key, int val) {
  struct entry *f = find(m, key);
  if (f) {
    f->val = val;
    return;
  }
  if ((m->used + 1) * 4 > m->cap * 3) grow(m);
  size_t i = hash(key) & (m->cap - 1);
  while (m->e[i].st == USED) i = (i + 1) & (m->cap - 1);
  if (m->e[i].st == FREE) m->used++;
  m->e[i] = (struct entry){dup(key), val, USED};
  m->live++;
}
static int del(struct map *m, const char *key) {
  struct entry *f = find(m, key);
  if (!f) return 0;
  free(f->key);
  f->key = NULL;
  f->st = DEAD;
  m->live--;
  return 1;
}

struct link {
  struct link *next;
  int k, v;
};
static struct link *bucket[16];
static void chain_add(int k, int v) {
  for (struct link *l = bucket[(unsigned)k % 16]; l; l = l->next)
    if (l->k == k) {
      l->v += v;
      return;
    }
  struct link *l = malloc(sizeof *l);
  if (!l) exit(3);
  *l = (struct link){bucket[(unsigned)k % 16], k, v};
  bucket[(unsigned)k % 16] = l;
}

int main(void) {
  struct map m = {0};
  char key[16];
  for (int i = 0; i < 200; i++) {
    snprintf(key, sizeof key, "key%d", i * 37 % 150);
    put(&m, key, i);
  }
  printf("%zu %zu\n", m.live, m.cap);
  int gone = 0;
  for (int i = 0; i < 150; i += 3) {
    snprintf(key, sizeof key, "key%d", i);
    gone += del(&m, key);
  }
  gone += del(&m, "nokey");
  long sum = 0;
  unsigned order = 0;
  for (size_t i = 0; i < m.cap; i++)
    if (m.e[i].st == USED) {
      sum += m.e[i].val;
      order = order * 31 + (unsigned)m.e[i].val;
    }
  printf("%d %zu %ld %u\n", gone, m.live, sum, order);
  for (int i = 0; i < 20; i++) {
    snprintf(key, sizeof key, "new%d", i);
    put(&m, key, -i);
  }
  struct entry *e = find(&m, "new7"), *x = find(&m, "key3");
  printf("%d %d %zu\n", e ? e->val : 1, x == NULL, m.live);
  for (size_t i = 0; i < m.cap; i++)
    if (m.e[i].st == USED) free(m.e[i].key);
  free(m.e);
  for (int i = 0; i < 300; i++) chain_add(i * i % 97, i);
  long s = 0;
  int longest = 0;
  for (int i = 0; i < 16; i++) {
    int len = 0;
    for (struct link *l = bucket[i], *n; l; l = n) {
      s = (s * 7 + l->k * 1000 + l->v) % 1000003;
      len++;
      n = l->next;
      free(l);
    }
    if (len > longest) longest = len;
  }
  printf("%ld %d\n", s, longest);
  return gone;
}
