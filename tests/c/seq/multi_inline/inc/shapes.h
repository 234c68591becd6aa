#ifndef SHAPES_H
#define SHAPES_H
inline int area(int w, int h) { return w * h; }
inline int perimeter(int w, int h) { return 2 * (w + h); }
int use_area(int);
#endif
