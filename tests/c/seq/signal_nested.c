// Signal handlers that raise other signals, jump out with siglongjmp, and count reentry.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf env;
static volatile sig_atomic_t depth, trace, jumps;

static void inner(int s) {
  trace = trace * 10 + (s == SIGUSR2 ? 2 : 9);
  depth++;
}
static void outer(int s) {
  trace = trace * 10 + (s == SIGUSR1 ? 1 : 9);
  raise(SIGUSR2);
  trace = trace * 10 + 3;
}
static void jumper(int s) {
  (void)s;
  jumps++;
  siglongjmp(env, jumps);
}

int main(void) {
  signal(SIGUSR1, outer);
  signal(SIGUSR2, inner);
  raise(SIGUSR1);
  printf("%d %d\n", (int)trace, (int)depth);
  trace = 0;
  raise(SIGUSR2);
  raise(SIGUSR1);
  printf("%d %d\n", (int)trace, (int)depth);
  signal(SIGTERM, jumper);
  int r = sigsetjmp(env, 1);
  if (r < 4) raise(SIGTERM);
  printf("%d %d\n", r, (int)jumps);
  signal(SIGUSR1, SIG_IGN);
  printf("%d\n", raise(SIGUSR1));
  printf("%d\n", signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  return r;
}
