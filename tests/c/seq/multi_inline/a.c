// C99 inline functions in a header with their external definitions in one file.
#include "shapes.h"

#include <stdio.h>

int main(void) {
  int (*f)(int, int) = perimeter;
  printf("%d %d %d\n", area(3, 4), f(3, 4), use_area(5));
  return area(5, 5);
}
