// math.h: exponentials, logarithms, trigonometry, hyperbolics (double).
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double v[] = {0.1, 0.5, 1.0, 1.7, 2.0, 3.3, 10.25};
  for (int i = 0; i < 7; i++) {
    double x = v[i];
    printf("sin %.10f cos %.10f tan %.8f\n", sin(x), cos(x), tan(x));
    printf("asin %.10f acos %.10f atan %.10f atan2 %.10f\n", asin(x / 11), acos(x / 11), atan(x), atan2(-x, 2 - x));
    printf("sinh %.8g cosh %.8g tanh %.10f\n", sinh(x), cosh(x), tanh(x));
    printf("asinh %.10f acosh %.10f atanh %.10f\n", asinh(x), acosh(x + 1), atanh(x / 11));
    printf("exp %.10g exp2 %.10g expm1 %.10g\n", exp(x), exp2(x), expm1(x));
    printf("log %.10f log2 %.10f log10 %.10f log1p %.10f\n", log(x), log2(x), log10(x), log1p(x));
    printf("pow %.10g %.10g %.10g\n", pow(x, 2.5), pow(x, -3), pow(-x, 3));
    printf("sqrt %.12f cbrt %.10f hypot %.10f\n", sqrt(x), cbrt(x), hypot(x, 3));
    printf("erf %.10f erfc %.8g tgamma %.8g lgamma %.9f\n", erf(x), erfc(x), tgamma(x), lgamma(x));
    printf("j0 %.8f y1 %.8f\n", j0(x), y1(x));
  }
  volatile double z = 0, inf = INFINITY;
  printf("%g %g %g %g\n", exp(-inf), log(z), pow(z, 0), atan(inf));
  printf("%d %d %d\n", !!isnan(sqrt(-v[2])), !!isnan(log(-v[2])), !!isnan(acos(v[6])));
  printf("%g %g %g\n", pow(z, -1), pow(-inf, 3), pow(v[2], inf));
  printf("%.10g\n", fmod(v[6] * 1e10, 3.7));
  double s, c;
  s = sin(v[3]);
  c = cos(v[3]);
  printf("%.12f\n", s * s + c * c);
  return 0;
}
