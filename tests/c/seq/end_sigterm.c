// raise(SIGTERM) with the default action.
#include <signal.h>
#include <stdio.h>

int main(void) {
  puts("before SIGTERM");
  fflush(stdout);
  raise(SIGTERM);
  puts("not reached");
  return 0;
}
