// Weak definitions overridden by strong ones in another file, weak ones kept, weak references.
#include <stdio.h>

__attribute__((weak)) int hook(int x) { return x; }
__attribute__((weak)) int untouched(int x) { return x + 1; }
__attribute__((weak)) int setting = 1;
__attribute__((weak)) extern int optional(void);
__attribute__((weak)) extern int absent(void);
int call_from_other(int x);

int main(void) {
  printf("%d %d %d\n", hook(5), untouched(5), setting);
  printf("%d %d\n", optional ? optional() : -1, absent ? absent() : -1);
  printf("%d\n", call_from_other(7));
  return setting;
}
