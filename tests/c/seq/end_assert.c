// A failing assert: message to stderr, death by SIGABRT.
#include <assert.h>
#include <stdio.h>

static int value(int x) { return x * 2; }

int main(void) {
  printf("%d\n", value(4));
  fflush(stdout);
  assert(value(4) == 8);
  assert(value(4) == 9 && "must fail");
  puts("not reached");
  return 0;
}
