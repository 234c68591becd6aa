// _Noreturn, _Generic, _Static_assert, __func__, __COUNTER__, __builtin_choose_expr and friends.
#include <stdio.h>
#include <stdlib.h>
#include <tgmath.h>

static _Noreturn void leave(int code) {
  printf("%s %d\n", __func__, code);
  exit(code);
}
#define type_name(x)                                                          \
  _Generic((x), int: "int", unsigned: "unsigned", long: "long", char: "char", \
      float: "float", double: "double", char *: "char*",                      \
      const char *: "const char*", int *: "int*", void *: "void*",            \
      struct s: "struct s", int (*)(int): "fn", default: "other")
struct s {
  int x;
};
static int neg_i(int x) { return -x; }
static double neg_d(double x) { return -x; }
#define NEG(x) _Generic((x), int: neg_i, double: neg_d, float: neg_d)(x)

_Static_assert(sizeof(int) == 4, "int");
_Static_assert(_Alignof(double) == 8, "double");

int main(void) {
  int i = 0, a[3] = {0};
  struct s s = {1};
  printf("%s %s %s %s\n", type_name(i), type_name(1u), type_name('a'), type_name((char)1));
  printf("%s %s %s %s\n", type_name(1.f), type_name("x"), type_name(a), type_name(&i));
  printf("%s %s %s %s\n", type_name(s), type_name(neg_i), type_name(1ll), type_name((void *)0));
  printf("%d %g %g\n", NEG(5), NEG(2.5), NEG(1.5f));
  printf("%.6f %.6f\n", (double)sqrt(2.0f), sqrt(2.0));
  printf("%.4f %zu %zu\n", fabs(-1.5), sizeof(sin(1.0f)), sizeof(cos(1.0L)));
  printf("%d\n", __builtin_choose_expr(sizeof(long) == 8, 64, 32));
  printf("%d %d\n", __builtin_types_compatible_p(int, signed), __builtin_types_compatible_p(int, long));
  int c1 = __COUNTER__, c2 = __COUNTER__;
  printf("%d\n", c2 - c1);
  printf("%d %d\n", __builtin_constant_p(5), (int)__builtin_object_size(a, 0));
  __builtin_assume(i == 0);
  if (i) __builtin_unreachable();
  leave(44);
}
