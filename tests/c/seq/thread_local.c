// _Thread_local variables in one thread: initialised, zero, arrays, structs, addresses.
#include <stdio.h>
#include <threads.h>

static _Thread_local int counter = 5;
_Thread_local long total;
static thread_local struct {
  int a[4];
  const char *name;
} ctx = {{1, 2, 3, 4}, "ctx"};
static __thread double gnu = 2.5;
extern _Thread_local int later;

static int *bump(void) {
  static _Thread_local int local = 100;
  local += counter;
  return &local;
}
_Thread_local int later = 9;

int main(void) {
  for (int i = 0; i < 10; i++) {
    counter++;
    total += counter * i;
    ctx.a[i % 4] += i;
    gnu *= 1.5;
  }
  int *p = bump();
  printf("%d %ld %d %d %s\n", counter, total, ctx.a[1], ctx.a[3], ctx.name);
  printf("%d", *p);
  printf(" %d", *bump());
  *p = 0;
  printf(" %d\n", *bump());
  printf("%g %d\n", gnu, later);
  int *q = &counter;
  *q = -1;
  printf("%d\n", counter);
  return later;
}
