// char signedness: plain, signed and unsigned char in arithmetic and compares.
#include <limits.h>
#include <stdio.h>

int main(void) {
  volatile char c = (char)0xe9;
  volatile signed char s = (signed char)0xe9;
  volatile unsigned char u = 0xe9;
  printf("%d %d %d\n", c, s, u);
  printf("%d %d %d\n", c < 0, s < 0, u < 0);
  printf("%d %d %d\n", c == s, c == (char)u, s == u);
  printf("%d %d %d\n", c >> 2, s >> 2, u >> 2);
  printf("%x %x %x\n", (unsigned)c, (unsigned)s, (unsigned)u);
  printf("%d %d %d\n", CHAR_MIN, CHAR_MAX, UCHAR_MAX);
  const char *text = "\x80\xff\x7f\x01";
  int sum = 0, usum = 0;
  for (const char *p = text; *p; p++) {
    sum += *p;
    usum += (unsigned char)*p;
  }
  printf("%d %d\n", sum, usum);
  char buf[256];
  for (int i = 0; i < 256; i++) buf[i] = (char)i;
  int neg = 0;
  long total = 0;
  for (int i = 0; i < 256; i++) {
    neg += buf[i] < 0;
    total += buf[i] * i;
  }
  printf("%d %ld\n", neg, total);
  char wrap = CHAR_MAX;
  wrap++;
  printf("%d\n", wrap);
  printf("%d %d %d\n", 'A', '\377', '\x80');
  printf("%d\n", (int)sizeof('a'));
  return u & 0x7f;
}
