// exit with a code beyond 255 wraps; stdout is flushed at exit without a newline.
#include <stdio.h>
#include <stdlib.h>

static int level(int n) {
  if (n == 0) exit(1000);
  return level(n - 1) + 1;
}

int main(void) {
  printf("no newline, flushed at exit");
  return level(10);
}
