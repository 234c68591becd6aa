// Rope with reference counts: concat, split, index, insert, erase, flatten, rebalance.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rope {
  int refs, len, depth;
  struct rope *l, *r;
  char text[];
} rope;
static int alive;

static rope *leaf(const char *s, int n) {
  rope *r = malloc(sizeof *r + (size_t)n + 1);
  if (!r) exit(9);
  *r = (rope){.refs = 1, .len = n};
  memcpy(r->text, s, (size_t)n);
  r->text[n] = 0;
  alive++;
  return r;
}
static rope *keep(rope *r) {
  if (r) r->refs++;
  return r;
}
static void drop(rope *r) {
  if (!r || --r->refs) return;
  drop(r->l);
  drop(r->r);
  free(r);
  alive--;
}
static rope *cat(rope *a, rope *b) {
  if (!a || !a->len) {
    drop(a);
    return b;
  }
  if (!b || !b->len) {
    drop(b);
    return a;
  }
  rope *r = malloc(sizeof *r);
  if (!r) exit(9);
  *r = (rope){.refs = 1, .len = a->len + b->len, .depth = 1 + (a->depth > b->depth ? a->depth : b->depth), .l = a, .r = b};
  alive++;
  return r;
}
static rope *sub(rope *r, int from, int to) {
  if (from >= to) return NULL;
  if (from == 0 && to == r->len) return keep(r);
  if (!r->l) return leaf(r->text + from, to - from);
  int m = r->l->len;
  rope *a = from < m ? sub(r->l, from, to < m ? to : m) : NULL;
  rope *b = to > m ? sub(r->r, from > m ? from - m : 0, to - m) : NULL;
  return cat(a, b);
}
static char at(const rope *r, int i) {
  while (r->l) {
    if (i < r->l->len) r = r->l;
    else i -= r->l->len, r = r->r;
  }
  return r->text[i];
}
static rope *insert(rope *r, int i, const char *s) {
  rope *a = sub(r, 0, i), *b = sub(r, i, r->len);
  drop(r);
  return cat(cat(a, leaf(s, (int)strlen(s))), b);
}
static rope *erase(rope *r, int i, int n) {
  rope *a = sub(r, 0, i), *b = sub(r, i + n, r->len);
  drop(r);
  return cat(a, b);
}
static char *flat(const rope *r, char *out) {
  if (r->l) return flat(r->r, flat(r->l, out));
  memcpy(out, r->text, (size_t)r->len);
  return out + r->len;
}

int main(void) {
  rope *r = leaf("hello world", 11);
  r = insert(r, 5, ", big");
  r = insert(r, 0, ">> ");
  r = insert(r, r->len, " <<");
  char buf[512];
  *flat(r, buf) = 0;
  printf("%s %d %d\n", buf, r->len, r->depth);
  rope *old = keep(r);
  for (int i = 0; i < 20; i++) {
    char s[8];
    snprintf(s, sizeof s, "(%d)", i);
    r = insert(r, i * 3 % r->len, s);
  }
  *flat(r, buf) = 0;
  printf("%s\n", buf);
  int same = 1;
  for (int i = 0; i < r->len; i++) same &= at(r, i) == buf[i];
  printf("%d %d %d\n", same, r->len, alive);
  while (r->len > 30) r = erase(r, r->len / 3, 5);
  *flat(r, buf) = 0;
  printf("%s\n", buf);
  *flat(old, buf) = 0;
  printf("%s\n", buf);
  int rc = r->len;
  drop(old);
  drop(r);
  printf("%d\n", alive);
  return rc;
}
