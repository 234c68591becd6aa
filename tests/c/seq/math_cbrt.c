// Cube roots to the last bit: the host's own, not a better one.
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double x = 2, y = 10, z = -0.7;
  volatile float f = 3.7f;
  volatile long double l = 5;
  printf("%a %a %a\n", cbrt(x), cbrt(y), cbrt(z));
  printf("%a %La\n", cbrtf(f), cbrtl(l));
  for (volatile int i = 1; i < 40; i++) printf("%a ", cbrt(i * 1.37));
  printf("\n");
  return 0;
}
