// Weak symbols, undefined weak references, aliases of functions and data.
#include <stdio.h>

int base_value = 11;
extern int alias_value __attribute__((alias("base_value")));
int real_fn(int x) { return x * 3; }
int alias_fn(int x) __attribute__((alias("real_fn")));
int weak_alias_fn(int x) __attribute__((weak, alias("real_fn")));
__attribute__((weak)) int overridable(void) { return 1; }
__attribute__((weak)) int weak_data = 5;
extern int missing_fn(int) __attribute__((weak));
extern int missing_data __attribute__((weak));
static int hidden(int x) { return -x; }
int exported(int x) __attribute__((alias("hidden")));

int main(void) {
  printf("%d %d\n", alias_fn(5), weak_alias_fn(6));
  alias_value += 9;
  printf("%d %d\n", base_value, alias_value);
  printf("%d %d\n", overridable(), weak_data);
  int (*volatile p)(int) = missing_fn;
  int *volatile q = &missing_data;
  printf("%d %d\n", p == NULL, q == NULL);
  if (missing_fn) puts("defined");
  else puts("undefined");
  printf("%d\n", exported(hidden(3)));
  int (*volatile f)(int) = alias_fn;
  printf("%d\n", f == real_fn);
  return base_value;
}
