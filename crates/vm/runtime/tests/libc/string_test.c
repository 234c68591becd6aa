#include "harness.h"
void test_string(void) {}
