// return -1 from main becomes 255.
#include <stdio.h>

int main(void) {
  puts("minus one");
  return -1;
}
