// Trie and ternary search tree: insert, lookup, prefix completion, delete; Aho-style count.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trie {
  struct trie *kid[26];
  int end, pass;
};
struct tst {
  char c;
  int end;
  struct tst *lo, *eq, *hi;
};
static int nodes;

static struct trie *new_trie(void) {
  struct trie *t = calloc(1, sizeof *t);
  if (!t) exit(9);
  nodes++;
  return t;
}
static void insert(struct trie *t, const char *s) {
  for (; *s; s++) {
    struct trie **k = &t->kid[*s - 'a'];
    if (!*k) *k = new_trie();
    t = *k;
    t->pass++;
  }
  t->end++;
}
static const struct trie *find(const struct trie *t, const char *s) {
  for (; t && *s; s++) t = t->kid[*s - 'a'];
  return t;
}
static int list(const struct trie *t, char *buf, int n, int max) {
  if (t->end && max > 0) {
    buf[n] = 0;
    printf("%s ", buf);
    max--;
  }
  for (int i = 0; i < 26 && max > 0; i++)
    if (t->kid[i]) {
      buf[n] = (char)('a' + i);
      max = list(t->kid[i], buf, n + 1, max);
    }
  return max;
}
static int erase(struct trie **p, const char *s) {
  struct trie *t = *p;
  if (!t) return 0;
  int ok = *s ? erase(&t->kid[*s - 'a'], s + 1) : t->end && t->end--;
  if (ok && --t->pass <= 0) {
    free(t);
    nodes--;
    *p = NULL;
  }
  return ok;
}
static void destroy(struct trie *t) {
  if (!t) return;
  for (int i = 0; i < 26; i++) destroy(t->kid[i]);
  free(t);
}
static struct tst *tst_put(struct tst *t, const char *s) {
  if (!t) {
    t = calloc(1, sizeof *t);
    if (!t) exit(9);
    t->c = *s;
  }
  if (*s < t->c) t->lo = tst_put(t->lo, s);
  else if (*s > t->c) t->hi = tst_put(t->hi, s);
  else if (s[1]) t->eq = tst_put(t->eq, s + 1);
  else t->end = 1;
  return t;
}
static int tst_has(const struct tst *t, const char *s) {
  while (t) {
    if (*s < t->c) t = t->lo;
    else if (*s > t->c) t = t->hi;
    else if (!*++s) return t->end;
    else t = t->eq;
  }
  return 0;
}
static int tst_free(struct tst *t) {
  if (!t) return 0;
  int n = 1 + tst_free(t->lo) + tst_free(t->eq) + tst_free(t->hi);
  free(t);
  return n;
}

int main(void) {
  static const char *const words[] = {"tea", "ten", "to", "team", "inn", "in", "interior", "tent", "tenor", "a", "an", "and", "ant", "to"};
  struct trie *root = new_trie();
  root->pass = 1000;
  struct tst *tst = NULL;
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    insert(root, words[i]);
    tst = tst_put(tst, words[i]);
  }
  char buf[32] = "te";
  printf("%d\n", nodes);
  list(find(root, "te"), buf, 2, 10);
  puts("");
  list(root, buf, 0, 5);
  puts("");
  printf("%d %d %d %d\n", find(root, "to")->end, find(root, "te")->pass, find(root, "xyz") == NULL, find(root, "inte")->end);
  printf("%d %d", erase(&root, "tent"), 0);
  printf(" %d", erase(&root, "tent"));
  printf(" %d", erase(&root, "interior"));
  printf(" %d\n", nodes);
  list(root, buf, 0, 100);
  puts("");
  printf("%d%d%d%d\n", tst_has(tst, "team"), tst_has(tst, "te"), tst_has(tst, "and"), tst_has(tst, "andy"));
  destroy(root);
  return tst_free(tst);
}
