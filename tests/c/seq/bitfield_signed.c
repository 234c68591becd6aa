// Signed bit-fields: sign extension, wraparound, increments, promotions.
#include <stdio.h>

struct s {
  signed a : 3;
  signed b : 7;
  int c : 1;
  signed char d : 4;
  short e : 9;
  long f : 33;
};

int main(void) {
  struct s x = {0};
  for (int i = -5; i <= 5; i++) {
    x.a = i % 4;
    x.b = (signed char)(i * 13) >> 1;
    x.c = i;
    x.d = (signed char)(i * 3);
    x.e = (short)(i * 60);
    x.f = i * 1000000000l;
    printf("%d %d %d %d %d %ld\n", x.a, x.b, x.c, x.d, x.e, (long)x.f);
  }
  x.a = 3;
  int r = x.a++;
  printf("%d %d\n", r, x.a);
  r = ++x.a;
  printf("%d %d\n", r, x.a);
  x.b = 63;
  x.b += 1;
  printf("%d\n", x.b);
  x.e = -256;
  x.e -= 1;
  printf("%d\n", x.e);
  volatile signed char twelve = 12;
  r = (x.d = twelve);
  printf("%d\n", r);
  x.f = (1l << 32) - 1;
  x.f++;
  printf("%ld\n", (long)x.f);
  printf("%d %d\n", x.a < 0, x.c < 0);
  printf("%zu\n", sizeof(struct s));
  struct s y = x;
  y.b = ~y.b;
  printf("%d %d\n", x.b, y.b);
  return x.a & 0xff;
}
