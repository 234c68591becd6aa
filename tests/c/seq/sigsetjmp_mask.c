// sigsetjmp saves and restores the signal mask when asked to, setjmp never does; longjmp through a pointer.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf with, without;
static jmp_buf plain;
static volatile sig_atomic_t caught, way;

static void handler(int s) {
  (void)s;
  caught++;
  if (way == 0) siglongjmp(with, 1);
  if (way == 1) siglongjmp(without, 2);
  if (way == 2) longjmp(plain, 3);
}
static int blocked(int s) {
  sigset_t set;
  sigprocmask(SIG_BLOCK, NULL, &set);
  return sigismember(&set, s);
}
static void unblock(void) {
  sigset_t set;
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
}

int main(void) {
  signal(SIGUSR1, handler);
  int r = sigsetjmp(with, 1);
  if (r == 0) raise(SIGUSR1);
  printf("%d %d %d\n", r, (int)caught, blocked(SIGUSR1));
  way = 1;
  r = sigsetjmp(without, 0);
  if (r == 0) raise(SIGUSR1);
  printf("%d %d %d\n", r, (int)caught, blocked(SIGUSR1));
  unblock();
  way = 2;
  r = setjmp(plain);
  if (r == 0) raise(SIGUSR1);
  printf("%d %d %d\n", r, (int)caught, blocked(SIGUSR1));
  // Restoring a mask lets a signal through that was held back.
  unblock();
  way = 3;
  r = sigsetjmp(with, 1);
  if (r == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    printf("%d %d %d\n", (int)caught, blocked(SIGUSR1), blocked(SIGUSR2));
    siglongjmp(with, 4);
  }
  printf("%d %d %d %d\n", r, (int)caught, blocked(SIGUSR1), blocked(SIGUSR2));
  void (*volatile jump)(struct __jmp_buf_tag *, int) = longjmp;
  r = setjmp(plain);
  if (r == 0) jump(plain, 0);
  printf("%d\n", r);
  return caught;
}
