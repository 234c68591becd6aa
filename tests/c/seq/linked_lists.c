// Linked lists: reverse, merge sort, pointer-to-pointer removal, cycle detection, copy with random links, Josephus.
#include <stdio.h>
#include <stdlib.h>

typedef struct node {
  struct node *next, *random;
  int v;
} node;

static node *cons(int v, node *next) {
  node *n = malloc(sizeof *n);
  if (!n) exit(9);
  *n = (node){next, NULL, v};
  return n;
}
static node *reverse(node *l) {
  node *r = NULL;
  while (l) {
    node *t = l->next;
    l->next = r;
    r = l;
    l = t;
  }
  return r;
}
static node *sort(node *l) {
  if (!l || !l->next) return l;
  node *slow = l, *fast = l->next;
  while (fast && fast->next) {
    slow = slow->next;
    fast = fast->next->next;
  }
  node *b = sort(slow->next);
  slow->next = NULL;
  node *a = sort(l), *head, **tail = &head;
  while (a && b) {
    node **m = a->v <= b->v ? &a : &b;
    *tail = *m;
    tail = &(*tail)->next;
    *m = *tail;
  }
  *tail = a ? a : b;
  return head;
}
static int remove_if(node **l, int (*f)(int)) {
  int n = 0;
  while (*l) {
    if (f((*l)->v)) {
      node *t = *l;
      *l = t->next;
      free(t);
      n++;
    } else {
      l = &(*l)->next;
    }
  }
  return n;
}
static int odd(int x) { return x & 1; }
static node *cycle(node *l) {
  node *a = l, *b = l;
  do {
    if (!b || !b->next) return NULL;
    a = a->next;
    b = b->next->next;
  } while (a != b);
  for (a = l; a != b; a = a->next) b = b->next;
  return a;
}
static node *clone(node *l) {
  for (node *n = l; n; n = n->next->next) n->next = cons(n->v, n->next);
  for (node *n = l; n; n = n->next->next) n->next->random = n->random ? n->random->next : NULL;
  node *head = l ? l->next : NULL;
  for (node *n = l; n; n = n->next) {
    node *c = n->next;
    n->next = c->next;
    c->next = c->next ? c->next->next : NULL;
  }
  return head;
}
static void drop(node *l) {
  while (l) {
    node *t = l->next;
    free(l);
    l = t;
  }
}
static void show(const node *l) {
  for (; l; l = l->next) printf("%d ", l->v);
  puts("");
}
static int josephus(int n, int k) {
  node *tail = cons(1, NULL);
  tail->next = tail;
  for (int i = 2; i <= n; i++) tail = tail->next = cons(i, tail->next);
  while (tail->next != tail) {
    for (int i = 1; i < k; i++) tail = tail->next;
    node *dead = tail->next;
    tail->next = dead->next;
    free(dead);
  }
  int v = tail->v;
  free(tail);
  return v;
}

int main(void) {
  node *l = NULL;
  for (int i = 0; i < 20; i++) l = cons(i * 13 % 20, l);
  show(l);
  l = reverse(l);
  l = sort(l);
  show(l);
  int gone = remove_if(&l, odd);
  show(l);
  node *last = l;
  while (last->next) last = last->next;
  printf("%d ", cycle(l) == NULL);
  last->next = l->next->next;
  printf("%d\n", cycle(l)->v);
  last->next = NULL;
  int k = 0;
  for (node *n = l; n; n = n->next) n->random = k++ % 2 ? l : last;
  node *c = clone(l);
  int good = 1;
  for (node *a = l, *b = c; a; a = a->next, b = b->next) good &= a != b && a->v == b->v && a->random->v == b->random->v && a->random != b->random;
  printf("%d %d %d\n", gone, good, josephus(41, 3));
  drop(l);
  drop(c);
  return josephus(10, 2);
}
