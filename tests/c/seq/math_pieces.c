// math.h: frexp, ldexp, modf, scalbn, logb, ilogb, nextafter, copysign, fmin, fmax, remquo, remainder, fdim.
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double v[] = {1.0, -1.0, 0.3, 1234.5678, -1e-310, 8.0, 1e300, 0.0, 5.5, -5.5};
  for (int i = 0; i < 10; i++) {
    double x = v[i], ip, fr;
    int e;
    fr = frexp(x, &e);
    printf("frexp %a %d ", fr, e);
    fr = modf(x, &ip);
    printf("modf %a %a ", fr, ip);
    printf("ldexp %a %a ", ldexp(x, 10), scalbn(x, -1030));
    if (x != 0) printf("logb %g %d ", logb(x), ilogb(x));
    printf("next %a %a ", nextafter(x, INFINITY), nextafter(x, -INFINITY));
    printf("copy %g %g ", copysign(3, x), fabs(x));
    printf("mm %g %g %g\n", fmin(x, 1), fmax(x, 1), fdim(x, 1));
    int q;
    double r = remquo(x, 0.7, &q);
    if (fabs(x) < 1e4) printf("remquo %.12g %d ", r, q & 7);
    printf("fmod %a rem %a\n", fmod(x, 0.7), remainder(x, 0.7));
    float f = (float)x, fip;
    float ff = frexpf(f, &e), fm = modff(f, &fip);
    printf("f %a %d ", ff, e);
    printf("%a %a ", fm, fip);
    printf("%a %a %a %a\n", nextafterf(f, 2), copysignf(2, f), fmodf(f, 0.7f), ldexpf(f, 3));
    long double l = x, lip;
    long double lf = frexpl(l, &e), lm = modfl(l, &lip);
    printf("l %La %d ", lf, e);
    printf("%La %La ", lm, lip);
    printf("%La %La %La %La\n", nextafterl(l, 2), copysignl(2, l), fmodl(l, 0.7L), scalbnl(l, 3));
  }
  volatile double nan = NAN;
  printf("%g %g %g %g\n", fmin(nan, 1), fmax(2, nan), fmin(v[7], v[0]), fmax(-v[0], v[1]));
  printf("%a %a\n", fma(v[2], v[3], v[8]), nexttoward(v[0], 2.0L));
  printf("%a %a\n", nextafter(v[7], 1), nextafterf((float)v[7], -1));
  return ilogb(v[3]);
}
