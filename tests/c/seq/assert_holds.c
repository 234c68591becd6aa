// Assertions that hold, NDEBUG re-inclusion, static_assert.
#include <assert.h>
#include <stdio.h>

static int calls;
static int check(int x) {
  calls++;
  return x > 0;
}
static void debug_part(void) { assert(check(1) && "positive"); }
#define NDEBUG
#include <assert.h>
static void release_part(void) { assert(check(-1)); }
#undef NDEBUG
#include <assert.h>

static_assert(sizeof(short) == 2, "short");

int main(void) {
  debug_part();
  release_part();
  for (int i = 1; i < 10; i++) assert(check(i));
  int a[5] = {1, 2, 3, 4, 5};
  assert(a[0] < a[4]);
  printf("%d\n", calls);
  return calls;
}
