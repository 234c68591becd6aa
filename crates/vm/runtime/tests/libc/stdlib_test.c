#include "harness.h"
void test_stdlib(void) {}
