// volatile: globals, members, pointers, arrays, in signal-style flags and loops.
#include <stdio.h>

static volatile int flag;
static volatile unsigned char regs[8];
struct dev {
  volatile unsigned ctrl, status;
  int plain;
};
static const volatile int ro = 17;

static int poll(volatile int *p) {
  int n = 0;
  while (*p < 10) {
    ++*p;
    n += 2;
  }
  return n;
}

int main(void) {
  int *volatile vp;
  int x = 3;
  vp = &x;
  *vp += 4;
  printf("%d\n", x);
  int polled = poll(&flag);
  printf("%d %d\n", polled, flag);
  for (int i = 0; i < 20; i++) regs[i & 7] = (unsigned char)(regs[(i + 3) & 7] + i * 5);
  int s = 0;
  for (int i = 0; i < 8; i++) s = s * 3 + regs[i];
  printf("%d\n", s);
  volatile struct dev d = {1, 2, 3};
  d.ctrl |= 0x80;
  d.status = d.ctrl << 2;
  d.plain++;
  printf("%u %u %d\n", d.ctrl, d.status, d.plain);
  struct dev copy = d;
  printf("%u %d\n", copy.status, ro);
  volatile double acc = 0;
  for (int i = 1; i <= 10; i++) acc += 1.0 / i;
  printf("%.12f\n", acc);
  volatile long double ld = 1;
  ld /= 3;
  printf("%.15Lf\n", ld);
  volatile __int128 w = 1;
  w <<= 100;
  printf("%d\n", (int)(w >> 95));
  return s & 0xff;
}
