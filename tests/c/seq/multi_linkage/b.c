// The other half of multi_linkage.
#include "counter.h"

#include <stdlib.h>

struct counter {
  int now, step;
};
static int hidden = 20;
static int helper(void) { return hidden -= 3; }
const char *const names[] = {"zero", "one", "two", NULL};
int table[4] = {7, [2] = 9};
int which_b(void) { return helper() * 100 + per_file() + per_file(); }
struct counter *counter_new(int start) {
  struct counter *c = malloc(sizeof *c);
  if (!c) exit(9);
  *c = (struct counter){start, 1};
  return c;
}
int counter_next(struct counter *c) {
  c->now += c->step;
  shared++;
  return c->now % 10;
}
void counter_free(struct counter *c) { free(c); }
