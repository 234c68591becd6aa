// signal and raise with handlers, SIG_IGN, SIG_DFL, sigaction, masks, return values.
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t last, count;
static void on(int s) {
  last = s;
  count++;
}
static void info(int s, siginfo_t *si, void *ctx) {
  (void)ctx;
  last = s + (si != NULL) * 100;
}

int main(void) {
  printf("%d\n", signal(SIGUSR1, on) == SIG_DFL);
  printf("%d ", raise(SIGUSR1));
  printf("%d %d\n", last == SIGUSR1, (int)count);
  printf("%d\n", signal(SIGUSR1, on) == on);
  for (int i = 0; i < 5; i++) raise(SIGUSR1);
  printf("%d\n", (int)count);
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
  puts("still here");
  struct sigaction sa, old;
  memset(&sa, 0, sizeof sa);
  sa.sa_sigaction = info;
  sa.sa_flags = SA_SIGINFO;
  sigemptyset(&sa.sa_mask);
  printf("%d\n", sigaction(SIGUSR2, &sa, &old));
  raise(SIGUSR2);
  printf("%d\n", last == SIGUSR2 + 100);
  sigset_t set, pend;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  printf("%d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
  sigprocmask(SIG_BLOCK, &set, NULL);
  int before = count;
  raise(SIGUSR1);
  sigpending(&pend);
  printf("%d %d\n", count == before, sigismember(&pend, SIGUSR1));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  printf("%d\n", count == before + 1);
  return (int)count;
}
