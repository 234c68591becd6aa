// Second file of multi_ctor.
#include <stdio.h>

void note(int);
__attribute__((constructor(120))) static void c120(void) { note(120); }
__attribute__((constructor(160))) static void c160(void) { note(160); }
__attribute__((destructor(130))) static void d130(void) { puts("d130"); }
