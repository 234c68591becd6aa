// quick_exit runs at_quick_exit handlers in reverse order, not atexit ones.
#include <stdio.h>
#include <stdlib.h>

static void quick1(void) {
  puts("quick1");
  fflush(stdout);
}
static void quick2(void) {
  puts("quick2");
  fflush(stdout);
}
static void slow(void) { puts("must not run"); }

int main(void) {
  atexit(slow);
  at_quick_exit(quick1);
  at_quick_exit(quick2);
  puts("main");
  fflush(stdout);
  quick_exit(66);
}
