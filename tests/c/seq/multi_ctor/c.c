// Third file of multi_ctor: the log, itself set up by the first constructor.
#include <stdio.h>

static int log_[16], n, ready;
void note(int x);
int dump(void);
__attribute__((constructor(101))) static void c101(void) { ready = 1; }
void note(int x) { log_[n++] = ready ? x : -x; }
int dump(void) {
  for (int i = 0; i < n; i++) printf("%d ", log_[i]);
  puts("");
  return n;
}
__attribute__((destructor(140))) static void d140(void) { puts("d140"); }
