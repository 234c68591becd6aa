// Priority queues: binary heap with decrease-key, pairing heap, event simulation.
#include <stdio.h>
#include <stdlib.h>

struct pnode {
  double key;
  int id;
  struct pnode *kid, *sib;
};
static struct pnode *meld(struct pnode *a, struct pnode *b) {
  if (!a) return b;
  if (!b) return a;
  if (b->key < a->key) {
    struct pnode *t = a;
    a = b;
    b = t;
  }
  b->sib = a->kid;
  a->kid = b;
  return a;
}
static struct pnode *pair(struct pnode *l) {
  if (!l || !l->sib) return l;
  struct pnode *a = l, *b = l->sib, *rest = b->sib;
  a->sib = b->sib = NULL;
  return meld(meld(a, b), pair(rest));
}

enum { MAX = 64 };
static int heap[MAX], pos[MAX], prio[MAX], n;
static void place(int i, int id) {
  heap[i] = id;
  pos[id] = i;
}
static void up(int i) {
  int id = heap[i];
  for (; i && prio[heap[(i - 1) / 2]] > prio[id]; i = (i - 1) / 2) place(i, heap[(i - 1) / 2]);
  place(i, id);
}
static void down(int i) {
  int id = heap[i];
  for (int c; (c = 2 * i + 1) < n; i = c) {
    if (c + 1 < n && prio[heap[c + 1]] < prio[heap[c]]) c++;
    if (prio[heap[c]] >= prio[id]) break;
    place(i, heap[c]);
  }
  place(i, id);
}
static int pop(void) {
  int id = heap[0];
  place(0, heap[--n]);
  if (n) down(0);
  return id;
}

int main(void) {
  for (int i = 0; i < MAX; i++) {
    prio[i] = i * 37 % 101 + 200;
    place(n++, i);
    up(n - 1);
  }
  for (int i = 0; i < MAX; i += 5) {
    prio[i] -= 150 + i;
    up(pos[i]);
  }
  long h = 0;
  int last = -1000, ordered = 1;
  while (n) {
    int id = pop();
    ordered &= prio[id] >= last;
    last = prio[id];
    h = (h * 67 + id) % 1000000007;
  }
  printf("%ld %d\n", h, ordered);
  struct pnode *root = NULL;
  double now = 0;
  for (int i = 0; i < 5; i++) {
    struct pnode *p = calloc(1, sizeof *p);
    if (!p) return 9;
    p->id = i;
    p->key = (i * 7 % 5) * 0.5;
    root = meld(root, p);
  }
  int counts[5] = {0};
  for (int step = 0; step < 60; step++) {
    struct pnode *p = root;
    root = pair(p->kid);
    now = p->key;
    counts[p->id]++;
    p->kid = p->sib = NULL;
    p->key = now + 1.0 / (p->id + 1) + 0.01;
    root = meld(root, p);
  }
  printf("%.4f", now);
  for (int i = 0; i < 5; i++) printf(" %d", counts[i]);
  puts("");
  while (root) {
    struct pnode *p = root;
    root = pair(p->kid);
    printf("%d ", p->id);
    free(p);
  }
  puts("");
  return counts[4];
}
