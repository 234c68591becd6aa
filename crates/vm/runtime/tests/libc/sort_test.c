#include "harness.h"
void test_sort(void) {}
