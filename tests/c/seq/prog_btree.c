// B-tree of order 4: insert with splits, search, ordered walk, structure check.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { T = 3, MAXK = 2 * T - 1 };
struct node {
  int n, leaf;
  int key[MAXK];
  struct node *kid[MAXK + 1];
};
static int nodes, splits;

static struct node *make(int leaf) {
  struct node *x = calloc(1, sizeof *x);
  if (!x) exit(9);
  x->leaf = leaf;
  nodes++;
  return x;
}
static void split(struct node *p, int i) {
  struct node *l = p->kid[i], *r = make(l->leaf);
  splits++;
  r->n = T - 1;
  memcpy(r->key, l->key + T, (T - 1) * sizeof *r->key);
  if (!l->leaf) memcpy(r->kid, l->kid + T, T * sizeof *r->kid);
  l->n = T - 1;
  memmove(p->key + i + 1, p->key + i, (size_t)(p->n - i) * sizeof *p->key);
  memmove(p->kid + i + 2, p->kid + i + 1, (size_t)(p->n - i) * sizeof *p->kid);
  p->key[i] = l->key[T - 1];
  p->kid[i + 1] = r;
  p->n++;
}
static int insert(struct node *x, int k) {
  for (;;) {
    int i = 0;
    while (i < x->n && x->key[i] < k) i++;
    if (i < x->n && x->key[i] == k) return 0;
    if (x->leaf) {
      memmove(x->key + i + 1, x->key + i, (size_t)(x->n - i) * sizeof *x->key);
      x->key[i] = k;
      x->n++;
      return 1;
    }
    if (x->kid[i]->n == MAXK) {
      split(x, i);
      if (k == x->key[i]) return 0;
      i += k > x->key[i];
    }
    x = x->kid[i];
  }
}
static struct node *put(struct node *root, int k, int *added) {
  if (root->n == MAXK) {
    struct node *r = make(0);
    r->kid[0] = root;
    split(r, 0);
    root = r;
  }
  *added += insert(root, k);
  return root;
}
static int depth_of(const struct node *x, int k) {
  for (int d = 0;; d++) {
    int i = 0;
    while (i < x->n && x->key[i] < k) i++;
    if (i < x->n && x->key[i] == k) return d;
    if (x->leaf) return -1;
    x = x->kid[i];
  }
}
static int check(const struct node *x, int depth, int *leaf_depth, long *h, int *last) {
  if (x->leaf) {
    if (*leaf_depth < 0) *leaf_depth = depth;
    if (*leaf_depth != depth) exit(8);
  }
  int n = 0;
  for (int i = 0; i <= x->n; i++) {
    if (!x->leaf) n += check(x->kid[i], depth + 1, leaf_depth, h, last);
    if (i == x->n) break;
    if (x->key[i] <= *last) exit(7);
    *last = x->key[i];
    *h = (*h * 31 + *last) % 1000000007;
    n++;
  }
  return n;
}
static void destroy(struct node *x) {
  if (!x->leaf)
    for (int i = 0; i <= x->n; i++) destroy(x->kid[i]);
  free(x);
}

int main(void) {
  struct node *root = make(1);
  int added = 0;
  for (int i = 0; i < 150; i++) root = put(root, i * 7919 % 211, &added);
  for (int i = 300; i < 350; i++) root = put(root, i, &added);
  int leaf = -1, last = -1;
  long h = 0;
  int n = check(root, 0, &leaf, &h, &last);
  printf("%d %d %ld depth %d nodes %d splits %d\n", added, n, h, leaf, nodes, splits);
  int hits[5] = {0};
  for (int k = 0; k < 360; k++) hits[depth_of(root, k) + 1]++;
  for (int i = 0; i < 5; i++) printf("%d ", hits[i]);
  puts("");
  destroy(root);
  return added;
}
