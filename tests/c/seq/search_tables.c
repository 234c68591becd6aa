// search.h: binary trees (tsearch), hash table (hsearch), linear search, queues.
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int order[32], n;
static void visit(const void *node, VISIT which, int depth) {
  (void)depth;
  if (which == postorder || which == leaf) order[n++] = **(int *const *)node;
}
static void nothing(void *p) { (void)p; }

int main(void) {
  int v[16];
  void *root = NULL;
  for (int i = 0; i < 16; i++) {
    v[i] = i * 7 % 16;
    tsearch(&v[i], &root, cmp);
  }
  twalk(root, visit);
  for (int i = 0; i < n; i++) printf("%d ", order[i]);
  int k = 9, miss = 99;
  printf("%d %d\n", **(int **)tfind(&k, &root, cmp), tfind(&miss, &root, cmp) == NULL);
  tdelete(&k, &root, cmp);
  printf("%d\n", tfind(&k, &root, cmp) == NULL);
  tdestroy(root, nothing);
  if (!hcreate(20)) return 1;
  static char names[5][8];
  for (long i = 0; i < 5; i++) {
    snprintf(names[i], sizeof names[i], "key%ld", i);
    hsearch((ENTRY){names[i], (void *)(i * 11)}, ENTER);
  }
  ENTRY *e = hsearch((ENTRY){"key3", NULL}, FIND);
  printf("%ld %d\n", e ? (long)e->data : -1, hsearch((ENTRY){"none", NULL}, FIND) == NULL);
  hdestroy();
  int list[10] = {5, 6, 7};
  size_t len = 3;
  int want = 42;
  int *p = lsearch(&want, list, &len, sizeof *list, cmp);
  printf("%zu %d\n", len, *p);
  return (int)len;
}
