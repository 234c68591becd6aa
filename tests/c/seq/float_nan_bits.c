// NaN bits as the hardware makes them: default NaN, quieting, payload kept.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double from64(uint64_t u) {
  double d;
  memcpy(&d, &u, 8);
  return d;
}
static uint64_t to64(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}
static float from32(uint32_t u) {
  float d;
  memcpy(&d, &u, 4);
  return d;
}
static uint32_t to32(float d) {
  uint32_t u;
  memcpy(&u, &d, 4);
  return u;
}

int main(void) {
  volatile double zero = 0, inf = __builtin_inf();
  volatile float fzero = 0, finf = __builtin_inff();
  printf("%016lx %016lx %016lx\n", to64(zero / zero), to64(inf - inf), to64(inf * zero));
  printf("%08x %08x %08x\n", to32(fzero / fzero), to32(finf - finf), to32(finf * fzero));
  volatile double q = from64(0x7ff8000000012345u);
  volatile double n = from64(0xfff80000000abcdeu);
  printf("%016lx %016lx %016lx\n", to64(q + 1), to64(2 * q), to64(1 / q));
  printf("%016lx %016lx\n", to64(n - 1), to64(-n));
  volatile float qf = from32(0x7fc00777u);
  printf("%08x %08x\n", to32(qf + 1), to32(qf * -3));
  printf("%016lx %08x\n", to64((double)qf), to32((float)n));
  volatile double copy = q;
  printf("%016lx\n", to64(copy));
  volatile double s = from64(0x7ff0000000000001u);
  double moved = s;
  printf("%016lx\n", to64(moved));
  printf("%016lx\n", to64(s + 0.0));
  volatile float sf = from32(0x7f800123u);
  printf("%08x %016lx\n", to32(sf * 1.5f), to64((double)sf));
  printf("%f %e %g\n", zero / zero, q, n);
  return 0;
}
