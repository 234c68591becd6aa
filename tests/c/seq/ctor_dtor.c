// Constructors and destructors with priorities, and their order around main and atexit.
#include <stdio.h>
#include <stdlib.h>

static int order[16], n;
static void note(int x) { order[n++] = x; }

__attribute__((constructor(300))) static void c3(void) { note(3); }
__attribute__((constructor(101))) static void c1(void) { note(1); }
__attribute__((constructor(200))) static void c2(void) { note(2); }
__attribute__((constructor)) static void c4(void) { note(4); }
__attribute__((destructor(300))) static void d3(void) { puts("dtor 300"); }
__attribute__((destructor(101))) static void d1(void) {
  puts("dtor 101");
  fflush(stdout);
}
__attribute__((destructor(200))) static void d2(void) { puts("dtor 200"); }
__attribute__((destructor)) static void d4(void) { puts("dtor default"); }
static void bye(void) { puts("atexit"); }
__attribute__((constructor(102), destructor(102))) static void both(void) { printf("both %d\n", n); }

int main(void) {
  for (int i = 0; i < n; i++) printf("%d ", order[i]);
  puts("main");
  atexit(bye);
  return n + 20;
}
