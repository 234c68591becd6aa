// _Atomic objects with the built-in operators: ++, --, op=, floats, bools, pointers, struct members.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct counters {
  _Atomic int hits;
  _Atomic(unsigned char) small;
  _Atomic long total;
  _Atomic bool flag;
};
static _Atomic double ad = 1.5;
static _Atomic float af = 2.0f;
static _Atomic unsigned au = 10;
static int arr[8] = {0, 10, 20, 30, 40, 50, 60, 70};
static int *_Atomic ap = arr;

int main(void) {
  _Atomic int i = 5;
  int r = i++;
  printf("%d %d\n", r, i);
  r = ++i;
  printf("%d %d\n", r, i);
  r = i--;
  --i;
  printf("%d %d\n", r, i);
  i += 10;
  i -= 3;
  i *= 7;
  i /= 2;
  i %= 30;
  i <<= 3;
  i >>= 1;
  i |= 0x41;
  i &= 0x7d;
  i ^= 0xff;
  printf("%d\n", i);
  r = (i += 100);
  printf("%d\n", r);
  au -= 20;
  printf("%u\n", au);
  au /= 3;
  au <<= 5;
  printf("%u\n", au);
  ad += 0.25;
  ad *= 3;
  ad -= 1;
  ad /= 4;
  double od = ad++;
  printf("%g %g\n", od, ad);
  af += 1;
  af *= af;
  --af;
  printf("%g\n", (float)af);
  printf("%d ", *ap++);
  printf("%d ", *++ap);
  atomic_fetch_add(&ap, 3);
  printf("%d ", *ap);
  atomic_fetch_sub(&ap, 1);
  printf("%d %td\n", ap[0], ap - arr);
  struct counters c = {0};
  for (int k = 0; k < 300; k++) {
    c.hits++;
    c.small += 3;
    c.total -= k;
    c.flag ^= k % 3 == 0;
  }
  printf("%d %d %ld %d\n", c.hits, (int)c.small, (long)c.total, (int)c.flag);
  _Atomic short sh = 32767;
  sh++;
  printf("%d\n", (int)sh);
  _Atomic signed char sc = 100;
  sc += 100;
  printf("%d\n", (int)sc);
  i = (int)ad + 7;
  printf("%d\n", i);
  _Atomic int x = 1, y = 2;
  x = y = 9;
  printf("%d %d\n", x + y, x ? x : y);
  return c.small;
}
