// Skip list with deterministic levels: insert, find, delete, range.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 8 };
struct node {
  int key, val, height;
  struct node *next[];
};
static struct node *head;
static unsigned rng = 1;
static long hops;

static struct node *make(int key, int val, int h) {
  struct node *n = malloc(sizeof *n + (size_t)h * sizeof n->next[0]);
  if (!n) exit(9);
  n->key = key;
  n->val = val;
  n->height = h;
  for (int i = 0; i < h; i++) n->next[i] = NULL;
  return n;
}
static void search(int key, struct node **prev) {
  struct node *x = head;
  for (int l = LEVELS - 1; l >= 0; l--) {
    while (x->next[l] && x->next[l]->key < key) {
      x = x->next[l];
      hops++;
    }
    prev[l] = x;
  }
}
static int level(void) {
  rng = rng * 1103515245u + 12345u;
  int l = 1;
  for (unsigned r = rng >> 16; r & 1 && l < LEVELS; r >>= 1) l++;
  return l;
}
static int put(int key, int val) {
  struct node *prev[LEVELS];
  search(key, prev);
  struct node *x = prev[0]->next[0];
  if (x && x->key == key) {
    x->val = val;
    return 0;
  }
  x = make(key, val, level());
  for (int i = 0; i < x->height; i++) {
    x->next[i] = prev[i]->next[i];
    prev[i]->next[i] = x;
  }
  return 1;
}
static int del(int key) {
  struct node *prev[LEVELS];
  search(key, prev);
  struct node *x = prev[0]->next[0];
  if (!x || x->key != key) return 0;
  for (int i = 0; i < x->height; i++) prev[i]->next[i] = x->next[i];
  free(x);
  return 1;
}

int main(void) {
  head = make(INT_MIN, 0, LEVELS);
  int added = 0, gone = 0;
  for (int i = 0; i < 200; i++) added += put(i * 7919 % 307, i);
  for (int i = 0; i < 100; i++) gone += del(i * 13 % 310);
  for (int i = 0; i < 30; i++) added += put(1000 + i, -i);
  long sum = 0;
  int n = 0, sorted = 1, counts[LEVELS + 1] = {0};
  for (struct node *x = head->next[0]; x; x = x->next[0]) {
    sum = (sum * 31 + x->key * 7 + x->val) % 1000000007;
    n++;
    counts[x->height]++;
    if (x->next[0]) sorted &= x->key < x->next[0]->key;
  }
  printf("%d %d %d %ld %d hops %ld\n", added, gone, n, sum, sorted, hops);
  for (int i = 1; i <= LEVELS; i++) printf("%d ", counts[i]);
  puts("");
  struct node *prev[LEVELS];
  search(100, prev);
  int range = 0;
  for (struct node *x = prev[0]->next[0]; x && x->key < 200; x = x->next[0]) range++;
  printf("%d\n", range);
  for (struct node *x = head, *t; x; x = t) {
    t = x->next[0];
    free(x);
  }
  return n;
}
