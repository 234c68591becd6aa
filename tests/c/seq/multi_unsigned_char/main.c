// -funsigned-char: plain char behaves as unsigned.
#include <limits.h>
#include <stdio.h>

struct s {
  char c : 4;
};

int main(void) {
  volatile char c = (char)200;
  printf("%d %d %d\n", c, c > 0, CHAR_MIN);
  char w = 0;
  w--;
  printf("%d\n", w);
  int sum = 0;
  for (const char *p = "\xff\x80\x01"; *p; p++) sum += *p;
  printf("%d %d\n", sum, '\xff');
  struct s s = {15};
  printf("%d %d\n", s.c, c >> 4);
  return c;
}
