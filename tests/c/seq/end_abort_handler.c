// SIGABRT caught by a handler that leaves with longjmp, then a second abort is final.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf env;
static volatile sig_atomic_t caught;
static void handler(int s) {
  (void)s;
  caught++;
  siglongjmp(env, 5);
}

int main(void) {
  signal(SIGABRT, handler);
  int r = sigsetjmp(env, 1);
  if (r == 0) abort();
  printf("%d %d\n", r, (int)caught);
  fflush(stdout);
  signal(SIGABRT, SIG_DFL);
  abort();
}
