// abort: death by SIGABRT, atexit handlers do not run.
#include <stdio.h>
#include <stdlib.h>

static void never(void) {
  puts("atexit must not run");
  fflush(stdout);
}

int main(void) {
  atexit(never);
  puts("before abort");
  fflush(stdout);
  abort();
}
