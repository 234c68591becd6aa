#include "harness.h"
void test_stdio(void) {}
