// Linkage over two files: statics of the same name, extern data, opaque types, static inline state.
#include "counter.h"

#include <stdio.h>

static int hidden = 10;
static int helper(void) { return hidden++; }
int shared = 5;
int which_a(void) { return helper() * 100 + per_file(); }

int main(void) {
  printf("%d ", which_a());
  printf("%d\n", which_b());
  printf("%d ", which_a());
  printf("%d\n", which_b());
  shared += 2;
  struct counter *c = counter_new(shared);
  int s = 0;
  for (int i = 0; i < 5; i++) s = s * 10 + counter_next(c);
  counter_free(c);
  printf("%d %d\n", s, shared);
  for (int i = 0; names[i]; i++) printf("%s%d ", names[i], table[i]);
  puts("");
  return shared;
}
