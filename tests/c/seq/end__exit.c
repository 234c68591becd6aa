// _Exit: no atexit handlers, no flush by the library.
#include <stdio.h>
#include <stdlib.h>

static void never(void) { puts("must not run"); }

int main(void) {
  atexit(never);
  puts("flushed by hand");
  fflush(stdout);
  _Exit(93);
}
