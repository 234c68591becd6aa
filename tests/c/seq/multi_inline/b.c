// External definitions for multi_inline.
#include "shapes.h"

extern inline int area(int w, int h);
extern inline int perimeter(int w, int h);
int use_area(int x) { return area(x, x) + perimeter(x, x); }
