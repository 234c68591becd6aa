// -fcommon: tentative definitions of the same names in two files become one object.
#include <stdio.h>

int counter;
int table[8];
double ratio;
void bump(int);

int main(void) {
  counter = 3;
  bump(4);
  bump(5);
  int s = 0;
  for (int i = 0; i < 8; i++) s = s * 3 + table[i];
  printf("%d %d %g\n", counter, s, ratio);
  return counter;
}
