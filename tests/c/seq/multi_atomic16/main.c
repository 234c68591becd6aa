// 16-byte atomics: __int128 and a pointer-plus-tag struct, with cmpxchg16b.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
struct pair {
  uint64_t a, b;
};

static void show(const char *s, u128 v) { printf("%s %016lx%016lx\n", s, (uint64_t)(v >> 64), (uint64_t)v); }

int main(void) {
  static _Atomic u128 g;
  atomic_store(&g, ((u128)0x1122334455667788 << 64) | 0x99aabbccddeeff00);
  show("load", atomic_load(&g));
  show("add", atomic_fetch_add(&g, ((u128)1 << 64) | 0x8000000000000000));
  show("xchg", atomic_exchange(&g, (u128)-2));
  u128 want = (u128)-2;
  int ok = atomic_compare_exchange_strong(&g, &want, (u128)5 << 100);
  printf("%d\n", ok);
  ok = atomic_compare_exchange_weak(&g, &want, 1);
  printf("%d\n", ok);
  show("want", want);
  show("or", atomic_fetch_or(&g, 7));
  show("xor", atomic_fetch_xor(&g, (u128)3 << 99));
  show("and", atomic_fetch_and(&g, ~(u128)1));
  show("sub", atomic_fetch_sub(&g, 100));
  show("end", g);
  static _Atomic struct pair p;
  struct pair v = {1, 2};
  atomic_store(&p, v);
  for (int i = 0; i < 10; i++) {
    struct pair old = atomic_load(&p), new;
    do new = (struct pair){old.b, old.a + old.b};
    while (!atomic_compare_exchange_strong(&p, &old, new));
  }
  v = atomic_load(&p);
  printf("%lu %lu\n", v.a, v.b);
  return (int)(v.b & 0xff);
}
