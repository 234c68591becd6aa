#include "harness.h"
void test_system(void) {}
