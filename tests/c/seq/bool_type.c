// _Bool: conversion from every scalar type, arithmetic, bit-field of _Bool.
#include <stdbool.h>
#include <stdio.h>

#pragma clang diagnostic ignored "-Wbool-operation"

struct flags {
  bool a : 1;
  bool b : 1;
  bool c;
};

static bool from_int(int x) { return x; }
static bool from_double(double x) { return x; }
static bool from_ptr(const void *p) { return p; }
static bool from_ull(unsigned long long x) { return x; }

int main(void) {
  volatile double tiny = 1e-300, zero = -0.0, nan = __builtin_nan("");
  printf("%d %d %d\n", from_int(256), from_int(0), from_int(-1));
  printf("%d %d %d %d\n", from_double(tiny), from_double(zero), from_double(nan), from_double(0.5));
  int obj = 0;
  printf("%d %d\n", from_ptr(&obj), from_ptr(NULL));
  printf("%d %d\n", from_ull(1ull << 63), from_ull(0x100000000ull));
  bool t = true;
  t++;
  printf("%d ", t);
  t--;
  printf("%d ", t);
  t--;
  printf("%d\n", t);
  bool x = 5, y = 0;
  printf("%d %d %d %d %d\n", x + x, x & 2, x | y, x ^ x, ~x);
  struct flags f = {2, 0, 4};
  f.b = 16;
  printf("%d %d %d size %zu\n", f.a, f.b, f.c, sizeof f);
  f.a ^= 1;
  f.c &= 0;
  printf("%d %d %d\n", f.a, f.b, f.c);
  bool arr[16];
  int count = 0;
  for (int i = 0; i < 16; i++) arr[i] = i % 3;
  for (int i = 0; i < 16; i++) count += arr[i] << (i & 3);
  printf("count %d %zu\n", count, sizeof arr);
  return count;
}
