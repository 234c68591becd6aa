// The conditional operator's result types, pointer conversions, null constants, casts to and from void.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define T(e) _Generic((e), int: "int", unsigned: "unsigned", long: "long", unsigned long: "ulong", float: "float", double: "double", \
                     void *: "void*", const void *: "const void*", int *: "int*", const int *: "const int*", char *: "char*", default: "other")

static int one(void) { return 1; }
static int two(void) { return 2; }

int main(void) {
  volatile int k = 1;
  int i = 5;
  const int ci = 6;
  void *v = &i;
  printf("%s %s %s %s\n", T(k ? 1 : 2u), T(k ? 1 : 2l), T(k ? 1.0f : 2), T(k ? 'a' : (short)1));
  printf("%s %s %s %s\n", T(k ? &i : NULL), T(k ? &i : v), T(k ? &i : &ci), T(k ? (const void *)v : &i));
  printf("%s %s\n", T(k ? 1u : -1l), T(k ? 1.0 : 1.0f));
  printf("%ld %g\n", (long)(k ? -1 : 1u), k ? 3 : 2.5);
  printf("%d\n", (k ? one : two)() + (k - 1 ? one : two)());
  (k ? (void)(i = 50) : (void)0);
  printf("%d\n", i);
  const int *p = k ? &ci : &i;
  printf("%d\n", *p);
  int64_t big = k ? INT32_MAX : (int64_t)1 << 40;
  printf("%ld\n", big);
  unsigned char c = k ? 300 & 0xff : 0;
  printf("%d\n", c);
  struct s {
    int a, b;
  } x = {1, 2}, y = {3, 4}, z = k ? x : y;
  printf("%d %d\n", z.a, (k - 1 ? x : y).b);
  int *null = NULL, *also = 0, *cast = (void *)0;
  printf("%d %d %d %d\n", null == also, also == cast, !null, null == (int *)(uintptr_t)(k - 1));
  char *s = (char *)&i;
  printf("%d\n", *(int *)(void *)s);
  printf("%d %d\n", (int)(intptr_t)(void *)(intptr_t)1234, (unsigned char)-1);
  printf("%d\n", k > 0 ? k > 1 ? 10 : 20 : 30);
  int n = 0;
  k ? n++ : n--;
  printf("%d %zu\n", n, sizeof(k ? (char)1 : (char)2));
  return (k ? two : one)();
}
