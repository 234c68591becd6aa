// Macros given on the command line, include order, conditional compilation.
#include <stdio.h>

#ifndef SIZE
#error SIZE must be given
#endif
#define STR_(x) #x
#define STR(x) STR_(x)
#if defined(FEATURE) && FEATURE > 1
static int feature(int x) { return x * FEATURE; }
#else
static int feature(int x) { return -x; }
#endif
#ifdef EMPTY
static const char mode[] = "empty is " STR(EMPTY);
#endif

int main(void) {
  int a[SIZE];
  for (int i = 0; i < SIZE; i++) a[i] = feature(i);
  int s = 0;
  for (int i = 0; i < SIZE; i++) s += a[i];
  printf("%s %d %d %s\n", STR(LABEL), s, FEATURE, mode);
  return (s + ADD) & 0xff;
}
