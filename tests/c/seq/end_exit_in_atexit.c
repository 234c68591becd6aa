// exit status set by main; a handler calls _Exit with another one.
#include <stdio.h>
#include <stdlib.h>

static int state = 5;
static void last(void) {
  printf("state %d\n", state);
  fflush(stdout);
  _Exit(state + 10);
}
static void middle(void) { state *= 3; }

int main(void) {
  atexit(last);
  atexit(middle);
  puts("main returns 2");
  return 2;
}
