// setjmp/longjmp: values, volatile locals, deep recursion, loops of jumps.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;
static int depth_reached;

static void dive(int n) {
  char pad[32];
  pad[n % 32] = (char)n;
  if (n == 0) longjmp(env, 77);
  depth_reached++;
  dive(n - 1);
  printf("never %d\n", pad[0]);
}
static void thrower(int code) { longjmp(env, code); }

int main(void) {
  volatile int count = 0;
  int rc = setjmp(env);
  if (rc < 5) {
    count++;
    printf("rc %d count %d\n", rc, count);
    thrower(rc + 1);
  }
  printf("done %d %d\n", rc, count);
  switch (setjmp(env)) {
    case 0:
      dive(100);
      puts("not here");
      break;
    case 77:
      printf("caught from depth %d\n", depth_reached);
      break;
    default:
      puts("odd");
  }
  if (setjmp(env) == 0)
    thrower(0);
  else
    puts("zero became one");
  volatile double d = 1.5;
  volatile long sum = 0;
  for (volatile int i = 0; i < 10; i++) {
    if (setjmp(env)) {
      sum += i * 100;
      continue;
    }
    d *= 2;
    sum += i;
    if (i % 3 == 0) thrower(i + 1);
    sum++;
  }
  printf("%ld %g\n", sum, d);
  return (int)sum % 256;
}
