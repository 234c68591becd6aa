// printf of floating values: f e g a in all flags, widths and precisions.
#include <math.h>
#include <stdio.h>

int main(void) {
  volatile double v[] = {0.0,   -0.0,     1.0,      -1.5,    3.14159265358979, 1e10,    123456789.125, 1e-5, 0.0001, 2.5e-310,
                         1e100, 1.0 / 3,  999999.5, 0.5,     1.5,              2.5,     -1e-7,         9.9999995};
  for (int i = 0; i < 18; i++) {
    printf("%f|%.0f|%.3f|%e|%.1E|%g|%G|%a\n", v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
    printf("%#.0f|%+.2f|% .2f|%010.2f|%-12.4f|%#g|%.10g|%.0e\n", v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
    printf("%.3a|%A|%20a|%-20a|%020.2a|%.0a\n", v[i], v[i], v[i], v[i], v[i], v[i]);
  }
  printf("%f %F %e %g %G %a\n", INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY);
  printf("%f %F %10f|%-10f|%010f\n", fabs(NAN), fabs(NAN), fabs(NAN), fabs(NAN), INFINITY);
  printf("%.50f\n", 0.1);
  printf("%.20g %.17g %.15g\n", 0.1, 0.1, 0.1);
  printf("%.3f %.3f %.3f %.3f\n", 0.0005, 0.0015, 0.0025, 2.0005);
  printf("%*.*f|%-*.*e|\n", 12, 3, 2.71828, 14, 2, 2.71828);
  printf("%.*f\n", -1, 1.25);
  printf("%.100g\n", 1e-10);
  printf("%5.1f%%\n", 99.44);
  printf("%.0f\n", 1e22);
  printf("%f\n", 1.7976931348623157e308);
  printf("%g %g %g %g\n", 100000.0, 1000000.0, 0.0001, 0.00001);
  printf("%'.2f\n", 1234567.891);
  return 0;
}
