// AVL tree: insert with rotations, delete, in-order walk, balance check.
#include <stdio.h>
#include <stdlib.h>

struct node {
  int key, height;
  struct node *kid[2];
};
static int rotations;

static int height(const struct node *n) { return n ? n->height : 0; }
static void fix(struct node *n) {
  int l = height(n->kid[0]), r = height(n->kid[1]);
  n->height = (l > r ? l : r) + 1;
}
static struct node *rotate(struct node *n, int dir) {
  struct node *k = n->kid[!dir];
  n->kid[!dir] = k->kid[dir];
  k->kid[dir] = n;
  fix(n);
  fix(k);
  rotations++;
  return k;
}
static struct node *balance(struct node *n) {
  fix(n);
  int b = height(n->kid[1]) - height(n->kid[0]);
  if (b >= -1 && b <= 1) return n;
  int d = b > 0;
  struct node *k = n->kid[d];
  if (height(k->kid[!d]) > height(k->kid[d])) n->kid[d] = rotate(k, d);
  return rotate(n, !d);
}
static struct node *insert(struct node *n, int key) {
  if (!n) {
    n = calloc(1, sizeof *n);
    if (!n) exit(9);
    n->key = key;
    n->height = 1;
    return n;
  }
  if (key == n->key) return n;
  int d = key > n->key;
  n->kid[d] = insert(n->kid[d], key);
  return balance(n);
}
static struct node *take_min(struct node *n, struct node **min) {
  if (!n->kid[0]) {
    *min = n;
    return n->kid[1];
  }
  n->kid[0] = take_min(n->kid[0], min);
  return balance(n);
}
static struct node *erase(struct node *n, int key) {
  if (!n) return NULL;
  if (key != n->key) {
    int d = key > n->key;
    n->kid[d] = erase(n->kid[d], key);
    return balance(n);
  }
  struct node *l = n->kid[0], *r = n->kid[1];
  free(n);
  if (!r) return l;
  struct node *min;
  r = take_min(r, &min);
  min->kid[0] = l;
  min->kid[1] = r;
  return balance(min);
}
static long walk(const struct node *n, int *count, int *last) {
  if (!n) return 0;
  long s = walk(n->kid[0], count, last);
  if (*count && n->key <= *last) exit(8);
  int b = height(n->kid[1]) - height(n->kid[0]);
  if (b < -1 || b > 1) exit(7);
  *last = n->key;
  s = (s * 31 + n->key + *count) % 1000000007;
  ++*count;
  return (s + walk(n->kid[1], count, last)) % 1000000007;
}
static void destroy(struct node *n) {
  if (!n) return;
  destroy(n->kid[0]);
  destroy(n->kid[1]);
  free(n);
}

int main(void) {
  struct node *t = NULL;
  for (int i = 0; i < 100; i++) t = insert(t, i);
  printf("h %d rot %d root %d\n", t->height, rotations, t->key);
  unsigned s = 5;
  for (int i = 0; i < 200; i++) {
    s = s * 1664525u + 1013904223u;
    t = insert(t, (int)(s >> 20) % 500);
  }
  int n = 0, last = 0;
  long h = walk(t, &n, &last);
  printf("%d %ld h %d rot %d\n", n, h, t->height, rotations);
  for (int k = 0; k < 500; k += 3) t = erase(t, k);
  n = 0;
  h = walk(t, &n, &last);
  printf("%d %ld h %d rot %d\n", n, h, t->height, rotations);
  destroy(t);
  return n & 0xff;
}
