// Mandelbrot and Julia sets as ASCII, in double, float and fixed point.
#include <stdint.h>
#include <stdio.h>

static int iter_d(double cr, double ci) {
  double x = 0, y = 0;
  int n = 0;
  for (; n < 30 && x * x + y * y < 4; n++) {
    double t = x * x - y * y + cr;
    y = 2 * x * y + ci;
    x = t;
  }
  return n;
}
static int iter_f(float x, float y, float cr, float ci) {
  int n = 0;
  for (; n < 30 && x * x + y * y < 4; n++) {
    float t = x * x - y * y + cr;
    y = 2 * x * y + ci;
    x = t;
  }
  return n;
}
static int iter_q(int32_t cr, int32_t ci) {
  int64_t x = 0, y = 0;
  int n = 0;
  for (; n < 30; n++) {
    int64_t xx = x * x / 65536, yy = y * y / 65536;
    if (xx + yy > 4 * 65536) break;
    y = x * y / 32768 + ci;
    x = xx - yy + cr;
  }
  return n;
}

int main(void) {
  static const char shade[] = " .:-=+*#%@";
  long sum = 0;
  for (int r = 0; r < 15; r++) {
    char line[41];
    for (int c = 0; c < 40; c++) {
      int n = iter_d(-2.2 + c * 0.075, -1.2 + r * 0.17);
      line[c] = shade[n / 3 > 9 ? 9 : n / 3];
      sum += n;
    }
    line[40] = 0;
    puts(line);
  }
  long js = 0, qs = 0;
  for (int r = 0; r < 16; r++)
    for (int c = 0; c < 16; c++) {
      js += iter_f((float)c * 0.2f - 1.6f, (float)r * 0.2f - 1.6f, -0.7f, 0.27f);
      qs += iter_q((c - 10) * 13107, (r - 8) * 9830);
    }
  printf("%ld %ld %ld\n", sum, js, qs);
  return (int)(sum & 0xff);
}
