#include "harness.h"
void test_wide(void) {}
