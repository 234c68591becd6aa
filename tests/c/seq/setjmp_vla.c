// Many longjmps out of frames holding VLAs and alloca blocks: the stack must not grow.
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static jmp_buf env;

static void deep(int n, int k) {
  char v[100 + k % 50];
  memset(v, n, sizeof v);
  char *a = alloca((size_t)(64 + k % 32));
  a[0] = v[0];
  if (n == 0) longjmp(env, k % 100 + 1 + a[0]);
  deep(n - 1, k);
  v[1] = a[0];
}

int main(void) {
  volatile long sum = 0;
  volatile int round = 0;
  int r = setjmp(env);
  sum += r;
  if (round < 500) {
    round++;
    deep(20, round);
  }
  printf("%d %ld\n", (int)round, (long)sum);
  volatile int n = 0;
  for (volatile int i = 0; i < 300; i++) {
    int size = i + 1;
    char block[size];
    block[i] = (char)i;
    if (setjmp(env) == 0) {
      deep(i % 5, i);
    } else {
      n += block[i] == (char)i;
    }
  }
  printf("%d\n", (int)n);
  return n & 0xff;
}
